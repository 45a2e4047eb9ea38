import type { Assignment } from './assignment.js';

/** A topic as an assignor sees it. */
export interface TopicSpec {
  readonly name: string;
  /** Kafka's topic Uuid, 22 characters of base64url. Only the broker's assignors read it. */
  readonly id?: string;
  /** Partition count; 0 means that the topic exists in the metadata without partitions. */
  readonly partitions: number;
  /** Racks of each partition's replicas, in replica order; absent when nothing is known of racks. */
  readonly racks?: readonly (readonly string[])[];
  /** Load of each partition in any unit (records a second, lag). Only weighted assignors read it; absent means equal. */
  readonly weights?: readonly number[];
}

/** A member as an assignor sees it. */
export interface MemberSpec {
  readonly id: string;
  /** Static membership: group.instance.id. */
  readonly instanceId?: string;
  /** client.rack. */
  readonly rack?: string;
  /** Subscribed topic names in the order of the subscription's own list. A name without metadata is legal. */
  readonly topics: readonly string[];
  /** What the member claims to own from before. */
  readonly owned?: Assignment;
  /** The generation in which `owned` was given; -1 is a claim without a generation, absent a member that is new. */
  readonly generation?: number;
  /** Relative capacity, 1 when absent. Only weighted assignors read it. */
  readonly weight?: number;
  /** Consumer threads by topic (num.streams), first-generation consumers only; 1 when absent. */
  readonly streams?: number | ReadonlyMap<string, number>;
}

/**
 * Everything an assignment depends on. The order of `members` is data: where Kafka's answer depends on the order in which
 * subscriptions entered its hash map, this is that order.
 */
export interface GroupSpec {
  readonly topics: readonly TopicSpec[];
  readonly members: readonly MemberSpec[];
}
