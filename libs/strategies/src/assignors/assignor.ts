import type { GroupAssignment, GroupSpec, TopicPartition } from '@allot/model';

import type { Pin } from './pins.js';
import type { WeightedStickyOptions } from './weighted-sticky/options.js';

/** What an assignment may depend on beside the group itself. */
export interface AssignOptions {
  /** Kafka version whose rule is wanted, "4.0" or "4.1.0"; the newest known rule when absent. */
  readonly kafkaVersion?: string;
  /**
   * 'given' when the topics inside each member's `owned`, and their partitions, come in the order in which they entered the
   * broker's own maps; only `uniform` reads it, and only where two of them share a hash bucket. Absent, the likeliest order
   * is assumed.
   */
  readonly ownedOrder?: 'given';
  /** Every subscribed partition once, in the order in which `threads-roundrobin` deals them out; by hash code when absent. */
  readonly partitionOrder?: readonly TopicPartition[];
  /** What `weighted-sticky` is told; other assignors do not read it. */
  readonly weightedSticky?: WeightedStickyOptions;
  /** Partitions that will go to a certain member in any case: `withPins` sees to that. An assignor may plan around them. */
  readonly pins?: readonly Pin[];
}

/** Something a person should know about an answer. `code` is stable, kebab-case; `message` is for people. */
export interface AssignmentWarning {
  readonly code: string;
  readonly message: string;
}

export interface AssignmentResult {
  /**
   * What this round hands out. For `cooperative-sticky` partitions that must first be revoked by another member are missing;
   * for every other assignor it is the target itself.
   */
  readonly assignment: GroupAssignment;
  /** Where the group is heading: the complete assignment. */
  readonly target: GroupAssignment;
  readonly warnings: readonly AssignmentWarning[];
}

/**
 * The contract of every assignor: a pure function from a group to who owns what. It never mutates its input, reads no clock
 * and no random source, and gives every member an entry. Partitions come out ascending within a topic.
 */
export interface Assignor {
  /** The wire name, as Kafka writes it: `range`, `roundrobin`, `sticky`, `cooperative-sticky`. */
  readonly name: string;
  /** Other names that mean the same, such as Kafka's class names. */
  readonly aliases: readonly string[];
  /** One or two sentences for a person who chooses. */
  readonly summary: string;
  /** Kafka versions whose answer this is, partition for partition; empty for rules that Kafka does not have. */
  readonly kafkaVersions: string;
  /** Whether the answer depends on `owned` and `generation`. */
  readonly sticky: boolean;
  /**
   * 'threads' when the answer is keyed by thread ids, `c1-0`, instead of member ids; `threadGroup` makes the group that such
   * an answer belongs to.
   */
  readonly owners?: 'threads';
  assign(group: GroupSpec, options?: AssignOptions): AssignmentResult;
}
