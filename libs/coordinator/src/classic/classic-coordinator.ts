import type { Assignment } from '@allot/model';
import type { Catalog } from '../catalog/catalog.js';
import { groupNotFound } from '../consumer/membership.js';
import { withoutEpochs } from '../consumer/owned-partitions.js';
import type { StepContext } from '../consumer/step.js';
import { seenCatalog } from '../consumer/subscriptions.js';
import { inJoinOrder } from '../consumer/target.js';
import { asClassicGroup } from '../group.js';
import type { CoordinatorPorts } from '../group-coordinator.js';
import { resolveSettings, type GroupSettings } from '../group-settings.js';
import type { Origin } from '../history.js';
import type { GroupReading, GroupRef, GroupStep, GroupView } from '../ports/group-store.js';
import type { ClassicStep, ClassicTransition, Outcome } from './classic-draft.js';
import type { ClassicGroup, ClassicGroupState, ClassicMember } from './classic-group.js';
import { classicValidUntil } from './deadlines.js';
import { endInitialDelay } from './expire.js';
import { heartbeat } from './heartbeat.js';
import { join } from './join.js';
import type { JoinStep } from './join-step.js';
import type { JoinCommand } from './member-description.js';
import { leave, type LeaveResult, type LeavingMember } from './leave.js';
import type { MemberRef } from './membership.js';
import { outcomeOfJoin, outcomeOfSync } from './parked.js';
import { sync, type SyncCommand } from './sync.js';

/** What every answer to a member says; times are database time in ms since 1970. */
export interface ClassicAnswer {
  readonly memberId: string;
  readonly generation: number;
  readonly state: ClassicGroupState;
  readonly protocol?: string;
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** Until when the member may go on without another answer: durable. */
  readonly validUntil: number;
  readonly now: number;
  readonly revision: number;
}

/** A generation that the member is part of. */
export interface JoinAnswer extends ClassicAnswer {
  readonly leader: string;
  /** Only the leader is told who is there and what there is to assign. */
  readonly members?: readonly ClassicMember[];
  readonly topics?: ClassicGroup['subscribedTopics'];
  /** The leader of a generation that has its assignment already. */
  readonly skipAssignment?: true;
}

export interface SyncAnswer extends ClassicAnswer {
  readonly assignment: Assignment;
  /** What the member must give up, and join again without. */
  readonly revoking: Assignment;
  readonly userData?: string;
}

export interface ClassicHeartbeatAnswer extends ClassicAnswer {
  readonly revoking: Assignment;
}

/** An answer, or that there is none yet: the request waits, and is looked at again (`reviewJoin`, `reviewSync`) when the group changes. */
export type Reply<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'park'; readonly member: MemberRef; readonly group: ClassicGroup; readonly now: number };

/** What a client sends; the service makes the id of a new member unless the client has made one. */
type Described = Omit<JoinCommand, 'newMemberId'> & Partial<Pick<JoinCommand, 'newMemberId'>>;

/**
 * Serves the classic protocol over the store that all replicas share. Nothing of a request is kept here: one that has to wait waits for
 * the group's committed state, so any replica can end its waiting, and whoever sends it again to another replica goes on there.
 */
export class ClassicCoordinator {
  constructor(private readonly ports: CoordinatorPorts) {}

  /** @throws AllotError as `join` of this folder, and what it refuses. */
  async join(ref: GroupRef, described: Described, origin: Origin): Promise<Reply<JoinAnswer>> {
    const command: JoinCommand = { ...described, newMemberId: described.newMemberId ?? this.#newMemberId(described) };
    const { limits } = this.ports;
    let step: JoinStep | undefined;
    const { group, leases, now } = await this.#transact(ref, origin, (known, context) => {
      step = join(known, command, { defaults: this.#defaults(), limits }, context);
      return step;
    });
    const { ref: member, skipAssignment } = step!;
    return replyToJoin(step!.outcome, member, { group, leases, now }, skipAssignment);
  }

  /** What a join that waits is told by the group as it is now; undefined: it was deleted. @throws AllotError what it refuses. */
  reviewJoin(reading: GroupReading | undefined, member: MemberRef): Reply<JoinAnswer> {
    const seen = seenIn(reading);
    return replyToJoin(outcomeOfJoin(seen?.group, member), member, seen);
  }

  /** @throws AllotError GROUP_ID_NOT_FOUND and as `sync` of this folder, and what it refuses. */
  async sync(ref: GroupRef, command: SyncCommand, origin: Origin): Promise<Reply<SyncAnswer>> {
    let step: ClassicStep | undefined;
    const { group, leases, now } = await this.#transact(ref, origin, (known, context) => {
      step = sync(existing(known), command, context);
      return step;
    });
    return replyToSync(step!.outcome, command, { group, leases, now });
  }

  reviewSync(
    reading: GroupReading | undefined,
    member: MemberRef & { readonly generation: number },
  ): Reply<SyncAnswer> {
    const seen = seenIn(reading);
    return replyToSync(outcomeOfSync(seen?.group, member), member, seen);
  }

  /** A heartbeat that changes nothing costs one statement. */
  async heartbeat(
    ref: GroupRef,
    command: MemberRef & { readonly generation: number },
    origin: Origin,
  ): Promise<ClassicHeartbeatAnswer> {
    const quiet = await this.#renew(ref, command, origin);
    if (quiet !== undefined) return quiet;
    const { group, leases, now } = await this.#transact(ref, origin, (known, context) =>
      heartbeat(existing(known), command, context),
    );
    return heartbeatAnswer(group, command.memberId, leases.get(command.memberId)!, now);
  }

  /** @throws AllotError GROUP_ID_NOT_FOUND */
  async leave(ref: GroupRef, members: readonly LeavingMember[], origin: Origin): Promise<readonly LeaveResult[]> {
    let results: readonly LeaveResult[] = [];
    await this.#transact(ref, origin, (known, context) => {
      const left = leave(existing(known), members, context);
      results = left.results;
      return { transition: left.transition, outcome: { kind: 'answer' } };
    });
    return results;
  }

  /** Ends an initial delay whose time is over; whoever waits for it does not wait for a sweep. */
  async endInitialDelay(ref: GroupRef): Promise<void> {
    const origin = { actor: 'allot' };
    await this.ports.store.transact(ref, (view) => {
      const { group } = view;
      if (group === undefined) return { group, reply: undefined };
      return stepOf(endInitialDelay(asClassicGroup(group)!, this.#context(view, origin)), undefined);
    });
  }

  async #transact(
    ref: GroupRef,
    origin: Origin,
    step: (group: ClassicGroup | undefined, context: StepContext) => ClassicStep,
  ): Promise<Seen> {
    const { reply, group, leases, now } = await this.ports.store.transact(ref, (view) => {
      const { transition, outcome } = step(asClassicGroup(view.group), this.#context(view, origin));
      return stepOf(transition, outcome);
    });
    if (reply.kind === 'error') throw reply.error;
    return { group: asClassicGroup(group)!, leases, now };
  }

  /** The cheap heartbeat: found to change nothing on the group in memory, it counts if that is still the group. */
  async #renew(
    ref: GroupRef,
    command: MemberRef & { readonly generation: number },
    origin: Origin,
  ): Promise<ClassicHeartbeatAnswer | undefined> {
    const { store, resolveAssignor } = this.ports;
    const group = asClassicGroup(store.cached(ref));
    if (group === undefined) return undefined;
    const catalog: Catalog = seenCatalog(group);
    try {
      const { transition, outcome } = heartbeat(group, command, { now: 0, catalog, resolveAssignor, origin });
      if (outcome.kind !== 'answer' || transition.group !== group) return undefined;
    } catch {
      // What is in memory may be outdated; the step under the lock has the last word.
      return undefined;
    }
    const renewal = await store.renewLeaseAt(ref, command.memberId, group.revision);
    return renewal && heartbeatAnswer(group, command.memberId, renewal.leaseUntil, renewal.now);
  }

  #context({ now, catalog, lastRevision }: GroupView, origin: Origin): StepContext {
    return { now, catalog, lastRevision, resolveAssignor: this.ports.resolveAssignor, origin };
  }

  #defaults(): GroupSettings {
    return resolveSettings({ type: 'classic' }, undefined, this.ports.limits, (names) => names);
  }

  /** What the client calls itself, so that people know it again, and what never repeats (KAFKA-8715). */
  #newMemberId({ instanceId, clientId }: Described): string {
    const name = instanceId ?? clientId ?? 'member';
    return `${name.slice(0, LONGEST_PREFIX)}-${this.ports.newMemberId()}`;
  }
}

/** Leaves room for a UUID in a name of 255 characters. */
const LONGEST_PREFIX = 200;

interface Seen {
  readonly group: ClassicGroup;
  readonly leases: ReadonlyMap<string, number>;
  readonly now: number;
}

function stepOf<R>({ group, change, renewed }: ClassicTransition, reply: R): GroupStep<R> {
  return { group, ...(change !== undefined && { change }), renewed, reply };
}

function existing(group: ClassicGroup | undefined): ClassicGroup {
  if (group === undefined) throw groupNotFound();
  return group;
}

function seenIn(reading: GroupReading | undefined): Seen | undefined {
  if (reading === undefined) return undefined;
  return { group: asClassicGroup(reading.group)!, leases: reading.leases, now: reading.now };
}

/** An outcome other than a refusal comes from a group that was seen. */
function replyToJoin(outcome: Outcome, member: MemberRef, seen: Seen | undefined, skip?: true): Reply<JoinAnswer> {
  if (outcome.kind === 'error') throw outcome.error;
  const { group, leases, now } = seen!;
  if (outcome.kind === 'park') return { kind: 'park', member, group, now };
  const answer = joinAnswer(group, member.memberId, leases.get(member.memberId)!, now);
  return { kind: 'answer', answer: skip === undefined ? answer : { ...answer, skipAssignment: true } };
}

function replyToSync(outcome: Outcome, member: MemberRef, seen: Seen | undefined): Reply<SyncAnswer> {
  if (outcome.kind === 'error') throw outcome.error;
  const { group, leases, now } = seen!;
  const { memberId } = member;
  if (outcome.kind === 'park') return { kind: 'park', member, group, now };
  const { assigned, pendingRevocation, userData } = group.members.get(memberId)!;
  const answer = {
    ...answerOf(group, memberId, leases.get(memberId)!, now),
    assignment: withoutEpochs(assigned),
    revoking: withoutEpochs(pendingRevocation),
    ...(userData !== undefined && { userData }),
  };
  return { kind: 'answer', answer };
}

function joinAnswer(group: ClassicGroup, memberId: string, leaseUntil: number, now: number): JoinAnswer {
  const leader = group.leader!;
  return {
    ...answerOf(group, memberId, leaseUntil, now),
    leader,
    ...(leader === memberId && { members: inJoinOrder<ClassicMember>(group), topics: group.subscribedTopics }),
  };
}

function heartbeatAnswer(
  group: ClassicGroup,
  memberId: string,
  leaseUntil: number,
  now: number,
): ClassicHeartbeatAnswer {
  const { pendingRevocation } = group.members.get(memberId)!;
  return { ...answerOf(group, memberId, leaseUntil, now), revoking: withoutEpochs(pendingRevocation) };
}

function answerOf(group: ClassicGroup, memberId: string, leaseUntil: number, now: number): ClassicAnswer {
  const member = group.members.get(memberId)!;
  return {
    memberId,
    generation: group.groupEpoch,
    state: group.phase,
    ...(group.protocol !== undefined && { protocol: group.protocol }),
    heartbeatIntervalMs: Math.min(group.settings.heartbeatIntervalMs, Math.floor(member.sessionTimeoutMs / 3)),
    sessionTimeoutMs: member.sessionTimeoutMs,
    rebalanceTimeoutMs: member.rebalanceTimeoutMs,
    validUntil: classicValidUntil(group, member, leaseUntil),
    now,
    revision: group.revision,
  };
}
