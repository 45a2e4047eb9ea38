import { AllotError, EMPTY_ASSIGNMENT, type Assignment, type GroupAssignment } from '@allot/model';
import type { GroupSettings } from '../group-settings.js';
import type { PlanEffect, PlannedMember, StoredPlan } from '../ports/plan-store.js';
import { describeChange } from './change.js';
import type { ConsumerGroup, ConsumerMember } from './consumer-group.js';
import { addOwned, NO_PARTITIONS } from './owned-partitions.js';
import type { StepContext, Transition } from './step.js';
import { subscribedTopicsOf } from './subscriptions.js';
import { withTarget } from './target.js';

/** What a plan comes to, all of it decided when the plan was made. */
export interface PlannedGroup {
  readonly planId: string;
  /** Of every member that the plan leaves in the group. */
  readonly target: GroupAssignment;
  readonly effect: PlanEffect;
  readonly settings: GroupSettings;
}

/**
 * Gives the group exactly the planned target, as a new epoch of which it is the assignment; no assignor runs. Members of a live
 * group then move by their own heartbeats, revoke before assign, as to any target. One that the plan removes is drained: it
 * hands over what it has and gets nothing more, and stays until it leaves, since only the worker itself can say that it has stopped.
 * A frozen group is no obstacle: a freeze holds back what comes by itself, and a plan is an operator's word. An imported group, which nobody serves here, becomes
 * the picture of the group after the plan was carried out.
 *
 * The caller has checked that this is the group that was planned on (`checkApplicable`).
 */
export function applyPlan(
  group: ConsumerGroup,
  planned: PlannedGroup,
  context: Pick<StepContext, 'now' | 'catalog' | 'origin'>,
): Transition {
  const epoch = group.groupEpoch + 1;
  const bumped: ConsumerGroup = {
    ...group,
    settings: planned.settings,
    revision: group.revision + 1,
    groupEpoch: epoch,
    catalogRevision: context.catalog.revision,
  };
  const targeted =
    group.source === 'live' ? retargeted(bumped, planned, context.now) : pictured(bumped, planned, epoch);
  const subscribedTopics = subscribedTopicsOf(targeted.members.values(), context.catalog, group.subscribedTopics);
  const after = { ...targeted, subscribedTopics };
  const { now, origin } = context;
  const { planId } = planned;
  return { group: after, change: describeChange(group, after, { cause: 'plan-applied', origin, now, planId }) };
}

function retargeted(group: ConsumerGroup, { target, effect }: PlannedGroup, now: number): ConsumerGroup {
  const members = new Map(group.members);
  for (const memberId of target.keys()) {
    if (!members.has(memberId)) throw new Error(`The plan gives partitions to ${memberId}, which is not in the group.`);
  }
  for (const { id, weight } of effect.members) {
    const member = members.get(id)!;
    if (weight !== undefined && weight !== member.weight) members.set(id, { ...member, weight });
  }
  for (const memberId of effect.removedMembers) members.set(memberId, { ...members.get(memberId)!, draining: true });
  return withTarget({ ...group, members }, { target, deferred: [] }, now);
}

function pictured(group: ConsumerGroup, { target, effect, settings }: PlannedGroup, epoch: number): ConsumerGroup {
  const removed = new Set(effect.removedMembers);
  const members = new Map<string, ConsumerMember>();
  for (const [memberId, member] of group.members) if (!removed.has(memberId)) members.set(memberId, member);
  let joinOrder = group.nextJoinOrder;
  for (const planned of effect.members) {
    const known = members.get(planned.id);
    members.set(planned.id, described(planned, settings, known ?? { joinOrder: joinOrder++ }));
  }
  for (const [memberId, member] of members) {
    members.set(memberId, carriedOut(member, target.get(memberId) ?? EMPTY_ASSIGNMENT, epoch));
  }
  return { ...group, assignmentEpoch: epoch, members, nextJoinOrder: joinOrder };
}

function described(
  { id, topics, instanceId, rack, weight }: PlannedMember,
  { rebalanceTimeoutMs }: GroupSettings,
  known: Partial<ConsumerMember> & Pick<ConsumerMember, 'joinOrder'>,
): ConsumerMember {
  const { clientId, joinOrder } = known;
  return {
    memberId: id,
    ...(instanceId !== undefined && { instanceId }),
    ...(rack !== undefined && { rackId: rack }),
    ...(clientId !== undefined && { clientId }),
    ...(weight !== undefined && { weight }),
    subscription: { topics },
    rebalanceTimeoutMs: known.rebalanceTimeoutMs ?? rebalanceTimeoutMs,
    memberEpoch: 0,
    previousMemberEpoch: 0,
    state: 'STABLE',
    assigned: NO_PARTITIONS,
    pendingRevocation: NO_PARTITIONS,
    target: EMPTY_ASSIGNMENT,
    joinOrder,
  };
}

function carriedOut(member: ConsumerMember, target: Assignment, epoch: number): ConsumerMember {
  return {
    ...member,
    memberEpoch: epoch,
    previousMemberEpoch: epoch,
    state: 'STABLE',
    assigned: addOwned(NO_PARTITIONS, target, epoch),
    pendingRevocation: NO_PARTITIONS,
    target,
  };
}

/** What may be wrong with applying a plan, in the order in which it is looked for; the first is told. */
export interface Applicability {
  readonly plan: StoredPlan;
  readonly group: Pick<ConsumerGroup, 'settings' | 'revision'>;
  /** Whether the group and its topics are what the plan was computed from. */
  readonly isInput: boolean;
}

/**
 * Refuses a plan that is over, that nobody approved although the group wants it, that cannot be applied at all, or whose group
 * has changed since. Called under the locks of group and plan.
 * @throws AllotError PLAN_CLOSED, PLAN_EXPIRED, PLAN_NOT_APPLICABLE, PLAN_NOT_APPROVED, STALE_PLAN.
 */
export function checkApplicable({ plan, group, isInput }: Applicability): PlanEffect {
  refuseClosed(plan);
  const { effect, baseRevision } = plan;
  if (effect === undefined) throw madeByEarlierRelease();
  if (effect.blockers.length > 0) throw blocked(effect);
  if (group.settings.planApproval?.required === true && plan.status !== 'approved') throw notApproved(plan);
  if (group.revision !== baseRevision) {
    const message = `The group is at revision ${group.revision}, and the plan rests on ${baseRevision}. Look at what changed, then plan anew.`;
    throw stalePlan(plan, group.revision, message);
  }
  if (!isInput) {
    const message = 'The topics or racks of the cluster changed since the plan was made. Plan anew.';
    throw stalePlan(plan, group.revision, message);
  }
  return effect;
}

/** @throws AllotError PLAN_CLOSED, PLAN_EXPIRED unless the plan is open or approved and its time is not over. */
export function refuseClosed(plan: StoredPlan): void {
  const { status, applied, discarded, expired } = plan;
  const end = applied ?? discarded;
  if (end !== undefined) {
    const how = status === 'applied' ? `applied as revision ${applied?.revision}` : status;
    throw new AllotError('PLAN_CLOSED', `The plan was ${how} by ${end.actor}. Make a new plan.`, {
      action: 'refresh',
      facts: { planStatus: status, by: end.actor, at: new Date(end.at).toISOString(), ...revisionOf(plan) },
    });
  }
  if (!expired) return;
  throw new AllotError('PLAN_EXPIRED', 'The plan was good for a certain time, which is over. Make a new plan.', {
    action: 'refresh',
    facts: { expiresAt: new Date(plan.expiresAt).toISOString() },
  });
}

function revisionOf({ applied }: StoredPlan): { readonly appliedRevision?: number } {
  return applied === undefined ? {} : { appliedRevision: applied.revision };
}

function blocked({ blockers }: PlanEffect): AllotError {
  const [first] = blockers;
  const more = blockers.length > 1 ? ` ${blockers.length - 1} more stand in the way, see errors.` : '';
  return new AllotError('PLAN_NOT_APPLICABLE', `${first!.message}${more}`, {
    action: 'fix-request',
    errors: blockers.map(({ pointer, message }) => ({ pointer, detail: message })),
    facts: { blockers },
  });
}

function madeByEarlierRelease(): AllotError {
  return new AllotError('PLAN_NOT_APPLICABLE', 'A release that could not apply plans made this one. Make it again.', {
    action: 'fix-request',
  });
}

function notApproved({ author }: StoredPlan): AllotError {
  return new AllotError(
    'PLAN_NOT_APPROVED',
    `The group asks for the approval of somebody other than ${author}, who made the plan. Let somebody approve it first.`,
    { action: 'refresh', facts: { author } },
  );
}

function stalePlan({ baseRevision }: StoredPlan, revision: number, message: string): AllotError {
  return new AllotError('STALE_PLAN', message, { action: 'refresh', facts: { baseRevision, revision } });
}
