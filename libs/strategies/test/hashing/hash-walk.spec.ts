import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { capacityOfCopy, findRepeats, hashWalk, spreadHashes } from '../../src/hashing/hash-walk.js';
import { JavaHashMap, STRING_KEYS } from '../../src/hashing/java-hash-map.js';
import type { JavaKeyType } from '../../src/hashing/java-hash-map.js';

const numbers: JavaKeyType<number> = { hashCode: (number) => number, compare: (a, b) => a - b };

function walkOfMap<K>(keys: readonly K[], type: JavaKeyType<K>, capacity?: number): number[] {
  const map = new JavaHashMap<K, number>(type, capacity);
  keys.forEach((key, position) => map.set(key, position));
  return [...map.values()];
}

describe('hashWalk', () => {
  it('walks as the map does, for any keys and any capacity', () => {
    const keys = fc.uniqueArray(fc.string({ maxLength: 8 }), { maxLength: 200 });
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 300 }), (ids, capacity) => {
        expect([...hashWalk(ids, STRING_KEYS, capacity)]).toEqual(walkOfMap(ids, STRING_KEYS, capacity));
      }),
    );
  });

  it('walks as the map does when keys crowd a bucket, early or late', () => {
    const crowding = fc.uniqueArray(
      fc.oneof(
        fc.nat(40).map((n) => n * 1024),
        fc.nat(500),
      ),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(crowding, (keys) => {
        expect([...hashWalk(keys, numbers)]).toEqual(walkOfMap(keys, numbers));
      }),
    );
  });

  it('walks numbers below the capacity upwards, and larger ones where they wrap around', () => {
    const keys = [17, 3, 2, 16, 1];
    expect([...hashWalk(keys, numbers)].map((place) => keys[place])).toEqual([16, 17, 1, 2, 3]);
  });
});

describe('findRepeats', () => {
  it('finds every key that was there before', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'Aa', 'BB', '', 'ab')), (keys) => {
        const expected = [...keys.keys()].filter((place) => keys.indexOf(keys[place]!) < place);
        expect(findRepeats(keys, spreadHashes(keys, STRING_KEYS))).toEqual(expected);
      }),
    );
  });
});

it('a copied set has room for a third more than it holds, and for 12 at least', () => {
  expect([0, 11, 12, 13, 24].map(capacityOfCopy)).toEqual([16, 16, 17, 18, 33]);
});
