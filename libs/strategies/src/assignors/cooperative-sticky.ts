import type { Assignor } from './assignor.js';
import { assignSticky } from './sticky/sticky-rule.js';

export const cooperativeStickyAssignor: Assignor = {
  name: 'cooperative-sticky',
  aliases: ['org.apache.kafka.clients.consumer.CooperativeStickyAssignor'],
  summary:
    'The sticky rule in two rounds: a partition is handed to its new owner only after the old one has given it up, and nobody else stops.',
  kafkaVersions: '3.5 and newer',
  sticky: true,
  assign: (group) => assignSticky(group, true),
};
