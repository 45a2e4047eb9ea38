import { invalidRequest } from '@allot/model';
import type { Partitioner } from './partitioner.js';
import { requirePartitionCount } from './topic-checks.js';

/** Keys of one partition that meet again on another when the partition count changes; the same number when they stay. */
export interface KeyFlow {
  readonly from: number;
  readonly to: number;
  /** How many of the keys, or which share of all keys, go this way. */
  readonly keys: number;
}

export interface Remapping {
  /** The share of keys that change partition, from 0 to 1. */
  readonly movedShare: number;
  /** By `from`, then `to`; ways that no key goes are left out. */
  readonly flows: readonly KeyFlow[];
}

/** A result of more flows would be of use to nobody. */
const MAX_FLOWS = 1_000_000;

/** Where given keys go when a topic changes from `before` to `after` partitions; `keys` of a flow are counted. */
export function remapKeys(
  partitioner: Partitioner,
  keys: Iterable<Uint8Array>,
  before: number,
  after: number,
): Remapping {
  const { partitionForKey } = partitioner;
  if (partitionForKey === undefined) {
    throw invalidRequest(`The partitioner "${partitioner.name}" does not look at keys: nothing can be said of them.`);
  }
  requirePartitionCount(before);
  requirePartitionCount(after);
  const counts = new Map<number, number>();
  let total = 0;
  for (const key of keys) {
    const way = partitionForKey(key, before) * after + partitionForKey(key, after);
    counts.set(way, (counts.get(way) ?? 0) + 1);
    total++;
  }
  const flows = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([way, count]) => ({ from: Math.floor(way / after), to: way % after, keys: count }));
  return { movedShare: total === 0 ? 0 : sumMoved(flows) / total, flows };
}

/**
 * What to expect of keys that are not known, under any partitioner that takes an even hash modulo the partition count;
 * `keys` of a flow is a share of all keys.
 *
 * Hashes repeat their pair of partitions every lcm(before, after), and keep their partition for the first min(before,
 * after) of each such run. So 1 - min/lcm of the keys move: half of them when the count doubles, nearly all when the
 * counts have no common divisor. Partition p feeds exactly those q with the same remainder by gcd(before, after).
 */
export function remapEvenly(before: number, after: number): Remapping {
  requirePartitionCount(before);
  requirePartitionCount(after);
  const divisor = greatestCommonDivisor(before, after);
  const ways = (before / divisor) * after;
  if (ways > MAX_FLOWS) {
    throw invalidRequest(
      `From ${before} to ${after} partitions keys go ${ways} ways, more than ${MAX_FLOWS}: choose counts with a common divisor.`,
    );
  }
  const flows: KeyFlow[] = [];
  for (let from = 0; from < before; from++) {
    for (let to = from % divisor; to < after; to += divisor) flows.push({ from, to, keys: 1 / ways });
  }
  return { movedShare: 1 - Math.min(before, after) / ways, flows };
}

function sumMoved(flows: readonly KeyFlow[]): number {
  return flows.reduce((sum, { from, to, keys }) => (from === to ? sum : sum + keys), 0);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
