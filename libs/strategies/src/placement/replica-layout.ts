import type { PartitionReplicas } from './reassignment.js';
import type { BrokerSpec } from './replica-placer.js';

/** A partition while its replicas are being moved. */
export interface MovingPartition {
  readonly topic: string;
  readonly partition: number;
  replicas: number[];
}

/**
 * Replicas on brokers, with the counts that decide moves kept up to date. Brokers that are fenced or not listed may hold
 * replicas but never receive one.
 */
export class ReplicaLayout {
  readonly partitions: readonly MovingPartition[];
  /** Ids of the brokers that may receive replicas, ascending. */
  readonly eligible: readonly number[];
  readonly #racks: ReadonlyMap<number, string>;
  readonly #held = new Map<number, Set<MovingPartition>>();
  readonly #led = new Map<number, number>();

  constructor(partitions: readonly PartitionReplicas[], brokers: readonly BrokerSpec[]) {
    this.eligible = brokers
      .filter((broker) => broker.fenced !== true)
      .map(({ id }) => id)
      .sort((a, b) => a - b);
    this.#racks = new Map(brokers.flatMap(({ id, rack }) => (rack === undefined ? [] : [[id, rack] as const])));
    for (const id of this.eligible) this.#held.set(id, new Set());
    this.partitions = partitions.map(({ topic, partition, replicas }) => ({
      topic,
      partition,
      replicas: [...replicas],
    }));
    for (const partition of this.partitions) {
      for (const broker of partition.replicas) this.#add(partition, broker);
      this.#lead(partition.replicas[0], 1);
    }
  }

  isEligible(broker: number): boolean {
    return this.#held.has(broker);
  }

  /** Replicas that an eligible broker holds. */
  load(broker: number): number {
    return this.#held.get(broker)!.size;
  }

  /** Partitions that a broker is the preferred leader of. */
  leads(broker: number): number {
    return this.#led.get(broker) ?? 0;
  }

  /** Partitions with a replica on an eligible broker. */
  heldBy(broker: number): Iterable<MovingPartition> {
    return this.#held.get(broker)!;
  }

  rackOf(broker: number): string | undefined {
    return this.#racks.get(broker);
  }

  /** In how many racks a list of brokers is; brokers of unknown rack do not count. */
  countRacks(brokers: readonly number[]): number {
    return new Set(brokers.map((broker) => this.#racks.get(broker)).filter((rack) => rack !== undefined)).size;
  }

  /** Puts `to` in the place of `from`. */
  move(partition: MovingPartition, from: number, to: number): void {
    this.#replace(
      partition,
      partition.replicas.map((broker) => (broker === from ? to : broker)),
    );
  }

  /** Takes a replica away without another in its place. */
  drop(partition: MovingPartition, broker: number): void {
    this.#replace(
      partition,
      partition.replicas.filter((replica) => replica !== broker),
    );
  }

  #replace(partition: MovingPartition, replicas: number[]): void {
    for (const broker of partition.replicas) this.#held.get(broker)?.delete(partition);
    this.#lead(partition.replicas[0], -1);
    partition.replicas = replicas;
    for (const broker of replicas) this.#add(partition, broker);
    this.#lead(replicas[0], 1);
  }

  #add(partition: MovingPartition, broker: number): void {
    this.#held.get(broker)?.add(partition);
  }

  #lead(broker: number | undefined, by: number): void {
    if (broker !== undefined) this.#led.set(broker, this.leads(broker) + by);
  }
}
