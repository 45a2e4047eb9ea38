import { AllotError } from '@allot/model';

/**
 * Runs the tasks of one key one after the other and those of different keys side by side. Work on one group would only wait for
 * its row lock, each with a connection in its hand; here it waits without one.
 */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(private readonly maxWaitMs: number) {}

  /** @throws AllotError STORE_UNAVAILABLE when the turn comes after the longest wait: its caller has given up by then. */
  async run<R>(key: string, task: () => Promise<R>): Promise<R> {
    const before = this.#tails.get(key);
    const queuedAt = performance.now();
    const inTurn = () => (performance.now() - queuedAt > this.maxWaitMs ? Promise.reject(tooLate()) : task());
    const result = before === undefined ? task() : before.then(inTurn, inTurn);
    this.#tails.set(key, result);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === result) this.#tails.delete(key);
    }
  }
}

function tooLate(): AllotError {
  return new AllotError('STORE_UNAVAILABLE', 'Too many requests wait for this group. Try again.', {
    action: 'retry',
    retryAfterMs: 1_000,
  });
}
