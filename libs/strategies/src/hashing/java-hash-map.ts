/**
 * Java's hash order, reproduced.
 *
 * Kafka's assignors walk `java.util.HashMap` and `HashSet`, and some of their answers depend on that walk: which member is
 * looked at first, which partition of a set is moved. Java does not promise an order, but it has one, and it depends on
 * nothing but the keys' hash codes, the order of insertion and the initial capacity:
 *
 * - a key lives in bucket `spread(hashCode) & (capacity - 1)`, where `spread` folds the upper half into the lower one;
 * - the capacity is a power of two, 16 unless asked otherwise, and doubles as soon as the size exceeds three quarters of it;
 *   it never shrinks;
 * - a walk goes through the buckets from 0 upwards, and within a bucket in order of insertion, which doubling keeps;
 * - a ninth entry in one bucket doubles the table early while the capacity is below 64; from 64 on the bucket becomes a
 *   red-black tree, whose walk has an order of its own (see java-tree-bucket.ts). `HashSet` is a `HashMap` of its elements.
 */
import { compareText } from '@allot/model';

import { TreeBucket } from './java-tree-bucket.js';
import type { JavaEntry } from './java-tree-bucket.js';

/** `String.hashCode()`: the polynomial in 31 over UTF-16 code units, in 32-bit arithmetic. Signed. */
export function javaStringHashCode(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

/** `HashMap.hash(key)`: the upper sixteen bits folded into the lower ones. */
export function spreadHash(hashCode: number): number {
  return hashCode ^ (hashCode >>> 16);
}

/** `HashMap.tableSizeFor`: the least power of two that is not below `capacity` (at least 1). */
export function tableSizeFor(capacity: number): number {
  let size = 1;
  while (size < capacity) size *= 2;
  return size;
}

const DEFAULT_CAPACITY = 16;
const LOAD_FACTOR = 0.75;
const TREEIFY_THRESHOLD = 8;
const MIN_TREEIFY_CAPACITY = 64;
const UNTREEIFY_THRESHOLD = 6;

/** How a map sees its keys. Keys are the same exactly when `===` says so. */
export interface JavaKeyType<K> {
  /** `hashCode()`, a signed 32-bit integer. */
  hashCode(key: K): number;
  /** `compareTo` for keys with equal hash codes in one crowded bucket. */
  compare(a: K, b: K): number;
}

export const STRING_KEYS: JavaKeyType<string> = { hashCode: javaStringHashCode, compare: compareText };

type Bucket<K, V> = JavaEntry<K, V>[] | TreeBucket<K, V>;

/**
 * A map that walks its entries as `java.util.HashMap` does after the same calls. `get` and `has` cost a native map lookup;
 * the buckets exist only for the order.
 */
export class JavaHashMap<K, V> {
  readonly #keys: JavaKeyType<K>;
  readonly #entries = new Map<K, JavaEntry<K, V>>();
  #buckets: (Bucket<K, V> | undefined)[] = [];
  #capacity: number;

  /** @param initialCapacity the argument of Java's constructor; the default one has 16 */
  constructor(keys: JavaKeyType<K>, initialCapacity: number = DEFAULT_CAPACITY) {
    this.#keys = keys;
    this.#capacity = tableSizeFor(initialCapacity);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Buckets in the table; for tests. */
  get capacity(): number {
    return this.#capacity;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** `put`: a key that is present keeps its place. */
  set(key: K, value: V): void {
    const present = this.#entries.get(key);
    if (present !== undefined) {
      present.value = value;
      return;
    }
    const entry: JavaEntry<K, V> = { hash: spreadHash(this.#keys.hashCode(key)), key, value };
    this.#entries.set(key, entry);
    const index = entry.hash & (this.#capacity - 1);
    const bucket = this.#buckets[index];
    if (bucket === undefined) this.#buckets[index] = [entry];
    else if (bucket instanceof TreeBucket) bucket.add(entry);
    else {
      bucket.push(entry);
      if (bucket.length > TREEIFY_THRESHOLD) this.#relieve(index, bucket);
    }
    if (this.#entries.size > this.#capacity * LOAD_FACTOR) this.#double();
  }

  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    const index = entry.hash & (this.#capacity - 1);
    const bucket = this.#buckets[index]!;
    if (bucket instanceof TreeBucket) {
      const rest = bucket.remove(entry);
      if (rest !== undefined) this.#buckets[index] = rest;
    } else bucket.splice(bucket.indexOf(entry), 1);
    return true;
  }

  /** `entrySet().iterator()`. */
  *entries(): Generator<JavaEntry<K, V>> {
    for (let index = 0; index < this.#capacity; index++) {
      const bucket = this.#buckets[index];
      if (bucket !== undefined) yield* bucket;
    }
  }

  *keys(): Generator<K> {
    for (const entry of this.entries()) yield entry.key;
  }

  *values(): Generator<V> {
    for (const entry of this.entries()) yield entry.value;
  }

  /** A bucket with more than eight entries: a larger table while it is small, then a tree. */
  #relieve(index: number, bucket: JavaEntry<K, V>[]): void {
    if (this.#capacity < MIN_TREEIFY_CAPACITY) this.#double();
    else this.#buckets[index] = TreeBucket.of(bucket, this.#keys.compare);
  }

  /** `resize`: each bucket splits into one that stays and one `capacity` further up; both keep their order. */
  #double(): void {
    const old = this.#buckets;
    const capacity = this.#capacity;
    this.#buckets = [];
    this.#capacity = capacity * 2;
    for (let index = 0; index < capacity; index++) {
      const bucket = old[index];
      if (bucket === undefined) continue;
      const entries = [...bucket];
      const low = entries.filter((entry) => (entry.hash & capacity) === 0);
      const high = entries.filter((entry) => (entry.hash & capacity) !== 0);
      this.#place(index, low, high.length === 0 ? bucket : undefined, bucket instanceof TreeBucket);
      this.#place(index + capacity, high, low.length === 0 ? bucket : undefined, bucket instanceof TreeBucket);
    }
  }

  /** Half of a split bucket. A tree that did not split stays as it is; a half with more than six entries is a new tree. */
  #place(index: number, entries: JavaEntry<K, V>[], whole: Bucket<K, V> | undefined, wasTree: boolean): void {
    if (entries.length === 0) return;
    if (!wasTree || entries.length <= UNTREEIFY_THRESHOLD) this.#buckets[index] = entries;
    else this.#buckets[index] = whole ?? TreeBucket.of(entries, this.#keys.compare);
  }
}

/**
 * The order in which a `HashSet` or `HashMap` walks text keys that were put into it one by one. Repeated keys count once.
 *
 * @param initialCapacity the argument of Java's constructor, 16 by default
 */
export function javaHashOrder(keys: Iterable<string>, initialCapacity?: number): string[] {
  const map = new JavaHashMap<string, undefined>(STRING_KEYS, initialCapacity);
  for (const key of keys) map.set(key, undefined);
  return [...map.keys()];
}
