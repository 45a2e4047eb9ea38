import type { GroupSpec } from '@allot/model';

import type { AssignmentResult, AssignOptions, Assignor } from './assignor.js';
import { indexClientGroup, membersInOrder, subscribersByTopic } from './client-group.js';
import { requireKafka } from './kafka-version.js';
import { NOBODY, ownersToAssignment } from './owners.js';

/**
 * `roundrobin`: all partitions, topic after topic by name, are dealt out in turn to the members in member order; whoever does
 * not subscribe to a topic is passed over.
 *
 * Guarantees, the first being the strongest:
 * 1. Every partition of a subscribed topic has exactly one owner, which subscribes to the topic.
 * 2. With equal subscriptions the members' counts differ by at most one over all topics.
 * 3. The turn goes on from topic to topic; it does not begin anew. With unequal subscriptions nothing more is promised: a
 *    member may stay idle while others hold several.
 *
 * Ten partitions for a, b, c: a 0 3 6 9, b 1 4 7, c 2 5 8.
 *
 * Racks are ignored. Static members come before dynamic ones. Costs O(members log members + partitions + subscriptions).
 * The rule is that of Kafka's RoundRobinAssignor.
 */
export const roundRobinAssignor: Assignor = {
  name: 'roundrobin',
  aliases: ['org.apache.kafka.clients.consumer.RoundRobinAssignor'],
  summary:
    'Deals all partitions out in turn to the members in member order. Even for equal subscriptions, but most partitions move when a member comes or goes.',
  kafkaVersions: '3.5 and newer (compared up to 4.4)',
  sticky: false,
  assign: assignRoundRobin,
};

function assignRoundRobin(spec: GroupSpec, options: AssignOptions = {}): AssignmentResult {
  requireKafka(options.kafkaVersion, 'roundrobin', { first: '3.5' });
  const group = indexClientGroup(spec);
  const order = membersInOrder(group);
  const placeOf = new Int32Array(order.length);
  order.forEach((member, place) => (placeOf[member] = place));
  const subscribers = subscribersByTopic(group, order);
  const owners = new Int32Array(group.partitionCount).fill(NOBODY);

  let turn = 0;
  for (let topic = 0; topic < group.topics.length; topic++) {
    const ring = subscribers[topic]!;
    let next = firstAtOrAfter(ring, placeOf, turn);
    const end = group.partitionOffset[topic + 1]!;
    for (let partition = group.partitionOffset[topic]!; partition < end; partition++) {
      if (next === ring.length) next = 0;
      owners[partition] = ring[next++]!;
    }
    turn = placeOf[ring[next - 1]!]! + 1;
  }
  const assignment = ownersToAssignment(group, owners);
  return { assignment, target: assignment, warnings: group.warnings };
}

/** The first position in the ring whose member's place is not below `turn`; the ring's length when there is none. */
function firstAtOrAfter(ring: Int32Array, placeOf: Int32Array, turn: number): number {
  let low = 0;
  let high = ring.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (placeOf[ring[middle]!]! < turn) low = middle + 1;
    else high = middle;
  }
  return low;
}
