import { Injectable } from '@nestjs/common';

/**
 * Tells this process that a catalog changed, so that groups hear of it at once. Other replicas find out by themselves within a
 * pass of their sweepers.
 */
@Injectable()
export class CatalogChanges {
  #listener: (() => void) | undefined;

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  announce(): void {
    this.#listener?.();
  }
}
