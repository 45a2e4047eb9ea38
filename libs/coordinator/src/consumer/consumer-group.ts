import type { Assignment } from '@allot/model';
import type { GroupSettings } from '../group-settings.js';
import type { Calm } from './calm.js';

/** Topic -> partition -> the group epoch at which its holder received it (KIP-1251). */
export type OwnedPartitions = ReadonlyMap<string, ReadonlyMap<number, number>>;

/**
 * STABLE: at the target. UNREVOKED_PARTITIONS: must first give up `pendingRevocation`. UNRELEASED_PARTITIONS: has reached the
 * epoch, but some of its target is still held by others.
 */
export type MemberState = 'STABLE' | 'UNREVOKED_PARTITIONS' | 'UNRELEASED_PARTITIONS';

/** What a member wants to read: topic names as it listed them, and an RE2 pattern matched against all topics of the cluster. */
export interface Subscription {
  readonly topics: readonly string[];
  readonly pattern?: string;
}

/** What sets a member apart from those that an assignor gives partitions to; at most one of them is there. */
export interface MemberStanding {
  /** An operator wants it to end: it gets nothing more and hands over what it has. */
  readonly draining?: true;
  /** The member that has taken its instance id over: it is refused everything, and keeps what it has until its time is over. */
  readonly supersededBy?: string;
  /** It chose its partitions itself and has no subscription; they are its target. */
  readonly manual?: true;
}

/** Whether the assignor gives it partitions; the others are absent from what an assignor sees. */
export function isServed({ draining, supersededBy, manual }: MemberStanding): boolean {
  return draining === undefined && supersededBy === undefined && manual === undefined;
}

export interface ConsumerMember extends MemberStanding {
  readonly memberId: string;
  /** Static membership: group.instance.id. */
  readonly instanceId?: string;
  readonly rackId?: string;
  readonly clientId?: string;
  /** Relative capacity for weighted assignors. */
  readonly weight?: number;
  readonly subscription: Subscription;
  readonly rebalanceTimeoutMs: number;
  /** What the member has reached. `LEFT_TEMPORARILY` (-2) for a static member that will return. */
  readonly memberEpoch: number;
  /** The epoch before, accepted once more because the answer that carried the new one may have been lost. */
  readonly previousMemberEpoch: number;
  readonly state: MemberState;
  /** What the member may work on. */
  readonly assigned: OwnedPartitions;
  /** What it was told to give up and has not yet reported to have dropped; still its own. */
  readonly pendingRevocation: OwnedPartitions;
  /** Where the group wants it to be. */
  readonly target: Assignment;
  /** Database time, ms since 1970, at which it is fenced unless it has given up `pendingRevocation`. Absent: no timer. */
  readonly rebalanceDeadline?: number;
  /**
   * The revision that last told it of a partition that it did not report to hold: a report from before says nothing of that partition.
   * Absent: none did.
   */
  readonly grantedRevision?: number;
  /** Rises with every member that ever joined the group; gives members their order. */
  readonly joinOrder: number;
}

export const LEFT_TEMPORARILY = -2;

/**
 * A group of type consumer. The value is immutable: a step makes a new one that shares the members it did not touch, so that
 * a store can find what changed by identity.
 */
export interface ConsumerGroup {
  readonly settings: GroupSettings;
  /** `imported`: a snapshot of a group that lives in Kafka; it can be read and planned on, not joined. */
  readonly source: 'live' | 'imported';
  /** Rises by one with every committed change of anything below; never by a mere lease. */
  readonly revision: number;
  /** Rises when the target must be computed anew. */
  readonly groupEpoch: number;
  /** The group epoch for which the target was computed. */
  readonly assignmentEpoch: number;
  /** The catalog revision the group has looked at last. */
  readonly catalogRevision: number;
  /** Topics of the subscriptions and the partition counts on which the group epoch rests; the base of "has metadata changed". */
  readonly subscribedTopics: ReadonlyMap<string, SubscribedTopic>;
  readonly members: ReadonlyMap<string, ConsumerMember>;
  /** `joinOrder` of the next member. */
  readonly nextJoinOrder: number;
  /**
   * Database time, ms since 1970, before which the target is not computed again, and at which the group is looked at without anybody's
   * doing: its one timer. Absent: the target may be computed at any time.
   */
  readonly nextAssignmentAt?: number;
  /** What it remembers so as to keep calm; absent when that is nothing. */
  readonly calm?: Calm;
  /** Why the last computation of the target failed; the target is then that of `assignmentEpoch`. */
  readonly assignorFault?: string;
}

export interface SubscribedTopic {
  readonly id: string;
  readonly partitions: number;
  /** A digest of the racks of its replicas when they were last known in full; absent: they never were. */
  readonly racks?: string;
}

/** Derived, never stored. */
export type ConsumerGroupState = 'EMPTY' | 'ASSIGNING' | 'RECONCILING' | 'STABLE';

/** The group's state, from its members and epochs (ConsumerGroup.maybeUpdateGroupState). */
export function consumerGroupState(group: ConsumerGroup): ConsumerGroupState {
  if (group.members.size === 0) return 'EMPTY';
  if (group.groupEpoch > group.assignmentEpoch) return 'ASSIGNING';
  for (const member of group.members.values()) if (!isReconciled(member, group.assignmentEpoch)) return 'RECONCILING';
  return 'STABLE';
}

/** Whether a member has reached the target of `assignmentEpoch`. */
export function isReconciled(member: ConsumerMember, assignmentEpoch: number): boolean {
  return member.state === 'STABLE' && member.memberEpoch === assignmentEpoch;
}
