import { deadlineOf } from './deadline.js';
import type { Environment } from './environment.js';
import type { SteadyClock } from './steady-clock.js';

/** From a join until the member leaves, is fenced or runs out of time. What was asked in one life is not answered in the next. */
export class Life {
  /** Ends its requests and its stream. */
  readonly abort = new AbortController();
  joined = false;
  sessionTimeoutMs = Infinity;
  #validUntil = -Infinity;
  #disarm: () => void = () => undefined;

  constructor(
    private readonly clock: SteadyClock,
    private readonly environment: Environment,
    private readonly marginMs: number | undefined,
    private readonly onDeadline: () => void,
  ) {}

  /** Until when the member may work, on its own clock. */
  get validUntil(): number {
    return this.#validUntil;
  }

  get validForMs(): number {
    return Math.max(0, this.#validUntil - this.clock.now());
  }

  /** An answer to a request of `sentAt` moved the deadline: later, or (something has to be given up) sooner. */
  extend(sentAt: number, validForMs: number): void {
    const marginMs = this.marginMs ?? Math.min(500, this.sessionTimeoutMs / 20);
    this.#validUntil = deadlineOf(sentAt, validForMs, marginMs);
    this.#watch();
  }

  end(reason: unknown): void {
    this.#disarm();
    this.abort.abort(reason);
  }

  /** Timers may come early or, after a freeze, very late: the clock decides. */
  #watch(): void {
    this.#disarm();
    if (this.abort.signal.aborted) return;
    const rest = this.#validUntil - this.clock.now();
    if (rest <= 0) this.onDeadline();
    else this.#disarm = this.environment.after(rest, () => this.#watch());
  }
}
