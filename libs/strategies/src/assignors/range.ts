import type { GroupSpec } from '@allot/model';

import type { AssignmentResult, Assignor } from './assignor.js';
import type { ClientGroup } from './client-group.js';
import { indexClientGroup, membersInOrder, subscribersByTopic } from './client-group.js';
import { NOBODY, ownersToAssignment } from './owners.js';
import { memberRacks, NO_RACK, partitionRacks, RackNumbers, racksMatter } from './racks.js';

/**
 * `range`: every topic is cut into contiguous runs, one for each of its subscribers in member order.
 *
 * Guarantees, the first being the strongest:
 * 1. Every partition of a subscribed topic has exactly one owner, which subscribes to the topic.
 * 2. Within a topic the subscribers' counts differ by at most one; with p partitions and n subscribers the first p mod n get
 *    one more. Over several topics the same members get the larger parts, so the whole may be skewed.
 * 3. Topics with equal subscribers and equal counts are co-partitioned: partition i of both has the same owner.
 * 4. Racks, where they can make a difference, decide who among the subscribers gets which partition, never how many.
 *
 * Ten partitions for a, b, c: a 0-3, b 4-6, c 7-9.
 *
 * Static members (instance id) come before dynamic ones and keep their place when their member id changes. Costs
 * O(members log members + partitions + subscriptions + replicas). The rule is that of Kafka's RangeAssignor since 3.5.
 */
export const rangeAssignor: Assignor = {
  name: 'range',
  aliases: ['org.apache.kafka.clients.consumer.RangeAssignor'],
  summary:
    'Cuts each topic into contiguous runs, one per subscriber in member order. Keeps equal topics co-partitioned; skews when there are many small topics.',
  kafkaVersions: '3.5 and newer (without racks: all versions with static membership, 2.3 and newer)',
  sticky: false,
  assign: assignRange,
};

function assignRange(spec: GroupSpec): AssignmentResult {
  const group = indexClientGroup(spec);
  const subscribers = subscribersByTopic(group, membersInOrder(group));
  const owners = new Int32Array(group.partitionCount).fill(NOBODY);
  const states = rackAwareStates(group, subscribers, owners);
  if (states !== undefined) {
    assignWithRacks(states);
    for (const state of states) state.assignRest();
  } else {
    for (let topic = 0; topic < group.topics.length; topic++) cutIntoRanges(group, topic, subscribers[topic]!, owners);
  }
  const assignment = ownersToAssignment(group, owners);
  return { assignment, target: assignment, warnings: group.warnings };
}

function cutIntoRanges(group: ClientGroup, topic: number, subscribers: Int32Array, owners: Int32Array): void {
  const count = group.topics[topic]!.partitions;
  const quota = Math.floor(count / subscribers.length);
  const larger = count % subscribers.length;
  let partition = group.partitionOffset[topic]!;
  for (let i = 0; i < subscribers.length; i++) {
    const end = partition + quota + (i < larger ? 1 : 0);
    if (end === partition) break;
    owners.fill(subscribers[i]!, partition, end);
    partition = end;
  }
}

/** One state a topic when racks matter to some topic; undefined when the plain rule decides everything. */
function rackAwareStates(
  group: ClientGroup,
  subscribers: readonly Int32Array[],
  owners: Int32Array,
): TopicState[] | undefined {
  const numbers = new RackNumbers();
  const rackOf = memberRacks(group.members, numbers);
  if (rackOf.every((rack) => rack === NO_RACK)) return undefined;
  const states = group.topics.map(
    (topic, index) =>
      new TopicState(
        subscribers[index]!,
        rackOf,
        partitionRacks(topic, numbers),
        owners,
        group.partitionOffset[index]!,
      ),
  );
  return states.some((state) => state.racksMatter) ? states : undefined;
}

/** A topic while its partitions are being handed out. Subscribers are known by their place in the topic's list. */
class TopicState {
  readonly racksMatter: boolean;
  readonly #quota: number;
  #larger: number;
  readonly #counts: Int32Array;

  constructor(
    readonly subscribers: Int32Array,
    readonly rackOf: Int32Array,
    readonly racks: readonly (readonly number[])[],
    readonly owners: Int32Array,
    readonly firstPartition: number,
  ) {
    this.racksMatter = racksMatter(
      [...subscribers].map((member) => rackOf[member]!).filter((rack) => rack !== NO_RACK),
      racks,
    );
    this.#quota = Math.floor(racks.length / subscribers.length);
    this.#larger = racks.length % subscribers.length;
    this.#counts = new Int32Array(subscribers.length);
  }

  get hasRackedSubscriber(): boolean {
    return this.subscribers.some((member) => this.rackOf[member] !== NO_RACK);
  }

  rackAt(place: number): number {
    return this.rackOf[this.subscribers[place]!]!;
  }

  /** How many partitions the subscriber may still get. It never grows. */
  room(place: number): number {
    return this.#quota + (this.#larger > 0 ? 1 : 0) - this.#counts[place]!;
  }

  isTaken(partition: number): boolean {
    return this.owners[this.firstPartition + partition] !== NOBODY;
  }

  /** Hands out a run at once, since the last larger part is used up only when the whole run is given. */
  give(place: number, partitions: readonly number[]): void {
    for (const partition of partitions) this.owners[this.firstPartition + partition] = this.subscribers[place]!;
    this.#counts[place]! += partitions.length;
    if (this.#counts[place]! > this.#quota) this.#larger--;
  }

  /** Gives each subscriber the lowest free partitions that have a replica in its rack; any, when it has no rack. */
  assignMatching(): void {
    const queues = new Map<number, PartitionQueue>();
    for (let place = 0; place < this.subscribers.length; place++) {
      const rack = this.rackAt(place);
      let queue = queues.get(rack);
      if (queue === undefined) queues.set(rack, (queue = this.#queue(rack)));
      this.#giveFrom(queue, place);
    }
  }

  /** Gives each subscriber the lowest free partitions, whatever their racks. */
  assignRest(): void {
    const queue = this.#queue(NO_RACK);
    for (let place = 0; place < this.subscribers.length; place++) this.#giveFrom(queue, place);
  }

  #queue(rack: number): PartitionQueue {
    const partitions = [...this.racks.keys()];
    return {
      partitions:
        rack === NO_RACK ? partitions : partitions.filter((partition) => this.racks[partition]!.includes(rack)),
      next: 0,
    };
  }

  #giveFrom(queue: PartitionQueue, place: number): void {
    const room = this.room(place);
    const run: number[] = [];
    while (run.length < room && queue.next < queue.partitions.length) {
      const partition = queue.partitions[queue.next++]!;
      if (!this.isTaken(partition)) run.push(partition);
    }
    if (run.length > 0) this.give(place, run);
  }
}

interface PartitionQueue {
  readonly partitions: readonly number[];
  next: number;
}

/**
 * Topics with the same subscribers and the same count are matched together, so that they stay co-partitioned; a topic of its
 * own is matched alone. What racks cannot settle is left for `assignRest`.
 */
function assignWithRacks(states: readonly TopicState[]): void {
  const companions = new Map<string, TopicState[]>();
  for (const state of states) {
    const key = `${state.hasRackedSubscriber ? state.racks.length : 0}:${state.subscribers.join()}`;
    const group = companions.get(key);
    if (group === undefined) companions.set(key, [state]);
    else group.push(state);
  }
  for (const group of companions.values()) {
    if (group.length > 1) assignTogether(group);
    else if (group[0]!.racksMatter) group[0]!.assignMatching();
  }
}

/**
 * Gives partition i of all the topics to the first subscriber with room that has a replica of each of them in its rack. The
 * topics fill up alike, so one of them tells the room; and as room never grows, each rack needs only a pointer to its first
 * subscriber with room.
 */
function assignTogether(states: readonly TopicState[]): void {
  const [first] = states as [TopicState];
  if (!first.hasRackedSubscriber) return;
  const placesByRack = new Map<number, { places: number[]; next: number }>();
  for (let place = 0; place < first.subscribers.length; place++) {
    const rack = first.rackAt(place);
    const entry = placesByRack.get(rack);
    if (entry === undefined) placesByRack.set(rack, { places: [place], next: 0 });
    else entry.places.push(place);
  }
  for (let partition = 0; partition < first.racks.length; partition++) {
    let best = first.subscribers.length;
    for (const rack of [NO_RACK, ...sharedRacks(states, partition)]) {
      const entry = placesByRack.get(rack);
      if (entry === undefined) continue;
      while (entry.next < entry.places.length && first.room(entry.places[entry.next]!) <= 0) entry.next++;
      if (entry.next < entry.places.length) best = Math.min(best, entry.places[entry.next]!);
    }
    if (best < first.subscribers.length) for (const state of states) state.give(best, [partition]);
  }
}

/** Racks that have a replica of this partition of every topic. */
function sharedRacks(states: readonly TopicState[], partition: number): number[] {
  return states[0]!.racks[partition]!.filter((rack) => states.every((state) => state.racks[partition]!.includes(rack)));
}
