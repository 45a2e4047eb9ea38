import { describe, expect, it } from '@jest/globals';
import { crc32 } from '../../src/hashing/crc32.js';
import { fnv1a } from '../../src/hashing/fnv1a.js';
import { kafkajsLegacyMurmur2 } from '../../src/hashing/kafkajs-legacy-murmur2.js';
import { murmur2 } from '../../src/hashing/murmur2.js';

const utf8 = (text: string) => new TextEncoder().encode(text);

describe('the hashes of other clients', () => {
  it.each([
    ['', 0, 0x106e08d9, 0x7ee3623b],
    ['23456', 0xb1b451d7, 0x858d780f, 0x27e6f469],
    ['hejsan', 0xd077037e, 0x5ec19395, 0x17b1e27a],
  ])('F-06 CRC-32, murmur2 and FNV-1a of %j', (key, crc, murmur, fnv) => {
    expect(crc32(utf8(key))).toBe(crc);
    expect(murmur2(utf8(key)) >>> 0).toBe(murmur);
    // librdkafka and sarama take the absolute value of the signed hash.
    expect(Math.abs(fnv1a(utf8(key)) | 0)).toBe(fnv);
  });

  it.each([
    ['SheetJS', 26],
    ['9e8c7f4cf45857cfff7645d6', 24],
    ['3900446192ff85a5f67da10c', 75],
    ['0f4407b7a67d6d27de372198', 50],
  ])('F-05 CRC-32 of %j, unsigned, modulo 100 is %i', (key, rest) => {
    expect(crc32(utf8(key)) % 100).toBe(rest);
  });

  it('F-06 FNV-1a of "kafka"', () => {
    expect(fnv1a(utf8('kafka'))).toBe(0x0d33c4e1);
  });

  it('F-01 kafkajs 1 has a murmur2 of its own', () => {
    expect(kafkajsLegacyMurmur2(utf8('0'))).toBe(272173970);
    expect(kafkajsLegacyMurmur2(utf8('1'))).toBe(1311020360);
  });
});
