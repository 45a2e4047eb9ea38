/** What ranks a member for the next partition: the lower `first`, then the lower `second`, then the lower number. */
export interface Ranking {
  first(member: number): number;
  second(member: number): number;
}

/**
 * The members that may get a partition of one class, best ranked first. A rank may get worse at any time, because members get
 * partitions of other classes too, but never better. So the heap keeps the ranks of some earlier time, which are lower
 * bounds, and brings the top up to date until the one on top is there by its present rank.
 */
export class Receivers {
  readonly #heap: number[];
  readonly #first = new Map<number, number>();
  readonly #second = new Map<number, number>();

  constructor(
    members: Iterable<number>,
    private readonly ranking: Ranking,
  ) {
    this.#heap = [...members];
    for (const member of this.#heap) this.#update(member);
    for (let place = this.#heap.length >> 1; place >= 0; place--) this.#sink(place);
  }

  /** The member that should get the next partition. It stays in the list; its rank is expected to get worse. */
  next(): number {
    while (this.#update(this.#heap[0]!)) this.#sink(0);
    return this.#heap[0]!;
  }

  /** Takes out the member that `next` has just answered. */
  drop(): void {
    const last = this.#heap.pop()!;
    if (this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  /** Takes over a member's present rank; answers whether it had another one. */
  #update(member: number): boolean {
    const first = this.ranking.first(member);
    const second = this.ranking.second(member);
    if (this.#first.get(member) === first && this.#second.get(member) === second) return false;
    this.#first.set(member, first);
    this.#second.set(member, second);
    return true;
  }

  #sink(place: number): void {
    const heap = this.#heap;
    for (;;) {
      let best = place;
      for (let child = 2 * place + 1; child <= 2 * place + 2 && child < heap.length; child++)
        if (this.#isBefore(heap[child]!, heap[best]!)) best = child;
      if (best === place) return;
      [heap[place], heap[best]] = [heap[best]!, heap[place]!];
      place = best;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const first = this.#first.get(a)! - this.#first.get(b)!;
    return (first || this.#second.get(a)! - this.#second.get(b)! || a - b) < 0;
  }
}
