import { definePartitioner } from './define-partitioner.js';
import { partitionForKey } from './key-partition.js';
import { startCounter, turn } from './partitioner-state.js';

/**
 * Kafka's RoundRobinPartitioner. From 2.4 to 3.9 the producer asked it twice for a record that needs a new batch, which
 * skips a partition (KAFKA-9965); `newBatch` reproduces that.
 */
export const roundRobinPartitioner = definePartitioner({
  name: 'round-robin',
  aliases: ['roundrobin', 'RoundRobinPartitioner', 'org.apache.kafka.clients.producer.RoundRobinPartitioner'],
  client: 'Java client 2.4 and later',
  summary: 'Every record to the next partition that has a leader, even one with a key.',
  partitionForKey: undefined,
  choose({ newBatch = false }, topic, state) {
    const { counter = 0 } = state;
    const last = newBatch ? counter + 1 : counter;
    return { partition: turn(topic, last), state: { ...state, counter: (last + 1) | 0 } };
  },
});

/** What DefaultPartitioner meant before KIP-480 made it sticky. */
export const defaultRoundRobinPartitioner = definePartitioner({
  name: 'default-round-robin',
  aliases: [],
  client: 'Java client 0.10.2 to 2.3',
  summary: 'A key by its murmur2; without a key the next partition that has a leader, from a random start.',
  partitionForKey,
  choose({ key }, topic, state) {
    if (key !== undefined) return { partition: partitionForKey(key, topic.partitions), state };
    const { counter, ...rest } = startCounter(state);
    return { partition: turn(topic, counter), state: { ...rest, counter: (counter + 1) | 0 } };
  },
});
