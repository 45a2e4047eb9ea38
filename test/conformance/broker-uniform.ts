import { BrokerMap, compareUuids, numberSet, stringHashCode, uuidHashCode } from './broker-maps.js';

/** A member's target as the broker holds it: topic id -> set of partitions, both in Java's order. */
export type BrokerTarget = BrokerMap<string, BrokerMap<number, true>>;

export interface BrokerTopic {
  readonly id: string;
  readonly partitions: number;
}

export interface BrokerMember {
  readonly id: string;
  /** Ids of the topics that it subscribes to and that exist. */
  readonly topics: readonly string[];
  readonly target: BrokerTarget;
}

type Partition = readonly [topic: string, partition: number];

export function emptyTarget(): BrokerTarget {
  return new BrokerMap(uuidHashCode);
}

/** What the target is after it was written to the log and read back: fresh maps, filled in the order of the old ones. */
export function replay(target: BrokerTarget): BrokerTarget {
  const fresh = emptyTarget();
  for (const { key, value } of target.entries()) fresh.put(key, numberSet(value.keys()));
  return fresh;
}

function copyToAlter(target: BrokerTarget): BrokerTarget {
  const copy: BrokerTarget = new BrokerMap(uuidHashCode, target.size);
  for (const { key, value } of target.entries()) copy.put(key, numberSet(value.keys()));
  return copy;
}

/**
 * The broker's uniform assignor, told step by step on maps that have Java's order: slow and plain. It answers targets that
 * still have the order in which Kafka filled them, which decides the next round where two ids share a bucket.
 */
export function brokerUniform(
  topics: readonly BrokerTopic[],
  members: readonly BrokerMember[],
  homogeneous: boolean,
  asNeeded: boolean,
): Map<string, BrokerTarget> {
  const byId = new BrokerMap<string, BrokerMember>(stringHashCode);
  for (const member of members) byId.put(member.id, member);
  const walked = byId.entries().map(({ value }) => value);
  const partitionsOf = new Map(topics.map(({ id, partitions }) => [id, partitions]));
  return homogeneous ? equal(partitionsOf, walked, asNeeded) : different(partitionsOf, walked);
}

function equal(
  partitionsOf: ReadonlyMap<string, number>,
  members: readonly BrokerMember[],
  asNeeded: boolean,
): Map<string, BrokerTarget> {
  const targets = new Map<string, BrokerTarget>();
  const subscribed = new BrokerMap<string, true>(
    uuidHashCode,
    Math.max(Math.floor(members[0]!.topics.length / 0.75) + 1, 16),
  );
  for (const topic of members[0]!.topics) subscribed.put(topic, true);

  const owned = new Map<string, Set<number>>();
  for (const [topic, partition] of members.flatMap(({ target }) => partitionsIn(target)))
    owned.set(topic, (owned.get(topic) ?? new Set()).add(partition));
  const free: Partition[] = [];
  let total = 0;
  for (const topic of subscribed.keys()) {
    for (let partition = 0; partition < partitionsOf.get(topic)!; partition++) {
      if (owned.get(topic)?.has(partition) !== true) free.push([topic, partition]);
    }
    total += partitionsOf.get(topic)!;
  }

  const quota = Math.floor(total / members.length);
  let larger = total % members.length;
  const wanting: { id: string; wants: number }[] = [];
  members.forEach(({ id, target }, place) => {
    let room = quota + (larger > 0 ? 1 : 0);
    let usesLarger = larger > 0;
    let altered: BrokerTarget | undefined;
    for (const { key: topic, value } of target.entries()) {
      if (subscribed.get(topic) === undefined) {
        altered ??= copyToAlter(target);
        altered.remove(topic);
        continue;
      }
      for (const partition of value.keys()) {
        if (room > 0) {
          room--;
          continue;
        }
        altered ??= copyToAlter(target);
        altered.get(topic)!.remove(partition);
        if (altered.get(topic)!.size === 0) altered.remove(topic);
        free.push([topic, partition]);
      }
    }
    if (asNeeded && room > 0 && usesLarger && members.length - place > larger) {
      room--;
      usesLarger = false;
    }
    if (usesLarger) larger--;
    if (room > 0) {
      wanting.push({ id, wants: room });
      altered ??= copyToAlter(target);
    }
    targets.set(id, altered ?? target);
  });

  for (const { id, wants } of wanting) {
    for (const [topic, partition] of free.splice(0, wants)) add(targets.get(id)!, topic, partition);
  }
  return targets;
}

function partitionsIn(target: BrokerTarget): Partition[] {
  return target.entries().flatMap(({ key, value }) => value.keys().map((partition): Partition => [key, partition]));
}

function add(target: BrokerTarget, topic: string, partition: number): void {
  target.computeIfAbsent(topic, () => numberSet([])).put(partition, true);
}

const MAX_ROUNDS = 16;

function different(
  partitionsOf: ReadonlyMap<string, number>,
  members: readonly BrokerMember[],
): Map<string, BrokerTarget> {
  const subscribersOf = new Map<string, number[]>();
  members.forEach(({ topics }, place) => {
    for (const topic of new Set(topics)) {
      if (!subscribersOf.has(topic)) subscribersOf.set(topic, []);
      subscribersOf.get(topic)!.push(place);
    }
  });
  const targets = members.map(({ topics, target }) => {
    const copy = copyToAlter(target);
    for (const topic of target.keys()) if (!topics.includes(topic)) copy.remove(topic);
    return copy;
  });
  const sizes = targets.map((target) => partitionsIn(target).length);
  const ownersOf = new Map(
    [...subscribersOf.keys()].map((topic) => [topic, new Array<number>(partitionsOf.get(topic)!).fill(-1)]),
  );
  targets.forEach((target, place) => {
    for (const [topic, partition] of partitionsIn(target)) ownersOf.get(topic)![partition] = place;
  });
  const move = (topic: string, partition: number, to: number) => {
    const owners = ownersOf.get(topic)!;
    const from = owners[partition]!;
    if (from !== -1) {
      const partitions = targets[from]!.get(topic)!;
      partitions.remove(partition);
      if (partitions.size === 0) targets[from]!.remove(topic);
      sizes[from]!--;
    }
    add(targets[to]!, topic, partition);
    owners[partition] = to;
    sizes[to]!++;
  };

  const ordered = [...subscribersOf.keys()].sort((a, b) => {
    const [left, right] = [subscribersOf.get(a)!.length, subscribersOf.get(b)!.length];
    return partitionsOf.get(b)! / right - partitionsOf.get(a)! / left || left - right || compareUuids(a, b);
  });
  for (const topic of ordered) {
    const ends = new TwoEnds(subscribersOf.get(topic)!, sizes);
    ownersOf.get(topic)!.forEach((owner, partition) => {
      if (owner === -1) move(topic, partition, ends.lowest());
    });
  }

  const shared = ordered.filter((topic) => subscribersOf.get(topic)!.length > 1);
  let last = -1;
  for (let turn = 0; turn < MAX_ROUNDS * shared.length; turn++) {
    const place = turn % shared.length;
    if (place === last) break;
    const topic = shared[place]!;
    if (level(topic, subscribersOf.get(topic)!, sizes, ownersOf.get(topic)!, move) || last === -1) last = place;
  }
  return new Map(members.map(({ id }, place) => [id, targets[place]!]));
}

function level(
  topic: string,
  subscribers: readonly number[],
  sizes: readonly number[],
  owners: readonly number[],
  move: (topic: string, partition: number, to: number) => void,
): boolean {
  const held = subscribers.map((member) => sizes[member]!);
  if (Math.max(...held) - Math.min(...held) <= 1) return false;
  const ends = new TwoEnds(subscribers, sizes);
  const before = [...owners];
  const left = new Map<number, number[]>();
  before.forEach((owner, partition) => left.set(owner, [...(left.get(owner) ?? []), partition]));
  let moved = false;
  for (;;) {
    let giver = ends.highest();
    while (giver !== -1 && (left.get(giver)?.length ?? 0) === 0) {
      ends.skipHighest();
      giver = ends.highest();
    }
    if (giver === -1) return moved;
    const partition = left.get(giver)!.pop()!;
    const taker = ends.lowest();
    if (ends.balanced) return moved;
    move(topic, partition, taker);
    moved = true;
  }
}

/** The least and the most loaded of some members; each end widens by one level when it has been gone through. */
class TwoEnds {
  private readonly sorted: number[];
  private lowEnd = 0;
  private lowNext = 0;
  private lowLevel: number;
  private highStart: number;
  private highEnd: number;
  private highNext: number;
  private highLevel: number;

  constructor(
    members: readonly number[],
    private readonly sizes: readonly number[],
  ) {
    this.sorted = [...members].sort((a, b) => sizes[a]! - sizes[b]! || a - b);
    this.highStart = this.highEnd = members.length;
    this.highNext = members.length - 1;
    this.lowLevel = sizes[this.sorted[0]!]! - 1;
    this.highLevel = sizes[this.sorted.at(-1)!]! + 1;
  }

  get balanced(): boolean {
    return this.highLevel - this.lowLevel <= 1;
  }

  lowest(): number {
    if (this.lowNext >= this.lowEnd) {
      this.lowLevel++;
      while (this.lowEnd < this.sorted.length && this.sizes[this.sorted[this.lowEnd]!] === this.lowLevel) this.lowEnd++;
      this.lowNext = 0;
    }
    return this.sorted[this.lowNext++]!;
  }

  highest(): number {
    if (this.highNext < this.highStart) {
      const isCutOff = this.highEnd <= this.highStart && this.highStart > 0;
      this.highLevel = isCutOff ? this.sizes[this.sorted[this.highStart - 1]!]! : this.highLevel - 1;
      while (this.highStart > 0 && this.sizes[this.sorted[this.highStart - 1]!] === this.highLevel) this.highStart--;
      this.highNext = this.highEnd - 1;
    }
    return this.highNext < 0 ? -1 : this.sorted[this.highNext--]!;
  }

  skipHighest(): void {
    const place = this.highNext + 1;
    const last = --this.highEnd;
    [this.sorted[place], this.sorted[last]] = [this.sorted[last]!, this.sorted[place]!];
  }
}
