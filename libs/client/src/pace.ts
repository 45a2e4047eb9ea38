import type { StreamNews } from './member-stream.js';
import { backoff } from './backoff.js';

/** A member that waits for others asks again no sooner than this, however much its stream has to tell. */
const WAITING_MS = 500;

/** The last of the service's answers to a heartbeat, as far as the pace depends on it. */
export interface PaceFacts {
  readonly memberEpoch: number;
  readonly state: string;
  readonly revision: number;
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
}

/**
 * When a member sends its next request. By heartbeats alone: every interval. While calls come through its stream: only to answer them, to
 * report, and when the stream says that something is new.
 */
export class Pace {
  #facts: PaceFacts | undefined;
  #lastAt = 0;
  #jitter = 1;
  #failures = 0;
  #retryAt = -Infinity;
  #mustReport = false;
  /** The newest revision that concerns the member. */
  #newsRevision = 0;
  /** When to follow the group to a new epoch that changes nothing for the member. */
  #followAt = Infinity;
  #calledAt = -Infinity;
  #callEveryMs = 0;

  constructor(private readonly random: () => number) {}

  /** Forgets everything but the failures: the member joins anew. */
  reset(): void {
    this.#facts = undefined;
    this.#mustReport = false;
    this.#newsRevision = 0;
    this.#followAt = Infinity;
    this.#calledAt = -Infinity;
  }

  answered(facts: PaceFacts, now: number): void {
    this.#facts = facts;
    this.#failures = 0;
    this.#followAt = Infinity;
    if (this.#newsRevision === Infinity) this.#newsRevision = 0;
    this.exchanged(now);
  }

  exchanged(now: number): void {
    this.#lastAt = now;
    this.#failures = 0;
    this.#jitter = 0.9 + this.random() * 0.2;
  }

  failed(now: number, retryAfterMs = 0): void {
    const mostMs = this.#facts?.heartbeatIntervalMs ?? 5_000;
    this.#retryAt = now + retryAfterMs + backoff(this.#failures++, this.random, { firstMs: 200, mostMs });
  }

  /** Something was given up. */
  report(): void {
    this.#mustReport = true;
  }

  reported(): void {
    this.#mustReport = false;
  }

  called(everyMs: number, now: number): void {
    this.#calledAt = now;
    this.#callEveryMs = everyMs;
  }

  /** Something is wrong, or an answer was lost: only a heartbeat tells. */
  doubt(): void {
    this.#newsRevision = Infinity;
  }

  news({ revision, own, assignmentEpoch = 0 }: StreamNews, now: number): void {
    const facts = this.#facts;
    if (facts === undefined || revision <= facts.revision) return;
    if (own || facts.state !== 'STABLE') this.#newsRevision = Math.max(this.#newsRevision, revision);
    else if (assignmentEpoch > facts.memberEpoch) this.follow(now);
  }

  /** The group is at a newer epoch, but nothing is new for the member: there is time. */
  follow(now: number): void {
    const interval = this.#facts?.heartbeatIntervalMs ?? 0;
    this.#followAt = Math.min(this.#followAt, now + this.random() * interval);
  }

  /** Whether the stream keeps the session: calls have come through it lately. */
  isCalled(now: number): boolean {
    return now < this.#calledAt + 1.5 * this.#callEveryMs;
  }

  /** A heartbeat is due, whatever else there is to send. `validUntil` is the member's deadline. */
  isHeartbeatDue(now: number, validUntil: number): boolean {
    return this.#heartbeatAt(now, validUntil) <= now;
  }

  /** When the next request is due. */
  dueAt(now: number, validUntil: number, hasCall: boolean): number {
    if (this.#failures > 0) return this.#retryAt;
    return hasCall ? now : this.#heartbeatAt(now, validUntil);
  }

  #heartbeatAt(now: number, validUntil: number): number {
    const facts = this.#facts;
    if (facts === undefined || this.#mustReport || this.#failures > 0) return now;
    const { heartbeatIntervalMs: interval, state, revision } = facts;
    const waiting = this.#lastAt + Math.min(interval, WAITING_MS) * this.#jitter;
    if (this.#newsRevision > revision) return state === 'STABLE' ? now : waiting;
    const regular = this.#lastAt + interval * this.#jitter;
    if (state === 'UNRELEASED_PARTITIONS' && !this.isCalled(now)) return waiting;
    if (state !== 'STABLE' || !this.isCalled(now)) return Math.min(regular, this.#followAt);
    // Calls have gone unanswered for long: rather ask.
    return Math.min(this.#followAt, validUntil - facts.sessionTimeoutMs / 3);
  }
}
