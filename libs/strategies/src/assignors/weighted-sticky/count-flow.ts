import { NOBODY } from '../owners.js';
import type { PlanLimits } from './count-plan.js';
import type { WeightedGroup } from './weighted-group.js';

/** One step of evenness outweighs any number of moves. */
const EVENNESS = 1e6;
const EPSILON = 1e-3;
/** A cycle that does not lead through a change of counts shows only in the ways that were found; they are rarely looked at. */
const ROUNDS_BETWEEN_CYCLE_CHECKS = 4;
/** Looks at links between classes and members before giving up on perfection. */
const EFFORT = 3e8;

/**
 * How many partitions of each class each member has, and how to make that even with the fewest moves.
 *
 * It is a flow: classes supply partitions, links lead to their subscribers, and members consume them at a cost that grows
 * with every partition (the k-th costs (2k - 1) / capacity, so that the sum of squares is made least). A link carries as many
 * partitions as the member had before for nothing, and each further one costs a move. A flow is best exactly when no cycle in
 * what can still be changed has a negative cost, so such cycles are looked for (Bellman and Ford) and gone around until there
 * is none. Each one lowers the total cost, so it ends; each search costs a few passes over the links.
 */
export class CountFlow {
  readonly #members: number;
  readonly #classes: number;
  /** Links by class: link l leads to member memberOf[l]; those of class c are linkStart[c] ... linkStart[c + 1]. */
  readonly #linkStart: Int32Array;
  readonly #memberOf: Int32Array;
  readonly #classOf: Int32Array;
  /** Partitions that the link carries, that the member had before, and that may not be taken away. */
  readonly #have: Int32Array;
  readonly #had: Int32Array;
  readonly #stuck: Int32Array;
  readonly #counts: Int32Array;
  readonly #subscribersOf: readonly Int32Array[];
  readonly #capacity: Float64Array;
  /** What a partition costs more at its new member, so that members less than maxSkew apart are left alone. */
  readonly #reluctance: number;
  #budget: number;
  #effort = EFFORT;

  constructor(group: WeightedGroup, classes: Int32Array, limits: PlanLimits) {
    const { members, subscribersOf, previous, fixed } = group;
    this.#members = members.length;
    this.#classes = subscribersOf.length;
    this.#linkStart = new Int32Array(subscribersOf.length + 1);
    subscribersOf.forEach((list, found) => (this.#linkStart[found + 1] = this.#linkStart[found]! + list.length));
    this.#memberOf = new Int32Array(this.#linkStart[subscribersOf.length]!);
    this.#classOf = new Int32Array(this.#memberOf.length);
    subscribersOf.forEach((list, found) => {
      this.#memberOf.set(list, this.#linkStart[found]!);
      this.#classOf.fill(found, this.#linkStart[found]!, this.#linkStart[found + 1]!);
    });
    this.#subscribersOf = subscribersOf;
    this.#had = new Int32Array(this.#memberOf.length);
    this.#stuck = new Int32Array(this.#memberOf.length);
    this.#counts = new Int32Array(members.length);
    for (let partition = 0; partition < previous.length; partition++) {
      const owner = previous[partition]!;
      if (owner === NOBODY) continue;
      const link = this.#link(classes[partition]!, owner);
      this.#had[link]!++;
      this.#stuck[link]! += fixed[partition]!;
      this.#counts[owner]!++;
    }
    this.#have = this.#had.slice();
    this.#capacity = group.capacity;
    this.#reluctance = 2 * (limits.maxSkew - 1);
    this.#budget = limits.moveBudget;
  }

  count(member: number): number {
    return this.#counts[member]!;
  }

  add(found: number, member: number): void {
    this.#have[this.#link(found, member)]!++;
    this.#counts[member]!++;
  }

  /** How many partitions of a class a member is to get; below 0, how many it is to give up. */
  room(found: number, member: number): number {
    const link = this.#link(found, member);
    return this.#have[link]! - this.#had[link]!;
  }

  /** Notes that a member has got one of the partitions that it was to get. */
  place(found: number, member: number): void {
    this.#had[this.#link(found, member)]!++;
  }

  /** Subscribers are ascending, so a link is found by halving. */
  #link(found: number, member: number): number {
    const subscribers = this.#subscribersOf[found]!;
    let low = 0;
    for (let high = subscribers.length - 1; low < high;) {
      const middle = (low + high) >> 1;
      if (subscribers[middle]! < member) low = middle + 1;
      else high = middle;
    }
    return this.#linkStart[found]! + low;
  }

  /** Goes around negative cycles until there is none, or until nothing more may be done, and says which. */
  improve(): 'nothing' | 'budget' | 'effort' {
    for (;;) {
      const outcome = this.#improveOnce();
      if (outcome !== 'improved') return outcome;
    }
  }

  #improveOnce(): 'improved' | 'nothing' | 'budget' | 'effort' {
    const toMember = new Float64Array(this.#members);
    const toClass = new Float64Array(this.#classes).fill(Infinity);
    /** The link by which the cheapest way comes: into a member from a class, into a class from a member. */
    const intoMember = new Int32Array(this.#members).fill(NOBODY);
    const intoClass = new Int32Array(this.#classes).fill(NOBODY);
    for (let member = 0; member < this.#members; member++) toMember[member] = -EVENNESS * this.#gainOfTaking(member);

    let overBudget = false;
    for (let round = 0; round <= this.#members + this.#classes; round++) {
      if ((this.#effort -= 2 * this.#memberOf.length) < 0) return 'effort';
      if (!this.#relax(toMember, toClass, intoMember, intoClass)) break;
      let improved = false;
      for (let member = 0; member < this.#members; member++) {
        if (intoMember[member] === NOBODY) continue;
        const isCheaper = toMember[member]! + EVENNESS * this.#costOfGiving(member) < -EPSILON;
        if (!isCheaper && round % ROUNDS_BETWEEN_CYCLE_CHECKS !== 0) continue;
        const hops = this.#wayTo(member, intoMember, intoClass);
        if (!isCheaper && !hops.isCycle) continue;
        const outcome = this.#go(hops);
        improved ||= outcome === 'gone';
        overBudget ||= outcome === 'over budget';
      }
      if (improved) return 'improved';
    }
    return overBudget ? 'budget' : 'nothing';
  }

  #gainOfTaking(member: number): number {
    const count = this.#counts[member]!;
    return count === 0 ? -Infinity : (2 * count - 1) / this.#capacity[member]!;
  }

  #costOfGiving(member: number): number {
    return (2 * this.#counts[member]! + 1) / this.#capacity[member]! + this.#reluctance;
  }

  /** One pass over all links in both directions; answers whether a cheaper way was found. */
  #relax(toMember: Float64Array, toClass: Float64Array, intoMember: Int32Array, intoClass: Int32Array): boolean {
    const have = this.#have;
    const had = this.#had;
    let found = false;
    for (let link = 0; link < have.length; link++) {
      if (have[link]! <= this.#stuck[link]!) continue;
      const cost = toMember[this.#memberOf[link]!]! - (have[link]! > had[link]! ? 1 : 0);
      if (cost < toClass[this.#classOf[link]!]! - EPSILON) {
        toClass[this.#classOf[link]!] = cost;
        intoClass[this.#classOf[link]!] = link;
        found = true;
      }
    }
    for (let link = 0; link < have.length; link++) {
      const cost = toClass[this.#classOf[link]!]! + (have[link]! < had[link]! ? 0 : 1);
      if (cost < toMember[this.#memberOf[link]!]! - EPSILON) {
        toMember[this.#memberOf[link]!] = cost;
        intoMember[this.#memberOf[link]!] = link;
        found = true;
      }
    }
    return found;
  }

  /** The hops by which a partition comes to a member, back to the first giver, or the cycle that they run into. */
  #wayTo(member: number, intoMember: Int32Array, intoClass: Int32Array): Hops {
    const hops: Hop[] = [];
    const seenAt = new Map<number, number>();
    for (let at = member; ;) {
      const place = seenAt.get(at);
      if (place !== undefined) return { hops: hops.slice(place), isCycle: true };
      seenAt.set(at, hops.length);
      const to = intoMember[at]!;
      if (to === NOBODY) return { hops, isCycle: false };
      const from = intoClass[this.#classOf[to]!]!;
      hops.push({ from, to });
      at = this.#memberOf[from]!;
    }
  }

  /** Carries one partition along every hop if that is possible, lowers the cost and is within the budget. */
  #go({ hops, isCycle }: Hops): 'gone' | 'useless' | 'over budget' {
    if (hops.length === 0) return 'useless';
    const taker = this.#memberOf[hops[0]!.to]!;
    const giver = this.#memberOf[hops.at(-1)!.from]!;
    const evenness = isCycle || taker === giver ? 0 : this.#costOfGiving(taker) - this.#gainOfTaking(giver);
    let moves = 0;
    let done = 0;
    for (const { from, to } of hops) {
      if (this.#have[from]! <= this.#stuck[from]!) break;
      moves -= this.#have[from]! > this.#had[from]! ? 1 : 0;
      this.#have[from]!--;
      moves += this.#have[to]! < this.#had[to]! ? 0 : 1;
      this.#have[to]!++;
      done++;
    }
    const isPossible = done === hops.length;
    const isUseful = EVENNESS * evenness + moves < -EPSILON;
    if (isPossible && isUseful && moves <= this.#budget) {
      this.#budget -= moves;
      if (taker !== giver) {
        this.#counts[giver]!--;
        this.#counts[taker]!++;
      }
      return 'gone';
    }
    for (const { from, to } of hops.slice(0, done)) {
      this.#have[from]!++;
      this.#have[to]!--;
    }
    return isPossible && isUseful ? 'over budget' : 'useless';
  }
}

/** A partition of the links' class goes from the member of one link to the member of the other. */
interface Hop {
  readonly from: number;
  readonly to: number;
}

interface Hops {
  readonly hops: readonly Hop[];
  readonly isCycle: boolean;
}
