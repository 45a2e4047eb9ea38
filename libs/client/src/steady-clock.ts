import type { Environment } from './environment.js';

/** The wall clock running ahead by more than this between two readings is sleep, or a step; both count. */
const LEAP_MS = 100;

/**
 * Measures how long ago something was, and never too short: a monotonic clock stands still while the machine sleeps (a closed laptop, a
 * paused virtual machine), but the wall clock has moved on when it wakes. A wall clock that is set forward makes times too long, which
 * costs a member its partitions and nothing else; set back, it changes nothing.
 */
export class SteadyClock {
  #monotonic: number;
  #wall: number;
  #slept = 0;

  constructor(private readonly environment: Pick<Environment, 'monotonicMs' | 'wallMs'>) {
    this.#monotonic = environment.monotonicMs();
    this.#wall = environment.wallMs();
  }

  now(): number {
    const monotonic = this.environment.monotonicMs();
    const wall = this.environment.wallMs();
    const leap = wall - this.#wall - (monotonic - this.#monotonic);
    if (leap > LEAP_MS) this.#slept += leap;
    this.#monotonic = monotonic;
    this.#wall = wall;
    return monotonic + this.#slept;
  }
}
