/** A broker as a placer sees it. */
export interface BrokerSpec {
  /** Not negative; unique in a request. */
  readonly id: number;
  /** broker.rack; absent when the broker has none. */
  readonly rack?: string;
  /** Registered but not in service. */
  readonly fenced?: boolean;
}

/** Everything a placement depends on. */
export interface PlacementRequest {
  /**
   * In any order: they are sorted by id first, as the callers of Kafka's own placers do. Only for `kraft-striped` the order
   * in which racks first appear can matter, namely to racks that share a bucket of Java's hash map.
   */
  readonly brokers: readonly BrokerSpec[];
  /** How many new partitions to place; at least 1. */
  readonly partitions: number;
  readonly replicationFactor: number;
  /** Number of the first new partition: the topic's partition count when it grows. 0 when absent. */
  readonly startPartitionId?: number;
  /** `admin-utils` only: where the round-robin starts, instead of a random place. */
  readonly fixedStartIndex?: number;
  /** Seed of the java.util.Random that Kafka draws from: a Java long, as a safe integer or a bigint. */
  readonly seed?: number | bigint;
  /**
   * `admin-utils` only, Kafka's RackAwareMode. `enforced`, the default, refuses brokers of which some have a rack and some
   * do not; `safe` then places without racks; `disabled` never looks at racks.
   */
  readonly rackAwareMode?: 'enforced' | 'safe' | 'disabled';
  /** Refuse a placement with a partition in fewer racks. Placers spread over racks as well as they can without it. */
  readonly minRacks?: number;
}

/** Something a person should know about a placement. `code` is stable, kebab-case; `message` is for people. */
export interface PlacementWarning {
  readonly code: string;
  readonly message: string;
}

export interface PlacementResult {
  /** Partition number -> broker ids. The order of replicas is data: the first one is the preferred leader. */
  readonly replicas: ReadonlyMap<number, readonly number[]>;
  readonly warnings: readonly PlacementWarning[];
}

/**
 * The contract of every replica placer: a pure function from brokers to the replicas of new partitions. The same request
 * always gives the same answer; where Kafka draws random numbers, the seed is part of the request.
 */
export interface ReplicaPlacer {
  readonly name: string;
  /** Other names that mean the same, such as Kafka's class names. */
  readonly aliases: readonly string[];
  /** One or two sentences for a person who chooses. */
  readonly summary: string;
  /** Kafka versions whose answer this is. */
  readonly kafkaVersions: string;
  /** @throws AllotError with Kafka's code: INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR, else INVALID_REQUEST */
  place(request: PlacementRequest): PlacementResult;
}
