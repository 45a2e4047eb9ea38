import { NOBODY } from '../owners.js';
import type { Plan } from './count-plan.js';
import type { WeightedStickyOptions } from './options.js';
import type { WeightedGroup } from './weighted-group.js';
import { heaviestFirst, partitionClasses } from './weighted-group.js';

/** The ratio of loads from which on a move is worth its cost. */
const RELATIVE_HYSTERESIS = 2;

/**
 * Even loads first. Whatever has no owner goes, the heaviest first, to the subscriber with the least load. Then, as long as
 * that helps, the hottest member gives its heaviest partition to the coldest subscriber of its topic. It helps when the
 * hottest has at least `relativeHysteresis` times the load of the coldest, and when the hotter of the two is afterwards
 * cooler by more than nothing and by at least `absoluteHysteresis`. The first time it does not, nothing more moves: members
 * that are not the hottest are left alone. Partitions without load never move for load.
 */
export function planByLoad(group: WeightedGroup, options: WeightedStickyOptions): Plan {
  const state = new LoadState(group, options.maxSkew ?? Infinity);
  state.placeFree();
  let budget = options.moveBudget ?? Infinity;
  for (;;) {
    const relief = state.relief(options.relativeHysteresis ?? RELATIVE_HYSTERESIS, options.absoluteHysteresis ?? 0);
    if (relief === undefined) return { owners: state.owners, stoppedBy: 'nothing' };
    if (budget-- <= 0) return { owners: state.owners, stoppedBy: 'budget' };
    state.move(relief.partition, relief.to);
  }
}

class LoadState {
  readonly owners: Int32Array;
  readonly #classes: Int32Array;
  readonly #loads: Float64Array;
  readonly #counts: Float64Array;
  readonly #held: number[][];

  constructor(
    private readonly group: WeightedGroup,
    private readonly maxSkew: number,
  ) {
    this.owners = group.previous.slice();
    this.#classes = partitionClasses(group);
    this.#loads = new Float64Array(group.members.length);
    this.#counts = new Float64Array(group.members.length);
    this.#held = group.members.map(() => []);
    for (let partition = 0; partition < this.owners.length; partition++) {
      if (this.owners[partition] !== NOBODY) this.#hold(partition, this.owners[partition]!);
    }
  }

  placeFree(): void {
    const free = [...this.owners.keys()].filter((partition) => this.owners[partition] === NOBODY);
    for (const partition of heaviestFirst(free, this.group.load)) {
      const to = this.#coldest(partition);
      this.owners[partition] = to;
      this.#hold(partition, to);
    }
  }

  /** The move that relieves the hottest member, if there is one. */
  relief(relative: number, absolute: number): { partition: number; to: number } | undefined {
    const { load, fixed, capacity, subscribersOf } = this.group;
    let hottest = 0;
    for (let member = 1; member < this.#loads.length; member++)
      if (this.#heat(member) > this.#heat(hottest)) hottest = member;
    const movable = (this.#held[hottest] ?? []).filter(
      (partition) =>
        load[partition]! > 0 && fixed[partition] === 0 && subscribersOf[this.#classes[partition]!]!.length > 1,
    );
    const [partition] = heaviestFirst(movable, load);
    if (partition === undefined) return undefined;
    const to = this.#coldest(partition);
    if (to === hottest || this.#heat(hottest) < relative * this.#heat(to)) return undefined;
    const after = Math.max(
      (this.#loads[hottest]! - load[partition]!) / capacity[hottest]!,
      (this.#loads[to]! + load[partition]!) / capacity[to]!,
    );
    const gain = this.#heat(hottest) - after;
    if (!(gain > 0 && gain >= absolute)) return undefined;
    const skew = (this.#counts[to]! + 1) / capacity[to]! - (this.#counts[hottest]! - 1) / capacity[hottest]!;
    return skew > this.maxSkew ? undefined : { partition, to };
  }

  move(partition: number, to: number): void {
    const from = this.owners[partition]!;
    const held = this.#held[from]!;
    held.splice(held.indexOf(partition), 1);
    this.#loads[from]! -= this.group.load[partition]!;
    this.#counts[from]!--;
    this.owners[partition] = to;
    this.#hold(partition, to);
  }

  #heat(member: number): number {
    return this.#loads[member]! / this.group.capacity[member]!;
  }

  #hold(partition: number, member: number): void {
    this.#loads[member]! += this.group.load[partition]!;
    this.#counts[member]!++;
    this.#held[member]!.push(partition);
  }

  /** Among the subscribers whose count allows one more: least load with it, then fewest partitions, then the lowest id. */
  #coldest(partition: number): number {
    const { capacity, load, subscribersOf } = this.group;
    const heatWith = (member: number): number => (this.#loads[member]! + load[partition]!) / capacity[member]!;
    const subscribers = subscribersOf[this.#classes[partition]!]!;
    const share = (member: number): number => this.#counts[member]! / capacity[member]!;
    let fewest = Infinity;
    for (let i = 0; i < subscribers.length; i++) fewest = Math.min(fewest, share(subscribers[i]!));
    let coldest = NOBODY;
    for (let i = 0; i < subscribers.length; i++) {
      const member = subscribers[i]!;
      if (share(member) + 1 / capacity[member]! - fewest > this.maxSkew && share(member) > fewest) continue;
      const isColder =
        coldest === NOBODY ||
        heatWith(member) < heatWith(coldest) ||
        (heatWith(member) === heatWith(coldest) && share(member) < share(coldest));
      if (isColder) coldest = member;
    }
    return coldest;
  }
}
