import { NOBODY } from '../owners.js';
import { LoadLevels, loadRange } from './load-levels.js';

/** A group whose members subscribe to different topics, in dense integers. Members are numbered in the broker's walk. */
export interface HeterogeneousGroup {
  readonly memberCount: number;
  /** First partition of each topic, and one more entry: the number of partitions. */
  readonly partitionOffset: Int32Array;
  /** Subscribers of each topic, ascending; every topic has one at least. */
  readonly subscribersOf: readonly Int32Array[];
  /** Previous owner of each partition, a subscriber of its topic, or NOBODY. */
  readonly previous: Int32Array;
  /** Orders topics that are alike in partitions and subscribers. */
  compareTopics(a: number, b: number): number;
}

/** Kafka's limit for the rounds over all topics; groups with overlapping subscriptions may need more to balance fully. */
const MAX_ROUNDS = 16;

/**
 * The owner of each partition. Members keep what they own; what nobody owns goes, topic by topic, to the least loaded
 * subscribers; then the topics are gone through in rounds, and while a topic's most loaded subscriber has two or more
 * partitions (of any topics) more than its least loaded one, it gives up its highest partition of this topic to it.
 *
 * Topics with more partitions per subscriber come first, then those with fewer subscribers, then by topic id. It ends when a
 * whole round has moved nothing, and after 16 rounds at the latest: bounded, and then possibly short of the best balance.
 */
export function assignHeterogeneous(group: HeterogeneousGroup): Int32Array {
  const owners = group.previous.slice();
  const loads = new Int32Array(group.memberCount);
  for (let partition = 0; partition < owners.length; partition++)
    if (owners[partition] !== NOBODY) loads[owners[partition]!]!++;
  const topics = topicsInOrder(group);
  const levels = new LoadLevels(loads);

  for (const topic of topics) giveOutFree(group, topic, owners, loads, levels);
  balance(
    group,
    topics.filter((topic) => group.subscribersOf[topic]!.length > 1),
    owners,
    loads,
    levels,
  );
  return owners;
}

function topicsInOrder({ partitionOffset, subscribersOf, compareTopics }: HeterogeneousGroup): Int32Array {
  const shares = Float64Array.from(
    subscribersOf,
    ({ length }, topic) => (partitionOffset[topic + 1]! - partitionOffset[topic]!) / length,
  );
  return Int32Array.from(subscribersOf.keys()).sort(
    (a, b) => shares[b]! - shares[a]! || subscribersOf[a]!.length - subscribersOf[b]!.length || compareTopics(a, b),
  );
}

function giveOutFree(
  { partitionOffset, subscribersOf }: HeterogeneousGroup,
  topic: number,
  owners: Int32Array,
  loads: Int32Array,
  levels: LoadLevels,
): void {
  const end = partitionOffset[topic + 1]!;
  let started = false;
  for (let partition = partitionOffset[topic]!; partition < end; partition++) {
    if (owners[partition] !== NOBODY) continue;
    if (!started) levels.start(subscribersOf[topic]!);
    started = true;
    const member = levels.takeLowest();
    owners[partition] = member;
    loads[member]!++;
  }
}

function balance(
  group: HeterogeneousGroup,
  topics: Int32Array,
  owners: Int32Array,
  loads: Int32Array,
  levels: LoadLevels,
): void {
  const holdings = new TopicHoldings(group.memberCount);
  // Lists of subscribers that are known to be level, until something moves: many topics share one list.
  const level = new Set<Int32Array>();
  let lastMoved = -1;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (let place = 0; place < topics.length; place++) {
      if (place === lastMoved) return;
      const subscribers = group.subscribersOf[topics[place]!]!;
      let moved = false;
      if (!level.has(subscribers)) {
        if (isLevel(subscribers, loads)) level.add(subscribers);
        else moved = balanceTopic(group, topics[place]!, owners, loads, levels, holdings);
        if (moved) level.clear();
      }
      if (moved || lastMoved === -1) lastMoved = place;
    }
  }
}

/** Moves what helps between a topic's subscribers; answers whether anything moved. */
function balanceTopic(
  { partitionOffset, subscribersOf }: HeterogeneousGroup,
  topic: number,
  owners: Int32Array,
  loads: Int32Array,
  levels: LoadLevels,
  holdings: TopicHoldings,
): boolean {
  levels.start(subscribersOf[topic]!);
  holdings.read(owners, partitionOffset[topic]!, partitionOffset[topic + 1]!);

  let moved = false;
  while (!levels.isBalanced) {
    const giver = highestWithPartitions(levels, holdings);
    if (giver === -1) break;
    const taker = levels.takeLowest();
    if (levels.isBalanced) break;
    owners[holdings.takeLast(giver)] = taker;
    loads[giver]!--;
    loads[taker]!++;
    moved = true;
  }
  holdings.clear();
  return moved;
}

function isLevel(members: Int32Array, loads: Int32Array): boolean {
  const [lowest, highest] = loadRange(members, loads);
  return highest - lowest <= 1;
}

function highestWithPartitions(levels: LoadLevels, holdings: TopicHoldings): number {
  for (;;) {
    const member = levels.takeHighest();
    if (member === -1 || holdings.has(member)) return member;
    levels.skipHighest();
  }
}

/** Who has which partitions of one topic at the start of its turn: a stack for each member, the highest number on top. */
class TopicHoldings {
  readonly #top: Int32Array;
  #below = new Int32Array(0);
  #first = 0;
  readonly #holders: number[] = [];

  constructor(memberCount: number) {
    this.#top = new Int32Array(memberCount).fill(-1);
  }

  read(owners: Int32Array, first: number, end: number): void {
    if (this.#below.length < end - first) this.#below = new Int32Array(end - first);
    this.#first = first;
    for (let partition = first; partition < end; partition++) {
      const owner = owners[partition]!;
      if (this.#top[owner] === -1) this.#holders.push(owner);
      this.#below[partition - first] = this.#top[owner]!;
      this.#top[owner] = partition;
    }
  }

  has(member: number): boolean {
    return this.#top[member] !== -1;
  }

  takeLast(member: number): number {
    const partition = this.#top[member]!;
    this.#top[member] = this.#below[partition - this.#first]!;
    return partition;
  }

  clear(): void {
    for (const member of this.#holders) this.#top[member] = -1;
    this.#holders.length = 0;
  }
}
