import { filterAssignment, holds, subtractAssignment, type Assignment } from '@allot/model';
import type { ConsumerMember, OwnedPartitions } from './consumer-group.js';
import {
  addOwned,
  mergeOwned,
  NO_PARTITIONS,
  overlaps,
  sameOwned,
  splitOwned,
  withoutEpochs,
  type HolderIndex,
} from './owned-partitions.js';

export interface ReconcileContext {
  /** The epoch of the target that `member.target` belongs to. */
  readonly assignmentEpoch: number;
  /** What the member reports to hold; undefined means unknown, never nothing. */
  readonly owned: Assignment | undefined;
  /** Whether the member subscribes to an existing topic of that name. */
  readonly isSubscribed: (topic: string) => boolean;
  readonly holderOf: HolderIndex;
  readonly now: number;
  /** Until when, at most, the member may rely on an answer that it had before this one. */
  readonly reliesUntil: number;
}

/**
 * Moves one member a step towards its target, revoke before assign (CurrentAssignmentBuilder):
 *
 *     keep   = assigned ∩ target            revoke = assigned − keep
 *     grant  = the free part of target − keep
 *
 * With something to revoke that the member may still hold, it keeps its epoch, is UNREVOKED and gets nothing new. Otherwise it
 * reaches the target's epoch with keep ∪ grant, UNRELEASED while others still hold some of its target. A topic that it does not
 * subscribe to counts as absent from the target, so it is given up at once, even before a new target exists (KAFKA-19431).
 * Returns the same object when nothing changes.
 */
export function reconcile(member: ConsumerMember, context: ReconcileContext): ConsumerMember {
  switch (member.state) {
    case 'STABLE':
      if (member.memberEpoch !== context.assignmentEpoch) return advance(member, context);
      return revokeUnsubscribed(member, context);
    case 'UNREVOKED_PARTITIONS':
      if (mayStillHold(member.pendingRevocation, context.owned)) return revokeUnsubscribed(member, context);
      return advance(member, context);
    case 'UNRELEASED_PARTITIONS':
      return advance(member, context);
  }
}

/** Whether the member may still work on any of `partitions`: it said so, or it said nothing. */
function mayStillHold(partitions: OwnedPartitions, owned: Assignment | undefined): boolean {
  return owned === undefined || overlaps(partitions, owned);
}

function advance(member: ConsumerMember, context: ReconcileContext): ConsumerMember {
  const target = filterAssignment(member.target, context.isSubscribed);
  const { kept, rest: revoke } = splitOwned(member.assigned, (topic, partition) => holds(target, topic, partition));
  if (revoke.size > 0 && mayStillHold(revoke, context.owned)) {
    return unrevoked(member, kept, revoke, context);
  }
  const wanted = subtractAssignment(target, withoutEpochs(kept));
  // A partition in the member's own pendingRevocation is its own to take back (KAFKA-19449).
  const grant = filterAssignment(wanted, (topic, partition) => {
    const holder = context.holderOf(topic, partition);
    return holder === undefined || holder === member.memberId;
  });
  const waiting = subtractAssignment(wanted, grant).size > 0;
  return settle(member, {
    state: waiting ? 'UNRELEASED_PARTITIONS' : 'STABLE',
    memberEpoch: context.assignmentEpoch,
    assigned: addOwned(kept, grant, context.assignmentEpoch),
    pendingRevocation: NO_PARTITIONS,
    rebalanceDeadline: undefined,
  });
}

/** Takes away what the member no longer subscribes to; everything else waits for the next target. */
function revokeUnsubscribed(member: ConsumerMember, context: ReconcileContext): ConsumerMember {
  const { kept, rest } = splitOwned(member.assigned, context.isSubscribed);
  if (rest.size === 0) return member;
  const pending = mergeOwned(member.pendingRevocation, rest);
  if (mayStillHold(pending, context.owned)) return unrevoked(member, kept, pending, context);
  return settle(member, { assigned: kept });
}

function unrevoked(
  member: ConsumerMember,
  kept: OwnedPartitions,
  pending: OwnedPartitions,
  context: ReconcileContext,
): ConsumerMember {
  // This answer may be lost, and the member then goes on by the one before: it must not be fenced while that one holds.
  const deadline = Math.max(context.now + member.rebalanceTimeoutMs, context.reliesUntil);
  return settle(member, {
    state: 'UNREVOKED_PARTITIONS',
    assigned: kept,
    pendingRevocation: pending,
    // The timer starts when the state is entered; being told of more to revoke does not extend it.
    rebalanceDeadline: member.rebalanceDeadline ?? deadline,
  });
}

type Settled = Partial<
  Pick<ConsumerMember, 'state' | 'memberEpoch' | 'assigned' | 'pendingRevocation' | 'rebalanceDeadline'>
>;

/** The member with the changes, or itself when they change nothing. */
function settle(member: ConsumerMember, changes: Settled): ConsumerMember {
  const { state, memberEpoch, assigned, pendingRevocation, rebalanceDeadline } = { ...member, ...changes };
  const sameAssigned = sameOwned(assigned, member.assigned);
  const samePending = sameOwned(pendingRevocation, member.pendingRevocation);
  const sameEpoch = memberEpoch === member.memberEpoch;
  if (
    sameAssigned &&
    samePending &&
    sameEpoch &&
    state === member.state &&
    rebalanceDeadline === member.rebalanceDeadline
  ) {
    return member;
  }
  return {
    ...member,
    state,
    memberEpoch,
    previousMemberEpoch: sameEpoch ? member.previousMemberEpoch : member.memberEpoch,
    assigned: sameAssigned ? member.assigned : assigned,
    pendingRevocation: samePending ? member.pendingRevocation : pendingRevocation,
    rebalanceDeadline,
  };
}
