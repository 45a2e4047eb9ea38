import { countPartitions, diffByPartition, sameAssignment, summarizeLoads, type Assignment } from '@allot/model';
import type { GroupFrame } from '../group.js';
import type {
  ChangeCause,
  ChangeDetails,
  ChangeKind,
  GroupChange,
  MemberChange,
  Origin,
  RebalanceMark,
  TargetChange,
} from '../history.js';
import {
  consumerGroupState,
  type ConsumerGroup,
  type ConsumerGroupState,
  type ConsumerMember,
} from './consumer-group.js';
import { withoutEpochs } from './owned-partitions.js';

/**
 * What one revision changed, found by comparing the group before and after: only members that are other objects are looked at.
 * `before` is undefined for a new group.
 */
export function describeChange(
  before: ConsumerGroup | undefined,
  after: ConsumerGroup,
  facts: {
    readonly cause: ChangeCause;
    readonly origin: Origin;
    readonly now: number;
    readonly planId?: string;
    readonly details?: ChangeDetails;
  },
): GroupChange {
  const members: MemberChange[] = [];
  for (const [memberId, member] of after.members) {
    const old = before?.members.get(memberId);
    if (old !== member) members.push(describeMember(old, member));
  }
  for (const memberId of before?.members.keys() ?? []) {
    if (!after.members.has(memberId)) members.push({ memberId, removed: true });
  }
  const state = consumerGroupState(after);
  const kind = kindOf(before, after, state, members);
  const rebalance = markOf(before, after, kind);
  return {
    revision: after.revision,
    at: facts.now,
    kind,
    cause: facts.cause,
    origin: facts.origin,
    state,
    groupEpoch: after.groupEpoch,
    assignmentEpoch: after.assignmentEpoch,
    ...(facts.planId !== undefined && { planId: facts.planId }),
    members,
    ...(rebalance !== undefined && { rebalance }),
    ...(facts.details !== undefined && { details: facts.details }),
  };
}

function describeMember(old: ConsumerMember | undefined, member: ConsumerMember): MemberChange {
  const isNew = old === undefined;
  return {
    memberId: member.memberId,
    ...(isNew && { added: true as const }),
    ...(isNew && member.instanceId !== undefined && { instanceId: member.instanceId }),
    ...((isNew || old.memberEpoch !== member.memberEpoch) && { memberEpoch: member.memberEpoch }),
    ...((isNew || old.state !== member.state) && { state: member.state }),
    ...(old?.draining !== member.draining && { draining: member.draining === true }),
    ...((isNew || old.assigned !== member.assigned) && { current: withoutEpochs(member.assigned) }),
    ...((isNew || old.pendingRevocation !== member.pendingRevocation) && {
      revoking: withoutEpochs(member.pendingRevocation),
    }),
    ...((isNew || !sameAssignment(old.target, member.target)) && { target: member.target }),
  };
}

function kindOf(
  before: ConsumerGroup | undefined,
  after: ConsumerGroup,
  state: ConsumerGroupState,
  members: readonly MemberChange[],
): ChangeKind {
  const rebalancing = isRebalancing(state);
  const wasRebalancing = before !== undefined && isRebalancing(consumerGroupState(before));
  const newEpoch = after.groupEpoch > (before?.groupEpoch ?? 0);
  if (rebalancing && (newEpoch || !wasRebalancing)) return 'rebalance.started';
  if (!rebalancing && (wasRebalancing || (newEpoch && after.members.size > 0))) return 'rebalance.completed';
  if (members.some(({ current, revoking, target }) => (current ?? revoking ?? target) !== undefined))
    return 'assignment';
  return members.length > 0 ? 'member' : 'group';
}

/** Kept with the change because it cannot be told from it later: targets from before are not in it. */
function markOf(before: ConsumerGroup | undefined, after: ConsumerGroup, kind: ChangeKind): RebalanceMark | undefined {
  // A picture of a group that lives elsewhere says nothing of how it came about.
  if (after.source === 'imported') return undefined;
  const newEpoch = after.groupEpoch > (before?.groupEpoch ?? 0) && after.members.size > 0;
  const newTarget = after.assignmentEpoch > (before?.assignmentEpoch ?? 0) && after.members.size > 0;
  const begins = kind === 'rebalance.started' || newEpoch;
  const ends = kind === 'rebalance.completed';
  if (!begins && !ends && !newTarget) return undefined;
  return {
    ...(begins && { begins }),
    ...(ends && { ends }),
    ...(newTarget && { target: targetChange(before, after) }),
  };
}

export function targetChange(before: GroupFrame | undefined, after: GroupFrame): TargetChange {
  const [old, now] = [targetsOf(before), targetsOf(after)];
  const moved = diffByPartition(old, now).filter(({ from, to }) => from !== null && to !== null);
  return { movedPartitions: moved.length, skewBefore: skewOf(old), skewAfter: skewOf(now) };
}

function targetsOf(group: GroupFrame | undefined): ReadonlyMap<string, Assignment> {
  return new Map([...(group?.members ?? [])].map(([memberId, { target }]) => [memberId, target]));
}

function skewOf(targets: ReadonlyMap<string, Assignment>): number {
  const { most, least } = summarizeLoads([...targets.values()].map(countPartitions));
  return most - least;
}

function isRebalancing(state: ConsumerGroupState): boolean {
  return state === 'ASSIGNING' || state === 'RECONCILING';
}
