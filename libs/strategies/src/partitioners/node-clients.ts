import { kafkajsLegacyMurmur2 } from '../hashing/kafkajs-legacy-murmur2.js';
import { seededMurmur2 } from '../hashing/murmur2.js';
import { definePartitioner } from './define-partitioner.js';
import { partitionForKey, toPositive } from './key-partition.js';
import type { PartitionChoice, PartitionerState, PartitionerTopic } from './partitioner.js';
import { draw, startCounter, turn } from './partitioner-state.js';
import { requirePartitionCount } from './topic-checks.js';

/** kafkajs counts before it looks, Java after: from the same start it is one partition ahead. */
function kafkajsTurn(topic: PartitionerTopic, state: PartitionerState): PartitionChoice {
  const { counter, ...rest } = startCounter(state);
  const next = (counter + 1) | 0;
  return { partition: turn(topic, next), state: { ...rest, counter: next } };
}

/** kafkajs 2: what Java does, and a round-robin for records without a key. */
export const kafkajsPartitioner = definePartitioner({
  name: 'kafkajs',
  aliases: ['JavaCompatiblePartitioner'],
  client: 'kafkajs 2',
  summary: 'A key by its murmur2, as Java; without a key the next partition that has a leader.',
  partitionForKey,
  choose: ({ key }, topic, state) =>
    key === undefined ? kafkajsTurn(topic, state) : { partition: partitionForKey(key, topic.partitions), state },
});

function legacyPartitionForKey(key: Uint8Array, partitions: number): number {
  requirePartitionCount(partitions);
  return toPositive(kafkajsLegacyMurmur2(key)) % partitions;
}

/** kafkajs 1, and LegacyPartitioner of kafkajs 2. */
export const kafkajsLegacyPartitioner = definePartitioner({
  name: 'kafkajs-legacy',
  aliases: ['LegacyPartitioner'],
  client: 'kafkajs 1',
  summary: "A key by kafkajs 1's own, faulty murmur2, which agrees with no other client.",
  partitionForKey: legacyPartitionForKey,
  choose: ({ key }, topic, state) =>
    key === undefined ? kafkajsTurn(topic, state) : { partition: legacyPartitionForKey(key, topic.partitions), state },
});

function unseededPartitionForKey(key: Uint8Array, partitions: number): number {
  requirePartitionCount(partitions);
  return (seededMurmur2(key, 0) >>> 0) % partitions;
}

/** node-sinek before it took over Java's seed; to recognise its records. */
export const nodeSinekPartitioner = definePartitioner({
  name: 'node-sinek',
  aliases: [],
  client: 'node-sinek, old versions',
  summary: 'murmur2 of the key with seed 0, unsigned, which agrees with no other client.',
  partitionForKey: unseededPartitionForKey,
  choose({ key }, topic, state) {
    if (key !== undefined) return { partition: unseededPartitionForKey(key, topic.partitions), state };
    const { value, random } = draw(state.random);
    return { partition: value % topic.partitions, state: { ...state, random } };
  },
});
