import type { Assignment } from '@allot/model';
import type { GroupState } from './group.js';

/** Why something changed. An open enum: readers accept unknown values. */
export type ChangeCause =
  | 'group-created'
  | 'group-settings-changed'
  | 'assignor-changed'
  | 'member-joined'
  | 'member-rejoined'
  | 'member-left'
  | 'member-left-temporarily'
  | 'member-returned'
  | 'session-expired'
  | 'rebalance-timeout'
  | 'subscription-changed'
  | 'partitions-grown'
  | 'topic-created'
  | 'topic-deleted'
  | 'partitions-revoked'
  | 'partitions-assigned'
  | 'assignment-computed'
  | 'assignment-retried'
  | 'group-imported'
  | 'pins-changed'
  | 'assignor-options-changed'
  | 'frozen'
  | 'unfrozen'
  | 'auto-frozen'
  | 'auto-freeze-lifted'
  | 'moves-continued'
  | 'member-draining'
  | 'drain-canceled'
  | 'member-removed'
  | 'racks-changed'
  | 'plan-applied'
  | 'static-member-replaced'
  | 'instance-conflict'
  | 'leader-rejoined'
  | 'initial-delay-extended'
  | 'generation-started'
  | 'member-id-given'
  | 'assignment-supplied'
  | 'sync-timeout'
  | 'group-full';

/** The most telling thing a revision did; it names the event on the streams. */
export type ChangeKind = 'group' | 'member' | 'assignment' | 'rebalance.started' | 'rebalance.completed';

/** Who asked for a change, and with what words. */
export interface Origin {
  readonly actor: string;
  readonly reason?: string;
  readonly requestId?: string;
}

/** A member as a revision left it. Absent fields did not change; `removed` members have none. */
export interface MemberChange {
  readonly memberId: string;
  /** It is new in the group with this revision. */
  readonly added?: true;
  readonly removed?: true;
  /** Of a new static member. */
  readonly instanceId?: string;
  /** The id of the process that has spoken up although this member has its instance id (`instance-conflict`). */
  readonly conflictsWith?: string;
  readonly memberEpoch?: number;
  readonly state?: string;
  /** Whether an operator wants it to hand everything over. */
  readonly draining?: boolean;
  readonly current?: Assignment;
  readonly revoking?: Assignment;
  readonly target?: Assignment;
}

/** How a new target differs from the one before. */
export interface TargetChange {
  /** Partitions that go from one member to another; those that nobody had are not counted. */
  readonly movedPartitions: number;
  /** The busiest member's partitions minus the least busy one's, over the members of the time. */
  readonly skewBefore: number;
  readonly skewAfter: number;
}

/** What a revision means for the group's rebalances. */
export interface RebalanceMark {
  /** A rebalance begins; one that was running is superseded. */
  readonly begins?: true;
  /** The rebalance that was running, or has begun with this revision, is over: nobody waits for anything. */
  readonly ends?: true;
  /** A target was computed. */
  readonly target?: TargetChange;
}

export type ChangeDetails = Readonly<Record<string, string | number | boolean>>;

/** One revision of a group: everything that changed, and why. The change feed, the history and the audit are made of these. */
export interface GroupChange {
  readonly revision: number;
  /** Database time, ms since 1970. */
  readonly at: number;
  readonly kind: ChangeKind;
  readonly cause: ChangeCause;
  readonly origin: Origin;
  readonly state: GroupState;
  readonly groupEpoch: number;
  readonly assignmentEpoch: number;
  /** The stored plan that was applied (`plan-applied`). */
  readonly planId?: string;
  readonly members: readonly MemberChange[];
  /** Absent when the revision means nothing for rebalances. */
  readonly rebalance?: RebalanceMark;
  /** What else belongs to the cause: the ids of an instance conflict, how many members an automatic freeze lost. */
  readonly details?: ChangeDetails;
}
