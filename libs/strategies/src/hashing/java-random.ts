/** The multiplier 0x5DEECE66D of java.util.Random's 48-bit congruential generator, in halves of 24 bits. */
const MULTIPLIER_HIGH = 0x5de;
const MULTIPLIER_LOW = 0xece66d;
const INCREMENT = 0xb;
const HALF = 2 ** 24;

/**
 * The sequence of `new java.util.Random(seed)`. The 48-bit state is held in two halves of 24 bits, whose products stay
 * below 2^53 and so are exact in a double.
 */
export class JavaRandom {
  #high: number;
  #low: number;

  private constructor(state: number) {
    this.#high = Math.floor(state / HALF);
    this.#low = state % HALF;
  }

  /** @param seed a Java long; a number must be a safe integer. */
  static seeded(seed: number | bigint): JavaRandom {
    return new JavaRandom(Number(BigInt.asUintN(48, BigInt(seed) ^ 0x5deece66dn)));
  }

  /** A generator that goes on where another one stood. @param state what that one's `state` was */
  static resumed(state: number): JavaRandom {
    return new JavaRandom(state);
  }

  /** The 48 bits that all further numbers follow from. */
  get state(): number {
    return this.#high * HALF + this.#low;
  }

  /** nextInt(): any 32-bit integer, signed. */
  nextInt(): number {
    return this.#next() | 0;
  }

  /** nextInt(bound): an integer from 0 up to, not including, `bound`, which is positive and at most 2^31 - 1. */
  nextIntBelow(bound: number): number {
    let bits = this.#next() >>> 1;
    // A power of two takes the high bits, which are the better ones of such a generator.
    if ((bound & (bound - 1)) === 0) return Math.floor((bound * bits) / 2 ** 31);
    let value = bits % bound;
    // The last, incomplete run of `bound` values below 2^31 would favour the small ones; Java draws again.
    while (bits - value + (bound - 1) >= 2 ** 31) {
      bits = this.#next() >>> 1;
      value = bits % bound;
    }
    return value;
  }

  /** Collections.shuffle(list, random): reorders in place. */
  shuffle<T>(list: T[]): void {
    for (let size = list.length; size > 1; size--) {
      const other = this.nextIntBelow(size);
      [list[size - 1], list[other]] = [list[other]!, list[size - 1]!];
    }
  }

  /** Steps on; answers the upper 32 bits of the state, unsigned. */
  #next(): number {
    const low = this.#low * MULTIPLIER_LOW + INCREMENT;
    const high = this.#high * MULTIPLIER_LOW + this.#low * MULTIPLIER_HIGH + Math.floor(low / HALF);
    this.#low = low % HALF;
    this.#high = high % HALF;
    return this.#high * 256 + (this.#low >>> 16);
  }
}
