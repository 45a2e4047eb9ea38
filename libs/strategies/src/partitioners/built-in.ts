import { invalidRequest } from '@allot/model';
import { definePartitioner } from './define-partitioner.js';
import { partitionForKey } from './key-partition.js';
import type { PartitionerRecord, PartitionerState, PartitionerTopic, StickyChoice } from './partitioner.js';
import { draw, pickAvailable } from './partitioner-state.js';

/** Kafka's default of batch.size. */
const DEFAULT_BATCH_SIZE = 16_384;

/** How likely each partition is: the i-th gets the numbers below bounds[i] that are not below bounds[i - 1]. */
export interface LoadTable {
  readonly partitions: readonly number[];
  /** Running sums of the weights; the last one is the sum of all. */
  readonly bounds: readonly number[];
}

/**
 * The weights of KIP-794: the longest queue plus one, less the partition's own queue, so the shortest queue is the likeliest
 * and none is impossible. Queues 0, 3, 1 weigh 4, 1, 3.
 *
 * Undefined, which means an even choice, when weights would say nothing: a partition that never had a batch, a topic of one
 * partition, all queues of all partitions equal, or no partition left. Partitions without a leader and late ones are left
 * out, and leaving one out is reason enough to use the table.
 */
export function loadTable({
  partitions: count,
  available,
  queues,
  late = [],
}: PartitionerTopic): LoadTable | undefined {
  if (queues === undefined || count < 2 || queues.some((length) => length === undefined)) return undefined;
  const partitions = (available ?? queues.map((_, partition) => partition)).filter(
    (partition) => !late.includes(partition),
  );
  if (partitions.length === 0) return undefined;
  const lengths = partitions.map((partition) => queues[partition]!);
  const longest = lengths.reduce((a, b) => Math.max(a, b));
  if (partitions.length === count && lengths.every((length) => length === longest)) return undefined;
  let sum = 0;
  return { partitions, bounds: lengths.map((length) => (sum += longest + 1 - length)) };
}

/** The partition that a random number falls on. */
export function pickByLoad({ partitions, bounds }: LoadTable, value: number): number {
  const place = value % bounds.at(-1)!;
  return partitions[bounds.findIndex((bound) => bound > place)]!;
}

/**
 * The producer's own rule since Kafka 3.3 (KIP-794). A key goes by its murmur2. Records without one stay on a partition for
 * batch.size bytes, whatever the number of batches, and then move to one drawn by load. A batch that is not full holds the
 * move back, up to twice that size, lest it be sent half empty.
 */
export const builtInPartitioner = definePartitioner({
  name: 'built-in',
  aliases: ['BuiltInPartitioner', 'org.apache.kafka.clients.producer.internals.BuiltInPartitioner'],
  client: 'Java client 3.3 and later, when partitioner.class is not set',
  summary: 'A key by its murmur2; without a key a partition for batch.size bytes, short queues preferred.',
  partitionForKey,
  choose(record, topic, state, { batchSize = DEFAULT_BATCH_SIZE, adaptive = true, ignoreKeys = false }) {
    const { key } = record;
    if (key !== undefined && !ignoreKeys) return { partition: partitionForKey(key, topic.partitions), state };
    if (!Number.isInteger(batchSize) || batchSize < 1) throw invalidRequest('batchSize is an integer from 1 up.');
    const current = state.sticky === undefined ? move(topic, state, adaptive) : { ...state, sticky: state.sticky };
    const { partition, bytes = 0 } = current.sticky;
    // The move is drawn as soon as the partition has had its share, not when the next record comes: loads are those of now.
    const given = bytes + sizeOf(record);
    const full = (given >= batchSize && (record.batchFull ?? true)) || given >= batchSize * 2;
    return {
      partition,
      state: full ? move(topic, current, adaptive) : { ...current, sticky: { partition, bytes: given } },
    };
  },
});

function move(
  topic: PartitionerTopic,
  state: PartitionerState,
  adaptive: boolean,
): PartitionerState & { readonly sticky: StickyChoice } {
  const { value, random } = draw(state.random);
  const table = adaptive ? loadTable(topic) : undefined;
  const partition = table === undefined ? pickAvailable(topic, value) : pickByLoad(table, value);
  return { ...state, random, sticky: { partition, bytes: 0 } };
}

function sizeOf({ size = 0 }: PartitionerRecord): number {
  if (Number.isInteger(size) && size >= 0) return size;
  throw invalidRequest(`A record of ${size} bytes is not possible: "size" is an integer from 0 up.`);
}
