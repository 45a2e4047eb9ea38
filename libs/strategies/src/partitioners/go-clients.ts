import { fnv1a } from '../hashing/fnv1a.js';
import { definePartitioner } from './define-partitioner.js';
import { partitionForKey, toPositive } from './key-partition.js';
import { crc32PartitionForKey, fnv1aPartitionForKey } from './librdkafka.js';
import { noLeader, requirePartitionCount } from './topic-checks.js';
import type { PartitionChoice, Partitioner, PartitionerState, PartitionerTopic } from './partitioner.js';
import { draw, pickAvailable } from './partitioner-state.js';

/** sarama's reference partitioner: the sign bit masked, as Java does it, where the default takes the absolute value. */
export function fnv1aMaskedPartitionForKey(key: Uint8Array, partitions: number): number {
  requirePartitionCount(partitions);
  return toPositive(fnv1a(key)) % partitions;
}

/**
 * franz-go's SaramaHasher: the hash becomes an int of 64 bits, so it is never negative. It was meant to agree with sarama,
 * does not for half of the keys, and is kept since placement must stay stable; SaramaCompatHasher is `sarama`.
 */
export function fnv1aUnsignedPartitionForKey(key: Uint8Array, partitions: number): number {
  requirePartitionCount(partitions);
  return fnv1a(key) % partitions;
}

/** A random partition that has a leader; an error when none has. */
function atRandom(topic: PartitionerTopic, state: PartitionerState): PartitionChoice {
  if (topic.available?.length === 0) throw noLeader();
  const { value, random } = draw(state.random);
  return { partition: pickAvailable(topic, value), state: { ...state, random } };
}

/** A sarama partitioner: by a hash, at random without a key. An empty key is hashed. */
function sarama(
  name: string,
  constructor: string,
  summary: string,
  hash: (key: Uint8Array, partitions: number) => number,
): Partitioner {
  return definePartitioner({
    name,
    aliases: [constructor],
    client: 'sarama',
    summary,
    partitionForKey: hash,
    choose: ({ key }, topic, state) =>
      key === undefined ? atRandom(topic, state) : { partition: hash(key, topic.partitions), state },
  });
}

export const saramaPartitioners: readonly Partitioner[] = [
  sarama(
    'sarama',
    'NewHashPartitioner',
    "sarama's default: FNV-1a of the key, absolute value of the signed hash.",
    fnv1aPartitionForKey,
  ),
  sarama(
    'sarama-reference',
    'NewReferenceHashPartitioner',
    'FNV-1a of the key with the sign bit masked, as Java masks it.',
    fnv1aMaskedPartitionForKey,
  ),
  sarama(
    'sarama-crc32',
    'NewConsistentCRCHashPartitioner',
    'CRC-32 of the key, as librdkafka does it.',
    crc32PartitionForKey,
  ),
  sarama('sarama-murmur2', 'NewMurmur2Partitioner', 'murmur2 of the key, as Java does it.', partitionForKey),
];

/** franz-go's StickyKeyPartitioner: by a hash; without a key a random partition until its batch is full. */
function franzGo(
  name: string,
  hasher: string,
  summary: string,
  hash: (key: Uint8Array, partitions: number) => number,
): Partitioner {
  return definePartitioner({
    name,
    aliases: [hasher],
    client: 'franz-go',
    summary,
    partitionForKey: hash,
    choose({ key, newBatch = false }, topic, state) {
      if (key !== undefined) return { partition: hash(key, topic.partitions), state };
      if (state.sticky !== undefined && !newBatch) return { partition: state.sticky.partition, state };
      const { partition, state: next } = atRandom(topic, state);
      return { partition, state: { ...next, sticky: { partition } } };
    },
  });
}

export const franzGoPartitioners: readonly Partitioner[] = [
  franzGo(
    'franz-go',
    'KafkaHasher',
    "franz-go's default: murmur2 of the key, as Java; without a key a partition a batch.",
    partitionForKey,
  ),
  franzGo(
    'franz-go-sarama',
    'SaramaHasher',
    "FNV-1a of the key in 64 bits: close to sarama's, but not the same.",
    fnv1aUnsignedPartitionForKey,
  ),
];
