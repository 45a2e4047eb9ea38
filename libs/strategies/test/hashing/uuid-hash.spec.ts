import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { compareUuids, parseUuid, UUID_KEYS, uuidOfName } from '../../src/hashing/uuid-hash.js';

const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('topic ids', () => {
  it('are read from what Kafka prints, hashed and ordered as two signed 64-bit halves', () => {
    fc.assert(
      fc.property(bytes, bytes, (left, right) => {
        const [a, b] = [left, right].map((id) => Buffer.from(id)) as [Buffer, Buffer];
        const words = parseUuid(a.toString('base64url'));
        expect(words).toEqual([0, 4, 8, 12].map((offset) => a.readInt32BE(offset)));

        const xor = a.readBigInt64BE(0) ^ a.readBigInt64BE(8);
        const hash = Number(BigInt.asIntN(32, xor >> 32n)) ^ Number(BigInt.asIntN(32, xor));
        expect(UUID_KEYS.hashCode(words)).toBe(hash);

        const order = (offset: number) => a.readBigInt64BE(offset) - b.readBigInt64BE(offset);
        const expected = order(0) !== 0n ? order(0) : order(8);
        const got = compareUuids(words, parseUuid(b.toString('base64url')));
        expect(Math.sign(got)).toBe(expected < 0n ? -1 : expected > 0n ? 1 : 0);
      }),
    );
  });

  it('hash as Kafka 4.0.0 printed: ge0eL0IGB546FMaLSugMzQ', () => {
    expect(UUID_KEYS.hashCode(parseUuid('ge0eL0IGB546FMaLSugMzQ'))).toBe(-1_290_284_041);
  });

  it.each([
    '',
    'ge0eL0IGB546FMaLSugMz',
    'ge0eL0IGB546FMaLSugMzQQ',
    'ge0eL0IGB546FMaLSugMz=',
    'ge0eL0IGB546FMaLSugM\u00fcQ',
  ])('refuses "%s"', (text) => {
    expect(() => parseUuid(text)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });

  it('are made from the name where none is given: always the same, spread like random ones', () => {
    expect(uuidOfName('orders')).toEqual(uuidOfName('orders'));
    const buckets = new Set(Array.from({ length: 256 }, (_, i) => UUID_KEYS.hashCode(uuidOfName(`topic-${i}`)) & 255));
    // 256 balls into 256 buckets leave about 162 of them occupied.
    expect(buckets.size).toBeGreaterThan(140);
    expect(buckets.size).toBeLessThan(185);
  });
});
