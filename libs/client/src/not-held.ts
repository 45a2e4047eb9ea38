import { AllotClientError } from './errors.js';
import type { TopicPartition } from './partitions.js';

/** What signals of partitions abort with. */
export function noLongerHeld(why: string): AllotClientError {
  return new AllotClientError('NOT_HELD', `The member does not hold it any more (${why}).`, { action: 'stop' });
}

export function notHeld(partitions: readonly TopicPartition[]): AllotClientError {
  const names = partitions.map(({ topic, partition }) => `${topic}-${partition}`).join(', ');
  return new AllotClientError('NOT_HELD', `The member does not hold ${names}.`, { action: 'stop' });
}
