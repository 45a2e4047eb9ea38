/** An abort of one's own that also follows another signal, until it is released. (AbortSignal.any leaves something behind in long-lived signals.) */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #follow = () => this.#controller.abort(this.#parent?.reason);

  constructor(parent?: AbortSignal) {
    this.#parent = parent;
    if (parent?.aborted === true) this.#follow();
    else parent?.addEventListener('abort', this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  release(): void {
    this.#parent?.removeEventListener('abort', this.#follow);
  }
}
