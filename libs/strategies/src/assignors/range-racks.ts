import type { ClientGroup } from './client-group.js';
import { NOBODY } from './owners.js';
import type { RackView } from './racks.js';
import { hasReplicaIn, NO_RACK, racksMatter, racksOf } from './racks.js';

/** The subscribers of one topic or of several, known by their place in the member order. */
interface Crowd {
  readonly members: Int32Array;
  /** 1 for racks with a subscriber. */
  readonly racks: Uint8Array;
}

/** Topics with the same subscribers and the same count. They end up with the same owners, number by number. */
interface CoPartitioned {
  readonly crowd: Crowd;
  readonly topics: number[];
  readonly count: number;
}

/**
 * `range` where racks matter to some topic. Topics with the same subscribers and count are matched together, so that they
 * stay co-partitioned; a topic of its own is matched alone. What racks cannot settle is cut into runs as ever. Subscribers
 * without a rack are near everything.
 *
 * @returns false, with nothing done, when racks matter to no topic
 */
export function assignRangesWithRacks(
  group: ClientGroup,
  subscribers: readonly Int32Array[],
  view: RackView,
  owners: Int32Array,
): boolean {
  const crowds = new Crowds(view);
  const crowdOf = subscribers.map((members) => crowds.of(members));
  const matters = crowdOf.map(({ racks }, topic) =>
    racksMatter(view, racks, group.partitionOffset[topic]!, group.partitionOffset[topic + 1]!),
  );
  if (!matters.includes(true)) return false;

  for (const unit of coPartitionedTopics(group, crowdOf)) {
    const shares = new Shares(unit.crowd.members.length, unit.count);
    const firsts = unit.topics.map((topic) => group.partitionOffset[topic]!);
    if (firsts.length > 1 && unit.crowd.racks.includes(1)) matchTogether(unit.crowd, firsts, view, shares);
    else if (firsts.length === 1 && matters[unit.topics[0]!]) matchAlone(unit.crowd, firsts[0]!, view, shares);
    shares.giveRest();
    const ownerOf = shares.placeOf.map((place) => unit.crowd.members[place]!);
    for (const first of firsts) owners.set(ownerOf, first);
  }
  return true;
}

/** Makes one crowd of all arrays with the same members. */
class Crowds {
  readonly #view: RackView;
  readonly #byArray = new Map<Int32Array, Crowd>();
  readonly #byHash = new Map<number, Crowd[]>();

  constructor(view: RackView) {
    this.#view = view;
  }

  of(members: Int32Array): Crowd {
    let crowd = this.#byArray.get(members);
    if (crowd === undefined) this.#byArray.set(members, (crowd = this.#sameOrNew(members)));
    return crowd;
  }

  #sameOrNew(members: Int32Array): Crowd {
    let hash = members.length;
    for (const member of members) hash = (Math.imul(31, hash) + member) | 0;
    let candidates = this.#byHash.get(hash);
    if (candidates === undefined) this.#byHash.set(hash, (candidates = []));
    const same = candidates.find((crowd) => sameMembers(crowd.members, members));
    if (same !== undefined) return same;
    const crowd = { members, racks: racksOf(this.#view, members) };
    candidates.push(crowd);
    return crowd;
  }
}

function sameMembers(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((member, place) => member === b[place]);
}

function coPartitionedTopics({ topics }: ClientGroup, crowdOf: readonly Crowd[]): CoPartitioned[] {
  const units: CoPartitioned[] = [];
  const byCrowd = new Map<Crowd, Map<number, CoPartitioned>>();
  crowdOf.forEach((crowd, topic) => {
    const count = topics[topic]!.partitions;
    let byCount = byCrowd.get(crowd);
    if (byCount === undefined) byCrowd.set(crowd, (byCount = new Map()));
    const unit = byCount.get(count);
    if (unit !== undefined) unit.topics.push(topic);
    else {
      const created = { crowd, topics: [topic], count };
      byCount.set(count, created);
      units.push(created);
    }
  });
  return units;
}

/** Who has how many of a topic's partitions while they are being handed out. */
class Shares {
  /** The place that has each partition number, or NOBODY. */
  readonly placeOf: Int32Array;
  readonly #counts: Int32Array;
  readonly #quota: number;
  #larger: number;
  #free: number;

  constructor(places: number, partitions: number) {
    this.placeOf = new Int32Array(partitions).fill(NOBODY);
    this.#counts = new Int32Array(places);
    this.#quota = Math.floor(partitions / places);
    this.#larger = partitions % places;
    this.#free = partitions;
  }

  /** How many partitions the place may still get. It never grows. */
  room(place: number): number {
    return this.#quota + (this.#larger > 0 ? 1 : 0) - this.#counts[place]!;
  }

  /** Whether nobody can get anything more. */
  get full(): boolean {
    return this.#free === 0 || (this.#quota === 0 && this.#larger === 0);
  }

  /** One of the larger parts is used up when a place goes over the quota. */
  give(place: number, number: number): void {
    this.placeOf[number] = place;
    this.#free--;
    if (++this.#counts[place]! > this.#quota) this.#larger--;
  }

  /** Gives each place the lowest free numbers, wherever they are. */
  giveRest(): void {
    let number = 0;
    for (let place = 0; place < this.#counts.length && !this.full; place++)
      for (; this.room(place) > 0 && number < this.placeOf.length; number++)
        if (this.placeOf[number] === NOBODY) this.give(place, number);
  }
}

/** Gives each subscriber in turn the lowest free partitions that are near. What one rack's members have passed stays passed. */
function matchAlone({ members }: Crowd, first: number, view: RackView, shares: Shares): void {
  const next = new Int32Array(view.end);
  const { placeOf } = shares;
  for (let place = 0; place < members.length && !shares.full; place++) {
    const rack = view.rackOf[members[place]!]!;
    let number = next[rack]!;
    for (; shares.room(place) > 0 && number < placeOf.length; number++) {
      const near = rack === NO_RACK || hasReplicaIn(view, first + number, rack);
      if (near && placeOf[number] === NOBODY) shares.give(place, number);
    }
    next[rack] = number;
  }
}

/**
 * Gives partition i of all the topics to the first subscriber with room that is near each of them. As room never grows, each
 * rack needs only a pointer to its first subscriber with room.
 */
function matchTogether({ members }: Crowd, firsts: readonly number[], view: RackView, shares: Shares): void {
  const { start, racks, rackOf } = view;
  const placesByRack: number[][] = Array.from({ length: view.end }, () => []);
  for (let place = 0; place < members.length; place++) placesByRack[rackOf[members[place]!]!]!.push(place);
  const nobody = members.length;
  const next = new Int32Array(placesByRack.length);
  const firstWithRoom = (rack: number): number => {
    const places = placesByRack[rack]!;
    let at = next[rack]!;
    while (at < places.length && shares.room(places[at]!) <= 0) at++;
    next[rack] = at;
    return at < places.length ? places[at]! : nobody;
  };
  for (let number = 0; number < shares.placeOf.length && !shares.full; number++) {
    let best = firstWithRoom(NO_RACK);
    const partition = firsts[0]! + number;
    for (let i = start[partition]!; i < start[partition + 1]!; i++) {
      const rack = racks[i]!;
      if (!haveAllReplicasIn(view, firsts, number, rack)) continue;
      const place = firstWithRoom(rack);
      if (place < best) best = place;
    }
    if (best < nobody) shares.give(best, number);
  }
}

/** Whether this partition of every topic has a replica in the rack; of the first topic that is known. */
function haveAllReplicasIn(view: RackView, firsts: readonly number[], number: number, rack: number): boolean {
  for (let topic = 1; topic < firsts.length; topic++) {
    if (!hasReplicaIn(view, firsts[topic]! + number, rack)) return false;
  }
  return true;
}
