import type { ClientGroup } from '../client-group.js';
import { rehash } from '../client-group.js';
import { NOBODY } from '../owners.js';
import type { RackView } from '../racks.js';
import { isFarFrom } from '../racks.js';
import type { Claims } from './claims.js';
import { fillWithinRacks } from './rack-rounds.js';

/** Members that may still get partitions, and how many may get one more than the others. */
export interface Vacancies {
  readonly quota: number;
  readonly ceiling: number;
  /** How many members are to hold more than the quota. */
  readonly wantedAbove: number;
  /** How many do. */
  above: number;
  /** Partitions of each member. */
  readonly counts: Int32Array;
  /** Members below the quota, by id. */
  below: number[];
  /** Members at the quota that may get one more, in the order in which they will. */
  exact: number[];
}

/**
 * The owners when all members subscribe to the same topics.
 *
 * 1. Everybody keeps what it owned, lowest partition numbers first, up to its part: the quota (partitions / members), or one
 *    more for as many members as the remainder says, whoever comes first in Kafka's walk. With racks only partitions with a
 *    replica in the member's rack are kept.
 * 2. With racks, free partitions go in turn to members in a rack that has a replica; partitions with few such members first.
 * 3. The others go in turn to members below the quota, then one each to members at the quota, by id.
 */
export function assignEqualSubscriptions(group: ClientGroup, claims: Claims, racks: RackView | undefined): Int32Array {
  const owners = new Int32Array(group.partitionCount).fill(NOBODY);
  const vacancies = keepOwned(group, claims, racks, owners);
  vacancies.below.sort((a, b) => a - b);
  vacancies.exact.sort((a, b) => a - b);
  const free = racks === undefined ? undefined : fillWithinRacks(owners, racks, vacancies);
  fillInTurn(owners, free, vacancies);
  return owners;
}

function keepOwned(group: ClientGroup, claims: Claims, racks: RackView | undefined, owners: Int32Array): Vacancies {
  const { members, partitionCount } = group;
  const vacancies: Vacancies = {
    quota: Math.floor(partitionCount / members.length),
    ceiling: Math.ceil(partitionCount / members.length),
    wantedAbove: partitionCount % members.length,
    above: 0,
    counts: new Int32Array(members.length),
    below: [],
    exact: [],
  };
  const { counts } = vacancies;
  const keepable = new Int32Array(members.length);
  if (!claims.any) {
    decideParts(claims.walk, keepable, vacancies);
    return vacancies;
  }

  const { owned, contested } = claims;
  for (let partition = 0; partition < partitionCount; partition++) {
    const member = owned[partition]!;
    if (member === NOBODY || contested[partition] === 1) continue;
    if (racks !== undefined && isFarFrom(racks, member, partition)) continue;
    keepable[member]!++;
    owners[partition] = member;
  }
  const kept = decideParts(rehash(members, claims.walk), keepable, vacancies);
  counts.set(keepable);
  if (keepable.every((count, member) => count === kept[member]!)) return vacancies;
  counts.fill(0);
  forEachByNumber(group, (partition) => {
    const member = owners[partition]!;
    if (member === NOBODY) return;
    if (counts[member]! < kept[member]!) counts[member]!++;
    else owners[partition] = NOBODY;
  });
  return vacancies;
}

/** How many of its keepable partitions each member keeps; enters the members with room into the vacancies. */
function decideParts(walk: Int32Array, keepable: Int32Array, vacancies: Vacancies): Int32Array {
  const { quota, ceiling, wantedAbove } = vacancies;
  const kept = new Int32Array(keepable.length);
  for (const member of walk) {
    const count = keepable[member]!;
    if (count < quota) {
      kept[member] = count;
      vacancies.below.push(member);
    } else if (count >= ceiling && vacancies.above < wantedAbove) {
      kept[member] = ceiling;
      if (++vacancies.above === wantedAbove) vacancies.exact = [];
    } else {
      kept[member] = quota;
      if (vacancies.above < wantedAbove) vacancies.exact.push(member);
    }
  }
  return kept;
}

/** Visits all dense partitions by number, then topic. */
function forEachByNumber({ topics, partitionOffset }: ClientGroup, visit: (partition: number) => void): void {
  let active = [...topics.keys()];
  for (let number = 0; active.length > 0; number++) {
    let exhausted = false;
    for (const topic of active) {
      visit(partitionOffset[topic]! + number);
      if (number + 1 === topics[topic]!.partitions) exhausted = true;
    }
    if (exhausted) active = active.filter((topic) => topics[topic]!.partitions > number + 1);
  }
}

/** Deals the free partitions out. `free` gives their order; all that have no owner, in dense order, when undefined. */
function fillInTurn(owners: Int32Array, free: readonly number[] | undefined, vacancies: Vacancies): void {
  const { quota, counts } = vacancies;
  const below = Int32Array.from(vacancies.below);
  const exact = vacancies.exact;
  let remaining = below.length;
  let turn = 0;
  let stillBelow = 0;
  let nextExact = 0;
  const end = free === undefined ? owners.length : free.length;
  for (let i = 0; i < end; i++) {
    const partition = free === undefined ? i : free[i]!;
    if (owners[partition] !== NOBODY) continue;
    if (remaining === 0) {
      owners[partition] = exact[nextExact++]!;
      continue;
    }
    const member = below[turn++]!;
    owners[partition] = member;
    if (++counts[member]! === quota) exact.push(member);
    else below[stillBelow++] = member;
    if (turn === remaining) {
      remaining = stillBelow;
      turn = stillBelow = 0;
    }
  }
}
