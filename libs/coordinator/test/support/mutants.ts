import {
  AllotError,
  EMPTY_ASSIGNMENT,
  filterAssignment,
  holds,
  subtractAssignment,
  type Assignment,
} from '@allot/model';
import type { Catalog, ConsumerGroup, ConsumerMember, OwnedPartitions } from '../../src/index.js';
import { resolveSubscription, withoutEpochs } from '../../src/index.js';
import { describeChange } from '../../src/consumer/change.js';
import { heartbeat } from '../../src/consumer/membership.js';
import {
  addOwned,
  indexHolders,
  isCoveredBy,
  mergeOwned,
  NO_PARTITIONS,
  overlaps,
  splitOwned,
  type HolderIndex,
} from '../../src/consumer/owned-partitions.js';
import { reliesUntil } from '../../src/consumer/calm.js';
import { isToldMore } from '../../src/consumer/step.js';
import type { ReconcileContext } from '../../src/consumer/reconcile.js';

/** A faulty step is the right one, with the member that spoke reconciled anew by a faulty copy of the rule. */
export type Beat = typeof heartbeat;

interface Faults {
  /** E-02 (a port of the protocol): the member is told its target, whoever still holds it. */
  readonly rawTarget?: boolean;
  /** KAFKA-19449: a partition in the member's own pending revocation counts as held by another. */
  readonly ownPendingIsForeign?: boolean;
  /** KAFKA-19974: leaving UNREVOKED for UNREVOKED again, the member goes on to an epoch of its own. */
  readonly epochOfItsOwn?: boolean;
  /** KAFKA-19431: what the member no longer subscribes to stays with it until there is a new target. */
  readonly keepsUnsubscribed?: boolean;
  /** KIP-1251: what the member keeps is stamped anew with every target, so that it is refused after a lost answer. */
  readonly restamps?: boolean;
  /** KIP-1251: what the member takes back keeps the epoch from before it gave it up, so that an old claim is good again. */
  readonly keepsOldEpoch?: boolean;
  /** Absent `owned` counts as nothing. */
  readonly absentIsNothing?: boolean;
  /** A heartbeat that arrives late counts as a report of what its member has received since. */
  readonly trustsLate?: boolean;
  /** Nothing is waited for: what is to be revoked is taken at once. */
  readonly takesAtOnce?: boolean;
  /** What a member had let go of, and is told to work on again, does not count as told since then. */
  readonly forgetsWhatItTells?: boolean;
  /** The rebalance timer may end while the member still relies on an answer from before it. */
  readonly shortTimer?: boolean;
}

export function beatWith(faults: Faults, indexOf: (group: ConsumerGroup) => HolderIndex = indexHolders): Beat {
  return (before, command, settings, context) => {
    const transition = heartbeat(before, command, settings, context);
    if (transition.refusal !== undefined) return transition;
    const right = transition.group.members.get(command.memberId)!;
    const spoken = beforeReconciliation(before, right, command.memberEpoch);
    const group = { ...transition.group, members: new Map(transition.group.members).set(right.memberId, spoken) };
    const { grantedRevision = 0 } = spoken;
    const late = !faults.trustsLate && (command.revision ?? Infinity) < grantedRevision;
    const owned = command.memberEpoch === 0 ? EMPTY_ASSIGNMENT : late ? undefined : command.owned;
    const isSubscribed = subscriptionOf(right, context.catalog);
    const { assignmentEpoch } = group;
    const reconciling = { assignmentEpoch, owned, isSubscribed, holderOf: indexOf(group) };
    const { now } = context;
    const reconciled = reconcileWith(faults, spoken, { ...reconciling, now, reliesUntil: reliesUntil(group, now) });
    const granted = !isCoveredBy(withoutEpochs(reconciled.assigned), spoken.assigned);
    const heard = command.memberEpoch === 0 ? (command.revision ?? 0) : command.revision;
    const isNews = granted || (!faults.forgetsWhatItTells && isToldMore(reconciled, { owned, revision: heard }));
    const wrong = isNews ? { ...reconciled, grantedRevision: (before?.revision ?? 0) + 1 } : reconciled;
    group.members.set(right.memberId, wrong);
    if (before !== undefined && transition.change === undefined && wrong === before.members.get(wrong.memberId)) {
      return { group: before };
    }
    const revision = (before?.revision ?? 0) + 1;
    const after = { ...group, revision };
    const facts = { cause: 'partitions-assigned' as const, origin: context.origin, now: context.now };
    return { group: after, change: describeChange(before, after, facts) };
  };
}

/** The member with its new description and target, as far as it was before it spoke. */
function beforeReconciliation(
  before: ConsumerGroup | undefined,
  right: ConsumerMember,
  spokenEpoch: number,
): ConsumerMember {
  const members = [...(before?.members.values() ?? [])];
  const same = members.find(({ memberId }) => memberId === right.memberId);
  const old = same ?? members.find(({ instanceId }) => instanceId !== undefined && instanceId === right.instanceId);
  const returns = spokenEpoch === 0 && (old === undefined || old.memberEpoch < 0);
  const { rebalanceDeadline, grantedRevision, ...rest } = right;
  const unchanged = old !== undefined && old === same && old.target === right.target && !returns;
  if (unchanged && old.subscription === right.subscription) return old;
  return {
    ...rest,
    memberEpoch: returns ? 0 : old!.memberEpoch,
    previousMemberEpoch: returns ? 0 : old!.previousMemberEpoch,
    state: old?.state ?? 'STABLE',
    assigned: old?.assigned ?? NO_PARTITIONS,
    pendingRevocation: old?.pendingRevocation ?? NO_PARTITIONS,
    ...(old?.grantedRevision !== undefined && { grantedRevision: old.grantedRevision }),
    ...(old?.rebalanceDeadline !== undefined && { rebalanceDeadline: old.rebalanceDeadline }),
  };
}

function subscriptionOf({ subscription }: ConsumerMember, catalog: Catalog): (topic: string) => boolean {
  const names = new Set(resolveSubscription(subscription, catalog));
  return (topic) => names.has(topic) && catalog.topics.has(topic);
}

function reconcileWith(faults: Faults, member: ConsumerMember, context: ReconcileContext): ConsumerMember {
  const { assignmentEpoch, owned, isSubscribed, holderOf, now, reliesUntil: relied } = context;
  const mayStillHold = (partitions: OwnedPartitions) => {
    if (faults.takesAtOnce) return false;
    return owned === undefined ? !faults.absentIsNothing : overlaps(partitions, owned);
  };
  const unrevoked = (memberEpoch: number, assigned: OwnedPartitions, pending: OwnedPartitions): ConsumerMember => {
    const ends = now + member.rebalanceTimeoutMs;
    const rebalanceDeadline = member.rebalanceDeadline ?? (faults.shortTimer ? ends : Math.max(ends, relied));
    return moved(
      member,
      { state: 'UNREVOKED_PARTITIONS', memberEpoch, assigned, pendingRevocation: pending },
      rebalanceDeadline,
    );
  };
  const waits = member.state === 'UNREVOKED_PARTITIONS' && mayStillHold(member.pendingRevocation);
  const stays = member.state === 'STABLE' && member.memberEpoch === assignmentEpoch;
  if (waits || stays) {
    const { kept, rest } = splitOwned(member.assigned, isSubscribed);
    if (rest.size === 0 || faults.keepsUnsubscribed) return member;
    const pending = mergeOwned(member.pendingRevocation, rest);
    return mayStillHold(pending)
      ? unrevoked(member.memberEpoch, kept, pending)
      : moved(member, { ...member, assigned: kept });
  }
  const target = faults.keepsUnsubscribed ? member.target : filterAssignment(member.target, isSubscribed);
  const { kept, rest } = splitOwned(member.assigned, (topic, partition) => holds(target, topic, partition));
  if (rest.size > 0 && mayStillHold(rest)) {
    const leaves = faults.epochOfItsOwn === true && member.state === 'UNREVOKED_PARTITIONS';
    return unrevoked(member.memberEpoch + (leaves ? 1 : 0), kept, rest);
  }
  const wanted = subtractAssignment(target, withoutEpochs(kept));
  const grant = filterAssignment(wanted, (topic, partition) => {
    const holder = holderOf(topic, partition);
    if (faults.rawTarget) return true;
    return holder === undefined || (holder === member.memberId && !faults.ownPendingIsForeign);
  });
  const waiting = subtractAssignment(wanted, grant).size > 0;
  return moved(member, {
    state: waiting ? 'UNRELEASED_PARTITIONS' : 'STABLE',
    memberEpoch: assignmentEpoch,
    assigned: stamped(faults, member, kept, grant, assignmentEpoch),
    pendingRevocation: NO_PARTITIONS,
  });
}

function stamped(
  faults: Faults,
  { pendingRevocation }: ConsumerMember,
  kept: OwnedPartitions,
  grant: Assignment,
  epoch: number,
): OwnedPartitions {
  if (faults.restamps) return addOwned(addOwned(NO_PARTITIONS, withoutEpochs(kept), epoch), grant, epoch);
  if (!faults.keepsOldEpoch) return addOwned(kept, grant, epoch);
  const { kept: back } = splitOwned(pendingRevocation, (topic, partition) => holds(grant, topic, partition));
  return mergeOwned(addOwned(kept, subtractAssignment(grant, withoutEpochs(back)), epoch), back);
}

type Moved = Pick<ConsumerMember, 'state' | 'memberEpoch' | 'assigned' | 'pendingRevocation'>;

function moved(member: ConsumerMember, to: Moved, rebalanceDeadline?: number): ConsumerMember {
  const { rebalanceDeadline: old, ...rest } = member;
  const { state, memberEpoch, assigned, pendingRevocation } = to;
  const previousMemberEpoch = memberEpoch === member.memberEpoch ? member.previousMemberEpoch : member.memberEpoch;
  const next = { ...rest, state, memberEpoch, previousMemberEpoch, assigned, pendingRevocation };
  const deadline = state === 'UNREVOKED_PARTITIONS' ? (rebalanceDeadline ?? old) : undefined;
  return deadline === undefined ? next : { ...next, rebalanceDeadline: deadline };
}

/** KAFKA-19233, E-04: a known member that sends epoch 0 is fenced, for ever. */
export const refusesRejoin: Beat = (group, command, settings, context) => {
  const known = group?.members.get(command.memberId);
  if (command.memberEpoch === 0 && known !== undefined && known.memberEpoch > 0) {
    throw new AllotError('FENCED_MEMBER_EPOCH', 'The epoch is not 0.', { action: 'rejoin' });
  }
  return heartbeat(group, command, settings, context);
};

/**
 * KAFKA-16147, E-01: when a member took back what it was still to give up, the entry of its new ownership was removed together with
 * that of the old one. Here: an index of holders that does not know of partitions that were ever in a pending revocation.
 */
export function forgetsHolders(): Beat {
  const forgotten = new WeakMap<ReadonlyMap<number, number>, Set<number>>();
  const indexOf = (group: ConsumerGroup): HolderIndex => {
    const holderOf = indexHolders(group);
    return (topic, partition) => {
      const holder = holderOf(topic, partition);
      const epochs = holder === undefined ? undefined : group.members.get(holder)!.assigned.get(topic);
      return epochs !== undefined && forgotten.get(epochs)?.has(partition) ? undefined : holder;
    };
  };
  const beat = beatWith({}, indexOf);
  return (before, command, settings, context) => {
    const transition = beat(before, command, settings, context);
    const pending = before?.members.get(command.memberId)?.pendingRevocation;
    for (const [topic, epochs] of transition.group.members.get(command.memberId)!.assigned) {
      const back = [...epochs.keys()].filter((partition) => pending?.get(topic)?.has(partition));
      if (back.length > 0) forgotten.set(epochs, new Set(back));
    }
    return transition;
  };
}

/** The right step on a group that looks otherwise, put back afterwards: as if the step did not look at what was hidden from it. */
function blindTo(
  hide: (group: ConsumerGroup) => ConsumerGroup,
  show: (after: ConsumerGroup, before: ConsumerGroup) => ConsumerGroup,
): Beat {
  return (before, command, settings, context) => {
    if (before === undefined) return heartbeat(before, command, settings, context);
    const { group, change } = heartbeat(hide(before), command, settings, context);
    if (change === undefined) return { group: before };
    return { group: show(group, before), change };
  };
}

/** Computes a target although the group is frozen. */
export const ignoresFreeze: Beat = blindTo(
  ({ calm, ...group }) => group,
  (after, { calm }) => (calm === undefined ? after : { ...after, calm }),
);

/** Goes on giving partitions to members that are to be drained. */
export const ignoresDrain: Beat = blindTo(
  (group) => ({ ...group, members: new Map([...group.members].map(([id, { draining, ...rest }]) => [id, rest])) }),
  (after, before) => {
    const members = [...after.members].map(([id, member]): [string, ConsumerMember] => {
      return before.members.get(id)?.draining ? [id, { ...member, draining: true }] : [id, member];
    });
    return { ...after, members: new Map(members) };
  },
);

/** Moves as much as the assignor wants. */
export const ignoresBudget: Beat = blindTo(
  ({ settings: { moveBudget, ...settings }, ...group }) => ({ ...group, settings }),
  (after, { settings }) => ({ ...after, settings }),
);
