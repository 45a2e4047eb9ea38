/** A long answer's own way to be ended: by its client, or by the process. */
export interface LinkedAbort {
  readonly abort: AbortController;
  /** Call it when the answer has ended. */
  readonly release: () => void;
}

/** Tells long answers (streams, long polls) that the process stops: they end, so that their connections can close. */
export class Shutdown {
  readonly #open = new Set<AbortController>();
  #begun = false;

  /**
   * Aborts with the shutdown until it is released. (AbortSignal.any would do, but keeps what it made for as long as the
   * shutdown's own signal lives.)
   */
  link(): LinkedAbort {
    const abort = new AbortController();
    if (this.#begun) abort.abort();
    else this.#open.add(abort);
    return { abort, release: () => this.#open.delete(abort) };
  }

  /** Long answers that are open. */
  get size(): number {
    return this.#open.size;
  }

  begin(): void {
    this.#begun = true;
    for (const abort of this.#open) abort.abort();
    this.#open.clear();
  }
}
