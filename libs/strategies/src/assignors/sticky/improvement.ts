import type { AssignmentWarning } from '../assignor.js';
import { NOBODY } from '../owners.js';
import { areEven, BalanceTest } from './balance-test.js';
import type { Contests } from './contests.js';
import type { LeastLoaded } from './least-loaded.js';
import type { MixedState } from './mixed-subscriptions.js';
import { PartitionMoves } from './partition-moves.js';

/** Moves allowed for each partition and member. Real groups need less than one; only a rule that runs in circles needs more. */
const MOVES_PER_ITEM = 100;

/**
 * Moves partitions until no single move helps, as Kafka does, but without its price.
 *
 * Kafka asks before every step whether the whole group is balanced, which costs a look at every partition and subscription.
 * As long as every owner subscribes to what it has, the answer changes nothing: in a balanced group no partition finds a
 * member with two fewer. So it is asked only in irregular groups, where a stale claim can break that. And since a partition
 * only moves among its topic's subscribers, one look at their counts proves for most topics that no move helps; where one
 * does, a contest among them is kept up to date.
 *
 * Racks play no part: Kafka looks for a near member with fewer partitions first, and then takes the least loaded subscriber
 * either way.
 */
export class Improvement {
  readonly warnings: AssignmentWarning[] = [];
  readonly #state: MixedState;
  readonly #earlier: Int32Array | undefined;
  readonly #settled: Uint8Array;
  readonly #balance: BalanceTest | undefined;
  readonly #moves: PartitionMoves;
  readonly #contests: Contests;
  #movesLeft: number;

  /**
   * @param earlier owner of each partition in an older generation
   * @param settled 1 for members that take no part
   * @param most how many partitions each member could have; given in irregular groups only
   */
  constructor(
    state: MixedState,
    contests: Contests,
    earlier: Int32Array | undefined,
    settled: Uint8Array,
    most: Int32Array | undefined,
  ) {
    this.#state = state;
    this.#earlier = earlier;
    this.#settled = settled;
    this.#balance = most && new BalanceTest(state, settled, most);
    this.#moves = new PartitionMoves(state.group);
    this.#contests = contests;
    this.#movesLeft = MOVES_PER_ITEM * (state.owners.length + state.counts.length);
  }

  /**
   * Passes over the partitions until one changes nothing.
   *
   * @param candidates 1 for partitions to look at; all when absent
   * @returns whether anything moved
   */
  run(candidates?: Uint8Array): boolean {
    let movedAtAll = false;
    for (let moved = true; moved; movedAtAll ||= moved) {
      moved = false;
      if (areEven(this.#state.counts, this.#settled)) break;
      for (const topic of this.#state.topicOrder) {
        if (!this.#state.isShared[topic]) continue;
        if (this.#improveTopic(topic, candidates)) moved = true;
        if (this.#balance?.holds() || this.#movesLeft <= 0) break;
      }
      if (this.#movesLeft <= 0) {
        this.#warn(
          'did-not-settle',
          'Kafka would go on moving partitions in circles; the state after many moves is shown.',
        );
        return true;
      }
    }
    return movedAtAll;
  }

  #improveTopic(topic: number, candidates: Uint8Array | undefined): boolean {
    const { group, owners, counts } = this.#state;
    let fewest = this.#contests.fewest(topic);
    let least: LeastLoaded | undefined;
    const end = group.partitionOffset[topic + 1]!;
    for (let partition = group.partitionOffset[topic]!; partition < end; partition++) {
      if (candidates !== undefined && candidates[partition] === 0) continue;
      if (this.#balance?.holds() || this.#movesLeft <= 0) break;
      const count = counts[owners[partition]!]!;
      const former = this.#formerOwner(topic, partition);
      const returns = former !== NOBODY && count > counts[former]! + 1;
      if (!returns && count <= fewest + 1) continue;
      least ??= this.#contests.at(topic);
      this.#move(topic, partition, returns ? former : least.member);
      fewest = counts[least.member]!;
    }
    return least !== undefined;
  }

  #move(topic: number, partition: number, to: number): void {
    const { owners, counts } = this.#state;
    const actual = this.#moves.instead(topic, partition, owners[partition]!, to);
    const from = owners[actual]!;
    this.#moves.record(topic, actual, from, to);
    owners[actual] = to;
    counts[from]!--;
    counts[to]!++;
    this.#contests.update(from);
    this.#contests.update(to);
    this.#balance?.invalidate();
    this.#movesLeft--;
  }

  /** The member that owned the partition in an older generation and may get it back even without a subscription. */
  #formerOwner(topic: number, partition: number): number {
    if (this.#earlier === undefined) return NOBODY;
    const former = this.#earlier[partition]!;
    if (former === NOBODY || this.#settled[former] === 0) return former;
    const { members, topics } = this.#state.group;
    this.#warn(
      'kafka-fails',
      `Kafka's assignor fails on the old claim of member "${members[former]!.id}" to topic "${topics[topic]!.name}", to which it no longer subscribes; the claim is ignored here.`,
    );
    return NOBODY;
  }

  #warn(code: string, message: string): void {
    if (!this.warnings.some((warning) => warning.code === code && warning.message === message))
      this.warnings.push({ code, message });
  }
}
