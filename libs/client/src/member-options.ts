import type { MemberDescription } from './member-calls.js';
import type { ServiceOptions } from './service.js';

export interface MemberOptions extends ServiceOptions, MemberDescription {
  readonly group: string;
  /** Unlike that of any other process; a random one when absent. */
  readonly memberId?: string;
  /** `stream`: listen, and answer now and then. `heartbeat`: ask every few seconds. `stream` when absent. */
  readonly transport?: 'stream' | 'heartbeat';
  /** After so long without an answer a request is sent again, to another replica. A quarter of the session, at most 5,000, when absent. */
  readonly requestTimeoutMs?: number;
  /** The member stops so long before the service may give its partitions to others. A twentieth of the session, at most 500, when absent. */
  readonly marginMs?: number;
  /** Ends the member at once, as a crash would: it stops working and says nothing. See `stop` for the orderly way. */
  readonly signal?: AbortSignal;
}

export interface StopOptions {
  /** `leave`: others get its partitions at once. `temporarily` (static members): it keeps its place until it is back or its session ends.
   * `vanish`: says nothing. When absent: `temporarily` with an `instanceId`, else `leave`. */
  readonly leave?: 'leave' | 'temporarily' | 'vanish';
  /** Ends the wait for handlers that give partitions up. One that is still at work keeps the member from leaving. */
  readonly signal?: AbortSignal;
}

/** Several attempts must fit into a session. */
export const requestTimeoutFor = (sessionTimeoutMs: number) => Math.min(5_000, Math.max(500, sessionTimeoutMs / 4));
