import type { GroupAssignment, GroupSpec, SubscriptionIndex } from '@allot/model';
import { idleMembers } from '@allot/model';
import type { IdleMember, IdleReason } from './plan-types.js';

/** The members without a partition, in the group's order, each with the reason. */
export function explainIdle(group: GroupSpec, target: GroupAssignment, index: SubscriptionIndex): IdleMember[] {
  const idle = new Set(idleMembers(group, target));
  if (idle.size === 0) return [];
  const crowded = crowdedSubscriptions(group, index);
  const explained: IdleMember[] = [];
  for (const [position, { id, topics }] of group.members.entries()) {
    if (!idle.has(id)) continue;
    const subscribed = index.byMember[position]!;
    const hasPartitions = subscribed.some((topic) => group.topics[topic]!.partitions > 0);
    let reason: IdleReason = crowded.has(subscribed) ? 'more-members-than-partitions' : 'assignor-rule';
    if (!hasPartitions) reason = topics.length === 0 ? 'no-subscription' : 'no-partitions';
    explained.push({ member: id, reason });
  }
  return explained;
}

/**
 * The subscriptions under which some member must be idle whatever the rule: more members have exactly this subscription than
 * it has partitions, or the same is true of everything that it is connected with through topics that members share. In
 * between lie rarer cases of the kind, which count as the rule's doing. Linear, so that no group is too odd for a plan.
 */
function crowdedSubscriptions(group: GroupSpec, { byMember }: SubscriptionIndex): ReadonlySet<Int32Array> {
  const root = connectTopics(group.topics.length, byMember);
  const partitionsOf = (topics: Int32Array): number => topics.reduce((sum, t) => sum + group.topics[t]!.partitions, 0);
  const [members, partitions] = [new Int32Array(group.topics.length), new Int32Array(group.topics.length)];
  for (const [topic, spec] of group.topics.entries()) partitions[root(topic)]! += spec.partitions;

  const keys = new Map<Int32Array, string>();
  const same = new Map<string, number>();
  for (const list of byMember) {
    if (list.length === 0) continue;
    members[root(list[0]!)]!++;
    const key = keys.get(list) ?? list.toSorted().join();
    keys.set(list, key);
    same.set(key, (same.get(key) ?? 0) + 1);
  }
  const crowded = new Set<Int32Array>();
  for (const [list, key] of keys) {
    const whole = root(list[0]!);
    if (same.get(key)! > partitionsOf(list) || members[whole]! > partitions[whole]!) crowded.add(list);
  }
  return crowded;
}

/** Joins topics that some member subscribes to together; the answer finds the topic that stands for all of them. */
function connectTopics(count: number, byMember: readonly Int32Array[]): (topic: number) => number {
  const parents = Int32Array.from({ length: count }, (_, topic) => topic);
  const root = (topic: number): number => {
    while (parents[topic] !== topic) topic = parents[topic] = parents[parents[topic]!]!;
    return topic;
  };
  for (const list of byMember) for (const topic of list) parents[root(topic)] = root(list[0]!);
  return root;
}
