import type { GroupSpec, MemberSpec, TopicSpec } from '@allot/model';

import { hashWalk } from '../hashing/hash-walk.js';
import { STRING_KEYS } from '../hashing/java-hash-map.js';
import type { AssignmentWarning } from './assignor.js';
import type { SubscriptionPattern } from './subscription-patterns.js';
import { placesInOrder } from './text-order.js';
import { findSubscriptionLists, numberSubscriptions } from './subscription-patterns.js';

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

/** Reads a group once; costs a step per member and per entry of each distinct subscription, and sorts ids and names. */
export function indexClientGroup(group: GroupSpec): ClientGroup {
  const warnings: AssignmentWarning[] = [];
  const { members, arrival } = sortById(group.members, warnings);
  return { members, arrival, ...indexTopics(members, group.topics), warnings };
}

/** The part of a group that is about topics and subscriptions; members are numbered as they are given. */
export function indexTopics(
  members: readonly MemberSpec[],
  listed: readonly TopicSpec[],
): Omit<ClientGroup, 'members' | 'arrival' | 'warnings'> {
  const { lists, patternOf } = findSubscriptionLists(members);
  const known = topicsWithPartitions(listed);
  const names = known.map(({ name }) => name);
  const placeOf = placesOf(names);
  const { patterns, mentioned } = numberSubscriptions(lists, names, placeOf);
  const all = !mentioned.includes(0);
  const topics = all ? known : known.filter((_, place) => mentioned[place] === 1);

  const partitionOffset = new Int32Array(topics.length + 1);
  topics.forEach(({ partitions }, index) => (partitionOffset[index + 1] = partitionOffset[index]! + partitions));
  return {
    topics,
    topicIndex: all ? placeOf : placesOf(topics.map(({ name }) => name)),
    partitionOffset,
    partitionCount: partitionOffset[topics.length]!,
    patterns,
    patternOf,
  };
}

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (let place = 0; place < names.length; place++) places.set(names[place]!, place);
  return places;
}

/** By name; of several with one name only the first of the list. */
function topicsWithPartitions(listed: readonly TopicSpec[]): TopicSpec[] {
  const present = listed.filter(({ partitions }) => partitions > 0);
  const topics: TopicSpec[] = [];
  for (const place of placesInOrder(present.map(({ name }) => name))) {
    const topic = present[place]!;
    if (topics.length === 0 || topics[topics.length - 1]!.name !== topic.name) topics.push(topic);
  }
  return topics;
}

/** By id; of several with one id only the first of the list. */
function sortById(
  listed: readonly MemberSpec[],
  warnings: AssignmentWarning[],
): { members: readonly MemberSpec[]; arrival: Int32Array } {
  const ids = listed.map(({ id }) => id);
  const members: MemberSpec[] = [];
  const numberOf = new Int32Array(listed.length).fill(-1);
  for (const place of placesInOrder(ids)) {
    if (members.length === 0 || members[members.length - 1]!.id !== ids[place]) {
      numberOf[place] = members.length;
      members.push(listed[place]!);
      continue;
    }
    warnings.push(duplicateMember(ids[place]!));
  }
  return { members, arrival: members.length === listed.length ? numberOf : numberOf.filter((number) => number >= 0) };
}

export function duplicateMember(id: string): AssignmentWarning {
  return { code: 'duplicate-member', message: `Member "${id}" is listed more than once; only its first entry counts.` };
}

/**
 * Members in the order of Kafka's `MemberInfo`: static members first, by instance id, then dynamic ones by member id. Two
 * members with one instance id (which a coordinator never lets happen) stay in the order of the hash map.
 */
export function membersInOrder(group: ClientGroup): Int32Array {
  const { members } = group;
  const order = new Int32Array(members.length);
  let statics = 0;
  for (const { instanceId } of members) if (instanceId !== undefined) statics++;
  let next = statics;
  for (let member = 0; member < members.length; member++) {
    if (members[member]!.instanceId === undefined) order[next++] = member;
  }
  if (statics > 0) {
    const walk = membersInHashOrder(group).filter((member) => members[member]!.instanceId !== undefined);
    const byInstance = placesInOrder(Array.from(walk, (member) => members[member]!.instanceId!));
    byInstance.forEach((place, i) => (order[i] = walk[place]!));
  }
  return order;
}

/** Members as a `java.util.HashMap` walks them, into which they were put in the order of arrival. */
export function membersInHashOrder({ members, arrival }: ClientGroup): Int32Array {
  return rehash(members, arrival);
}

/** Members as a second `java.util.HashMap` walks them, into which they were put by walking the first one. */
export function rehash(members: readonly MemberSpec[], insertion: Int32Array): Int32Array {
  const ids = new Array<string>(insertion.length);
  for (let i = 0; i < insertion.length; i++) ids[i] = members[insertion[i]!]!.id;
  return hashWalk(ids, STRING_KEYS).map((position) => insertion[position]!);
}

/**
 * The subscribers of every topic, each list in the given order of members; a member whose list names a topic twice counts
 * once. Topics with the same subscribers share one array where that is cheap to see, so compare by content.
 */
export function subscribersByTopic(group: ClientGroup, order: Int32Array): readonly Int32Array[] {
  const { patterns, patternOf, topics } = group;
  const patternSize = new Int32Array(patterns.length);
  for (const pattern of patternOf) patternSize[pattern]!++;
  const onlyPattern = new Int32Array(topics.length).fill(-1);
  const start = new Int32Array(topics.length + 1);
  let shared = false;
  for (let pattern = 0; pattern < patterns.length; pattern++) {
    const size = patternSize[pattern]!;
    const { distinct } = patterns[pattern]!;
    // By index, here and below: a typed array walked with for-of takes four times as long.
    for (let i = 0; i < distinct.length; i++) {
      const topic = distinct[i]!;
      shared ||= onlyPattern[topic]! >= 0;
      onlyPattern[topic] = pattern;
      start[topic + 1]! += size;
    }
  }
  if (!shared) {
    const membersOf = membersByPattern(group, order, patternSize);
    return Array.from(onlyPattern, (pattern) => membersOf[pattern]!);
  }
  for (let topic = 0; topic < topics.length; topic++) start[topic + 1]! += start[topic]!;
  const all = new Int32Array(start[topics.length]!);
  const next = start.slice();
  for (const member of order) {
    const { distinct } = patterns[patternOf[member]!]!;
    for (let i = 0; i < distinct.length; i++) all[next[distinct[i]!]!++] = member;
  }
  return topics.map((_, topic) => all.subarray(start[topic]!, start[topic + 1]!));
}

function membersByPattern({ patternOf }: ClientGroup, order: Int32Array, patternSize: Int32Array): Int32Array[] {
  const lists = Array.from(patternSize, (size) => new Int32Array(size));
  const filled = new Int32Array(patternSize.length);
  for (const member of order) {
    const pattern = patternOf[member]!;
    lists[pattern]![filled[pattern]!++] = member;
  }
  return lists;
}
