import { NOBODY } from '../owners.js';
import type { RackView } from '../racks.js';
import type { Vacancies } from './equal-subscriptions.js';

/**
 * Deals free partitions out to members in a rack that has a replica: in turn to members below the quota; when none of them is
 * near, to the first near member at the quota that may get one more. Partitions with few near members come first.
 *
 * @param free all free partitions in dense order
 * @returns the partitions without a near member that has room, in the order in which they were looked at
 */
export function fillWithinRacks(
  owners: Int32Array,
  free: Int32Array,
  view: RackView,
  vacancies: Vacancies,
): Int32Array {
  const { quota, ceiling, wantedAbove, counts } = vacancies;
  const below = new RackRing(vacancies.below, view);
  const exact = new RackQueue(view);
  for (const member of vacancies.exact) exact.push(member);
  const rest = new Int32Array(free.length);
  let left = 0;
  for (const partition of fewestNeighboursFirst(free, view)) {
    let member = below.takeNear(partition);
    if (member !== NOBODY) {
      const count = ++counts[member]!;
      if (count >= quota) {
        below.remove(member);
        if (count < ceiling && vacancies.above < wantedAbove) exact.push(member);
      }
    } else {
      member = exact.takeNear(partition);
      if (member !== NOBODY) {
        counts[member]!++;
        if (++vacancies.above === wantedAbove) exact.clear();
      }
    }
    if (member === NOBODY) rest[left++] = partition;
    else owners[partition] = member;
  }
  vacancies.below = below.remaining();
  vacancies.exact = exact.remaining();
  return rest.subarray(0, left);
}

/** Partitions by the number of members near them, then in dense order: a sort by counting. */
function fewestNeighboursFirst(free: Int32Array, { rackOf, start, racks, end }: RackView): Int32Array {
  const membersIn = new Int32Array(end);
  for (const rack of rackOf) membersIn[rack]!++;
  const neighbours = new Int32Array(free.length);
  let most = 0;
  for (let place = 0; place < free.length; place++) {
    const partition = free[place]!;
    for (let i = start[partition]!; i < start[partition + 1]!; i++) neighbours[place]! += membersIn[racks[i]!]!;
    most = Math.max(most, neighbours[place]!);
  }
  const next = new Int32Array(most + 2);
  for (const count of neighbours) next[count + 1]!++;
  for (let count = 0; count <= most; count++) next[count + 1]! += next[count]!;
  const sorted = new Int32Array(free.length);
  for (let place = 0; place < free.length; place++) sorted[next[neighbours[place]!]!++] = free[place]!;
  return sorted;
}

/**
 * Members in a ring with a turn: the next near member at or after the turn is taken, and the turn passes behind it. A rack's
 * members are kept in a list of their own with links that skip removed ones, so that nobody is searched twice.
 */
class RackRing {
  readonly #members: readonly number[];
  /** Positions in the ring by rack, ascending. */
  readonly #positions: number[][];
  /** By rack: where to go on from a place in its list; itself while that member is present. One entry behind the end. */
  readonly #links: Int32Array[];
  readonly #placeOf: Int32Array;
  readonly #view: RackView;
  readonly #present: Uint8Array;
  readonly #positionOf: Int32Array;
  #turn = 0;

  constructor(members: readonly number[], view: RackView) {
    const { rackOf, end } = view;
    this.#members = members;
    this.#view = view;
    this.#present = new Uint8Array(members.length).fill(1);
    this.#positions = Array.from({ length: end }, () => []);
    this.#placeOf = new Int32Array(rackOf.length);
    this.#positionOf = new Int32Array(rackOf.length);
    members.forEach((member, position) => {
      const list = this.#positions[rackOf[member]!]!;
      this.#placeOf[member] = list.length;
      this.#positionOf[member] = position;
      list.push(position);
    });
    this.#links = this.#positions.map((list) => Int32Array.from({ length: list.length + 1 }, (_, place) => place));
  }

  /** The next member near the partition, or NOBODY, which leaves the turn where it is. */
  takeNear(partition: number): number {
    const { start, racks } = this.#view;
    let best = -1;
    let bestDistance = Infinity;
    for (let i = start[partition]!; i < start[partition + 1]!; i++) {
      const position = this.#next(racks[i]!);
      if (position < 0) continue;
      const distance = position >= this.#turn ? position - this.#turn : position - this.#turn + this.#members.length;
      if (distance < bestDistance) {
        bestDistance = distance;
        best = position;
      }
    }
    if (best < 0) return NOBODY;
    this.#turn = best + 1;
    return this.#members[best]!;
  }

  remove(member: number): void {
    this.#present[this.#positionOf[member]!] = 0;
    const place = this.#placeOf[member]!;
    this.#links[this.#view.rackOf[member]!]![place] = place + 1;
  }

  remaining(): number[] {
    return this.#members.filter((_, position) => this.#present[position] === 1);
  }

  /** Position of the first present member of the rack at or after the turn, around the end if need be; -1 if none. */
  #next(rack: number): number {
    const list = this.#positions[rack]!;
    if (list.length === 0) return -1;
    let place = this.#follow(rack, lowerBound(list, this.#turn));
    if (place === list.length) place = this.#follow(rack, 0);
    return place === list.length ? -1 : list[place]!;
  }

  #follow(rack: number, start: number): number {
    const links = this.#links[rack]!;
    let end = start;
    while (links[end] !== end) end = links[end]!;
    for (let place = start; place !== end;) {
      const next = links[place]!;
      links[place] = end;
      place = next;
    }
    return end;
  }
}

/** The members of one rack, each with the number of its arrival. */
interface Line {
  readonly members: number[];
  readonly tickets: number[];
  next: number;
}

/** Members in a line; the first one near a partition is taken out. */
class RackQueue {
  readonly #lines: Line[];
  readonly #view: RackView;
  #ticket = 0;

  constructor(view: RackView) {
    this.#view = view;
    this.#lines = Array.from({ length: view.end }, () => ({ members: [], tickets: [], next: 0 }));
  }

  push(member: number): void {
    const line = this.#lines[this.#view.rackOf[member]!]!;
    line.members.push(member);
    line.tickets.push(this.#ticket++);
  }

  takeNear(partition: number): number {
    const { start, racks } = this.#view;
    let best: Line | undefined;
    for (let i = start[partition]!; i < start[partition + 1]!; i++) {
      const line = this.#lines[racks[i]!]!;
      if (line.next === line.members.length) continue;
      if (best === undefined || line.tickets[line.next]! < best.tickets[best.next]!) best = line;
    }
    return best === undefined ? NOBODY : best.members[best.next++]!;
  }

  clear(): void {
    for (const line of this.#lines) line.next = line.members.length;
  }

  remaining(): number[] {
    return this.#lines
      .flatMap(({ members, tickets, next }) =>
        members.slice(next).map((member, i) => [tickets[next + i]!, member] as const),
      )
      .sort(([a], [b]) => a - b)
      .map(([, member]) => member);
  }
}

/** The first place in the ascending list whose value is not below `value`. */
function lowerBound(list: readonly number[], value: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
