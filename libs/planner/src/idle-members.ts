import type { GroupAssignment, GroupSpec, SubscriptionIndex } from '@allot/model';
import { idleMembers } from '@allot/model';
import type { IdleMember, IdleReason } from './plan-types.js';

/** The members without a partition, in the group's order, each with the reason. */
export function explainIdle(group: GroupSpec, target: GroupAssignment, index: SubscriptionIndex): IdleMember[] {
  const idle = new Set(idleMembers(group, target));
  const reasons = new Map<Int32Array, IdleReason>();
  const explained: IdleMember[] = [];
  for (const [position, { id, topics }] of group.members.entries()) {
    if (!idle.has(id)) continue;
    const subscribed = index.byMember[position]!;
    let reason: IdleReason | undefined = topics.length === 0 ? 'no-subscription' : reasons.get(subscribed);
    if (reason === undefined) reasons.set(subscribed, (reason = reasonFor(group, index, subscribed)));
    explained.push({ member: id, reason });
  }
  return explained;
}

/**
 * Competitors are the members whose topics all lie within this member's: they can get nothing elsewhere, so when they
 * outnumber the partitions some of them are idle under every rule.
 */
function reasonFor(group: GroupSpec, index: SubscriptionIndex, subscribed: Int32Array): IdleReason {
  let partitions = 0;
  for (const topic of subscribed) partitions += group.topics[topic]!.partitions;
  if (partitions === 0) return 'no-partitions';
  const mine = new Set(subscribed);
  const within = new Map<Int32Array, boolean>();
  let competitors = 0;
  for (const list of index.byMember) {
    let inside = within.get(list);
    if (inside === undefined) within.set(list, (inside = list.length > 0 && list.every((topic) => mine.has(topic))));
    if (inside) competitors++;
  }
  return competitors > partitions ? 'more-members-than-partitions' : 'assignor-rule';
}
