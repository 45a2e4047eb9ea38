import { murmur2, murmur2Batch, packKeys } from '@allot/strategies';
import murmurhash from 'murmurhash-js';
import { fileURLToPath } from 'node:url';

/**
 * How fast keys are hashed, as ratios to murmurhash-js, the reference:
 *
 *   node --import ./test/support/typescript.mjs test/bench/key-hashing.ts
 *
 * All contenders take turns in every round, CPU time is measured, medians are quoted: other work on the machine slows them
 * alike.
 */

const SEED = 0x9747b28c;
const KEYS = 1_000;
const REPEATS = 500;
const ROUNDS = 9;

export interface KeyHashingResult {
  readonly keyBytes: number;
  /** Millions of keys a second. */
  readonly rates: Readonly<Record<string, number>>;
}

/** Hashes keys of a length with every contender. `library` has its latin1 text at hand; `libraryFromBytes` makes it. */
export function measureKeyHashing(keyBytes: number): KeyHashingResult {
  const buffers = Array.from({ length: KEYS }, (_, i) =>
    Buffer.from(`${(i * 7_919) % 1_000_003}-`.padEnd(keyBytes, 'k')),
  );
  const keys = buffers.map((buffer) => new TextEncoder().encode(buffer.toString('latin1', 0, keyBytes)));
  const texts = keys.map((key) => Buffer.from(key).toString('latin1'));
  const packed = packKeys(keys);
  const hashes = new Int32Array(KEYS);
  let sink = 0;
  const contenders: Record<string, () => void> = {
    library: () => {
      for (const text of texts) sink ^= murmurhash.murmur2(text, SEED);
    },
    libraryFromBytes: () => {
      for (const buffer of buffers) sink ^= murmurhash.murmur2(buffer.toString('latin1', 0, keyBytes), SEED);
    },
    own: () => {
      for (const key of keys) sink ^= murmur2(key);
    },
    batch: () => {
      sink ^= murmur2Batch(packed, hashes)[0]!;
    },
  };
  const times = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -2; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const start = process.cpuUsage();
      for (let i = 0; i < REPEATS; i++) run();
      const { user, system } = process.cpuUsage(start);
      // The first rounds warm up.
      if (round >= 0) times.get(name)!.push(user + system);
    }
  }
  if (Number.isNaN(sink)) throw new Error('unreachable: keeps the hashes from being optimised away');
  const rates = [...times].map(([name, measured]) => [name, (KEYS * REPEATS) / median(measured)] as const);
  return { keyBytes, rates: Object.fromEntries(rates) };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const keyBytes of [11, 16, 36]) {
    const { library, libraryFromBytes, own, batch } = measureKeyHashing(keyBytes).rates as Record<string, number>;
    const rate = (value: number) => `${value.toFixed(0)} M/s`;
    console.log(
      `${keyBytes} bytes: library ${rate(library!)}, from bytes ${rate(libraryFromBytes!)}, ` +
        `own ${rate(own!)} (${(own! / library!).toFixed(1)}x, ${(own! / libraryFromBytes!).toFixed(1)}x), ` +
        `batch ${rate(batch!)} (${(batch! / library!).toFixed(1)}x)`,
    );
  }
}
