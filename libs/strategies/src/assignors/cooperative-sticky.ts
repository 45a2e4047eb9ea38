import type { Assignor } from './assignor.js';
import { requireKafka } from './kafka-version.js';
import { assignSticky } from './sticky/sticky-rule.js';

/**
 * `cooperative-sticky`: the target of `sticky`, reached in two rounds. A partition that another member claims is left out of this
 * round's `assignment`, so that it is handed on only after it has been given up; `target` is complete.
 *
 * a owns 0-3; b joins: now a gets 0 and 1 and b nothing; in the next round b gets 2 and 3.
 *
 * With different subscriptions the second round may, seldom, move the target again, so that a third is needed.
 *
 * Guarantees and costs are those of `sticky`. The rule is that of Kafka's CooperativeStickyAssignor since 3.7.1.
 */
export const cooperativeStickyAssignor: Assignor = {
  name: 'cooperative-sticky',
  aliases: ['org.apache.kafka.clients.consumer.CooperativeStickyAssignor'],
  summary:
    'The sticky rule in two rounds: a partition is handed to its new owner only after the old one has given it up, and nobody else stops.',
  kafkaVersions: '3.7.1 and newer (compared up to 4.4)',
  sticky: true,
  assign: (group, options = {}) => {
    // Until 3.7.0 the rounds were dealt in another order, so that a newcomer could get a whole topic (KAFKA-16277).
    requireKafka(options.kafkaVersion, 'cooperative-sticky', { first: '3.7.1' });
    return assignSticky(group, true);
  },
};
