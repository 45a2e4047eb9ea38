import { firstPartition, placementResult, requireCounts, sortedBrokers, unfencedBrokers } from './placement-request.js';
import type { ReplicaPlacer } from './replica-placer.js';

/**
 * The oldest rule: partition i on broker i mod n, its further replicas on the brokers that follow, by ascending id and
 * around the end. Blind to racks; fenced brokers get nothing.
 *
 * Three brokers, replication factor 2: 0 -> [0, 1], 1 -> [1, 2], 2 -> [2, 0], 3 -> [0, 1].
 */
export const moduloPlacer: ReplicaPlacer = {
  name: 'modulo',
  aliases: [],
  summary: 'Partition i on broker i mod n, replicas on the brokers that follow. Easy to predict; blind to racks.',
  kafkaVersions: '0.7 and earlier (the documented rule)',
  place(request) {
    const brokers = unfencedBrokers(sortedBrokers(request.brokers));
    requireCounts(request, brokers.length);
    const replicas = new Map<number, number[]>();
    const first = firstPartition(request);
    for (let partition = first; partition < first + request.partitions; partition++) {
      replicas.set(
        partition,
        Array.from({ length: request.replicationFactor }, (_, i) => brokers[(partition + i) % brokers.length]!.id),
      );
    }
    return placementResult(request, brokers, replicas);
  },
};
