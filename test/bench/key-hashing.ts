import { murmur2, murmur2Batch, packKeys } from '@allot/strategies';
import murmurhash from 'murmurhash-js';
import { fileURLToPath } from 'node:url';

/**
 * How fast keys are hashed, as ratios to murmurhash-js, the reference:
 *
 *   node --import ./test/support/typescript.mjs test/bench/key-hashing.ts
 *
 * Keys of 11 bytes (a number), 16 (a prefixed number), 24 (an object id in hex) and 36 (a UUID as text), each in a buffer of
 * its own, as a client's serializer leaves them. The library gets the same keys as latin1 text that is there already, or makes
 * the text first. All take turns in every round, CPU time is measured, medians are quoted: other work on the machine slows
 * them alike.
 */

const SEED = 0x9747b28c;
const KEYS = 1_000;
const REPEATS = 500;
const ROUNDS = 9;

/** What takes part; each answers with something of its hashes. Plain loops, so that little but the hashing is measured. */
interface Contenders {
  /** murmurhash-js on text at hand. */
  readonly library: () => number;
  /** murmurhash-js on text that is made from the bytes. */
  readonly libraryFromBytes: () => number;
  readonly own: () => number;
  readonly batch: () => number;
}

function contendersFor(keyBytes: number): Contenders {
  const keys = Array.from({ length: KEYS }, (_, i) =>
    Buffer.from(`${(i * 7_919) % 1_000_003}-`.padEnd(keyBytes, 'k'), 'latin1'),
  );
  const texts = keys.map((key) => key.toString('latin1'));
  const packed = packKeys(keys);
  const hashes = new Int32Array(KEYS);
  return {
    library: () => {
      let sum = 0;
      for (let i = 0; i < KEYS; i++) sum ^= murmurhash.murmur2(texts[i]!, SEED);
      return sum;
    },
    libraryFromBytes: () => {
      let sum = 0;
      for (let i = 0; i < KEYS; i++) sum ^= murmurhash.murmur2(keys[i]!.toString('latin1', 0, keyBytes), SEED);
      return sum;
    },
    own: () => {
      let sum = 0;
      for (let i = 0; i < KEYS; i++) sum ^= murmur2(keys[i]!);
      return sum;
    },
    batch: () => murmur2Batch(packed, hashes)[0]!,
  };
}

/** Millions of keys a second. */
export function measureKeyHashing(keyBytes: number): Record<keyof Contenders, number> {
  const contenders = contendersFor(keyBytes);
  const rates = { library: [], libraryFromBytes: [], own: [], batch: [] } as Record<keyof Contenders, number[]>;
  const names = Object.keys(rates) as (keyof Contenders)[];
  let sink = 0;
  for (let round = -2; round < ROUNDS; round++) {
    for (const name of names) {
      const start = process.cpuUsage();
      for (let i = 0; i < REPEATS; i++) sink ^= contenders[name]();
      const { user, system } = process.cpuUsage(start);
      // The first rounds warm up.
      if (round >= 0) rates[name].push((KEYS * REPEATS) / (user + system));
    }
  }
  if (Number.isNaN(sink)) throw new Error('unreachable: keeps the hashes from being optimised away');
  const medians = names.map((name) => [name, median(rates[name])] as const);
  return Object.fromEntries(medians) as Record<keyof Contenders, number>;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const keyBytes of [11, 16, 24, 36]) {
    const { library, libraryFromBytes, own, batch } = measureKeyHashing(keyBytes);
    const rate = (value: number) => `${value.toFixed(0)} M/s`;
    console.log(
      `${keyBytes} bytes: library ${rate(library)}, from bytes ${rate(libraryFromBytes)}, ` +
        `own ${rate(own)} (${(own / library).toFixed(1)}x, ${(own / libraryFromBytes).toFixed(1)}x), ` +
        `batch ${rate(batch)} (${(batch / library).toFixed(1)}x)`,
    );
  }
}
