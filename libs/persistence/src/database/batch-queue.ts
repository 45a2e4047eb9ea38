import { AllotError } from '@allot/model';

/** Something that waits for its turn, and how its caller hears of the end. */
export interface Waiting<T> {
  readonly task: T;
  readonly reject: (error: unknown) => void;
}

export interface BatchLimits {
  /** Most tasks of one batch. */
  readonly most: number;
  /** A task whose turn comes later is refused: its caller has given up by then. */
  readonly maxWaitMs: number;
}

interface Queued<T> extends Waiting<T> {
  readonly since: number;
}

/**
 * Runs the tasks of one key in their order, and those of different keys side by side. Tasks that queue up while others run are
 * handed over together: under load, what a hundred requests want of one group costs one transaction.
 */
export class BatchQueue<T> {
  readonly #queues = new Map<string, Queued<T>[]>();

  /**
   * @param run takes at least one task of the batch and says how many; the rest comes again with the next batch. It answers
   * every task that it takes; if it throws, all of the batch are rejected with that.
   */
  constructor(
    private readonly run: (batch: readonly Waiting<T>[]) => Promise<number>,
    private readonly limits: BatchLimits,
  ) {}

  push(key: string, waiting: Waiting<T>): void {
    const queued = { ...waiting, since: performance.now() };
    const queue = this.#queues.get(key);
    if (queue !== undefined) {
      queue.push(queued);
      return;
    }
    const started = [queued];
    this.#queues.set(key, started);
    void this.#drain(key, started);
  }

  async #drain(key: string, queue: Queued<T>[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, this.limits.most).filter((queued) => !this.#refuseLate(queue, queued));
      if (batch.length === 0) continue;
      let taken = batch.length;
      try {
        taken = Math.max(1, await this.run(batch));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      queue.splice(0, taken);
    }
    this.#queues.delete(key);
  }

  #refuseLate(queue: Queued<T>[], queued: Queued<T>): boolean {
    if (performance.now() - queued.since <= this.limits.maxWaitMs) return false;
    queue.splice(queue.indexOf(queued), 1);
    queued.reject(
      new AllotError('STORE_UNAVAILABLE', 'Too many requests wait for their turn. Try again.', {
        action: 'retry',
        retryAfterMs: 1_000,
      }),
    );
    return true;
  }
}
