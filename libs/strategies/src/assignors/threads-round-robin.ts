import type { GroupSpec, MemberSpec, TopicPartition } from '@allot/model';
import { compareText, formatTopicPartition, invalidRequest } from '@allot/model';

import { javaStringHashCode } from '../hashing/java-hash-map.js';
import type { AssignmentResult, AssignOptions, Assignor } from './assignor.js';
import type { ClientGroup } from './client-group.js';
import { indexClientGroup } from './client-group.js';
import { isKafkaAtLeast, requireKafka } from './kafka-version.js';
import { NOBODY, ownersToAssignment } from './owners.js';
import { FIRST_GENERATION, streamsOf, threadGroup } from './threads.js';

/**
 * `threads-roundrobin`: `roundrobin` of the first-generation consumers. All partitions of all topics, ordered by the hash
 * code of their printed name, are dealt out in turn to all threads, ordered by id. Results are keyed by thread id (`c1-0`),
 * with an entry for every thread.
 *
 * It wants two things of the group, and refuses it otherwise, naming the members: every consumer subscribes to the same
 * topics, and each consumer has the same number of streams for all of them.
 *
 * Guarantees, the first being the strongest:
 * 1. Every partition of a subscribed topic belongs to exactly one thread.
 * 2. The threads' counts differ by at most one, over all topics together.
 *
 * Partitions t1-5, 3, 0, 8, 2, 1, 4, 7, 6, 9 in this order for threads c1-0, c1-1, c2-0, c2-1: c1-0 has 5, 2, 6; c1-1 has 3,
 * 1, 9; c2-0 has 0, 4; c2-1 has 8, 7. An order that was observed can be given as `partitionOrder`.
 *
 * A partition prints as `orders-3` since Kafka 1.0 and as `[orders,3]` before; `kafkaVersion` chooses. Costs O(partitions log
 * partitions + threads log threads). The rule is that of kafka.consumer.RoundRobinAssignor; it stopped checking in 0.9,
 * where groups that meet both conditions are still answered like this.
 */
export const threadsRoundRobinAssignor: Assignor = {
  name: 'threads-roundrobin',
  aliases: ['kafka.consumer.RoundRobinAssignor'],
  summary:
    'Round-robin of the first-generation consumers with threads: all partitions in hash order, dealt out over all threads. Needs equal subscriptions. Results are keyed by thread.',
  kafkaVersions: '0.8 to 1.1, consumers with ZooKeeper',
  sticky: false,
  owners: 'threads',
  assign: assignThreadsRoundRobin,
};

function assignThreadsRoundRobin(spec: GroupSpec, options: AssignOptions = {}): AssignmentResult {
  requireKafka(options.kafkaVersion, 'threads-roundrobin', FIRST_GENERATION);
  refuseUnevenStreams(spec.members);
  refuseUnequalSubscriptions(spec.members);
  const group = indexClientGroup(threadGroup(spec));
  const order =
    options.partitionOrder === undefined
      ? hashOrder(group, isKafkaAtLeast(options.kafkaVersion, '1.0'))
      : givenOrder(group, options.partitionOrder);
  const owners = new Int32Array(group.partitionCount);
  order.forEach((partition, turn) => (owners[partition] = turn % group.members.length));
  const assignment = ownersToAssignment(group, owners);
  return { assignment, target: assignment, warnings: group.warnings };
}

/** A member that breaks a condition, by its place in the group. */
interface Offender {
  readonly place: number;
  readonly field: 'streams' | 'topics';
  readonly detail: string;
}

function refuseUnevenStreams(members: readonly MemberSpec[]): void {
  const uneven = members.flatMap((member, place): Offender[] => {
    const counts = member.topics.map((topic) => streamsOf(member, topic));
    if (new Set(counts).size < 2) return [];
    return [{ place, field: 'streams', detail: member.topics.map((topic, i) => `${topic}: ${counts[i]}`).join(', ') }];
  });
  refuse(members, uneven, 'every topic needs the same number of streams within a consumer');
}

function refuseUnequalSubscriptions(members: readonly MemberSpec[]): void {
  const subscriptions = members.map(({ topics }) => [...new Set(topics)].sort(compareText).join(', '));
  const frequency = new Map<string, number>();
  for (const subscription of subscriptions) frequency.set(subscription, (frequency.get(subscription) ?? 0) + 1);
  if (frequency.size < 2) return;
  const [usual] = [...frequency].reduce((most, entry) => (entry[1] > most[1] ? entry : most));
  const unequal = subscriptions.flatMap((subscription, place): Offender[] =>
    subscription === usual ? [] : [{ place, field: 'topics', detail: subscription || 'no topic' }],
  );
  refuse(members, unequal, `every consumer needs to subscribe to the same topics (most: ${usual || 'none'})`);
}

function refuse(members: readonly MemberSpec[], offenders: readonly Offender[], condition: string): void {
  if (offenders.length === 0) return;
  const listed = offenders.map(({ place, detail }) => `"${members[place]!.id}" (${detail})`).join(', ');
  throw invalidRequest(
    `threads-roundrobin cannot assign this group: ${condition}, unlike ${listed}.`,
    offenders.map(({ place, field, detail }) => ({ pointer: `/members/${place}/${field}`, detail })),
  );
}

/** Dense partitions by the hash code of their printed name; of equal ones, by topic and number. */
function hashOrder(group: ClientGroup, printsWithHyphen: boolean): Int32Array {
  const hashes = new Int32Array(group.partitionCount);
  group.topics.forEach(({ name, partitions }, topic) => {
    for (let partition = 0; partition < partitions; partition++) {
      const printed = printsWithHyphen ? formatTopicPartition({ topic: name, partition }) : `[${name},${partition}]`;
      hashes[group.partitionOffset[topic]! + partition] = javaStringHashCode(printed);
    }
  });
  return Int32Array.from(hashes.keys()).sort((a, b) => hashes[a]! - hashes[b]! || a - b);
}

function givenOrder(group: ClientGroup, given: readonly TopicPartition[]): Int32Array {
  const turn = new Int32Array(group.partitionCount).fill(NOBODY);
  const order = given.map(({ topic: name, partition }, place) => {
    const topic = group.topicIndex.get(name);
    const known = topic !== undefined && partition >= 0 && partition < group.topics[topic]!.partitions;
    const dense = known ? group.partitionOffset[topic]! + partition : NOBODY;
    if (dense === NOBODY || turn[dense] !== NOBODY)
      throw invalidOrder(place, `${name}-${partition} ${known ? 'is listed twice' : 'is not a subscribed partition'}`);
    turn[dense] = place;
    return dense;
  });
  if (order.length < group.partitionCount)
    throw invalidOrder(order.length, `${order.length} of ${group.partitionCount} partitions are listed`);
  return Int32Array.from(order);
}

function invalidOrder(place: number, detail: string): Error {
  return invalidRequest(`The order of partitions must list each subscribed partition once: ${detail}.`, [
    { pointer: `/partitionOrder/${place}`, detail: `${detail}.` },
  ]);
}
