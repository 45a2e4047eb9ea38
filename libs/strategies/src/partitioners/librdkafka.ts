import { crc32 } from '../hashing/crc32.js';
import { fnv1a } from '../hashing/fnv1a.js';
import { definePartitioner } from './define-partitioner.js';
import { partitionForKey } from './key-partition.js';
import { requirePartitionCount } from './topic-checks.js';
import type { PartitionChoice, Partitioner, PartitionerState, PartitionerTopic } from './partitioner.js';
import { draw } from './partitioner-state.js';

/** librdkafka and the clients on top of it: confluent-kafka-python, -go and -dotnet, node-rdkafka, php-rdkafka. */
const CLIENT = 'librdkafka';

const NO_KEY = new Uint8Array(0);

/** A hash read as unsigned. */
function modulo(hash: (key: Uint8Array) => number): (key: Uint8Array, partitions: number) => number {
  return (key, partitions) => {
    requirePartitionCount(partitions);
    return hash(key) % partitions;
  };
}

/** CRC-32, unsigned: a signed remainder would be another one. */
export const crc32PartitionForKey = modulo(crc32);

/** FNV-1a as sarama reads it: the absolute value of the signed hash, which for -2^31 stays 2^31. */
export const fnv1aPartitionForKey = modulo((key) => Math.abs(fnv1a(key) | 0));

/** Any partition; a second draw, but no third one, when the first has no leader. */
function atRandom({ partitions, available }: PartitionerTopic, state: PartitionerState): PartitionChoice {
  let { value, random } = draw(state.random);
  if (available !== undefined && !available.includes(value % partitions)) ({ value, random } = draw(random));
  return { partition: value % partitions, state: { ...state, random } };
}

/**
 * A partitioner by a hash. `atRandomWhen` tells which records have no key for it; all others are hashed, a missing key as
 * one of no bytes, so that all of them meet on one partition.
 */
function byHash(
  name: string,
  summary: string,
  hash: (key: Uint8Array, partitions: number) => number,
  atRandomWhen: (key: Uint8Array | undefined) => boolean,
): Partitioner {
  return definePartitioner({
    name,
    aliases: [],
    client: CLIENT,
    summary,
    partitionForKey: hash,
    choose: ({ key }, topic, state) =>
      atRandomWhen(key) ? atRandom(topic, state) : { partition: hash(key ?? NO_KEY, topic.partitions), state },
  });
}

const never = () => false;
const withoutKey = (key: Uint8Array | undefined) => key === undefined;
const withoutBytes = (key: Uint8Array | undefined) => key === undefined || key.length === 0;

/**
 * The values of librdkafka's `partitioner` setting. Since 1.7 a random choice is kept for sticky.partitioning.linger.ms;
 * these draw anew for every record, as it does with a linger of 0.
 */
export const librdkafkaPartitioners: readonly Partitioner[] = [
  definePartitioner({
    name: 'random',
    aliases: [],
    client: CLIENT,
    summary: 'A random partition for every record, even one with a key.',
    partitionForKey: undefined,
    choose: (_, topic, state) => atRandom(topic, state),
  }),
  byHash('consistent', 'CRC-32 of the key; without a key always the same partition, 0.', crc32PartitionForKey, never),
  byHash(
    'consistent_random',
    "librdkafka's default: CRC-32 of the key; at random without a key or with an empty one.",
    crc32PartitionForKey,
    withoutBytes,
  ),
  byHash('murmur2', 'murmur2 of the key, as Java; without a key always the same partition.', partitionForKey, never),
  byHash('murmur2_random', 'murmur2 of the key, as Java; at random without a key.', partitionForKey, withoutKey),
  byHash(
    'fnv1a',
    'FNV-1a of the key, as sarama; without a key always the same partition.',
    fnv1aPartitionForKey,
    never,
  ),
  byHash('fnv1a_random', 'FNV-1a of the key, as sarama; at random without a key.', fnv1aPartitionForKey, withoutKey),
];
