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
  const allFree = !claims.any && racks === undefined;
  const owners = new Int32Array(group.partitionCount);
  // A pass over a million partitions is felt, so it is left out where all of them are dealt out below.
  if (!allFree) owners.fill(NOBODY);
  const vacancies = keepOwned(group, claims, racks, owners);
  vacancies.below.sort((a, b) => a - b);
  vacancies.exact.sort((a, b) => a - b);
  const free = allFree ? undefined : freePartitions(owners);
  fillInTurn(owners, racks === undefined ? free : fillWithinRacks(owners, free!, racks, vacancies), vacancies);
  return owners;
}

function freePartitions(owners: Int32Array): Int32Array {
  const free = new Int32Array(owners.length);
  let count = 0;
  for (let partition = 0; partition < owners.length; partition++)
    if (owners[partition] === NOBODY) free[count++] = partition;
  return free.subarray(0, count);
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

/**
 * Deals the free partitions out: in turn to members below the quota, then one each to members at the quota.
 *
 * @param free in their order; undefined when all partitions are free, in dense order
 */
function fillInTurn(owners: Int32Array, free: Int32Array | undefined, vacancies: Vacancies): void {
  const { quota, counts, exact } = vacancies;
  const below = Int32Array.from(vacancies.below);
  const end = free === undefined ? owners.length : free.length;
  let dealt = 0;
  let remaining = below.length;
  while (dealt < end && remaining > 0) {
    // In as many rounds as the fullest of them has room for, less one, nobody gets full, so nobody has to be asked.
    const rounds = Math.min(quota - 1 - fullest(below, remaining, counts), Math.floor((end - dealt) / remaining));
    const turns = below.subarray(0, remaining);
    for (let round = 0; round < rounds; round++) {
      if (free === undefined) owners.set(turns, dealt);
      else for (let turn = 0; turn < remaining; turn++) owners[free[dealt + turn]!] = turns[turn]!;
      dealt += remaining;
    }
    let stillBelow = 0;
    for (let turn = 0; turn < remaining; turn++) {
      const member = below[turn]!;
      counts[member]! += rounds;
      if (dealt < end) {
        owners[free === undefined ? dealt : free[dealt]!] = member;
        dealt++;
        if (++counts[member]! === quota) {
          exact.push(member);
          continue;
        }
      }
      below[stillBelow++] = member;
    }
    remaining = stillBelow;
  }
  for (let next = 0; dealt < end; dealt++) owners[free === undefined ? dealt : free[dealt]!] = exact[next++]!;
}

/** The highest count among the first `length` members. */
function fullest(members: Int32Array, length: number, counts: Int32Array): number {
  let most = 0;
  for (let i = 0; i < length; i++) most = Math.max(most, counts[members[i]!]!);
  return most;
}
