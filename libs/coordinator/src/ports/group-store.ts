import type { Catalog } from '../catalog/catalog.js';
import type { Group } from '../group.js';
import type { GroupChange } from '../history.js';
import type { StoredPlan } from './plan-store.js';

/** Names a group. */
export interface GroupRef {
  readonly cluster: string;
  readonly groupId: string;
}

/** What a step decides on. All of it was read under the group's lock. */
export interface GroupView {
  /** Undefined when there is no such group. */
  readonly group: Group | undefined;
  /** Without a group: the last revision of an earlier one of this id that was deleted, 0 when there was none. */
  readonly lastRevision: number;
  readonly catalog: Catalog;
  /** The database's clock, read after the lock was taken, ms since 1970. */
  readonly now: number;
  /** Members whose lease has run out by `now`; a heartbeat cannot extend it any more while the step runs. */
  readonly expired: ReadonlySet<string>;
  /** The plan that `TransactOptions.planId` names, locked; undefined when there is no such plan. */
  readonly plan?: StoredPlan;
}

/** What a step wants. Throwing an AllotError wants nothing: the transaction is rolled back and the error passed on. */
export interface GroupStep<R> {
  /**
   * The group as it shall be: the same object when nothing changed, a new one (its revision one higher) when something did,
   * `null` to delete it. A new object of the same revision differs in `catalogRevision` and `nextAssignmentAt` alone: they are written to the group's row,
   * without a new revision and without a change.
   */
  readonly group: Group | null | undefined;
  /** What the new revision says of itself; required when `group` has a new revision. */
  readonly change?: GroupChange;
  /** Members whose lease starts anew: now + their own session timeout or else the group's, by the database's clock. */
  readonly renewed?: readonly string[];
  /** The step carries out `GroupView.plan`: it is marked as applied, with this change, in the same transaction. */
  readonly appliesPlan?: true;
  readonly reply: R;
}

export interface StepResult<R> {
  readonly reply: R;
  /** The group as committed (or as it was); undefined when there is none. */
  readonly group: Group | undefined;
  /** End of the lease of each renewed member, database time in ms: durable when this answer is seen. */
  readonly leases: ReadonlyMap<string, number>;
  /** The database's clock in the transaction. */
  readonly now: number;
}

export interface TransactOptions {
  /** Run the step and every check of the store, then roll back. */
  readonly dryRun?: boolean;
  /** A stored plan that is locked with the group, after it; such a step has a transaction of its own. */
  readonly planId?: string;
}

/** What a steady heartbeat found. */
export interface LeaseRenewal {
  readonly leaseUntil: number;
  readonly now: number;
  readonly revision: number;
}

/** Members of one group that need attention. */
export interface DueGroup {
  readonly ref: GroupRef;
}

/**
 * Where groups live. Any number of replicas share one store; all of them serialize on a group's lock, and only the store's
 * clock counts.
 */
export interface GroupStore {
  /**
   * Runs one step in one short transaction that holds the group's lock. `step` is synchronous and pure: it may be run again
   * when the transaction has to be retried.
   * @throws AllotError as the step threw it; CLUSTER_NOT_FOUND; STORE_UNAVAILABLE (retriable) when the database is away.
   */
  transact<R>(
    ref: GroupRef,
    step: (view: GroupView) => GroupStep<R>,
    options?: TransactOptions,
  ): Promise<StepResult<R>>;

  /**
   * The cheap path of a heartbeat that changes nothing: extends the lease in one statement if the member is STABLE at
   * `memberEpoch`, the group has nothing newer for it (group epoch = assignment epoch = member epoch, catalog seen) and the
   * lease has not run out. Otherwise undefined, and the caller takes the long way.
   */
  renewLease(ref: GroupRef, memberId: string, memberEpoch: number): Promise<LeaseRenewal | undefined>;

  /**
   * The same for a member that is not STABLE and whose heartbeat changes nothing in the group at `revision`: extends the lease if
   * that is still the group's revision and it has seen the newest catalog.
   */
  renewLeaseAt(ref: GroupRef, memberId: string, revision: number): Promise<LeaseRenewal | undefined>;

  /** The group if this replica has it in memory, at exactly this revision when one is given: no IO, and maybe outdated. */
  cached(ref: GroupRef, revision?: number): Group | undefined;

  /**
   * Live groups with a member whose lease or rebalance timer has run out, whose postponed target is due, or, classic, whose phase timer or
   * pending member's time is over; at most `limit`.
   */
  findExpired(limit: number): Promise<readonly DueGroup[]>;

  /** Live groups that have not looked at their cluster's newest catalog, at most `limit`. */
  findBehindCatalog(limit: number): Promise<readonly DueGroup[]>;

  /** The group without a lock, for readers; with the leases' ends. */
  read(ref: GroupRef): Promise<GroupReading | undefined>;

  /** Many groups of one cluster in one statement; those that do not exist are missing. */
  readMany(cluster: string, groupIds: readonly string[]): Promise<ReadonlyMap<string, GroupReading>>;

  /**
   * Changes after `revision`, oldest first, at most `limit`. `oldest` is the smallest revision still kept: when it is more than
   * `revision + 1`, the reader has lost something and must take a snapshot.
   */
  changesSince(ref: GroupRef, revision: number, limit: number): Promise<ChangePage>;
}

export interface GroupReading {
  readonly group: Group;
  readonly catalog: Catalog;
  readonly now: number;
  /** Member id -> end of its lease; imported members have none. */
  readonly leases: ReadonlyMap<string, number>;
  readonly createdAt: number;
  /** When its revision last rose. */
  readonly updatedAt: number;
}

export interface ChangePage {
  readonly changes: readonly GroupChange[];
  readonly oldest: number;
  readonly newest: number;
}
