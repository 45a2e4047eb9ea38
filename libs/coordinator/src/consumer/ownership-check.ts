import type { Assignment } from '@allot/model';
import type { ConsumerGroup, ConsumerMember } from './consumer-group.js';
import { hasLostInstance } from './static-members.js';

/** What a worker believes to hold, and the epoch of the answer from which it believes so. */
export interface OwnershipClaim {
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly partitions: Assignment;
}

/**
 * Why a claim does not hold. Of the member as a whole: UNKNOWN_MEMBER_ID (it left or was fenced), FENCED_INSTANCE_ID (another process
 * has taken its instance id), SESSION_EXPIRED and
 * REBALANCE_TIMEOUT (its time is over, though nobody has fenced it yet), FENCED_MEMBER_EPOCH (the claimed epoch is not one that the
 * member has reached, or the member left temporarily). Of single partitions: NOT_HELD, and ASSIGNED_LATER: the member holds it
 * again, but lost it since the claimed epoch. In classic groups also ILLEGAL_GENERATION (another than the group's) and
 * REBALANCE_IN_PROGRESS (the generation has no assignment yet).
 */
export type FencingCode =
  | 'UNKNOWN_MEMBER_ID'
  | 'FENCED_INSTANCE_ID'
  | 'SESSION_EXPIRED'
  | 'REBALANCE_TIMEOUT'
  | 'FENCED_MEMBER_EPOCH'
  | 'NOT_HELD'
  | 'ASSIGNED_LATER'
  | 'ILLEGAL_GENERATION'
  | 'REBALANCE_IN_PROGRESS';

export interface FencingReason {
  readonly code: FencingCode;
  /** All of the claim, if the reason is one of the member as a whole. */
  readonly partitions: Assignment;
}

export interface OwnershipVerdict {
  /** Empty: all of the claim holds. */
  readonly reasons: readonly FencingReason[];
  /** What the member has reached; absent when the group does not know it. */
  readonly memberEpoch?: number;
  /**
   * Database time, ms since 1970, before which nobody else gets what is not fenced, unless the member itself gives it up. Absent when
   * its time is over.
   */
  readonly validUntil?: number;
}

/**
 * Whether a worker may do a write that must not be done by two (KIP-1251): it holds a partition in good faith if
 *
 *     epoch at which the member received it <= claimed epoch <= the member's epoch
 *
 * and the member has it now, assigned or still to be given up, and its time is not over by the database's clock. So an answer that
 * was lost does no harm (the claim is then older than the member), and a claim from before the partition was away is refused.
 * `leaseUntil` is undefined when the member has no lease.
 */
export function checkOwnership(
  group: ConsumerGroup,
  claim: OwnershipClaim,
  { leaseUntil, now }: { readonly leaseUntil: number | undefined; readonly now: number },
): OwnershipVerdict {
  const member = group.members.get(claim.memberId);
  const refuse = (code: FencingCode) => [{ code, partitions: claim.partitions }];
  if (member === undefined) {
    return { reasons: refuse(hasLostInstance(group, claim.memberId) ? 'FENCED_INSTANCE_ID' : 'UNKNOWN_MEMBER_ID') };
  }
  const { memberEpoch, rebalanceDeadline } = member;
  if (leaseUntil === undefined || leaseUntil <= now) return { reasons: refuse('SESSION_EXPIRED'), memberEpoch };
  if (rebalanceDeadline !== undefined && rebalanceDeadline <= now) {
    return { reasons: refuse('REBALANCE_TIMEOUT'), memberEpoch };
  }
  const facts = { memberEpoch, validUntil: mayWorkUntil(member, leaseUntil) };
  if (claim.memberEpoch > memberEpoch) return { reasons: refuse('FENCED_MEMBER_EPOCH'), ...facts };
  return { reasons: fencedPartitions(member, claim), ...facts };
}

/**
 * How long a member may go on without another answer, database time: until its lease ends, or, while it has something to give up,
 * until its rebalance timer does, for that fences it as well.
 */
export function mayWorkUntil(
  { rebalanceDeadline = Infinity }: Pick<ConsumerMember, 'rebalanceDeadline'>,
  leaseUntil: number,
): number {
  return Math.min(leaseUntil, rebalanceDeadline);
}

function fencedPartitions({ assigned, pendingRevocation }: ConsumerMember, claim: OwnershipClaim): FencingReason[] {
  const notHeld = new Map<string, readonly number[]>();
  const later = new Map<string, readonly number[]>();
  for (const [topic, partitions] of claim.partitions) {
    const epochOf = (partition: number) =>
      assigned.get(topic)?.get(partition) ?? pendingRevocation.get(topic)?.get(partition);
    const missing = partitions.filter((partition) => epochOf(partition) === undefined);
    const regained = partitions.filter((partition) => (epochOf(partition) ?? 0) > claim.memberEpoch);
    if (missing.length > 0) notHeld.set(topic, missing);
    if (regained.length > 0) later.set(topic, regained);
  }
  return [
    ...(notHeld.size > 0 ? [{ code: 'NOT_HELD' as const, partitions: notHeld }] : []),
    ...(later.size > 0 ? [{ code: 'ASSIGNED_LATER' as const, partitions: later }] : []),
  ];
}
