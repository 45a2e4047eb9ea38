import type { TopicSpec } from '@allot/model';
import type { ResizedTopic } from './plan-types.js';

/** The topics that exist before and after with another number of partitions, in the order of `after`. */
export function resizedTopics(before: readonly TopicSpec[], after: readonly TopicSpec[]): ResizedTopic[] {
  const counts = new Map(before.map(({ name, partitions }) => [name, partitions]));
  return after.flatMap(({ name, partitions: to }) => {
    const from = counts.get(name);
    return from === undefined || from === to
      ? []
      : [{ topic: name, from, to, keysRemapped: shareOfKeysRemapped(from, to) }];
  });
}

/**
 * The share of evenly spread hashes with `hash mod from` other than `hash mod to`. The two agree exactly for the first
 * min(from, to) of every lcm(from, to) hashes: 10 to 12 partitions keeps 10 of 60, 10 to 20 keeps 10 of 20.
 */
function shareOfKeysRemapped(from: number, to: number): number {
  if (from === 0 || to === 0) return 0;
  return 1 - Math.min(from, to) / ((from / greatestCommonDivisor(from, to)) * to);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
