import { AllotError, invalidRequest } from '@allot/model';
import type { PartitionerTopic } from './partitioner.js';

/** Refuses a partition count that is no integer from 1 up. */
export function requirePartitionCount(partitions: number): void {
  if (Number.isInteger(partitions) && partitions >= 1 && partitions < 2 ** 31) return;
  throw invalidRequest(`${partitions} is not a partition count: give an integer from 1 up.`);
}

/** Refuses lists of partitions that are not partitions of the topic, and available ones that are not ascending. */
export function requireTopic({ partitions, available, queues, late }: PartitionerTopic): void {
  requirePartitionCount(partitions);
  const exists = (partition: number) => Number.isInteger(partition) && partition >= 0 && partition < partitions;
  const stranger = [...(available ?? []), ...(late ?? [])].find((partition) => !exists(partition));
  if (stranger !== undefined)
    throw invalidRequest(`Partition ${stranger} does not exist: the topic has ${partitions}.`);
  if (available?.some((partition, i) => i > 0 && available[i - 1]! >= partition)) {
    throw invalidRequest('"available" lists the partitions that have a leader: each once, ascending.');
  }
  if (queues === undefined) return;
  if (queues.length !== partitions || queues.some((length) => length !== undefined && !isQueueLength(length))) {
    throw invalidRequest(`"queues" holds the number of waiting batches of each of the ${partitions} partitions.`);
  }
}

function isQueueLength(length: number): boolean {
  return Number.isInteger(length) && length >= 0 && length < 2 ** 31;
}

/**
 * Refuses an explicit partition that the topic does not have. Kafka's producer refuses a negative number at once; for one
 * that is too large it waits max.block.ms for the topic to grow and then fails.
 */
export function requireExplicitPartition(partition: number, partitions: number): void {
  if (!Number.isInteger(partition) || partition < 0) {
    throw invalidRequest(`Partition ${partition} is not possible: give an integer from 0 up, or none.`);
  }
  if (partition < partitions) return;
  throw new AllotError(
    'UNKNOWN_TOPIC_OR_PARTITION',
    `Partition ${partition} does not exist: the topic has ${partitions}, numbered from 0 to ${partitions - 1}.`,
    { action: 'fix-request', facts: { partition, partitions } },
  );
}

/** What clients say that give up, rather than take any partition, when no partition has a leader. */
export function noLeader(): AllotError {
  return new AllotError('LEADER_NOT_AVAILABLE', 'No partition of the topic has a leader: try again later.', {
    action: 'retry',
  });
}
