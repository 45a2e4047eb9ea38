import { compareText, countPartitions, EMPTY_ASSIGNMENT } from './assignment.js';
import type { Assignment, GroupAssignment } from './assignment.js';
import type { GroupSpec, TopicSpec } from './group-spec.js';
import { indexSubscriptions } from './subscriptions.js';
import type { SubscriptionIndex } from './subscriptions.js';

/** How uneven an assignment is, in partitions; 0 is even, 1 is as even as counts that do not divide allow. */
export interface Skew {
  /** The busiest member's partitions minus the least busy one's, over every member of the group; 0 without members. */
  readonly overall: number;
  /** The same within one topic, over the members that subscribe to it. Topics that nobody subscribes to have no entry. */
  readonly perTopic: ReadonlyMap<string, number>;
}

/** How many partitions members have. */
export interface LoadSummary {
  readonly members: number;
  readonly partitions: number;
  readonly least: number;
  readonly most: number;
  readonly mean: number;
  readonly standardDeviation: number;
}

/** How many partitions are read from a replica in their owner's own rack. */
export interface RackLocality {
  /** Owned partitions of which the owner's rack and the replicas' racks are known. */
  readonly known: number;
  /** Those of them with a replica in the owner's rack. */
  readonly local: number;
}

/** A partition whose owner differs between two assignments; null is nobody. */
export interface OwnerChange {
  readonly topic: string;
  readonly partition: number;
  readonly from: string | null;
  readonly to: string | null;
}

/** What one member gains and loses between two assignments. */
export interface MemberChange {
  readonly gained: Assignment;
  readonly lost: Assignment;
}

/** Skew overall and per topic. `index` saves the work of indexing a group again. */
export function skewOf(
  group: GroupSpec,
  assignment: GroupAssignment,
  index: SubscriptionIndex = indexSubscriptions(group),
): Skew {
  const topicCount = group.topics.length;
  const most = new Int32Array(topicCount);
  const least = new Int32Array(topicCount).fill(2 ** 31 - 1);
  const holders = new Int32Array(topicCount);
  const candidates = Int32Array.from(index.subscribers);
  const subscribedBy = new Int32Array(topicCount).fill(-1);

  for (const [position, member] of group.members.entries()) {
    for (const topic of index.byMember[position]!) subscribedBy[topic] = position;
    for (const [name, partitions] of assignment.get(member.id) ?? EMPTY_ASSIGNMENT) {
      const topic = index.topics.get(name);
      if (topic === undefined) continue;
      // Kafka's sticky rules can hand a partition to a member that no longer subscribes; then it takes part in the comparison.
      if (subscribedBy[topic] !== position) candidates[topic]!++;
      holders[topic]!++;
      if (partitions.length > most[topic]!) most[topic] = partitions.length;
      if (partitions.length < least[topic]!) least[topic] = partitions.length;
    }
  }

  const perTopic = new Map<string, number>();
  for (const [topic, { name }] of group.topics.entries()) {
    if (candidates[topic] === 0) continue;
    const lowest = holders[topic]! < candidates[topic]! ? 0 : least[topic]!;
    perTopic.set(name, most[topic]! - lowest);
  }
  const loads = summarizeLoads(
    group.members.map((member) => countPartitions(assignment.get(member.id) ?? EMPTY_ASSIGNMENT)),
  );
  return { overall: loads.most - loads.least, perTopic };
}

/**
 * The skew of loads by weight: what a member's partitions weigh (1 where a topic has no weights), divided by the member's own
 * weight. Undefined where neither topics nor members have weights, since it would say what `skewOf` says.
 */
export function weightedSkew(group: GroupSpec, assignment: GroupAssignment): number | undefined {
  const weighted =
    group.topics.some(({ weights }) => weights) || group.members.some(({ weight }) => weight !== undefined);
  if (!weighted) return undefined;
  const weights = new Map(group.topics.map((topic) => [topic.name, topic.weights]));
  let [least, most] = [Infinity, 0];
  for (const { id, weight = 1 } of group.members) {
    let load = 0;
    for (const [topic, partitions] of assignment.get(id) ?? EMPTY_ASSIGNMENT) {
      const list = weights.get(topic);
      for (const partition of partitions) load += list?.[partition] ?? 1;
    }
    least = Math.min(least, load / weight);
    most = Math.max(most, load / weight);
  }
  return group.members.length === 0 ? 0 : most - least;
}

/** Summarizes the number of partitions of each member; all zero without members. */
export function summarizeLoads(loads: readonly number[]): LoadSummary {
  if (loads.length === 0) return { members: 0, partitions: 0, least: 0, most: 0, mean: 0, standardDeviation: 0 };
  let [least, most, partitions] = [Infinity, 0, 0];
  for (const load of loads) {
    partitions += load;
    if (load < least) least = load;
    if (load > most) most = load;
  }
  const mean = partitions / loads.length;
  let squares = 0;
  for (const load of loads) squares += (load - mean) ** 2;
  return { members: loads.length, partitions, least, most, mean, standardDeviation: Math.sqrt(squares / loads.length) };
}

/** Counts the partitions that their owner can read within its rack. */
export function rackLocality(group: GroupSpec, assignment: GroupAssignment): RackLocality {
  const racksByTopic = new Map<string, TopicSpec['racks']>();
  for (const { name, racks } of group.topics) if (racks !== undefined) racksByTopic.set(name, racks);
  let [known, local] = [0, 0];
  if (racksByTopic.size === 0) return { known, local };
  for (const { id, rack } of group.members) {
    if (rack === undefined) continue;
    for (const [topic, partitions] of assignment.get(id) ?? EMPTY_ASSIGNMENT) {
      const racks = racksByTopic.get(topic);
      for (const partition of partitions) {
        const replicas = racks?.[partition];
        if (replicas === undefined || replicas.length === 0) continue;
        known++;
        if (replicas.includes(rack)) local++;
      }
    }
  }
  return { known, local };
}

/** Ids of the members without any partition, in the group's order. */
export function idleMembers(group: GroupSpec, assignment: GroupAssignment): string[] {
  return group.members
    .filter((member) => countPartitions(assignment.get(member.id) ?? EMPTY_ASSIGNMENT) === 0)
    .map(({ id }) => id);
}

/** Partitions of the given topics that no member has. */
export function unownedPartitions(topics: readonly TopicSpec[], assignment: GroupAssignment): Assignment {
  const owned = new Map(topics.map((topic) => [topic.name, new Uint8Array(topic.partitions)]));
  for (const member of assignment.values()) {
    for (const [topic, partitions] of member) {
      const marks = owned.get(topic);
      if (marks !== undefined) for (const partition of partitions) marks[partition] = 1;
    }
  }
  const unowned = new Map<string, readonly number[]>();
  for (const topic of [...owned.keys()].sort(compareText)) {
    const free: number[] = [];
    for (const [partition, mark] of owned.get(topic)!.entries()) if (mark === 0) free.push(partition);
    if (free.length > 0) unowned.set(topic, free);
  }
  return unowned;
}

/**
 * The partitions whose owner differs, by topic (code units) and number. Neither assignment may give a partition to two
 * members; `findViolations` tells.
 */
export function diffByPartition(before: GroupAssignment, after: GroupAssignment): OwnerChange[] {
  const members = [...new Set([...before.keys(), ...after.keys()])];
  const positions = new Map(members.map((id, position) => [id, position]));
  const [old, now] = [ownersByTopic(before, positions), ownersByTopic(after, positions)];
  const changes: OwnerChange[] = [];
  for (const topic of [...new Set([...old.keys(), ...now.keys()])].sort(compareText)) {
    const [was, is] = [old.get(topic) ?? NO_OWNERS, now.get(topic) ?? NO_OWNERS];
    for (let i = 0, j = 0; i < was.length || j < is.length;) {
      const [from, to] = [was[i] ?? Infinity, is[j] ?? Infinity];
      const partition = Math.min(Math.floor(from / MEMBERS), Math.floor(to / MEMBERS));
      const ceiling = (partition + 1) * MEMBERS;
      if (from < ceiling) i++;
      if (to < ceiling) j++;
      if (from === to) continue;
      changes.push({
        topic,
        partition,
        from: from < ceiling ? members[from - partition * MEMBERS]! : null,
        to: to < ceiling ? members[to - partition * MEMBERS]! : null,
      });
    }
  }
  return changes;
}

/** A diff seen from the members: what each gains and loses. Members without a change have no entry; the rest come in order of appearance. */
export function diffByMember(changes: readonly OwnerChange[]): ReadonlyMap<string, MemberChange> {
  const members = new Map<string, { gained: Map<string, number[]>; lost: Map<string, number[]> }>();
  const note = (id: string | null, side: 'gained' | 'lost', { topic, partition }: OwnerChange): void => {
    if (id === null) return;
    let member = members.get(id);
    if (member === undefined) members.set(id, (member = { gained: new Map(), lost: new Map() }));
    const partitions = member[side].get(topic);
    if (partitions === undefined) member[side].set(topic, [partition]);
    else partitions.push(partition);
  };
  for (const change of changes) {
    note(change.from, 'lost', change);
    note(change.to, 'gained', change);
  }
  return members;
}

/** More than any group has members; a partition number times this still is an exact number. */
const MEMBERS = 2 ** 21;
const NO_OWNERS = new Float64Array(0);

/**
 * Topic -> its partitions with their owners, each as partition * MEMBERS + position, ascending. Sorted numbers, because an
 * array by partition would be as long as the largest number that anybody claims, and a map of 50,000 entries costs ten
 * times the time.
 */
function ownersByTopic(assignment: GroupAssignment, positions: ReadonlyMap<string, number>): Map<string, Float64Array> {
  const counts = new Map<string, number>();
  for (const owned of assignment.values()) {
    for (const [topic, partitions] of owned) counts.set(topic, (counts.get(topic) ?? 0) + partitions.length);
  }
  const topics = new Map([...counts].map(([topic, count]) => [topic, { owners: new Float64Array(count), filled: 0 }]));
  for (const [member, owned] of assignment) {
    const position = positions.get(member)!;
    for (const [topic, partitions] of owned) {
      const slot = topics.get(topic)!;
      for (const partition of partitions) slot.owners[slot.filled++] = partition * MEMBERS + position;
    }
  }
  return new Map([...topics].map(([topic, { owners }]) => [topic, owners.sort()]));
}
