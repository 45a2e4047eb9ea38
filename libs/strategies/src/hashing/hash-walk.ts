import { JavaHashMap, spreadHash, tableSizeFor } from './java-hash-map.js';
import type { JavaKeyType } from './java-hash-map.js';

const DEFAULT_CAPACITY = 16;
/** As many entries can share a bucket before Java reorganises it. */
const CROWDED_BUCKET = 8;

/**
 * The walk of a `java.util.HashMap` or `HashSet` into which distinct keys were put one by one: positions in `keys`, in the
 * order of the walk. The same answer as from a `JavaHashMap`, by one counting sort; only keys that crowd a bucket, as made-up
 * ids may, take the long way.
 *
 * @param initialCapacity the argument of Java's constructor
 * @param hashes what `spreadHashes` answers for the keys, if that is known
 */
export function hashWalk<K>(
  keys: readonly K[],
  type: JavaKeyType<K>,
  initialCapacity: number = DEFAULT_CAPACITY,
  hashes: Int32Array = spreadHashes(keys, type),
): Int32Array {
  let capacity = tableSizeFor(initialCapacity);
  for (; keys.length > capacity * 0.75; capacity *= 2) {
    // The table as full as it gets before it doubles: one entry over the limit.
    const ends = bucketEnds(hashes, Math.min(keys.length, Math.floor(capacity * 0.75) + 1), capacity);
    if (ends === undefined) return exactWalk(keys, type, initialCapacity);
  }
  const ends = bucketEnds(hashes, keys.length, capacity);
  if (ends === undefined) return exactWalk(keys, type, initialCapacity);
  const walk = new Int32Array(keys.length);
  for (let i = keys.length - 1; i >= 0; i--) walk[--ends[hashes[i]! & (capacity - 1)]!] = i;
  return walk;
}

/** `HashMap.hash` of every key. */
export function spreadHashes<K>(keys: readonly K[], type: JavaKeyType<K>): Int32Array {
  const hashes = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) hashes[i] = spreadHash(type.hashCode(keys[i]!));
  return hashes;
}

/** Positions of keys that an earlier position holds already; `hashes` are those of `spreadHashes`. */
export function findRepeats<K>(keys: readonly K[], hashes: Int32Array): number[] {
  const mask = tableSizeFor(2 * keys.length) - 1;
  const table = new Int32Array(mask + 1);
  const repeats: number[] = [];
  for (let i = 0; i < keys.length; i++) {
    let slot = hashes[i]! & mask;
    for (;;) {
      const other = table[slot]! - 1;
      if (other < 0) {
        table[slot] = i + 1;
        break;
      }
      if (hashes[other] === hashes[i] && keys[other] === keys[i]) {
        repeats.push(i);
        break;
      }
      slot = (slot + 1) & mask;
    }
  }
  return repeats;
}

/** Where each bucket ends in the walk of the first `count` keys; undefined when one of them is crowded. */
function bucketEnds(hashes: Int32Array, count: number, capacity: number): Int32Array | undefined {
  const ends = new Int32Array(capacity);
  let crowded = false;
  for (let i = 0; i < count; i++) if (++ends[hashes[i]! & (capacity - 1)]! > CROWDED_BUCKET) crowded = true;
  if (crowded) return undefined;
  for (let bucket = 1; bucket < capacity; bucket++) ends[bucket]! += ends[bucket - 1]!;
  return ends;
}

function exactWalk<K>(keys: readonly K[], type: JavaKeyType<K>, initialCapacity: number): Int32Array {
  const map = new JavaHashMap<K, number>(type, initialCapacity);
  keys.forEach((key, position) => map.set(key, position));
  return Int32Array.from(map.values());
}

/** Capacity that `new HashSet<>(collection)` asks for. */
export function capacityOfCopy(size: number): number {
  return Math.max(Math.floor(size / 0.75) + 1, DEFAULT_CAPACITY);
}
