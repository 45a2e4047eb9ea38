import { randomOf } from '../chaos/random.js';

/** Decisions of one kind, drawn from a stream of their own: leaving another kind out does not change them. */
export class Chance {
  readonly #next: () => number;

  constructor(seed: number, stream: string) {
    let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
    for (let i = 0; i < stream.length; i++)
      mixed = Math.imul(mixed ^ stream.charCodeAt(i), 0xc2b2ae35) ^ (mixed >>> 13);
    this.#next = randomOf(mixed);
  }

  happens(probability: number): boolean {
    return probability > 0 && this.#next() < probability;
  }

  /** A whole number, both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1));
  }

  real(low: number, high: number): number {
    return low + this.#next() * (high - low);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#next() * list.length)]!;
  }
}
