import type { ClientGroup } from './client-group.js';

/** The rack of a member that names none; the empty text is none either. Real racks count from 1. */
export const NO_RACK = 0;

/** Where members and replicas are, in dense integers. */
export interface RackView {
  /** Rack of each member, or NO_RACK. */
  readonly rackOf: Int32Array;
  /** The distinct racks of dense partition p are at `start[p]` up to `start[p + 1]` of `racks`. */
  readonly start: Int32Array;
  readonly racks: Int32Array;
  /** One more than the highest rack number. */
  readonly end: number;
}

/** The racks of a group; undefined when no member names one, since then they cannot matter. */
export function readRacks({ members, topics, partitionCount }: ClientGroup): RackView | undefined {
  const numbers = new Map<string, number>();
  const rackOf = new Int32Array(members.length);
  for (let member = 0; member < members.length; member++) {
    const { rack } = members[member]!;
    if (rack !== undefined && rack !== '') rackOf[member] = numberOf(numbers, rack);
  }
  if (numbers.size === 0) return undefined;

  const start = new Int32Array(partitionCount + 1);
  let racks = new Int32Array(3 * partitionCount);
  let partition = 0;
  let end = 0;
  for (const { partitions, racks: byPartition } of topics) {
    for (let number = 0; number < partitions; number++) {
      const first = end;
      const names = byPartition?.[number];
      if (names !== undefined) {
        if (end + names.length > racks.length) racks = enlarged(racks, end + names.length);
        for (const name of names) {
          const rack = numberOf(numbers, name);
          let same = first;
          while (same < end && racks[same] !== rack) same++;
          if (same === end) racks[end++] = rack;
        }
      }
      start[++partition] = end;
    }
  }
  return { rackOf, start, racks, end: numbers.size + 1 };
}

/** Racks are numbered in order of appearance. */
function numberOf(numbers: Map<string, number>, rack: string): number {
  let number = numbers.get(rack);
  if (number === undefined) numbers.set(rack, (number = numbers.size + 1));
  return number;
}

function enlarged(list: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(length, 2 * list.length));
  larger.set(list);
  return larger;
}

/** Whether the partition has a replica in the rack. */
export function hasReplicaIn({ start, racks }: RackView, partition: number, rack: number): boolean {
  for (let i = start[partition]!; i < start[partition + 1]!; i++) if (racks[i] === rack) return true;
  return false;
}

/** Whether the member sits in a rack without a replica of the partition. */
export function isFarFrom(view: RackView, member: number, partition: number): boolean {
  const rack = view.rackOf[member]!;
  return rack !== NO_RACK && !hasReplicaIn(view, partition, rack);
}

/**
 * Kafka's test whether racks can make a difference: some member sits in a rack that has a replica, and not every partition
 * has replicas in all the racks that occur.
 *
 * @param isMemberIn 1 for racks with a member
 * @param first the dense partitions from here
 * @param end up to, but not including, here
 */
export function racksMatter(
  { start, racks, end: rackEnd }: RackView,
  isMemberIn: Uint8Array,
  first: number,
  end: number,
): boolean {
  const occurs = new Uint8Array(rackEnd);
  let occurring = 0;
  let near = false;
  for (let i = start[first]!; i < start[end]!; i++) {
    const rack = racks[i]!;
    if (occurs[rack] === 1) continue;
    occurs[rack] = 1;
    occurring++;
    near ||= isMemberIn[rack] === 1;
  }
  if (!near) return false;
  for (let partition = first; partition < end; partition++) {
    if (start[partition + 1]! - start[partition]! !== occurring) return true;
  }
  return false;
}

/** 1 for the racks of these members. */
export function racksOf({ rackOf, end }: RackView, members: Int32Array): Uint8Array {
  const flags = new Uint8Array(end);
  for (let i = 0, missing = end - 1; i < members.length && missing > 0; i++) {
    const rack = rackOf[members[i]!]!;
    if (rack === NO_RACK || flags[rack] === 1) continue;
    flags[rack] = 1;
    missing--;
  }
  return flags;
}
