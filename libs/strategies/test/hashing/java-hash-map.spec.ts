import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import { describe, expect, it } from '@jest/globals';

import { javaHashOrder, javaStringHashCode, JavaHashMap, STRING_KEYS } from '../../src/hashing/java-hash-map.js';

/** Recorded from java.util.HashMap (OpenJDK 17): `+key` is a put, `-key` a remove, `order` the walk afterwards. */
interface Recording {
  readonly capacity: number;
  readonly ops: readonly string[];
  readonly order: readonly string[];
}

const recordings = JSON.parse(
  gunzipSync(readFileSync(new URL('java-hash-map.json.gz', import.meta.url))).toString('utf8'),
) as Recording[];

function replay({ capacity, ops }: Recording): JavaHashMap<string, number> {
  const map = new JavaHashMap<string, number>(STRING_KEYS, capacity);
  ops.forEach((op, index) => {
    if (op.startsWith('+')) map.set(op.slice(1), index);
    else map.delete(op.slice(1));
  });
  return map;
}

describe('javaStringHashCode', () => {
  it.each([
    ['', 0],
    ['a', 97],
    ['polygenelubricants', -2147483648],
    ['Aa', 2112],
    ['BB', 2112],
    ['consumer-orders-1', 1005016896],
    ['😀', 1772899],
  ])('%s -> %d', (text, hash) => expect(javaStringHashCode(text)).toBe(hash));
});

describe('JavaHashMap', () => {
  it('walks as the recorded maps do, crowded buckets and removals included', () => {
    for (const recording of recordings) expect([...replay(recording).keys()]).toEqual(recording.order);
  });

  it('has recordings with colliding keys that no plain table order explains', () => {
    const crowded = recordings.filter(
      ({ order }) => order.filter((key) => javaStringHashCode(key) === javaStringHashCode(order[0]!)).length > 8,
    );
    expect(crowded.length).toBeGreaterThan(5);
  });

  it('doubles at three quarters, and early when nine keys meet in one of fewer than 64 buckets', () => {
    const map = new JavaHashMap<string, number>(STRING_KEYS);
    for (let i = 0; i < 12; i++) map.set(`k${i}`, i);
    expect(map.capacity).toBe(16);
    map.set('k12', 12);
    expect(map.capacity).toBe(32);

    const crowded = new JavaHashMap<string, number>(STRING_KEYS);
    const colliding = ['AaAaAaAa', 'AaAaAaBB', 'AaAaBBAa', 'AaAaBBBB', 'AaBBAaAa', 'AaBBAaBB', 'AaBBBBAa', 'AaBBBBBB'];
    for (const key of colliding) crowded.set(key, 0);
    expect(crowded.capacity).toBe(16);
    crowded.set('BBBBBBBB', 0);
    expect(crowded.capacity).toBe(32);
  });

  it('keeps the place of a key that is put again, and forgets a removed one', () => {
    const map = new JavaHashMap<string, number>(STRING_KEYS);
    map.set('BB', 1);
    map.set('Aa', 2);
    map.set('BB', 3);
    expect([...map.entries()].map(({ key, value }) => [key, value])).toEqual([
      ['BB', 3],
      ['Aa', 2],
    ]);
    expect(map.delete('BB')).toBe(true);
    expect(map.delete('BB')).toBe(false);
    expect(map.has('BB')).toBe(false);
    expect([...map.values()]).toEqual([2]);
    expect(map.size).toBe(1);
  });

  it('keeps __proto__ apart from prototypes', () => {
    expect(javaHashOrder(['__proto__', 'constructor', '__proto__'])).toHaveLength(2);
  });
});
