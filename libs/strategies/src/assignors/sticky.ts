import type { Assignor } from './assignor.js';
import { assignSticky } from './sticky/sticky-rule.js';

export const stickyAssignor: Assignor = {
  name: 'sticky',
  aliases: ['org.apache.kafka.clients.consumer.StickyAssignor'],
  summary:
    'Balances over all topics and leaves partitions where they are as far as that allows. Everybody stops at once while partitions move.',
  kafkaVersions: '3.5 and newer',
  sticky: true,
  assign: (group) => assignSticky(group, false),
};
