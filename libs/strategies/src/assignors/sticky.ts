import type { Assignor } from './assignor.js';
import { requireKafka } from './kafka-version.js';
import { assignSticky } from './sticky/sticky-rule.js';

/**
 * `sticky`: the same number of partitions for everyone, and everything stays where it is as far as that allows.
 *
 * Guarantees, the first being the strongest:
 * 1. Every partition of a subscribed topic has exactly one owner, which subscribes to the topic; for Kafka's two exceptions see
 *    the warnings `assigned-to-non-subscriber` and `kafka-fails`.
 * 2. With equal subscriptions counts differ by at most one over all topics. With different ones no owner of a partition has two
 *    more than another subscriber of its topic, unless levelling would not have made the whole group more even.
 * 3. With equal subscriptions everybody keeps as much as 2 allows; with racks, only what is near.
 * 4. New partitions go to members in a rack that has a replica, as far as 2 allows.
 *
 * Range's 0-3, 4-6, 7-9 for a, b, c; c leaves: a 0-3 and 7, b 4-6, 8 and 9.
 *
 * Costs: equal subscriptions O(partitions + members log members); different ones, with s subscriptions in all,
 * O((partitions log members + s) x passes), mostly two or three. The rule is that of Kafka's AbstractStickyAssignor since 3.7.1:
 * sticky/equal-subscriptions.ts and sticky/mixed-subscriptions.ts.
 */
export const stickyAssignor: Assignor = {
  name: 'sticky',
  aliases: ['org.apache.kafka.clients.consumer.StickyAssignor'],
  summary:
    'Balances over all topics and leaves partitions where they are as far as that allows. Everybody stops at once while partitions move.',
  kafkaVersions: '3.7.1 and newer (compared up to 4.4)',
  sticky: true,
  assign: (group, options = {}) => {
    // Until 3.7.0 the rounds were dealt in another order, so that a newcomer could get a whole topic (KAFKA-16277).
    requireKafka(options.kafkaVersion, 'sticky', { first: '3.7.1' });
    return assignSticky(group, false);
  },
};
