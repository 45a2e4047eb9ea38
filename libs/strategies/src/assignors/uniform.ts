import type { GroupSpec } from '@allot/model';

import { capacityOfCopy, hashWalk } from '../hashing/hash-walk.js';
import type { JavaKeyType } from '../hashing/java-hash-map.js';
import { compareUuids, UUID_KEYS } from '../hashing/uuid-hash.js';
import type { AssignmentResult, AssignOptions, Assignor } from './assignor.js';
import { subscribersByTopic } from './client-group.js';
import { isKafkaAtLeast, requireKafka } from './kafka-version.js';
import { NOBODY, ownersToAssignment } from './owners.js';
import type { ServerGroup } from './server-group.js';
import { indexServerGroup } from './server-group.js';
import { assignHeterogeneous } from './uniform/heterogeneous.js';
import type { HomogeneousGroup } from './uniform/homogeneous.js';
import { assignHomogeneous } from './uniform/homogeneous.js';

/**
 * `uniform`: the broker's default assignor for consumer groups (KIP-848). `owned` is the member's part of the previous
 * target.
 *
 * Guarantees, the first being the strongest:
 * 1. Every partition of a subscribed topic has exactly one owner, which subscribes to the topic.
 * 2. With equal subscriptions members' counts differ by at most one. With different subscriptions the same holds among the
 *    subscribers of a topic that can give each other something, unless 16 rounds of balancing did not suffice.
 * 3. Members keep what they own as far as 2 allows.
 *
 * a owns 0 and 1, b owns 2 and 3 of four partitions; c joins: c gets one of them, nothing moves between a and b.
 *
 * Two rules for equal subscriptions: 4.0.0 hands larger quotas to the members that Java's hash map happens to walk first, so
 * that even a balanced group may move; from 4.0.1 on (KAFKA-18688) a balanced group never moves. `kafkaVersion` chooses. Costs O(partitions + members + subscriptions); with different subscriptions each round
 * costs the subscribers and partitions of all topics. Rules: `uniform/homogeneous.ts` and `uniform/heterogeneous.ts`.
 */
export const uniformAssignor: Assignor = {
  name: 'uniform',
  aliases: ['server-uniform', 'org.apache.kafka.coordinator.group.assignor.UniformAssignor'],
  summary:
    "The broker's default (KIP-848): the same number of partitions for everyone, over all topics together, with few moves.",
  kafkaVersions: '4.0.0 when asked for "4.0", else 4.0.1 and newer (compared up to 4.4)',
  sticky: true,
  assign: assignUniform,
};

function assignUniform(spec: GroupSpec, options: AssignOptions = {}): AssignmentResult {
  requireKafka(options.kafkaVersion, 'uniform', { first: '4.0' });
  const group = indexServerGroup(spec);
  const owners = group.homogeneous ? homogeneousOwners(group, options) : heterogeneousOwners(group);
  const assignment = ownersToAssignment(group, owners);
  return { assignment, target: assignment, warnings: group.warnings };
}

function homogeneousOwners(group: ServerGroup, { kafkaVersion, ownedOrder }: AssignOptions): Int32Array {
  if (group.partitionCount === 0) return new Int32Array(0);
  const rule = isKafkaAtLeast(kafkaVersion, '4.0.1') ? 'as-needed' : 'first-walked';
  return assignHomogeneous(toHomogeneous(group, ownedOrder), rule);
}

/** The group as the rule for equal subscriptions wants it; it has one member and one partition at least. */
export function toHomogeneous(group: ServerGroup, ownedOrder?: 'given'): HomogeneousGroup {
  const first = group.patterns[group.patternOf[group.memberWalk[0]!]!]!;
  // The broker copies the subscription into a hash set whose table has room for the names without metadata too.
  const subscribed = [...first.distinct];
  const capacity = capacityOfCopy(new Set(first.names).size);
  const topicWalk = hashWalk(subscribed, topicKeys(group), capacity).map((place) => subscribed[place]!);
  return {
    memberWalk: group.memberWalk,
    topicWalk,
    partitionOffset: group.partitionOffset,
    previous: group.previous,
    counts: group.counts,
    walkOwned: (member) => walkOwned(group, member, ownedOrder === 'given' ? undefined : topicWalk),
  };
}

/** Dense topics as keys of Java's hash maps, where Kafka has topic ids. */
function topicKeys({ topicIds }: ServerGroup): JavaKeyType<number> {
  return {
    hashCode: (topic) => UUID_KEYS.hashCode(topicIds[topic]!),
    compare: (a, b) => compareUuids(topicIds[a]!, topicIds[b]!),
  };
}

/**
 * The topics of a member's previous target in the order in which the broker walks them. Two topics whose ids fall into one
 * bucket are walked in the order in which they entered the map, which is history. A caller that knows it gives `owned` in
 * that order; else the likeliest history is assumed: both came in one round, and of such the broker puts the later in front.
 */
function ownedTopics(group: ServerGroup, member: number, topicWalk: Int32Array | undefined): Int32Array {
  const owned = group.members[member]!.owned!;
  let entered: number[] = [];
  for (const name of owned.keys()) {
    const topic = group.topicIndex.get(name);
    if (topic !== undefined) entered.push(topic);
  }
  if (topicWalk !== undefined) {
    const held = new Set(entered);
    entered = [...topicWalk].filter((topic) => held.has(topic)).reverse();
  }
  let capacity = 16;
  while (owned.size > capacity * 0.75) capacity *= 2;
  return hashWalk(entered, topicKeys(group), capacity).map((place) => entered[place]!);
}

/** A member's partitions in the order of its topics and, within a topic, of a hash set of numbers. */
function walkOwned(group: ServerGroup, member: number, topicWalk: Int32Array | undefined): Int32Array {
  const { topics, partitionOffset, previous } = group;
  const walk: number[] = [];
  for (const topic of ownedTopics(group, member, topicWalk)) {
    const first = partitionOffset[topic]!;
    const listed = new Set(group.members[member]!.owned!.get(topics[topic]!.name));
    const numbers = [...listed].filter(
      (number) => number >= 0 && number < topics[topic]!.partitions && previous[first + number] === member,
    );
    for (const place of hashWalk(numbers, INTEGER_KEYS, capacityOfCopy(listed.size)))
      walk.push(first + numbers[place]!);
  }
  return Int32Array.from(walk);
}

const INTEGER_KEYS: JavaKeyType<number> = { hashCode: (number) => number, compare: (a, b) => a - b };

/** The rule numbers members in the order of the broker's walk, so they are renumbered on the way in and out. */
function heterogeneousOwners(group: ServerGroup): Int32Array {
  const { memberWalk, topicIds } = group;
  const placeOf = new Int32Array(memberWalk.length);
  memberWalk.forEach((member, place) => (placeOf[member] = place));
  const toPlaces = new Map<Int32Array, Int32Array>();
  const subscribersOf = subscribersByTopic(group, memberWalk).map((members) => {
    let places = toPlaces.get(members);
    if (places === undefined) toPlaces.set(members, (places = renumber(members, placeOf)));
    return places;
  });
  const owners = assignHeterogeneous({
    memberCount: memberWalk.length,
    partitionOffset: group.partitionOffset,
    subscribersOf,
    previous: renumber(group.previous, placeOf),
    compareTopics: (a, b) => compareUuids(topicIds[a]!, topicIds[b]!),
  });
  return renumber(owners, memberWalk);
}

/** In a plain loop, for a typed array's own `map` takes eight times as long. */
function renumber(members: Int32Array, numbers: Int32Array): Int32Array {
  const renumbered = new Int32Array(members.length);
  for (let i = 0; i < members.length; i++) renumbered[i] = members[i] === NOBODY ? NOBODY : numbers[members[i]!]!;
  return renumbered;
}
