/** Handlers by event; they may be asynchronous, and whoever emits can wait for all of them. */
export class Handlers<Events extends object> {
  readonly #handlers = new Map<keyof Events, Set<(event: never) => unknown>>();

  /** The returned function takes the handler away again. */
  add<K extends keyof Events>(name: K, handler: (event: Events[K]) => unknown): () => void {
    let handlers = this.#handlers.get(name);
    if (handlers === undefined) this.#handlers.set(name, (handlers = new Set()));
    // Of its own each time, so that a function that was added twice is called twice.
    const entry = (event: Events[K]) => handler(event);
    handlers.add(entry);
    return () => handlers.delete(entry);
  }

  has(name: keyof Events): boolean {
    return (this.#handlers.get(name)?.size ?? 0) > 0;
  }

  /** Starts every handler at once; resolves when all of them have ended. What one throws is told at once. */
  async emit<K extends keyof Events>(name: K, event: Events[K], onThrown: (thrown: unknown) => void): Promise<void> {
    const handlers = [...(this.#handlers.get(name) ?? [])] as ((event: Events[K]) => unknown)[];
    await Promise.all(
      handlers.map(async (handler) => handler(event)).map((run) => run.then(() => undefined, onThrown)),
    );
  }
}
