/** The constants of Kafka's Utils.murmur2: MurmurHash2, 32 bit, with a seed of Kafka's own. */
const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/**
 * Kafka's murmur2 of a key's bytes, as a signed 32-bit integer. The 64-bit and seeded variants of other systems give other
 * numbers. It is written out here, rather than taken from murmurhash-js, because of its speed on bytes: see
 * docs/adr/0010-own-murmur2.md. The library is the reference in the tests.
 */
export function murmur2(bytes: Uint8Array): number {
  return hashRange(bytes, 0, bytes.length, SEED);
}

/** MurmurHash2 with another seed, signed: some clients took the library's default of 0 for Kafka's. */
export function seededMurmur2(bytes: Uint8Array, seed: number): number {
  return hashRange(bytes, 0, bytes.length, seed);
}

/**
 * murmur2 of many keys that lie one after the other in `bytes`: key i is bytes[ends[i - 1] ... ends[i]), the first one
 * starting at 0. Without an object a key it is limited by arithmetic alone. Writes into `hashes` when given.
 */
export function murmur2Batch(
  bytes: Uint8Array,
  ends: Int32Array | Uint32Array,
  hashes: Int32Array = new Int32Array(ends.length),
): Int32Array {
  let start = 0;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i]!;
    hashes[i] = hashRange(bytes, start, end, SEED);
    start = end;
  }
  return hashes;
}

/** Little-endian words of four bytes, then up to three bytes that are left over. */
function hashRange(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed ^ (end - start);
  let i = start;
  for (const words = end - 3; i < words; i += 4) {
    let word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    word = Math.imul(word, MULTIPLIER);
    word = Math.imul(word ^ (word >>> 24), MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ word;
  }
  if (i < end) {
    let rest = bytes[i]!;
    if (i + 1 < end) rest |= bytes[i + 1]! << 8;
    if (i + 2 < end) rest |= bytes[i + 2]! << 16;
    hash = Math.imul(hash ^ rest, MULTIPLIER);
  }
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}
