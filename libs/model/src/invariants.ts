import { EMPTY_ASSIGNMENT } from './assignment.js';
import type { GroupAssignment } from './assignment.js';
import type { GroupSpec } from './group-spec.js';
import { indexSubscriptions } from './subscriptions.js';
import type { SubscriptionIndex } from './subscriptions.js';

/** One way in which an assignment is not a legal, complete assignment of a group. */
export type Violation =
  | { readonly kind: 'missing-member'; readonly member: string }
  | { readonly kind: 'unknown-member'; readonly member: string }
  | { readonly kind: 'unknown-partition'; readonly member: string; readonly topic: string; readonly partition: number }
  | { readonly kind: 'not-subscribed'; readonly member: string; readonly topic: string; readonly partition: number }
  | {
      readonly kind: 'two-owners';
      readonly members: readonly [string, string];
      readonly topic: string;
      readonly partition: number;
    }
  | { readonly kind: 'unassigned'; readonly topic: string; readonly partition: number }
  | { readonly kind: 'unsorted'; readonly member: string; readonly topic: string };

export interface ViolationOptions {
  /** Whether partitions of subscribed topics without an owner count, as in a target; false for what a cooperative round hands out. */
  readonly complete?: boolean;
}

/**
 * Everything that is wrong with an assignment of this group; empty when it is legal: every partition of every existing topic
 * that somebody subscribes to has exactly one owner, nobody has a partition of a topic that it does not subscribe to or that
 * does not exist, every member has an entry, and lists are ascending. Linear in members, subscriptions and partitions.
 */
export function findViolations(
  group: GroupSpec,
  assignment: GroupAssignment,
  { complete = true }: ViolationOptions = {},
  index: SubscriptionIndex = indexSubscriptions(group),
): Violation[] {
  const violations: Violation[] = [];
  const owners = group.topics.map((topic) => new Int32Array(topic.partitions).fill(-1));
  const subscribedBy = new Int32Array(group.topics.length).fill(-1);
  const known = new Set<string>();

  for (const [position, { id }] of group.members.entries()) {
    known.add(id);
    if (!assignment.has(id)) violations.push({ kind: 'missing-member', member: id });
    for (const topic of index.byMember[position]!) subscribedBy[topic] = position;
    for (const [name, partitions] of assignment.get(id) ?? EMPTY_ASSIGNMENT) {
      const topic = index.topics.get(name) ?? -1;
      const topicOwners = owners[topic] ?? NO_OWNERS;
      const subscribed = topic >= 0 && subscribedBy[topic] === position;
      if (!ascending(partitions)) violations.push({ kind: 'unsorted', member: id, topic: name });
      for (const partition of partitions) {
        const other = topicOwners[partition];
        if (other === undefined) violations.push({ kind: 'unknown-partition', member: id, topic: name, partition });
        else if (!subscribed) violations.push({ kind: 'not-subscribed', member: id, topic: name, partition });
        if (other === undefined) continue;
        if (other >= 0)
          violations.push({ kind: 'two-owners', members: [group.members[other]!.id, id], topic: name, partition });
        topicOwners[partition] = position;
      }
    }
  }
  for (const id of assignment.keys()) if (!known.has(id)) violations.push({ kind: 'unknown-member', member: id });
  if (complete) {
    for (const [topic, topicOwners] of owners.entries()) {
      if (index.subscribers[topic] === 0) continue;
      for (const [partition, owner] of topicOwners.entries()) {
        if (owner < 0) violations.push({ kind: 'unassigned', topic: group.topics[topic]!.name, partition });
      }
    }
  }
  return violations;
}

const NO_OWNERS = new Int32Array(0);

function ascending(partitions: readonly number[]): boolean {
  for (let i = 1; i < partitions.length; i++) if (partitions[i - 1]! >= partitions[i]!) return false;
  return true;
}
