import type { GroupState } from '../group.js';
import type { GroupType } from '../group-settings.js';
import type { Page, PageRequest } from './catalog-store.js';
import type { Rebalance } from '../rebalances.js';
import type { GroupRef } from './group-store.js';

/** A group in a list. */
export interface GroupSummary {
  readonly ref: GroupRef;
  readonly type: GroupType;
  readonly source: 'live' | 'imported';
  readonly state: GroupState;
  readonly revision: number;
  readonly groupEpoch: number;
  readonly assignmentEpoch: number;
  readonly memberCount: number;
  /** Partitions that members may work on; those still to be given up are not counted. */
  readonly assignedPartitions: number;
  /** Why the last computation of the target failed. */
  readonly assignorFault?: string;
  /** Of a classic group: the assignor that its members agreed on, and the member that assigns. */
  readonly protocol?: string;
  readonly leader?: string;
  /** Database time, ms since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What lists and dashboards read of groups: one statement a question, no locks. */
export interface GroupReadModel {
  /** Groups of one cluster in byte order of their ids. @throws AllotError CLUSTER_NOT_FOUND */
  listGroups(cluster: string, page: PageRequest<string>): Promise<Page<GroupSummary>>;

  /**
   * The same page of rebalances of each of these groups, newest first; the key is the revision that began one. Groups that do not
   * exist are missing.
   */
  listRebalances(
    cluster: string,
    groupIds: readonly string[],
    page: PageRequest<number>,
  ): Promise<ReadonlyMap<string, Page<Rebalance>>>;
}
