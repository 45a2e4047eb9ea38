/** How a group behaves; what an operator sets. All times in milliseconds. */
export interface GroupSettings {
  readonly type: GroupType;
  /** Wire names in order of preference; the first decides. */
  readonly assignors: readonly string[];
  /** Kafka version whose assignor rule is wanted; the newest when absent. */
  readonly kafkaVersion?: string;
  /** A member that is silent for longer is fenced. */
  readonly sessionTimeoutMs: number;
  /** What members are told to keep between heartbeats. */
  readonly heartbeatIntervalMs: number;
  /** How long a member may take to give partitions up, unless it names a time of its own. */
  readonly rebalanceTimeoutMs: number;
  /** Most members the group takes. */
  readonly maxSize: number;
}

/** `consumer`: the service computes and reconciles (KIP-848). `classic`: members elect a leader (JoinGroup, SyncGroup). */
export type GroupType = 'consumer' | 'classic';
