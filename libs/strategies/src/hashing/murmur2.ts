/** The constants of Kafka's Utils.murmur2: MurmurHash2, 32 bit, with a seed of Kafka's own. */
const SEED = 0x9747b28c | 0;
const MULTIPLIER = 0x5bd1e995;
const { imul } = Math;

/**
 * Kafka's murmur2 of a key's bytes, as a signed 32-bit integer. The 64-bit and seeded variants of other systems give other
 * numbers. It is written out here, rather than taken from murmurhash-js, because of its speed on bytes: see
 * docs/adr/0010-own-murmur2.md. The library is the reference in the tests.
 */
export function murmur2(bytes: Uint8Array): number {
  return seededMurmur2(bytes, SEED);
}

/**
 * MurmurHash2 with another seed, signed: some clients took the library's default of 0 for Kafka's.
 *
 * The first sixteen bytes are written out, though the loop could take them: what V8 makes of a constant index is shorter, and
 * after each turn of a loop it looks at the array anew. The same word for word, without functions: V8 inlines by how often a
 * call was made, and so would not inline what the first long key after many short ones needs. As it stands the whole fits into
 * what V8 inlines where keys are hashed (460 bytes of bytecode); some more would cost a fifth.
 */
export function seededMurmur2(bytes: Uint8Array, seed: number): number {
  const mul = imul;
  const m = MULTIPLIER;
  const { length } = bytes;
  let hash = seed ^ length;
  if (length > 3) {
    let word = mul(bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16) | (bytes[3]! << 24), m);
    hash = mul(hash, m) ^ mul(word ^ (word >>> 24), m);
    if (length > 7) {
      word = mul(bytes[4]! | (bytes[5]! << 8) | (bytes[6]! << 16) | (bytes[7]! << 24), m);
      hash = mul(hash, m) ^ mul(word ^ (word >>> 24), m);
      if (length > 11) {
        word = mul(bytes[8]! | (bytes[9]! << 8) | (bytes[10]! << 16) | (bytes[11]! << 24), m);
        hash = mul(hash, m) ^ mul(word ^ (word >>> 24), m);
        if (length > 15) {
          word = mul(bytes[12]! | (bytes[13]! << 8) | (bytes[14]! << 16) | (bytes[15]! << 24), m);
          hash = mul(hash, m) ^ mul(word ^ (word >>> 24), m);
          for (let i = 16, end = length & ~3; i < end; i += 4) {
            word = mul(bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24), m);
            hash = mul(hash, m) ^ mul(word ^ (word >>> 24), m);
          }
        }
      }
    }
  }
  return finishKey(bytes, hash);
}

/** Takes in the one to three bytes after the last whole word, and finishes. */
function finishKey(bytes: Uint8Array, hash: number): number {
  const { length } = bytes;
  const rest = length & 3;
  if (rest > 0) {
    let word = bytes[length - 1]!;
    if (rest > 1) word = (word << 8) | bytes[length - 2]!;
    if (rest > 2) word = (word << 8) | bytes[length - 3]!;
    hash = imul(hash ^ word, MULTIPLIER);
  }
  hash = imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
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
  const mul = imul;
  const m = MULTIPLIER;
  let next = 0;
  for (let key = 0; key < lengths.length; key++) {
    const length = lengths[key]!;
    let hash = SEED ^ length;
    let word: number;
    let left = length;
    // Two words a turn cost less than two turns.
    for (; left > 7; left -= 8) {
      word = mul(words[next]!, m);
      hash = mul(hash, m) ^ mul(word ^ (word >>> 24), m);
      word = mul(words[next + 1]!, m);
      hash = mul(hash, m) ^ mul(word ^ (word >>> 24), m);
      next = (next + 2) | 0;
    }
    if (left > 3) {
      word = mul(words[next]!, m);
      hash = mul(hash, m) ^ mul(word ^ (word >>> 24), m);
      next = (next + 1) | 0;
      left = (left - 4) | 0;
    }
    if (left > 0) {
      hash = mul(hash ^ words[next]!, m);
      next = (next + 1) | 0;
    }
    hashes[key] = finish(hash);
  }
  return hashes;
}

function finish(hash: number): number {
  const mixed = imul(hash ^ (hash >>> 13), MULTIPLIER);
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
