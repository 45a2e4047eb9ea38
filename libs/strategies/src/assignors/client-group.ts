import type { GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import { compareText } from '@allot/model';

import { distinctKeysInHashOrder } from '../hashing/java-hash-map.js';
import type { AssignmentWarning } from './assignor.js';

/** One distinct subscription; members with the same list share it. */
export interface SubscriptionPattern {
  /** The list as the members gave it, names without metadata included. */
  readonly names: readonly string[];
  /** Indexes of those topics that have partitions, in the list's order. */
  readonly topics: Int32Array;
}

/**
 * A group as the assignors of Kafka's Java client see it, in dense integers: members by their place among the sorted ids,
 * topics by their place among the sorted names, partitions by `partitionOffset[topic] + number`. So the lower integer is
 * always the lower text.
 */
export interface ClientGroup {
  /** Members by id; of several with one id only the first of the group's list. */
  readonly members: readonly MemberSpec[];
  /** Member indexes in the order of the group's list, which is the order of insertion into Kafka's hash map. */
  readonly arrival: Int32Array;
  /** Topics that someone subscribes to and that have partitions, by name. */
  readonly topics: readonly TopicSpec[];
  readonly topicIndex: ReadonlyMap<string, number>;
  /** First dense partition of each topic, and one more entry: the number of partitions. */
  readonly partitionOffset: Int32Array;
  readonly partitionCount: number;
  readonly patterns: readonly SubscriptionPattern[];
  /** Index into `patterns` by member. */
  readonly patternOf: Int32Array;
  readonly warnings: readonly AssignmentWarning[];
}

/** Reads a group once; costs a step per member and per entry of each distinct subscription. */
export function indexClientGroup(group: GroupSpec): ClientGroup {
  const warnings: AssignmentWarning[] = [];
  const { members, arrival } = sortById(firstOfEachId(group.members, warnings));
  const known = new Map<string, TopicSpec>();
  for (const topic of group.topics) if (topic.partitions > 0 && !known.has(topic.name)) known.set(topic.name, topic);

  const { sources, patternOf } = findPatterns(members);
  const subscribed = new Set<string>();
  for (const names of sources) for (const name of names) if (known.has(name)) subscribed.add(name);
  const names = [...subscribed].sort(compareText);
  const topicIndex = new Map(names.map((name, index) => [name, index]));
  const topics = names.map((name) => known.get(name)!);

  const partitionOffset = new Int32Array(topics.length + 1);
  topics.forEach(({ partitions }, index) => (partitionOffset[index + 1] = partitionOffset[index]! + partitions));
  return {
    members,
    arrival,
    topics,
    topicIndex,
    partitionOffset,
    partitionCount: partitionOffset[topics.length]!,
    patterns: sources.map((source) => ({ names: source, topics: indexesOf(source, topicIndex) })),
    patternOf,
    warnings,
  };
}

function firstOfEachId(members: readonly MemberSpec[], warnings: AssignmentWarning[]): readonly MemberSpec[] {
  const byId = new Map<string, MemberSpec>();
  for (const member of members) {
    if (!byId.has(member.id)) byId.set(member.id, member);
    else
      warnings.push({
        code: 'duplicate-member',
        message: `Member "${member.id}" is listed more than once; only its first entry counts.`,
      });
  }
  return byId.size === members.length ? members : [...byId.values()];
}

function sortById(listed: readonly MemberSpec[]): { members: readonly MemberSpec[]; arrival: Int32Array } {
  const places = [...listed.keys()].sort((a, b) => compareText(listed[a]!.id, listed[b]!.id));
  const arrival = new Int32Array(places.length);
  places.forEach((place, index) => (arrival[place] = index));
  return { members: places.map((place) => listed[place]!), arrival };
}

/** How many of the latest patterns a new list is compared with before it counts as one of its own. */
const COMPARED_PATTERNS = 8;

/**
 * Distinct subscription lists. Members often share one array, or hold copies of few: an array seen before is recognised by
 * identity, a copy by comparing it with the latest patterns. A copy that is missed only costs time.
 */
function findPatterns(members: readonly MemberSpec[]): { sources: (readonly string[])[]; patternOf: Int32Array } {
  const sources: (readonly string[])[] = [];
  const byIdentity = new Map<readonly string[], number>();
  const patternOf = new Int32Array(members.length);
  members.forEach(({ topics }, member) => {
    let pattern = byIdentity.get(topics);
    if (pattern === undefined) {
      pattern = sources.length;
      for (let i = sources.length - 1; i >= Math.max(0, sources.length - COMPARED_PATTERNS); i--) {
        if (sameList(sources[i]!, topics)) pattern = i;
      }
      if (pattern === sources.length) sources.push(topics);
      byIdentity.set(topics, pattern);
    }
    patternOf[member] = pattern;
  });
  return { sources, patternOf };
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function indexesOf(names: readonly string[], topicIndex: ReadonlyMap<string, number>): Int32Array {
  const indexes = new Int32Array(names.length);
  let count = 0;
  for (const name of names) {
    const index = topicIndex.get(name);
    if (index !== undefined) indexes[count++] = index;
  }
  return indexes.subarray(0, count);
}

/**
 * Members in the order of Kafka's `MemberInfo`: static members first, by instance id, then dynamic ones by member id. Two
 * members with one instance id (which a coordinator never lets happen) stay in the order of the hash map.
 */
export function membersInOrder(group: ClientGroup): Int32Array {
  const { members } = group;
  const dynamic = [...members.keys()].filter((index) => members[index]!.instanceId === undefined);
  if (dynamic.length === members.length) return Int32Array.from(dynamic);
  const statics = [...membersInHashOrder(group)].filter((index) => members[index]!.instanceId !== undefined);
  statics.sort((a, b) => compareText(members[a]!.instanceId!, members[b]!.instanceId!));
  return Int32Array.from([...statics, ...dynamic]);
}

/** Members as a `java.util.HashMap` walks them, into which they were put in the order of arrival. */
export function membersInHashOrder({ members, arrival }: ClientGroup): Int32Array {
  return rehash(members, arrival);
}

/** Members as a second `java.util.HashMap` walks them, into which they were put by walking the first one. */
export function rehash(members: readonly MemberSpec[], insertion: Int32Array): Int32Array {
  const order = distinctKeysInHashOrder(Array.from(insertion, (index) => members[index]!.id));
  return order.map((position) => insertion[position]!);
}

/**
 * The subscribers of every topic, each list in the given order of members; a member whose list names a topic twice counts
 * once. Topics with the same subscribers share one array where that is cheap to see, so compare by content.
 */
export function subscribersByTopic(group: ClientGroup, order: Int32Array): readonly Int32Array[] {
  const { patterns, patternOf, topics } = group;
  const patternsPerTopic = new Int32Array(topics.length);
  const onlyPattern = new Int32Array(topics.length);
  const lastSeen = new Int32Array(topics.length).fill(-1);
  patterns.forEach((pattern, index) => {
    for (const topic of pattern.topics) {
      if (lastSeen[topic] === index) continue;
      lastSeen[topic] = index;
      patternsPerTopic[topic]!++;
      onlyPattern[topic] = index;
    }
  });
  if (patternsPerTopic.every((count) => count === 1)) {
    const membersOf = groupByPattern(group, order);
    return Array.from(onlyPattern, (pattern) => membersOf[pattern]!);
  }

  const lists: number[][] = topics.map(() => []);
  const lastMember = new Int32Array(topics.length).fill(-1);
  for (const member of order) {
    for (const topic of patterns[patternOf[member]!]!.topics) {
      if (lastMember[topic] === member) continue;
      lastMember[topic] = member;
      lists[topic]!.push(member);
    }
  }
  return lists.map((list) => Int32Array.from(list));
}

function groupByPattern({ patterns, patternOf }: ClientGroup, order: Int32Array): Int32Array[] {
  const sizes = new Int32Array(patterns.length);
  for (const pattern of patternOf) sizes[pattern]!++;
  const lists = Array.from(sizes, (size) => new Int32Array(size));
  const filled = new Int32Array(patterns.length);
  for (const member of order) {
    const pattern = patternOf[member]!;
    lists[pattern]![filled[pattern]!++] = member;
  }
  return lists;
}
