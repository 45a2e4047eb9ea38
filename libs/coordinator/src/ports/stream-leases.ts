import type { MemberState } from '../consumer/consumer-group.js';
import type { GroupRef, LeaseRenewal } from './group-store.js';

/** A member has answered what its stream showed it. */
export interface StreamAnswer {
  readonly ref: GroupRef;
  readonly memberId: string;
  /** The epoch that the member has reached, as far as it knows: its own, or the one before if an answer was lost. */
  readonly memberEpoch: number;
  /** When the stream showed it what it answers, by the store's clock, ms since 1970. */
  readonly shownAt: number;
}

export interface StreamRenewal extends LeaseRenewal {
  readonly sessionTimeoutMs: number;
  readonly memberEpoch: number;
  readonly state: MemberState;
  readonly rebalanceDeadline?: number;
  readonly groupEpoch: number;
  readonly assignmentEpoch: number;
}

/**
 * Leases of members that listen to a stream instead of sending heartbeats. What a member has read is proven by its answer alone: that
 * a write to its connection succeeded proves nothing, since kernels and proxies take bytes for a reader that is gone.
 */
export interface StreamLeases {
  /** The store's clock, ms since 1970. @throws AllotError STORE_UNAVAILABLE */
  now(): Promise<number>;

  /**
   * Makes the lease run until a session after `shownAt` (never longer than one that begins now, never shorter than it was), and says
   * where the member stands. Undefined: the member is not in a live group, its epoch is another, or its lease has run out.
   * @throws AllotError STORE_UNAVAILABLE
   */
  answer(answer: StreamAnswer): Promise<StreamRenewal | undefined>;
}
