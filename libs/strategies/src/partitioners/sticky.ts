import { definePartitioner } from './define-partitioner.js';
import { partitionForKey } from './key-partition.js';
import type { PartitionChoice, PartitionerRecord, PartitionerState, PartitionerTopic } from './partitioner.js';
import { draw, pickAvailable } from './partitioner-state.js';

/**
 * The sticky choice of KIP-480, which fills one batch before it moves on: kept until a record that went to the sticky
 * partition does not fit into the open batch, then drawn anew among the other partitions that have a leader.
 *
 * Kafka's details, kept: the choice stays when its partition loses its leader; with one partition available the draw may
 * repeat it; with none, any partition may come, the same one too.
 */
function nextSticky(topic: PartitionerTopic, state: PartitionerState, previous: number): PartitionerState {
  const old = state.sticky?.partition;
  if (old !== undefined && old !== previous) return state;
  const choices = topic.available?.length ?? topic.partitions;
  if (choices === 1) return { ...state, sticky: { partition: pickAvailable(topic, 0) } };
  let { random } = state;
  for (;;) {
    const drawn = draw(random);
    random = drawn.random;
    const partition = pickAvailable(topic, drawn.value);
    if (choices === 0 || partition !== old) return { ...state, random, sticky: { partition } };
  }
}

/** The sticky partition, drawn when there is none. */
function stick(topic: PartitionerTopic, state: PartitionerState): PartitionChoice {
  const next = state.sticky === undefined ? nextSticky(topic, state, -1) : state;
  return { partition: next.sticky!.partition, state: next };
}

/** Runs a rule once, and again when the partition it chose needs a new batch, as Kafka's producer does. */
function withNewBatch(
  rule: (state: PartitionerState) => PartitionChoice,
  { newBatch = false }: PartitionerRecord,
  topic: PartitionerTopic,
  state: PartitionerState,
): PartitionChoice {
  const first = rule(state);
  return newBatch ? rule(nextSticky(topic, first.state, first.partition)) : first;
}

/** Kafka 2.4 to 3.2 by default, and on request up to 3.9. */
export const defaultPartitioner = definePartitioner({
  name: 'default',
  aliases: ['DefaultPartitioner', 'org.apache.kafka.clients.producer.internals.DefaultPartitioner'],
  client: 'Java client 2.4 to 3.9',
  summary: 'A key by its murmur2; without a key the sticky choice, which changes with every batch.',
  partitionForKey,
  choose(record, topic, state) {
    const { key } = record;
    const rule = (now: PartitionerState): PartitionChoice =>
      key === undefined ? stick(topic, now) : { partition: partitionForKey(key, topic.partitions), state: now };
    return withNewBatch(rule, record, topic, state);
  },
});

/** The sticky choice for every record, whatever its key. */
export const uniformStickyPartitioner = definePartitioner({
  name: 'uniform-sticky',
  aliases: ['UniformStickyPartitioner', 'org.apache.kafka.clients.producer.UniformStickyPartitioner'],
  client: 'Java client 2.4 to 3.9',
  summary: 'The sticky choice for every record, even one with a key: records of one key are spread.',
  partitionForKey: undefined,
  choose: (record, topic, state) => withNewBatch((now) => stick(topic, now), record, topic, state),
});
