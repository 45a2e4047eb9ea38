import type { MixedState } from './mixed-subscriptions.js';

/**
 * Kafka's test whether a group is balanced, in full: no member that could have more partitions than it has finds one among
 * its topics whose owner has at least two more. The answer is kept until a partition moves, and a witness against balance is
 * tried again before anything else is looked at.
 */
export class BalanceTest {
  readonly #state: MixedState;
  readonly #settled: Uint8Array;
  readonly #most: Int32Array;
  #known: boolean | undefined;
  /** A partition that the member could take over, the last time somebody asked. */
  #witness: { readonly member: number; readonly partition: number } | undefined;

  /**
   * @param settled 1 for members that take no part
   * @param most how many partitions each member could have
   */
  constructor(state: MixedState, settled: Uint8Array, most: Int32Array) {
    this.#state = state;
    this.#settled = settled;
    this.#most = most;
  }

  /** To be called after every move. */
  invalidate(): void {
    this.#known = undefined;
  }

  holds(): boolean {
    this.#known ??= !this.#witnessStands() && (areEven(this.#state.counts, this.#settled) || !this.#findWitness());
    return this.#known;
  }

  #witnessStands(): boolean {
    return this.#witness !== undefined && this.#helps(this.#witness.member, this.#witness.partition);
  }

  #helps(member: number, partition: number): boolean {
    const { owners, counts } = this.#state;
    return counts[member] !== this.#most[member] && counts[owners[partition]!]! > counts[member]! + 1;
  }

  #findWitness(): boolean {
    const { group, subscribers } = this.#state;
    for (let topic = 0; topic < group.topics.length; topic++) {
      const partition = this.#mostLoadedPartition(topic);
      for (const member of subscribers[topic]!) {
        if (this.#settled[member] === 1 || !this.#helps(member, partition)) continue;
        this.#witness = { member, partition };
        return true;
      }
    }
    return false;
  }

  #mostLoadedPartition(topic: number): number {
    const { group, owners, counts } = this.#state;
    let best = group.partitionOffset[topic]!;
    const end = group.partitionOffset[topic + 1]!;
    for (let partition = best + 1; partition < end; partition++) {
      if (counts[owners[partition]!]! > counts[owners[best]!]!) best = partition;
    }
    return best;
  }
}

/** Whether the counts of all members that take part differ by at most one: then no move can help. */
export function areEven(counts: Int32Array, settled: Uint8Array): boolean {
  let least = Infinity;
  let most = -Infinity;
  counts.forEach((count, member) => {
    if (settled[member] === 1) return;
    least = Math.min(least, count);
    most = Math.max(most, count);
  });
  return least >= most - 1;
}
