/** The constants of Kafka's Utils.murmur2: MurmurHash2, 32 bit, with a seed of Kafka's own. */
const SEED = 0x9747b28c | 0;
const MULTIPLIER = 0x5bd1e995;

/**
 * Kafka's murmur2 of a key's bytes, as a signed 32-bit integer. The 64-bit and seeded variants of other systems give other
 * numbers. It is written out here, rather than taken from murmurhash-js, because of its speed on bytes: see
 * docs/adr/0010-own-murmur2.md. The library is the reference in the tests.
 */
export function murmur2(bytes: Uint8Array): number {
  return seededMurmur2(bytes, SEED);
}

/** MurmurHash2 with another seed, signed: some clients took the library's default of 0 for Kafka's. */
export function seededMurmur2(bytes: Uint8Array, seed: number): number {
  const { length } = bytes;
  let hash = seed ^ length;
  let i = 0;
  // Written out, although wordAt says the same: a call costs a tenth of the time, even where it is inlined.
  for (const words = length & ~3; i < words; i += 4) {
    let word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    word = Math.imul(word, MULTIPLIER);
    word = Math.imul(word ^ (word >>> 24), MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ word;
  }
  const rest = length & 3;
  if (rest !== 0) {
    if (rest === 3) hash ^= bytes[i + 2]! << 16;
    if (rest !== 1) hash ^= bytes[i + 1]! << 8;
    hash = Math.imul(hash ^ bytes[i]!, MULTIPLIER);
  }
  return finish(hash);
}

/** Keys packed for `murmur2Batch`: each starts at a word of its own, its last word filled up with zeros. */
export interface PackedKeys {
  /** Four bytes a word, the first one lowest. */
  readonly words: Int32Array;
  /** The number of bytes of every key. */
  readonly lengths: Int32Array;
}

/** Packs keys, for hashing them together or more than once. */
export function packKeys(keys: readonly Uint8Array[]): PackedKeys {
  const lengths = Int32Array.from(keys, (key) => key.length);
  const words = new Int32Array(lengths.reduce((sum, length) => sum + ((length + 3) >> 2), 0));
  let next = 0;
  for (const key of keys) {
    const whole = key.length & ~3;
    for (let i = 0; i < whole; i += 4) words[next++] = wordAt(key, i);
    if (whole < key.length) words[next++] = restAt(key, whole);
  }
  return { words, lengths };
}

/** murmur2 of every packed key. Reading words, not bytes, makes it twice as fast. Writes into `hashes` when given. */
export function murmur2Batch(
  { words, lengths }: PackedKeys,
  hashes: Int32Array = new Int32Array(lengths.length),
): Int32Array {
  let next = 0;
  for (let key = 0; key < lengths.length; key++) {
    const length = lengths[key]!;
    let hash = SEED ^ length;
    for (const end = next + (length >> 2); next < end; next++) {
      let word = Math.imul(words[next]!, MULTIPLIER);
      word = Math.imul(word ^ (word >>> 24), MULTIPLIER);
      hash = Math.imul(hash, MULTIPLIER) ^ word;
    }
    if ((length & 3) !== 0) hash = Math.imul(hash ^ words[next++]!, MULTIPLIER);
    hashes[key] = finish(hash);
  }
  return hashes;
}

function finish(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return mixed ^ (mixed >>> 15);
}

/** Four bytes, the first one lowest. */
function wordAt(bytes: Uint8Array, i: number): number {
  return bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
}

/** The one to three bytes from `i` to the end, the first one lowest. */
function restAt(bytes: Uint8Array, i: number): number {
  const { length } = bytes;
  let rest = bytes[i]!;
  if (i + 1 < length) rest |= bytes[i + 1]! << 8;
  if (i + 2 < length) rest |= bytes[i + 2]! << 16;
  return rest;
}
