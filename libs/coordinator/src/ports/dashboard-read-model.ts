import type { ChangeCause } from '../history.js';
import type { GroupType } from '../group-settings.js';
import type { Rebalance } from '../rebalances.js';
import type { Page, PageRequest } from './catalog-store.js';
import type { FeedPosition } from './group-history.js';
import type { GroupSummary } from './group-read-model.js';

/** What a dashboard sorts and picks groups by, besides what a list tells of them. */
export interface GroupFacts {
  /** The busiest member's partitions minus the least busy one's, of those that members may work on now. */
  readonly skew: number;
  /** Members without any partition in the target. */
  readonly idleMembers: number;
  /** The newest rebalance that is kept. */
  readonly lastRebalance?: { readonly revision: number; readonly startedAt: number; readonly cause: ChangeCause };
}

export interface ListedGroup {
  readonly summary: GroupSummary;
  readonly facts: GroupFacts;
}

/** All of what is given must hold. */
export interface GroupFilter {
  readonly idPrefix?: string;
  readonly types?: readonly GroupType[];
  readonly sources?: readonly string[];
  readonly states?: readonly string[];
  readonly minSkew?: number;
  /** Groups with (or without) idle members. */
  readonly idle?: boolean;
  /** Cause of the last rebalance. */
  readonly causes?: readonly string[];
  /** The last rebalance began at or after this, ms since 1970; or before this. */
  readonly rebalancedSince?: number;
  readonly rebalancedBefore?: number;
}

export const GROUP_ORDERS = ['id', 'members', 'partitions', 'skew', 'idle', 'last-rebalance', 'updated'] as const;

export interface GroupOrder {
  readonly by: (typeof GROUP_ORDERS)[number];
  readonly descending: boolean;
}

/** Where a page ended: the number that groups are ordered by, and the group. Ordered by id, the number is 0. */
export interface GroupPlace {
  readonly value: number;
  readonly groupId: string;
}

export interface ClusterOverview {
  /** Where the cluster's changes end of which this tells all: a subscription to rebalances may begin here. */
  readonly position: FeedPosition;
  readonly catalogRevision: number;
  readonly topics: number;
  readonly partitions: number;
  readonly brokers: number;
  readonly groups: number;
  readonly groupsByState: readonly { readonly state: string; readonly groups: number }[];
  readonly members: number;
  readonly idleMembers: number;
  readonly assignedPartitions: number;
  readonly faultyGroups: number;
  /** Sum of all groups' revisions: differs whenever something of a group did, but for a group that was deleted meanwhile. */
  readonly revisions: number;
}

export interface Activity {
  readonly rebalances: number;
  readonly movedPartitions: number;
}

export interface GroupActivity extends Activity {
  readonly groupId: string;
}

/** One hour by the clock, in UTC. */
export interface HourOfActivity extends Activity {
  readonly startsAt: number;
}

export interface ClusterRebalance {
  readonly groupId: string;
  readonly rebalance: Rebalance;
  /** Its place among all rebalances of the cluster, opaque. */
  readonly key: string;
}

export interface RebalanceFilter {
  readonly groupId?: string;
  readonly causes?: readonly string[];
  /** Began at or after this, ms since 1970. */
  readonly since?: number;
}

/** Who holds a partition, in one of the groups that read it. */
export interface PartitionHolder {
  readonly topic: string;
  readonly partition: number;
  readonly groupId: string;
  readonly memberId: string;
  /** Whether the member may work on it, or has still to give it up. */
  readonly kind: 'assigned' | 'revoking';
  /** The group epoch at which the member got it. */
  readonly epoch: number;
}

/** What dashboards ask: each question is one statement, however many groups it is about. No locks, nothing in memory. */
export interface DashboardReadModel {
  /** @throws AllotError CLUSTER_NOT_FOUND */
  findGroups(
    cluster: string,
    filter: GroupFilter,
    order: GroupOrder,
    page: PageRequest<GroupPlace>,
  ): Promise<Page<ListedGroup>>;
  factsOf(cluster: string, groupIds: readonly string[]): Promise<ReadonlyMap<string, GroupFacts>>;
  /** @throws AllotError CLUSTER_NOT_FOUND */
  overview(cluster: string): Promise<ClusterOverview>;
  /** Rebalances that began within the last `windowMs`, hour by hour, the oldest first; hours without any are missing. */
  activity(cluster: string, windowMs: number): Promise<readonly HourOfActivity[]>;
  /** Groups with more than `moreThan` rebalances within the window, most of `by` first. */
  busiestGroups(
    cluster: string,
    options: {
      readonly windowMs: number;
      readonly by: 'rebalances' | 'moves';
      readonly moreThan: number;
      readonly limit: number;
    },
  ): Promise<readonly GroupActivity[]>;
  /** Groups without rebalances in the window are missing. */
  activityOf(cluster: string, groupIds: readonly string[], windowMs: number): Promise<ReadonlyMap<string, Activity>>;
  /** Rebalances of all groups, newest first. */
  listRebalances(cluster: string, filter: RebalanceFilter, page: PageRequest<string>): Promise<Page<ClusterRebalance>>;
  /** For each revision of a group the rebalance that it begins or belongs to, as it was known with that revision. */
  rebalancesAt(
    cluster: string,
    places: readonly { readonly groupId: string; readonly revision: number }[],
  ): Promise<readonly (Rebalance | undefined)[]>;
  /** Holders of the partitions from `from` to `to` (exclusive) of each topic. */
  holdersOf(
    cluster: string,
    ranges: readonly { readonly topic: string; readonly from: number; readonly to: number }[],
  ): Promise<readonly PartitionHolder[]>;
  /** Whether all changes after a position are still kept. */
  keepsSince(position: FeedPosition): Promise<boolean>;
}
