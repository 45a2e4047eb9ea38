import { javaStringHashCode, JavaHashMap } from '../../hashing/java-hash-map.js';
import type { JavaKeyType } from '../../hashing/java-hash-map.js';
import type { ClientGroup } from '../client-group.js';

interface Trip {
  /** The owner before the first move. */
  readonly from: number;
  /** The owner now. */
  readonly to: number;
}

/**
 * The moves made so far while balancing, so that a partition which went from a to b is rather sent back than another one of
 * its topic sent from b to a. Of several that could go back Kafka takes the first one of a hash set.
 */
export class PartitionMoves {
  readonly #group: ClientGroup;
  readonly #trips = new Map<number, Trip>();
  /** By topic, then by trip: the partitions that went that way. */
  readonly #byTopic = new Map<number, Map<number, JavaHashMap<number, true>>>();
  readonly #keyTypes = new Map<number, JavaKeyType<number>>();

  constructor(group: ClientGroup) {
    this.#group = group;
  }

  /** The partition of the topic that is to go to `to` instead of `partition` of `owner`; mostly `partition` itself. */
  instead(topic: number, partition: number, owner: number, to: number): number {
    const byTrip = this.#byTopic.get(topic);
    if (byTrip === undefined) return partition;
    const from = this.#trips.get(partition)?.from ?? owner;
    const returning = byTrip.get(this.#tripNumber({ from: to, to: from }));
    if (returning === undefined) return partition;
    for (const candidate of returning.keys()) return candidate;
    return partition;
  }

  /** Records that a partition goes from its owner to another member. Back home again, it counts as never moved. */
  record(topic: number, partition: number, owner: number, to: number): void {
    const earlier = this.#trips.get(partition);
    if (earlier !== undefined) {
      this.#forget(topic, partition, earlier);
      if (earlier.from === to) return;
    }
    const trip = { from: earlier?.from ?? owner, to };
    this.#trips.set(partition, trip);
    let byTrip = this.#byTopic.get(topic);
    if (byTrip === undefined) this.#byTopic.set(topic, (byTrip = new Map()));
    const number = this.#tripNumber(trip);
    let partitions = byTrip.get(number);
    if (partitions === undefined) byTrip.set(number, (partitions = new JavaHashMap(this.#keyType(topic))));
    partitions.set(partition, true);
  }

  #forget(topic: number, partition: number, trip: Trip): void {
    this.#trips.delete(partition);
    const byTrip = this.#byTopic.get(topic)!;
    const number = this.#tripNumber(trip);
    const partitions = byTrip.get(number)!;
    partitions.delete(partition);
    if (partitions.size === 0) byTrip.delete(number);
  }

  #tripNumber({ from, to }: Trip): number {
    return from * this.#group.members.length + to;
  }

  /** `TopicPartition.hashCode()`: 31 * (31 + number) + the hash code of the topic's name. */
  #keyType(topic: number): JavaKeyType<number> {
    let type = this.#keyTypes.get(topic);
    if (type === undefined) {
      const first = this.#group.partitionOffset[topic]!;
      const name = javaStringHashCode(this.#group.topics[topic]!.name);
      type = {
        hashCode: (partition) => (Math.imul(31, 31 + partition - first) + name) | 0,
        compare: (a, b) => a - b,
      };
      this.#keyTypes.set(topic, type);
    }
    return type;
  }
}
