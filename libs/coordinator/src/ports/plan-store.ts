import type { Pin } from '@allot/strategies';
import type { Page, PageRequest } from './catalog-store.js';
import type { GroupRef } from './group-store.js';

/** An open enum: readers accept unknown values. A plan that is over is applied or discarded; time alone ends the others. */
export type PlanStatus = 'open' | 'approved' | 'applied' | 'discarded';

/** What a list of plans may be narrowed to: a plan that is open or approved and whose time is over is `expired`. */
export type PlanFilter = PlanStatus | 'expired';

/** Why a plan cannot be applied, and what to do about it. */
export interface PlanBlocker {
  readonly code: string;
  /** JSON pointer to the change that stands in the way, in the request that made the plan. */
  readonly pointer: string;
  readonly message: string;
}

/** A member as a plan describes it. */
export interface PlannedMember {
  readonly id: string;
  readonly topics: readonly string[];
  readonly instanceId?: string;
  readonly rack?: string;
  readonly weight?: number;
}

/** What applying a plan does beside giving members their targets, and what stands in its way. */
export interface PlanEffect {
  readonly blockers: readonly PlanBlocker[];
  /** Absent: the group keeps its assignors. */
  readonly assignors?: readonly string[];
  /** The pins that it has from then on; absent: it keeps those that it has. */
  readonly pins?: readonly Pin[];
  /** Members that the plan adds, or describes otherwise than they are. */
  readonly members: readonly PlannedMember[];
  readonly removedMembers: readonly string[];
}

/** Who did something with a plan, when (database time, ms since 1970) and why. */
export interface PlanDecision {
  readonly actor: string;
  readonly at: number;
  readonly reason?: string;
}

/** A reviewed what-if on a stored group. `request` and `result` are JSON whose shape is the API's matter. */
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
  /** Absent in plans of releases that could not apply them. */
  readonly effect?: PlanEffect;
  readonly approved?: PlanDecision;
  readonly discarded?: PlanDecision;
  /** `revision`: that which the group got by it. */
  readonly applied?: PlanDecision & { readonly revision: number };
  /** Database time, ms since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Whether `expiresAt` had passed by the database's clock when the plan was read. */
  readonly expired: boolean;
}

type Made = 'status' | 'createdAt' | 'expiresAt' | 'expired' | 'approved' | 'discarded' | 'applied';

export interface NewPlan extends Omit<StoredPlan, Made> {
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
  listByGroup(ref: GroupRef, page: PageRequest<PlanKey>, filter?: PlanFilter): Promise<Page<StoredPlan>>;
  /** The newest plans of many groups of one cluster, at most `limit` a group; groups without plans are missing. */
  newestByGroups(
    cluster: string,
    groupIds: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly StoredPlan[]>>;
  /**
   * Approves or discards a plan, under its lock: `check` sees it as it is and throws to refuse, or returns false when nothing is left to do.
   * Undefined when there is no such plan. Applying goes with the group, through `GroupStore.transact`.
   */
  decide(
    id: string,
    to: 'approved' | 'discarded',
    decision: Omit<PlanDecision, 'at'>,
    check: (plan: StoredPlan) => boolean,
    options?: { readonly dryRun?: boolean },
  ): Promise<StoredPlan | undefined>;
}
