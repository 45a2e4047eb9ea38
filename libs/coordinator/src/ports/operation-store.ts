import type { Page, PageRequest } from './catalog-store.js';

/** An open enum: readers accept unknown values. */
export type OperationStatus = 'running' | 'succeeded' | 'failed' | 'cancelled';

/** The request that an operation answers, as it can be made again by another replica. */
export interface OperationRequest {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}

/** Work that takes longer than its client waits. `result` and `problem` are JSON whose shape is the API's matter. */
export interface StoredOperation {
  /** A UUID. */
  readonly id: string;
  readonly principal: string;
  readonly request: OperationRequest;
  readonly status: OperationStatus;
  /** How often it was begun: once, and once more whenever the replica that ran it was gone. Also the fence of who may end it. */
  readonly attempts: number;
  readonly result?: unknown;
  readonly problem?: unknown;
  /** Database time, ms since 1970. */
  readonly createdAt: number;
  readonly finishedAt?: number;
  readonly expiresAt: number;
  /** The database's clock when this was read. */
  readonly now: number;
}

export interface NewOperation {
  readonly id: string;
  readonly principal: string;
  readonly request: OperationRequest;
}

export interface OperationLimits {
  /** How long a replica holds an operation without renewing its hold. */
  readonly leaseMs: number;
  /** How long the outcome can be read. */
  readonly keepMs: number;
  /** Operations of one principal that may run at once. */
  readonly mostRunning: number;
}

export type OperationOutcome = { readonly result: unknown } | { readonly problem: unknown };

/** Points behind an operation in a list, newest first. */
export interface OperationKey {
  readonly createdAt: number;
  readonly id: string;
}

export interface OperationStore {
  /** Begins the first attempt. @throws AllotError TOO_MANY_OPERATIONS */
  begin(operation: NewOperation, limits: OperationLimits): Promise<StoredOperation>;
  /** Holds running operations for longer; answers those that are still held: of the same attempt, and not cancelled. */
  hold(held: readonly Pick<StoredOperation, 'id' | 'attempts'>[], leaseMs: number): Promise<ReadonlySet<string>>;
  /** Ends an operation, unless it was cancelled or another attempt took it over. */
  finish(held: Pick<StoredOperation, 'id' | 'attempts'>, outcome: OperationOutcome, keepMs: number): Promise<boolean>;
  /** Begins the next attempt of an operation whose replica is gone; undefined when there is none. */
  takeOver(leaseMs: number): Promise<StoredOperation | undefined>;
  get(principal: string, id: string): Promise<StoredOperation | undefined>;
  /** The principal's operations, newest first, without their results. */
  list(principal: string, page: PageRequest<OperationKey>, status?: OperationStatus): Promise<Page<StoredOperation>>;
  /** Undefined when there is no such operation; one that has ended stays as it is. */
  cancel(principal: string, id: string): Promise<StoredOperation | undefined>;
}
