import type { GroupSpec } from '@allot/model';

import type { AssignmentResult, AssignOptions, Assignor } from './assignor.js';
import { indexClientGroup, membersInOrder, subscribersByTopic } from './client-group.js';
import { requireKafka } from './kafka-version.js';
import { NOBODY, ownersToAssignment } from './owners.js';

/**
 * `server-range`: the broker's `range` (KIP-848). Every topic is cut into contiguous runs, one for each of its subscribers.
 *
 * Guarantees, the first being the strongest:
 * 1. Every partition of a subscribed topic has exactly one owner, which subscribes to the topic.
 * 2. Within a topic the subscribers' counts differ by at most one; the first (partitions mod subscribers) get one more.
 * 3. Topics with the same subscribers and the same count are co-partitioned: partition i of both has one owner.
 * 4. Static members come first, by instance id, then dynamic ones by member id; so a static member that comes back with
 *    another member id finds its partitions again.
 *
 * Two topics of three partitions for a and b: a 0, 1 of both; b 2 of both.
 *
 * It differs from the client's `range` in one thing: racks do not matter. What members own, and the order in which anything
 * is listed, does not matter either. Costs O(members log members + partitions + subscriptions). The rule is that of the
 * broker's RangeAssignor as KAFKA-16944 has rewritten it; it gives the same answers from Kafka 3.9 to 4.4.
 */
export const serverRangeAssignor: Assignor = {
  name: 'server-range',
  aliases: ['org.apache.kafka.coordinator.group.assignor.RangeAssignor'],
  summary:
    "The broker's range (KIP-848): cuts each topic into contiguous runs, static members first. Keeps equal topics co-partitioned; skews when there are many small topics.",
  kafkaVersions: '3.9 and newer (compared up to 4.4)',
  sticky: false,
  assign: assignServerRange,
};

function assignServerRange(spec: GroupSpec, options: AssignOptions = {}): AssignmentResult {
  requireKafka(options.kafkaVersion, 'server-range', { first: '3.9' });
  const group = indexClientGroup(spec);
  const subscribers = subscribersByTopic(group, membersInOrder(group));
  const assignment = ownersToAssignment(group, cutTopics(group.partitionOffset, subscribers));
  return { assignment, target: assignment, warnings: group.warnings };
}

/** The owner of each dense partition. A topic without subscribers keeps nobody. */
export function cutTopics(partitionOffset: Int32Array, subscribersOf: readonly Int32Array[]): Int32Array {
  const owners = new Int32Array(partitionOffset[subscribersOf.length]!).fill(NOBODY);
  for (let topic = 0; topic < subscribersOf.length; topic++) {
    const subscribers = subscribersOf[topic]!;
    let partition = partitionOffset[topic]!;
    const end = partitionOffset[topic + 1]!;
    const quota = Math.floor((end - partition) / subscribers.length);
    const larger = (end - partition) % subscribers.length;
    for (let i = 0; partition < end && i < subscribers.length; i++) {
      const runEnd = partition + quota + (i < larger ? 1 : 0);
      const owner = subscribers[i]!;
      while (partition < runEnd) owners[partition++] = owner;
    }
  }
  return owners;
}
