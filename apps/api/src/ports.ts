import type {
  CatalogStore,
  ChangeFeed,
  DashboardReadModel,
  GroupHistory,
  GroupReadModel,
  GroupStore,
  IdempotencyStore,
  OperationStore,
  PlanStore,
  StreamLeases,
} from '@allot/coordinator';

/** What the service needs from outside; tests hand in fakes, `main.ts` the PostgreSQL ones. */
export interface AppPorts {
  readonly catalog: CatalogStore;
  readonly groups: GroupStore;
  readonly groupReads: GroupReadModel;
  readonly dashboard: DashboardReadModel;
  readonly history: GroupHistory;
  readonly feed: ChangeFeed;
  readonly streamLeases: StreamLeases;
  readonly plans: PlanStore;
  readonly idempotency: IdempotencyStore;
  readonly operations: OperationStore;
  readonly database: DatabaseProbe;
}

/** Whether requests can be served right now. */
export interface DatabaseProbe {
  /** @throws AllotError STORE_UNAVAILABLE with the reason when the database is away or its migrations are not applied. */
  check(): Promise<void>;
}

/** Injection tokens, since interfaces have no value at run time: `@Inject(CATALOG_STORE) catalog: CatalogStore`. */
export const CATALOG_STORE = Symbol('CatalogStore');
export const GROUP_STORE = Symbol('GroupStore');
export const GROUP_READ_MODEL = Symbol('GroupReadModel');
export const GROUP_HISTORY = Symbol('GroupHistory');
export const DASHBOARD_READ_MODEL = Symbol('DashboardReadModel');
export const PLAN_STORE = Symbol('PlanStore');
export const IDEMPOTENCY_STORE = Symbol('IdempotencyStore');
export const OPERATION_STORE = Symbol('OperationStore');
export const CHANGE_FEED = Symbol('ChangeFeed');
export const STREAM_LEASES = Symbol('StreamLeases');
export const DATABASE_PROBE = Symbol('DatabaseProbe');
export const CONFIG = Symbol('Config');
