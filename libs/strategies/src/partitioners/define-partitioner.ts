import { requireExplicitPartition, requireTopic } from './topic-checks.js';
import type {
  PartitionChoice,
  Partitioner,
  PartitionerOptions,
  PartitionerRecord,
  PartitionerState,
  PartitionerTopic,
} from './partitioner.js';

/** A partitioner's own part: the record has no explicit partition and the topic is in order. */
export interface PartitionerRule extends Omit<Partitioner, 'partition'> {
  choose(
    record: PartitionerRecord,
    topic: PartitionerTopic,
    state: PartitionerState,
    options: PartitionerOptions,
  ): PartitionChoice;
}

/** Adds what all partitioners share: the topic is checked, and an explicit partition wins and leaves the state as it is. */
export function definePartitioner({ choose, ...description }: PartitionerRule): Partitioner {
  return {
    ...description,
    partition(record, topic, state, options = {}) {
      requireTopic(topic);
      if (record.partition === undefined) return choose(record, topic, state, options);
      requireExplicitPartition(record.partition, topic.partitions);
      return { partition: record.partition, state };
    },
  };
}
