import type { MemberSpec, TopicSpec } from '@allot/model';

/** The number of a member that names no rack; the empty text is none either. Real racks count from 1. */
export const NO_RACK = 0;

/** Racks in dense integers, numbered in order of appearance. */
export class RackNumbers {
  readonly #numbers = new Map<string, number>();

  number(rack: string): number {
    let number = this.#numbers.get(rack);
    if (number === undefined) this.#numbers.set(rack, (number = this.#numbers.size + 1));
    return number;
  }

  /** One more than the highest number given. */
  get end(): number {
    return this.#numbers.size + 1;
  }
}

/** The rack of each member, or NO_RACK. */
export function memberRacks(members: readonly MemberSpec[], numbers: RackNumbers): Int32Array {
  return Int32Array.from(members, ({ rack }) => (rack === undefined || rack === '' ? NO_RACK : numbers.number(rack)));
}

/** The distinct racks of the replicas of each partition; none where nothing is known. */
export function partitionRacks(topic: TopicSpec, numbers: RackNumbers): readonly (readonly number[])[] {
  return Array.from({ length: topic.partitions }, (_, partition) => {
    const racks = topic.racks?.[partition] ?? [];
    return [...new Set(racks.map((rack) => numbers.number(rack)))];
  });
}

/**
 * Kafka's test whether racks can make a difference: some member sits in a rack that has a replica, and not every partition
 * has replicas in all the racks that occur.
 */
export function racksMatter(memberRack: Iterable<number>, racks: readonly (readonly number[])[]): boolean {
  const all = new Set<number>();
  for (const partition of racks) for (const rack of partition) all.add(rack);
  if (racks.every((partition) => partition.length === all.size)) return false;
  for (const rack of memberRack) if (all.has(rack)) return true;
  return false;
}
