import { LeastLoaded } from './least-loaded.js';

/**
 * The least loaded subscriber of each topic while partitions are given and moved.
 *
 * Where subscriptions overlap, giving away one topic changes the contests of many others, so there is one contest, begun anew
 * for each topic. Where they do not (every member belongs to one bucket of topics with the same subscribers), each bucket has
 * a contest of its own that stays true from topic to topic.
 */
export class Contests {
  readonly #counts: Int32Array;
  readonly #subscribers: readonly Int32Array[];
  readonly #leafOf: Int32Array;
  readonly #single: LeastLoaded;
  /** By array of subscribers; undefined where subscriptions overlap. */
  readonly #byBucket: Map<Int32Array, LeastLoaded> | undefined;
  readonly #bucketOf: (LeastLoaded | undefined)[] = [];

  /** @param counts partitions of each member; changed by the caller, who then calls `update` */
  constructor(counts: Int32Array, subscribers: readonly Int32Array[]) {
    this.#counts = counts;
    this.#subscribers = subscribers;
    this.#leafOf = new Int32Array(counts.length);
    this.#single = new LeastLoaded(counts, this.#leafOf);
    this.#byBucket = areDisjoint(subscribers, counts.length) ? new Map() : undefined;
  }

  /** The contest of the topic's subscribers. It is true until another topic's is asked for. */
  at(topic: number): LeastLoaded {
    const members = this.#subscribers[topic]!;
    if (this.#byBucket === undefined) {
      this.#single.reset(members);
      return this.#single;
    }
    let contest = this.#byBucket.get(members);
    if (contest === undefined) {
      contest = new LeastLoaded(this.#counts, this.#leafOf);
      contest.reset(members);
      this.#byBucket.set(members, contest);
      for (const member of members) this.#bucketOf[member] = contest;
    }
    return contest;
  }

  /** The count of the topic's least loaded subscriber; cheaper than a contest where subscriptions overlap. */
  fewest(topic: number): number {
    if (this.#byBucket !== undefined) return this.#counts[this.at(topic).member]!;
    let fewest = Infinity;
    for (const member of this.#subscribers[topic]!) fewest = Math.min(fewest, this.#counts[member]!);
    return fewest;
  }

  /** To be called after the count of a member has changed. */
  update(member: number): void {
    if (this.#byBucket === undefined) this.#single.update(member);
    else this.#bucketOf[member]?.update(member);
  }
}

function areDisjoint(subscribers: readonly Int32Array[], members: number): boolean {
  const taken = new Uint8Array(members);
  for (const bucket of new Set(subscribers)) {
    for (const member of bucket) {
      if (taken[member] === 1) return false;
      taken[member] = 1;
    }
  }
  return true;
}
