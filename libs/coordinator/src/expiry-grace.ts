/** A store that was silent for longer was away, not slow. */
export const OUTAGE_MS = 3_000;
/** After that its members get this long to be heard. */
export const GRACE_MS = 10_000;

/**
 * When a replica may fence members whose lease has run out. Nobody can be heard while the store is away or no replica runs, so an
 * outage of the service is not a death of its members: after one they get a while before anyone is fenced. Times are ms of one
 * monotonic clock of the replica.
 */
export class ExpiryGrace {
  readonly #firstGraceMs: number;
  #heardAt: number;
  /** Undefined until the store answers for the first time. */
  #graceUntil: number | undefined;

  /** While no replica ran nobody could be heard either: the first grace begins when a new process first reaches the store. */
  constructor(startedAt: number, minSessionTimeoutMs: number) {
    this.#firstGraceMs = Math.min(GRACE_MS, minSessionTimeoutMs);
    this.#heardAt = startedAt;
  }

  /** The store has answered. Returns how long it was away, if that begins a grace. To be called before `mayFence` is asked. */
  heard(now: number): number | undefined {
    const silentMs = now - this.#heardAt;
    this.#heardAt = now;
    this.#graceUntil ??= now + this.#firstGraceMs;
    if (silentMs <= OUTAGE_MS) return undefined;
    this.#graceUntil = now + GRACE_MS;
    return silentMs;
  }

  mayFence(now: number): boolean {
    return this.#graceUntil !== undefined && now >= this.#graceUntil;
  }
}
