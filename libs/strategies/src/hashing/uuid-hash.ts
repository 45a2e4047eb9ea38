import { invalidRequest } from '@allot/model';

import type { JavaKeyType } from './java-hash-map.js';

/** Kafka's Uuid as four signed 32-bit words, the most significant one first. */
export type UuidWords = readonly [number, number, number, number];

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The six bits of a character by its code; -1 for all others. */
const SEXTETS = new Int8Array(128).fill(-1);
for (let value = 0; value < ALPHABET.length; value++) SEXTETS[ALPHABET.charCodeAt(value)] = value;
const TEXT_LENGTH = 22;

/**
 * Reads what Kafka prints for a topic id: 16 bytes in base64url without padding.
 *
 * @throws INVALID_REQUEST when the text is not 22 characters of that alphabet
 */
export function parseUuid(text: string): UuidWords {
  if (text.length !== TEXT_LENGTH) throw malformed(text);
  const words: [number, number, number, number] = [0, 0, 0, 0];
  let bits = 0;
  let buffered = 0;
  let byte = 0;
  for (let i = 0; i < TEXT_LENGTH; i++) {
    const sextet = SEXTETS[text.charCodeAt(i)] ?? -1;
    if (sextet < 0) throw malformed(text);
    buffered = ((buffered << 6) | sextet) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    words[byte >> 2] = (words[byte >> 2]! << 8) | ((buffered >> bits) & 0xff);
    byte++;
  }
  return words;
}

function malformed(text: string): Error {
  return invalidRequest(
    `"${text}" is not a topic id: Kafka writes 16 bytes as ${TEXT_LENGTH} characters of base64url.`,
  );
}

/**
 * A stand-in for the id of a topic whose id is not known, made from its name alone: always the same for the same name, and
 * as evenly spread as random ids are. Kafka's answer for the real topic may differ where it depends on the id.
 */
export function uuidOfName(name: string): UuidWords {
  return [word(name, 1), word(name, 2), word(name, 3), word(name, 4)];
}

/** FNV-1a over code units from a seed of its own, then a final mix. */
function word(name: string, seed: number): number {
  let hash = Math.imul(0x811c9dc5 ^ seed, 0x01000193);
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** `Uuid.compareTo`: two signed 64-bit halves, so the upper word of each is signed and the lower one is not. */
export function compareUuids(a: UuidWords, b: UuidWords): number {
  return a[0] - b[0] || (a[1] >>> 0) - (b[1] >>> 0) || a[2] - b[2] || (a[3] >>> 0) - (b[3] >>> 0);
}

/** `Uuid.hashCode()`: the exclusive or of all words. */
export const UUID_KEYS: JavaKeyType<UuidWords> = {
  hashCode: ([a, b, c, d]) => a ^ b ^ c ^ d,
  compare: compareUuids,
};
