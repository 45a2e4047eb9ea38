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
  /** Broker -> rack -> how many of its partitions have another replica in that rack. */
  readonly #company = new Map<number, Map<string, number>>();

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
      this.#count(partition, 1);
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

  /**
   * Whether a partition's replica may leave one broker for another without the partition being in fewer racks: its rack is
   * unknown or keeps another replica, or the other broker's rack is new to the partition.
   */
  keepsRacks({ replicas }: MovingPartition, from: number, to: number): boolean {
    const left = this.rackOf(from);
    const entered = this.rackOf(to);
    if (left === undefined || left === entered) return true;
    const others = (rack: string) => replicas.some((broker) => broker !== from && this.rackOf(broker) === rack);
    return others(left) || (entered !== undefined && !others(entered));
  }

  /** Whether `keepsRacks` can hold for any partition of a broker; known without looking at them. */
  mayKeepRacks(from: number, to: number): boolean {
    const left = this.rackOf(from);
    const entered = this.rackOf(to);
    if (left === undefined || left === entered) return true;
    const company = this.#company.get(from);
    return (company?.get(left) ?? 0) > 0 || (entered !== undefined && (company?.get(entered) ?? 0) < this.load(from));
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
    this.#count(partition, -1);
    partition.replicas = replicas;
    this.#count(partition, 1);
  }

  /** Adds a partition to all counts, or takes it out of them. */
  #count(partition: MovingPartition, by: 1 | -1): void {
    const { replicas } = partition;
    if (replicas.length > 0) this.#led.set(replicas[0]!, this.leads(replicas[0]!) + by);
    for (const broker of replicas) {
      const held = this.#held.get(broker);
      if (held === undefined) continue;
      if (by === 1) held.add(partition);
      else held.delete(partition);
      const others = replicas.filter((other) => other !== broker).map((other) => this.rackOf(other));
      for (const rack of new Set(others)) if (rack !== undefined) this.#keepCompany(broker, rack, by);
    }
  }

  #keepCompany(broker: number, rack: string, by: 1 | -1): void {
    const racks = this.#company.get(broker) ?? new Map<string, number>();
    this.#company.set(broker, racks.set(rack, (racks.get(rack) ?? 0) + by));
  }
}
