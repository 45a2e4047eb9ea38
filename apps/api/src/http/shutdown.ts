import type { BeforeApplicationShutdown } from '@nestjs/common';

/** Tells long answers (streams, long polls) that the process stops: they end, so that their connections can close. */
export class Shutdown implements BeforeApplicationShutdown {
  readonly #controller = new AbortController();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  beforeApplicationShutdown(): void {
    this.#controller.abort();
  }
}
