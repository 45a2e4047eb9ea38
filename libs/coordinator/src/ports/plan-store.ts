import type { Page, PageRequest } from './catalog-store.js';
import type { GroupRef } from './group-store.js';

/** An open enum: readers accept unknown values. */
export type PlanStatus = 'open' | 'approved' | 'applied' | 'discarded';

/** A reviewed what-if on a live group. `request` and `result` are JSON whose shape is the API's matter. */
export interface StoredPlan {
  /** A UUID. */
  readonly id: string;
  readonly ref: GroupRef;
  /** The group's revision that the plan was computed from. */
  readonly baseRevision: number;
  /** Hash of everything the computation read. */
  readonly inputHash: string;
  readonly status: PlanStatus;
  readonly author: string;
  readonly reason?: string;
  readonly request: unknown;
  readonly result: unknown;
  /** Database time, ms since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Whether `expiresAt` had passed by the database's clock when the plan was read. */
  readonly expired: boolean;
}

export interface NewPlan extends Omit<StoredPlan, 'status' | 'createdAt' | 'expiresAt' | 'expired'> {
  /** How long the plan may be applied. */
  readonly validForMs: number;
}

/** Points behind a plan in a list, newest first. */
export interface PlanKey {
  readonly createdAt: number;
  readonly id: string;
}

export interface PlanStore {
  /** @throws AllotError CLUSTER_NOT_FOUND */
  save(plan: NewPlan): Promise<StoredPlan>;
  get(id: string): Promise<StoredPlan | undefined>;
  /** The group's plans, newest first. */
  listByGroup(ref: GroupRef, page: PageRequest<PlanKey>): Promise<Page<StoredPlan>>;
  /** The newest plans of many groups of one cluster, at most `limit` a group; groups without plans are missing. */
  newestByGroups(
    cluster: string,
    groupIds: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly StoredPlan[]>>;
  /** Changes the status if it is one of `from`; undefined when it is not, or the plan is gone. */
  markStatus(id: string, from: readonly PlanStatus[], to: PlanStatus): Promise<StoredPlan | undefined>;
}
