import type { ClientGroup } from '../client-group.js';
import { memberRacks, NO_RACK, partitionRacks, RackNumbers, racksMatter } from '../racks.js';

/** Racks of a group in which they make a difference. */
export interface RackView {
  /** Rack of each member, or NO_RACK. */
  readonly rackOf: Int32Array;
  /** Racks of each dense partition. */
  readonly racks: readonly (readonly number[])[];
  /** One more than the highest rack number. */
  readonly end: number;
}

/** The racks of members and partitions; undefined when they cannot make a difference. */
export function viewRacks(group: ClientGroup): RackView | undefined {
  const numbers = new RackNumbers();
  const rackOf = memberRacks(group.members, numbers);
  const used = new Set(rackOf);
  used.delete(NO_RACK);
  if (used.size === 0) return undefined;
  const racks = group.topics.flatMap((topic) => partitionRacks(topic, numbers));
  return racksMatter(used, racks) ? { rackOf, racks, end: numbers.end } : undefined;
}

/** Whether the member sits in a rack without a replica of the partition. */
export function isFarFrom({ rackOf, racks }: RackView, member: number, partition: number): boolean {
  const rack = rackOf[member]!;
  return rack !== NO_RACK && !racks[partition]!.includes(rack);
}
