import { describe, expect, it } from '@jest/globals';
import { packKeys } from '../../src/hashing/murmur2.js';
import { partitionsForKeys } from '../../src/partitioners/key-partition.js';
import { resolvePartitioner } from '../../src/partitioners/partitioner-registry.js';
import { initialState } from '../../src/partitioners/partitioner-state.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const place = (partitioner: string, key: string | Uint8Array, partitions: number) =>
  resolvePartitioner(partitioner).partitionForKey!(typeof key === 'string' ? utf8(key) : key, partitions);

describe('where clients put a key', () => {
  it.each([
    ['100:48069', 12, 9, 6, 3],
    ['TT0124', 15, 10, 9, 2],
    ['wu', 10, 0, 1, 3],
    ['fd7af248-ce5c-46a5-93d7-1c0c9005b99d', 32, 26, 23, 19],
    ['354afe16-939a-4ea8-8e17-8bb0840b6886', 10, 4, 9, 5],
    ['f562ac3b-2224-4e25-a0ab-56094e10c239', 10, 5, 6, 0],
    ['Struct{documentKey={"_id": "638d1b94ce8def06be68b439"}}', 50, 40, 36, 6],
    ['UFJPRDAuQVNTRVQuMzEwMQ.002.AC000HN.01_RMSVel', 30, 13, 12, 3],
  ])('F-02 %s of %i: Java %i, librdkafka %i, sarama %i', (key, partitions, murmur2, crc32, fnv1a) => {
    expect(place('default', key, partitions)).toBe(murmur2);
    expect(place('built-in', key, partitions)).toBe(murmur2);
    expect(place('consistent_random', key, partitions)).toBe(crc32);
    expect(place('sarama', key, partitions)).toBe(fnv1a);
    expect(place('fnv1a', key, partitions)).toBe(fnv1a);
  });

  it.each([1, 2, 3, 10, 12, 15, 16, 30, 50, 100])(
    'every family agrees with the published hashes of "foo", of %i',
    (n) => {
      // murmur2 597841616, CRC-32 0x8c736521, FNV-1a 0xa9f37ed7 (negative as an int), "foo".hashCode() 101574.
      expect(place('default', 'foo', n)).toBe(597841616 % n);
      expect(place('consistent', 'foo', n)).toBe(0x8c736521 % n);
      expect(place('sarama', 'foo', n)).toBe((2 ** 32 - 0xa9f37ed7) % n);
      expect(place('sarama-reference', 'foo', n)).toBe((0xa9f37ed7 - 2 ** 31) % n);
      expect(place('franz-go-sarama', 'foo', n)).toBe(0xa9f37ed7 % n);
      expect(place('random-interval', 'foo', n)).toBe(101574 % n);
    },
  );

  it('F-02 kafkajs 1 put 100:48069 of 12 on 6, old node-sinek wu of 10 on 5', () => {
    expect(place('kafkajs-legacy', '100:48069', 12)).toBe(6);
    expect(place('node-sinek', 'wu', 10)).toBe(5);
  });

  it('F-04 sarama takes the absolute value, its reference partitioner masks the sign', () => {
    const key = '354afe16-939a-4ea8-8e17-8bb0840b6886';
    expect([place('sarama', key, 10), place('sarama-reference', key, 10)]).toEqual([5, 3]);
    expect([place('sarama', '', 6), place('sarama-reference', '', 6)]).toEqual([3, 5]);
  });

  it('F-04 about 41 % of keys differ between both at 12 partitions', () => {
    let different = 0;
    for (let i = 0; i < 20_000; i++) {
      if (place('sarama', `key-${i}`, 12) !== place('sarama-reference', `key-${i}`, 12)) different++;
    }
    expect(different / 20_000).toBeCloseTo(0.41, 1);
  });

  it('F-04 the width of an int decides where the high bit of the hash is set', () => {
    // Found by search: the FNV-1a of these bytes is 0x80000001.
    const key = Uint8Array.of(235, 27, 51, 78, 1);
    expect(place('sarama', key, 10)).toBe(7);
    expect(place('franz-go-sarama', key, 10)).toBe(9);
    expect(place('sarama-reference', key, 10)).toBe(1);
  });

  it('F-08 keys of 1 to 8 bytes, not all of them text, on the partition of the vectors', () => {
    expect(place('default', Uint8Array.of(0xd8, 0x78, 0xe5, 0x1e), 1000)).toBe(264);
    expect(place('default', Uint8Array.of(0x31, 0xb9, 0x24, 0xcc), 1)).toBe(0);
    // Text is UTF-8: one letter, three bytes.
    expect(place('default', 'é€', 1_000_003)).toBe(
      place('default', Uint8Array.of(0xc3, 0xa9, 0xe2, 0x82, 0xac), 1_000_003),
    );
  });

  it('places a packed batch as it places one key after the other', () => {
    const keys = Array.from({ length: 500 }, (_, i) => utf8('x'.repeat(i % 9) + i));
    expect([...partitionsForKeys(packKeys(keys), 12)]).toEqual(keys.map((key) => place('default', key, 12)));
  });

  describe.each([7, 17])('F-06 keys that are missing or empty, of %i partitions', (partitions) => {
    /** Partitions over many records, by the partitioner's own random source. */
    function choices(partitioner: string, key: Uint8Array | undefined): Set<number> {
      let state = initialState(1);
      const seen = new Set<number>();
      for (let i = 0; i < 400; i++) {
        const choice = resolvePartitioner(partitioner).partition({ ...(key && { key }) }, { partitions }, state);
        seen.add(choice.partition);
        state = choice.state;
      }
      return seen;
    }
    const EMPTY = new Uint8Array(0);

    it.each([
      ['consistent', 0],
      ['murmur2', 0x106e08d9],
      ['fnv1a', 0x7ee3623b],
    ])('%s: both on one partition', (name, hash) => {
      expect(choices(name, undefined)).toEqual(new Set([hash % partitions]));
      expect(choices(name, EMPTY)).toEqual(new Set([hash % partitions]));
    });

    it('consistent_random: both at random', () => {
      expect(choices('consistent_random', undefined).size).toBe(partitions);
      expect(choices('consistent_random', EMPTY).size).toBe(partitions);
    });

    it.each([
      ['murmur2_random', 0x106e08d9],
      ['fnv1a_random', 0x7ee3623b],
    ])('%s: missing at random, empty hashed', (name, hash) => {
      expect(choices(name, undefined).size).toBe(partitions);
      expect(choices(name, EMPTY)).toEqual(new Set([hash % partitions]));
    });
  });
});
