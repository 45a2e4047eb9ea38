import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import murmurhash from 'murmurhash-js';
import { murmur2, murmur2Batch, packKeys, seededMurmur2 } from '../../src/hashing/murmur2.js';

const SEED = 0x9747b28c;
const utf8 = (text: string) => new TextEncoder().encode(text);

/** The library reads the low byte of each UTF-16 unit: bytes become text one to one. */
function reference(bytes: Uint8Array, seed = SEED): number {
  return murmurhash.murmur2(Buffer.from(bytes).toString('latin1'), seed) | 0;
}

/** Bytes that look random and are the same in every run. */
function bytesOfLength(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (Math.imul(i + length, 0x9e3779b1) >>> 24) & 0xff);
}

describe('murmur2', () => {
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
    ['0', 971027396],
    ['foo', 597841616],
    ['bar', 988958145],
    ['baz', 1973573280],
    ['sarama', 770765511],
    ['kafka', 0xd067cf64 | 0],
    ['', 275646681],
    ['1', -1993445489],
  ])('F-01 %j is %i', (key, hash) => {
    expect(murmur2(utf8(key))).toBe(hash);
  });

  it.each([
    ['1234', 0, 0x9fc97b14],
    ['1234', 1, 0xe7c009ca],
    ['1234', 2, 0x873930da],
    ['1234', 3, 0x5a4b5ca1],
    ['giberish123456789', 0, 0x8f552b0c],
  ])('F-01 %j from byte %i, unaligned', (key, start, hash) => {
    expect(murmur2(utf8(key).subarray(start)) >>> 0).toBe(hash);
  });

  it('F-08 agrees with murmurhash-js on bytes of every length up to 1,024', () => {
    for (let length = 0; length <= 1024; length++) {
      const bytes = bytesOfLength(length);
      expect({ length, hash: murmur2(bytes) }).toEqual({ length, hash: reference(bytes) });
    }
  });

  it('F-08 agrees with murmurhash-js on any bytes and any seed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer(), (bytes, seed) => {
        expect(murmur2(bytes)).toBe(reference(bytes));
        expect(seededMurmur2(bytes, seed)).toBe(reference(bytes, seed));
      }),
      { numRuns: 2_000 },
    );
  });

  it('hashes a batch as it hashes one key after the other', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 80 })), (keys) => {
        expect([...murmur2Batch(packKeys(keys))]).toEqual(keys.map((key) => murmur2(key)));
      }),
    );
  });
});
