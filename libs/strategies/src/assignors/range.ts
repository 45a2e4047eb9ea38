import type { GroupSpec } from '@allot/model';

import type { AssignmentResult, AssignOptions, Assignor } from './assignor.js';
import type { ClientGroup } from './client-group.js';
import { indexClientGroup, membersInOrder, subscribersByTopic } from './client-group.js';
import { requireKafka } from './kafka-version.js';
import { NOBODY, ownersToAssignment } from './owners.js';
import { readRacks } from './racks.js';
import { assignRangesWithRacks } from './range-racks.js';

/**
 * `range`: every topic is cut into contiguous runs, one for each of its subscribers in member order.
 *
 * Guarantees, the first being the strongest:
 * 1. Every partition of a subscribed topic has exactly one owner, which subscribes to the topic.
 * 2. Within a topic the subscribers' counts differ by at most one; with p partitions and n subscribers the first p mod n get
 *    one more. Over several topics the same members get the larger parts, so the whole may be skewed.
 * 3. Topics with equal subscribers and equal counts are co-partitioned: partition i of both has the same owner.
 * 4. Racks, where they can make a difference, decide who among the subscribers gets which partition, never how many.
 *
 * Ten partitions for a, b, c: a 0-3, b 4-6, c 7-9.
 *
 * Static members (instance id) come before dynamic ones and keep their place when their member id changes. Costs
 * O(members log members + partitions + subscriptions + replicas). The rule is that of Kafka's RangeAssignor since 3.5.
 */
export const rangeAssignor: Assignor = {
  name: 'range',
  aliases: ['org.apache.kafka.clients.consumer.RangeAssignor'],
  summary:
    'Cuts each topic into contiguous runs, one per subscriber in member order. Keeps equal topics co-partitioned; skews when there are many small topics.',
  kafkaVersions: '3.5 and newer (compared up to 4.4)',
  sticky: false,
  assign: assignRange,
};

function assignRange(spec: GroupSpec, options: AssignOptions = {}): AssignmentResult {
  requireKafka(options.kafkaVersion, 'range', { first: '3.5' });
  const group = indexClientGroup(spec);
  const subscribers = subscribersByTopic(group, membersInOrder(group));
  const owners = new Int32Array(group.partitionCount).fill(NOBODY);
  const racks = readRacks(group);
  if (racks === undefined || !assignRangesWithRacks(group, subscribers, racks, owners)) {
    for (let topic = 0; topic < group.topics.length; topic++) cutIntoRanges(group, topic, subscribers[topic]!, owners);
  }
  const assignment = ownersToAssignment(group, owners);
  return { assignment, target: assignment, warnings: group.warnings };
}

function cutIntoRanges(group: ClientGroup, topic: number, subscribers: Int32Array, owners: Int32Array): void {
  const count = group.topics[topic]!.partitions;
  const quota = Math.floor(count / subscribers.length);
  const larger = count % subscribers.length;
  let partition = group.partitionOffset[topic]!;
  for (let i = 0; i < subscribers.length; i++) {
    const end = partition + quota + (i < larger ? 1 : 0);
    if (end === partition) break;
    const member = subscribers[i]!;
    while (partition < end) owners[partition++] = member;
  }
}
