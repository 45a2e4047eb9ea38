import type { ClientGroup } from '../client-group.js';
import { rehash } from '../client-group.js';
import { NOBODY } from '../owners.js';
import type { Claims } from './claims.js';
import type { RackView } from './rack-view.js';
import { isFarFrom } from './rack-view.js';
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

function keepOwned(
  group: ClientGroup,
  { walk, owned, contested }: Claims,
  racks: RackView | undefined,
  owners: Int32Array,
): Vacancies {
  const { members, partitionCount } = group;
  const keepable = new Int32Array(members.length);
  const isKeepable = (partition: number): boolean =>
    owned[partition] !== NOBODY &&
    contested[partition] === 0 &&
    (racks === undefined || !isFarFrom(racks, owned[partition]!, partition));
  for (let partition = 0; partition < partitionCount; partition++) {
    if (isKeepable(partition)) keepable[owned[partition]!]!++;
  }

  const vacancies: Vacancies = {
    quota: Math.floor(partitionCount / members.length),
    ceiling: Math.ceil(partitionCount / members.length),
    wantedAbove: partitionCount % members.length,
    above: 0,
    counts: new Int32Array(members.length),
    below: [],
    exact: [],
  };
  const kept = decideParts(rehash(members, walk), keepable, vacancies);
  const { counts } = vacancies;
  const keep = (partition: number): void => {
    if (!isKeepable(partition)) return;
    const member = owned[partition]!;
    if (counts[member]! === kept[member]!) return;
    counts[member]!++;
    owners[partition] = member;
  };
  if (keepable.some((count, member) => count > kept[member]!)) forEachByNumber(group, keep);
  else for (let partition = 0; partition < partitionCount; partition++) keep(partition);
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
  const { quota, counts, below, exact } = vacancies;
  let remaining = below.length;
  let turn = 0;
  let survivors = 0;
  let nextExact = 0;
  const give = (partition: number): void => {
    if (remaining === 0) {
      owners[partition] = exact[nextExact++]!;
      return;
    }
    const member = below[turn++]!;
    owners[partition] = member;
    if (++counts[member]! === quota) exact.push(member);
    else below[survivors++] = member;
    if (turn === remaining) {
      remaining = survivors;
      turn = survivors = 0;
    }
  };
  if (free !== undefined) free.forEach(give);
  else for (let p = 0; p < owners.length; p++) if (owners[p] === NOBODY) give(p);
}
