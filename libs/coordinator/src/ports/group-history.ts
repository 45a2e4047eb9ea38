import type { GroupChange } from '../history.js';
import type { GroupRevision } from '../revisions.js';
import type { Page, PageRequest } from './catalog-store.js';
import type { GroupRef } from './group-store.js';

/** A rebalance that ended with a change. */
export interface EndedRebalance {
  /** The revision that began it. */
  readonly revision: number;
  readonly durationMs: number;
  /** Those for whom it waited longest: with whose heartbeat it ended. Nobody when it was over as soon as it began. */
  readonly late: readonly string[];
}

/** A change without what it gave to whom: who did what, when and why. */
export interface AuditEntry {
  readonly ref: GroupRef;
  readonly change: Omit<GroupChange, 'members'>;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Members that it changed in any way, new and removed ones included. */
  readonly members: number;
  readonly ended?: EndedRebalance;
}

/** A place in the changes of a whole cluster: the transaction, the group's key, the revision. Opaque to all but the store. */
export type FeedPosition = string;

export interface FeedPage {
  /** Each with its place in the feed. */
  readonly entries: readonly (AuditEntry & { readonly position: FeedPosition })[];
  /** Where to go on: after the last entry, or where the reader was when there was none. */
  readonly position: FeedPosition;
}

/** What groups were and what happened to them. Everything is told from committed changes, without locks. */
export interface GroupHistory {
  /**
   * Revisions of a group, newest first; the key is the revision. With `targetsOnly` those that gave it a new target.
   * @throws AllotError GROUP_ID_NOT_FOUND.
   */
  list(
    ref: GroupRef,
    page: PageRequest<number>,
    options?: { readonly targetsOnly?: boolean },
  ): Promise<Page<AuditEntry>>;

  /**
   * The group as of each of these revisions, and the oldest that is kept.
   * @throws AllotError GROUP_ID_NOT_FOUND, REVISION_NOT_FOUND for one that does not exist yet, REVISION_COMPACTED with `oldest` for
   * one that is kept no longer.
   */
  read(ref: GroupRef, revisions: readonly number[]): Promise<readonly GroupRevision[]>;

  /**
   * Changes of one group after a revision, or from the oldest kept one on, oldest first.
   * @throws AllotError GROUP_ID_NOT_FOUND, REVISION_COMPACTED.
   */
  changesOfGroup(ref: GroupRef, after: number | 'oldest', limit: number): Promise<readonly AuditEntry[]>;

  /**
   * Changes of all groups of a cluster after a position, in an order in which no later call gives an earlier one. Without a position from the
   * oldest kept on; `newest` gives none, only the place where the feed ends now.
   * @throws AllotError CLUSTER_NOT_FOUND, INVALID_REQUEST for a position that is none.
   */
  changesOfCluster(cluster: string, after: FeedPosition | 'newest' | undefined, limit: number): Promise<FeedPage>;
}
