/**
 * The subscribers of one topic, ordered by how many partitions they have, and the two ends from which the broker's rule
 * takes: the least loaded member gets the next partition, the most loaded one gives up the next.
 *
 * Both ends are ranges of members at one level. The lower range is served from its start to its end; then its level rises
 * by one and it takes in the members that were at that level before. The upper range is served from its end to its start and
 * sinks likewise. Members that have nothing to give are moved to the range's end and cut off. This order, with ties by the
 * member's number, is what makes the answer Kafka's.
 */
export class LoadLevels {
  readonly #loads: Int32Array;
  readonly #sorted: Int32Array;
  #count = 0;

  #lowEnd = 0;
  #lowLevel = 0;
  #lowNext = 0;

  #highStart = 0;
  #highEnd = 0;
  #highLevel = 0;
  #highNext = 0;

  #buckets = new Int32Array(64);

  /** @param loads partitions of each member; it is read while balancing, and its owner keeps it up to date */
  constructor(loads: Int32Array) {
    this.#loads = loads;
    this.#sorted = new Int32Array(loads.length);
  }

  /** Starts on the members of one topic, at least one of them, in ascending order. */
  start(members: Int32Array): void {
    this.#count = members.length;
    const [lowest, highest] = this.#sort(members);
    this.#lowEnd = 0;
    this.#lowLevel = lowest - 1;
    this.#lowNext = 0;
    this.#highStart = members.length;
    this.#highEnd = members.length;
    this.#highLevel = highest + 1;
    this.#highNext = members.length - 1;
  }

  /** Whether moving a partition from the upper range to the lower one would gain nothing any more. */
  get isBalanced(): boolean {
    return this.#highLevel - this.#lowLevel <= 1;
  }

  /** The member to give a partition to; counts on its being given. */
  takeLowest(): number {
    if (this.#lowNext >= this.#lowEnd) {
      this.#lowLevel++;
      while (this.#lowEnd < this.#count && this.#loads[this.#sorted[this.#lowEnd]!] === this.#lowLevel) this.#lowEnd++;
      this.#lowNext = 0;
    }
    return this.#sorted[this.#lowNext++]!;
  }

  /** The member to take a partition from, or -1; counts on its being taken unless `skipHighest` follows. */
  takeHighest(): number {
    if (this.#highNext < this.#highStart) {
      if (this.#highEnd <= this.#highStart && this.#highStart > 0)
        this.#highLevel = this.#loads[this.#sorted[this.#highStart - 1]!]!;
      else this.#highLevel--;
      while (this.#highStart > 0 && this.#loads[this.#sorted[this.#highStart - 1]!] === this.#highLevel)
        this.#highStart--;
      this.#highNext = this.#highEnd - 1;
    }
    return this.#highNext < 0 ? -1 : this.#sorted[this.#highNext--]!;
  }

  /** Cuts off the member that `takeHighest` has just answered, because it has nothing to give. */
  skipHighest(): void {
    const place = this.#highNext + 1;
    const last = --this.#highEnd;
    const member = this.#sorted[place]!;
    this.#sorted[place] = this.#sorted[last]!;
    this.#sorted[last] = member;
  }

  /** Sorts by load, then by number, in one counting pass: the members come in ascending order. */
  #sort(members: Int32Array): [lowest: number, highest: number] {
    const loads = this.#loads;
    const [lowest, highest] = loadRange(members, loads);
    if (highest === lowest) {
      this.#sorted.set(members);
      return [lowest, highest];
    }
    const levels = highest - lowest + 1;
    if (levels > 4 * members.length + 64) this.#sortByComparison(members);
    else this.#sortByCounting(members, lowest, levels);
    return [lowest, highest];
  }

  #sortByCounting(members: Int32Array, lowest: number, levels: number): void {
    if (this.#buckets.length <= levels) this.#buckets = new Int32Array(2 * levels);
    const loads = this.#loads;
    const sorted = this.#sorted;
    const starts = this.#buckets.fill(0, 0, levels + 1);
    for (let i = 0; i < members.length; i++) starts[loads[members[i]!]! - lowest + 1]!++;
    for (let level = 1; level < levels; level++) starts[level]! += starts[level - 1]!;
    for (let i = 0; i < members.length; i++) {
      const member = members[i]!;
      sorted[starts[loads[member]! - lowest]!++] = member;
    }
  }

  /** For a few members with very different loads. */
  #sortByComparison(members: Int32Array): void {
    const loads = this.#loads;
    this.#sorted.set(members.slice().sort((a, b) => loads[a]! - loads[b]! || a - b));
  }
}

/** The least and the most that one of these members has; there is one at least. */
export function loadRange(members: Int32Array, loads: Int32Array): [lowest: number, highest: number] {
  let lowest = loads[members[0]!]!;
  let highest = lowest;
  for (let i = 1; i < members.length; i++) {
    const load = loads[members[i]!]!;
    if (load < lowest) lowest = load;
    else if (load > highest) highest = load;
  }
  return [lowest, highest];
}
