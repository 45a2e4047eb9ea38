import { AllotError, type Assignment } from '@allot/model';
import { classicState, isClassic, type ClassicGroup, type ClassicGroupState } from './classic/classic-group.js';
import {
  consumerGroupState,
  type ConsumerGroup,
  type ConsumerGroupState,
  type MemberStanding,
  type OwnedPartitions,
  type SubscribedTopic,
  type Subscription,
} from './consumer/consumer-group.js';
import { mayWorkUntil } from './consumer/ownership-check.js';
import { classicValidUntil } from './classic/deadlines.js';
import type { GroupSettings } from './group-settings.js';

/** What members of both group types have in common, for those who store, show or plan. */
export interface GroupMember extends MemberStanding {
  readonly memberId: string;
  readonly instanceId?: string;
  readonly rackId?: string;
  readonly clientId?: string;
  readonly weight?: number;
  readonly subscription: Subscription;
  readonly rebalanceTimeoutMs: number;
  /** A member's own session timeout; the group's when absent. */
  readonly sessionTimeoutMs?: number;
  /** The epoch, or in a classic group the generation, that the member has reached. */
  readonly memberEpoch: number;
  readonly state: string;
  readonly assigned: OwnedPartitions;
  readonly pendingRevocation: OwnedPartitions;
  readonly target: Assignment;
  readonly rebalanceDeadline?: number;
  readonly joinOrder: number;
}

/** What groups of both types have in common. */
export interface GroupFrame<M extends GroupMember = GroupMember> {
  readonly settings: GroupSettings;
  readonly source: 'live' | 'imported';
  readonly revision: number;
  /** In a classic group the generation. */
  readonly groupEpoch: number;
  /** In a classic group the generation of the assignment. */
  readonly assignmentEpoch: number;
  readonly catalogRevision: number;
  readonly subscribedTopics: ReadonlyMap<string, SubscribedTopic>;
  readonly members: ReadonlyMap<string, M>;
  readonly nextJoinOrder: number;
  readonly assignorFault?: string;
}

/** A stored group; `isClassic` tells the types apart. */
export type Group = ConsumerGroup | ClassicGroup;

export type GroupState = ConsumerGroupState | ClassicGroupState;

export function groupState(group: Group): GroupState {
  return isClassic(group) ? classicState(group) : consumerGroupState(group);
}

/**
 * The group, for what only groups of type consumer can do.
 * @throws AllotError INCONSISTENT_GROUP_PROTOCOL for a classic group.
 */
export function asConsumerGroup(group: Group | undefined): ConsumerGroup | undefined {
  if (group === undefined || !isClassic(group)) return group;
  throw new AllotError(
    'INCONSISTENT_GROUP_PROTOCOL',
    'The group is of type classic: its members use join, sync, heartbeat and leave under the group itself, and what it is assigned is decided ' +
      'when they join. This operation is for groups of type consumer.',
    { action: 'fix-request' },
  );
}

/** @throws AllotError INCONSISTENT_GROUP_PROTOCOL for a group of type consumer. */
export function asClassicGroup(group: Group | undefined): ClassicGroup | undefined {
  if (group === undefined || isClassic(group)) return group;
  throw new AllotError(
    'INCONSISTENT_GROUP_PROTOCOL',
    'The group is of type consumer: its members join by POST to .../members and send heartbeats there.',
    { action: 'fix-request' },
  );
}

/** How long a member may go on without another answer, database time in ms; undefined when it has no lease or is not in the group. */
export function validUntilOf(group: Group, memberId: string, leaseUntil: number | undefined): number | undefined {
  if (leaseUntil === undefined) return undefined;
  if (isClassic(group)) {
    const member = group.members.get(memberId);
    return member && classicValidUntil(group, member, leaseUntil);
  }
  const member = group.members.get(memberId);
  return member && mayWorkUntil(member, leaseUntil);
}
