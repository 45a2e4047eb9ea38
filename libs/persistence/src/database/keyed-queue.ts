/**
 * Runs the tasks of one key one after the other and those of different keys side by side. Work on one group would only wait for
 * its row lock, each with a connection in its hand; here it waits without one.
 */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<R>(key: string, task: () => Promise<R>): Promise<R> {
    const before = this.#tails.get(key);
    const result = before === undefined ? task() : before.then(task, task);
    this.#tails.set(key, result);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === result) this.#tails.delete(key);
    }
  }
}
