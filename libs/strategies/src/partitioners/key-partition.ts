import { murmur2, murmur2Batch } from '../hashing/murmur2.js';
import type { PackedKeys } from '../hashing/murmur2.js';
import { requirePartitionCount } from './topic-checks.js';

/**
 * Where Kafka's Java client puts a key: murmur2 of its bytes, the sign bit masked, modulo the partition count. A key's
 * partition depends on nothing else, whether that partition has a leader or not.
 */
export function partitionForKey(key: Uint8Array, partitions: number): number {
  requirePartitionCount(partitions);
  return toPositive(murmur2(key)) % partitions;
}

/** `partitionForKey` of every packed key; several times as fast. Answers partition numbers in the order of the keys. */
export function partitionsForKeys(keys: PackedKeys, partitions: number): Int32Array {
  requirePartitionCount(partitions);
  const chosen = murmur2Batch(keys);
  for (let i = 0; i < chosen.length; i++) chosen[i] = toPositive(chosen[i]!) % partitions;
  return chosen;
}

/** Kafka's Utils.toPositive: drops the sign bit. Not the absolute value: -1 becomes 2^31 - 1. */
export function toPositive(hash: number): number {
  return hash & 0x7fffffff;
}
