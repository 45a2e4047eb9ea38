const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/**
 * The hash of kafkajs before version 2, kept there as LegacyPartitioner: meant as murmur2, but wrong for almost every key,
 * and so needed to recognise where old producers put their records. Two mistakes are reproduced:
 *
 * - it multiplies doubles, which lose the low bits of a product from 2^53 on, where Java wraps at 32 bits;
 * - up to three bytes left over are mixed in twice, first as a word filled up with zeros.
 *
 * Signed, like `murmur2`; a number that was never rounded to 32 bits comes out of its last xor rounded.
 */
export function kafkajsLegacyMurmur2(bytes: Uint8Array): number {
  const { length } = bytes;
  const at = (i: number) => bytes[i] ?? 0;
  let hash = SEED ^ length;
  for (let i = 0; i < length; i += 4) {
    let word = at(i) + (at(i + 1) << 8) + (at(i + 2) << 16) + (at(i + 3) << 24);
    word *= MULTIPLIER;
    word ^= word >>> 24;
    hash = (hash * MULTIPLIER) ^ (word * MULTIPLIER);
  }
  const rest = length % 4;
  if (rest > 0) {
    const end = length - rest;
    if (rest === 3) hash ^= at(end + 2) << 16;
    if (rest >= 2) hash ^= at(end + 1) << 8;
    hash = (hash ^ at(end)) * MULTIPLIER;
  }
  hash ^= hash >>> 13;
  hash *= MULTIPLIER;
  return hash ^ (hash >>> 15);
}
