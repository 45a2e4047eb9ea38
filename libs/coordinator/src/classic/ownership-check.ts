import type { OwnershipClaim, OwnershipVerdict } from '../consumer/ownership-check.js';
import type { ClassicGroup } from './classic-group.js';
import { classicValidUntil } from './deadlines.js';
import { refuseDead } from './membership.js';

/**
 * Whether a member of a classic group may do a write that must not be done by two; what Kafka checks when offsets are committed
 * (ClassicGroup.validateOffsetCommit), and that the member has the partitions. The claimed epoch is a generation and must be the
 * group's: while the group waits for its members to join again that is still the old one, so what was begun can be finished.
 * Between the join phase and the assignment nothing may be written.
 * @throws AllotError COORDINATOR_NOT_AVAILABLE
 */
export function checkClassicOwnership(
  group: ClassicGroup,
  claim: OwnershipClaim,
  { leaseUntil, now }: { readonly leaseUntil: number | undefined; readonly now: number },
): OwnershipVerdict {
  refuseDead(group);
  const refuse = (code: OwnershipVerdict['reasons'][number]['code']) => [{ code, partitions: claim.partitions }];
  const member = group.members.get(claim.memberId);
  if (member === undefined) return { reasons: refuse('UNKNOWN_MEMBER_ID') };
  const { memberEpoch, rebalanceDeadline = Infinity, assigned, pendingRevocation } = member;
  if (leaseUntil === undefined || leaseUntil <= now) return { reasons: refuse('SESSION_EXPIRED'), memberEpoch };
  if (rebalanceDeadline <= now) return { reasons: refuse('REBALANCE_TIMEOUT'), memberEpoch };
  const facts = { memberEpoch, validUntil: classicValidUntil(group, member, leaseUntil) };
  if (facts.validUntil <= now) return { reasons: refuse('REBALANCE_TIMEOUT'), memberEpoch };
  if (claim.memberEpoch !== group.groupEpoch) return { reasons: refuse('ILLEGAL_GENERATION'), ...facts };
  if (group.phase === 'COMPLETING_REBALANCE') return { reasons: refuse('REBALANCE_IN_PROGRESS'), ...facts };
  const missing = new Map<string, readonly number[]>();
  for (const [topic, partitions] of claim.partitions) {
    const held = (partition: number) =>
      assigned.get(topic)?.has(partition) === true || pendingRevocation.get(topic)?.has(partition) === true;
    const notHeld = partitions.filter((partition) => !held(partition));
    if (notHeld.length > 0) missing.set(topic, notHeld);
  }
  return { reasons: missing.size > 0 ? [{ code: 'NOT_HELD', partitions: missing }] : [], ...facts };
}
