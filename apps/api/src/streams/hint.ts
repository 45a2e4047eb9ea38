/** Waits for the next hint of what it watches, a timeout or the end; a hint that comes while nobody waits is not lost. */
export class Hint {
  #given = false;
  #wake: (() => void) | undefined;
  readonly #unwatch: () => void;
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.#wake?.();

  constructor(watch: (onHint: () => void) => () => void, signal: AbortSignal) {
    this.#signal = signal;
    this.#unwatch = watch(() => {
      this.#given = true;
      this.#wake?.();
    });
    signal.addEventListener('abort', this.#onAbort);
  }

  reset(): void {
    this.#given = false;
  }

  /** Resolves with true when a hint came, with false on the timeout or the end. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#given && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    return this.#given;
  }

  close(): void {
    this.#unwatch();
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
