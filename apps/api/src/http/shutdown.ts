/** Tells long answers (streams, long polls) that the process stops: they end, so that their connections can close. */
export class Shutdown {
  readonly #controller = new AbortController();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  begin(): void {
    this.#controller.abort();
  }
}
