import type { AllotClientError } from './errors.js';
import type { Partitions } from './partitions.js';

export interface AssignedEvent {
  /** What the member may work on from now on, in addition to what it had. */
  readonly partitions: Partitions;
  /** Everything it holds. */
  readonly all: Partitions;
  readonly memberEpoch: number;
}

export interface RevokedEvent {
  /** What has to be given up. Work on it shall end; the service hears of it when all handlers have ended. */
  readonly partitions: Partitions;
  readonly reason: 'rebalance' | 'stopping';
  /** Aborts when it is too late: the partitions are lost. */
  readonly signal: AbortSignal;
  /** After so many milliseconds it is too late. */
  readonly withinMs: number;
}

export interface LostEvent {
  /** What the member must not touch any more; somebody else may have it. */
  readonly partitions: Partitions;
  /** `deadline`: no answer came in time. `fenced`: the service said so. `aborted`: the member's own signal. */
  readonly reason: 'deadline' | 'fenced' | 'aborted';
}

export interface FencedEvent {
  /** `action` says whether the member joins again by itself (`rejoin`) or ends (`stop`, `fix-request`). */
  readonly error: AllotClientError;
}

export interface WarningEvent {
  /** `REVOKE_SLOW`: giving partitions up has taken half of the time that there is. More may come. */
  readonly code: 'REVOKE_SLOW';
  readonly message: string;
  readonly partitions: Partitions;
  readonly elapsedMs: number;
  readonly remainingMs: number;
}

/** What a member tells. Handlers may be asynchronous; those of `revoked` and `lost` are waited for. */
export interface MemberEvents {
  joined: { readonly memberId: string; readonly memberEpoch: number };
  assigned: AssignedEvent;
  revoked: RevokedEvent;
  lost: LostEvent;
  fenced: FencedEvent;
  warning: WarningEvent;
  /** A request that failed and is tried again, or what a handler threw. Nothing has to be done about it. */
  error: unknown;
  stopped: Record<never, never>;
}
