import { invalidRequest } from '@allot/model';
import { javaStringHashCode } from '../hashing/java-hash-map.js';
import { definePartitioner } from './define-partitioner.js';
import { decodeUtf8 } from './utf8.js';
import { noLeader, requirePartitionCount } from './topic-checks.js';
import { draw, pickAvailable } from './partitioner-state.js';

/** Kafka's default of topic.metadata.refresh.interval.ms: ten minutes. */
const DEFAULT_INTERVAL_MS = 600_000;

const INT_MIN = -(2 ** 31);

/**
 * The absolute value of the key's Java hash code, modulo the partition count. Only text keys have one that can be known: a
 * byte array's hash code is its address.
 */
function partitionForTextKey(key: Uint8Array, partitions: number): number {
  requirePartitionCount(partitions);
  const text = decodeUtf8(key);
  if (text === undefined) {
    throw invalidRequest('The key is not UTF-8 text, so its Java hash code is not known: use a partitioner of bytes.');
  }
  const hash = javaStringHashCode(text);
  return (hash === INT_MIN ? 0 : Math.abs(hash)) % partitions;
}

/**
 * The Scala producer of Kafka 0.8: without a key it draws one of the partitions that have a leader and keeps it until the
 * metadata is refreshed, whether it still has its leader or not. Few producers then feed few partitions, which is why it was
 * given up. The state must be new at the time of a refresh, so that `sinceMs` is the time of the last one.
 */
export const randomIntervalPartitioner = definePartitioner({
  name: 'random-interval',
  aliases: ['kafka.producer.DefaultPartitioner'],
  client: 'Scala producer 0.8',
  summary: 'A text key by its Java hash code; without a key a random partition, kept for ten minutes.',
  partitionForKey: partitionForTextKey,
  choose({ key, nowMs }, topic, state, { intervalMs = DEFAULT_INTERVAL_MS }) {
    if (key !== undefined) return { partition: partitionForTextKey(key, topic.partitions), state };
    if (nowMs === undefined || !Number.isFinite(nowMs)) {
      throw invalidRequest('This partitioner keeps its choice for a time: give "nowMs", the clock in milliseconds.');
    }
    const { sticky } = state;
    if (sticky?.sinceMs !== undefined && nowMs - sticky.sinceMs <= intervalMs) {
      return { partition: sticky.partition, state };
    }
    if (topic.available?.length === 0) throw noLeader();
    const { value, random } = draw(state.random);
    const partition = pickAvailable(topic, value);
    return { partition, state: { ...state, random, sticky: { partition, sinceMs: nowMs } } };
  },
});
