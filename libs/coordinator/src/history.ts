import type { Assignment } from '@allot/model';
import type { ConsumerGroupState } from './consumer/consumer-group.js';

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
  | 'plan-applied';

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
  readonly removed?: true;
  readonly memberEpoch?: number;
  readonly state?: string;
  readonly current?: Assignment;
  readonly revoking?: Assignment;
  readonly target?: Assignment;
}

/** One revision of a group: everything that changed, and why. The change feed, the history and the audit are made of these. */
export interface GroupChange {
  readonly revision: number;
  /** Database time, ms since 1970. */
  readonly at: number;
  readonly kind: ChangeKind;
  readonly cause: ChangeCause;
  readonly origin: Origin;
  readonly state: ConsumerGroupState;
  readonly groupEpoch: number;
  readonly assignmentEpoch: number;
  readonly members: readonly MemberChange[];
}
