/** A record as a partitioner sees it. */
export interface PartitionerRecord {
  /** The serialized key, absent for a record without one. A key of no bytes is a key. */
  readonly key?: Uint8Array;
  /** The partition that the sender asks for. It wins over every rule. */
  readonly partition?: number;
  /** Bytes that the record adds to its batch; only `built-in` reads it, and only for records whose partition it chooses. */
  readonly size?: number;
  /** Whether the record filled its batch, so that `built-in` may move on; true when absent. */
  readonly batchFull?: boolean;
  /** Whether the record did not fit into the open batch of the partition chosen first (Kafka 2.4 to 3.9: `onNewBatch`). */
  readonly newBatch?: boolean;
  /** The sender's clock in milliseconds; only `random-interval` reads it. */
  readonly nowMs?: number;
}

/** A topic as a partitioner sees it. */
export interface PartitionerTopic {
  /** Partition count, at least 1. */
  readonly partitions: number;
  /** Partitions that have a leader, ascending; all of them when absent. */
  readonly available?: readonly number[];
  /** Batches that wait for each partition, by its number; undefined for one that never had a batch. Only `built-in` reads it. */
  readonly queues?: readonly (number | undefined)[];
  /** Partitions whose broker has not taken batches for partitioner.availability.timeout.ms. Only `built-in` reads it. */
  readonly late?: readonly number[];
}

/** What a partitioner remembers of one topic: an argument and a result of every choice. Plain data, to be stored as it is. */
export interface PartitionerState {
  /** State of the random source: 48 bits, see JavaRandom. */
  readonly random: number;
  /** The cursor of a round-robin: what the next choice reads. */
  readonly counter?: number;
  /** The choice that is kept for records without a key. */
  readonly sticky?: StickyChoice;
}

export interface StickyChoice {
  readonly partition: number;
  /** Bytes that `built-in` has given to it. */
  readonly bytes?: number;
  /** When `random-interval` made it. */
  readonly sinceMs?: number;
}

/** Kafka's settings that a rule reads, with Kafka's defaults. */
export interface PartitionerOptions {
  /** batch.size, 16,384: how many bytes `built-in` gives to a partition before it moves on. */
  readonly batchSize?: number;
  /** partitioner.adaptive.partitioning.enable, true: whether `built-in` weighs partitions by their queues. */
  readonly adaptive?: boolean;
  /** partitioner.ignore.keys, false: whether `built-in` treats all records as if they had no key. */
  readonly ignoreKeys?: boolean;
  /** topic.metadata.refresh.interval.ms, 600,000: how long `random-interval` keeps its choice. */
  readonly intervalMs?: number;
}

export interface PartitionChoice {
  readonly partition: number;
  /** The state for the topic's next record. */
  readonly state: PartitionerState;
}

/**
 * The contract of every partitioner: a pure function from a record, its topic and what is remembered of that topic to a
 * partition. The same arguments always give the same answer.
 */
export interface Partitioner {
  readonly name: string;
  /** Other names that mean the same, such as Kafka's class names. */
  readonly aliases: readonly string[];
  /** The clients that partition so. */
  readonly client: string;
  /** One or two sentences for a person who chooses. */
  readonly summary: string;
  /**
   * Where a key goes, when that depends on nothing but its bytes and the partition count; undefined for rules that never
   * look at keys. Throws for a key that the rule has no hash for.
   */
  readonly partitionForKey: ((key: Uint8Array, partitions: number) => number) | undefined;
  /** @throws AllotError for an explicit partition that is negative or out of range, or when the rule finds no partition */
  partition(
    record: PartitionerRecord,
    topic: PartitionerTopic,
    state: PartitionerState,
    options?: PartitionerOptions,
  ): PartitionChoice;
}
