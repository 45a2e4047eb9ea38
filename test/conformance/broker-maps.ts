/**
 * `java.util.HashMap` as far as the broker's assignors use it: `put` adds to the end of a bucket, `computeIfAbsent` to its
 * front, and doubles the table one entry later. Buckets with more than eight entries, which become trees in Java, are not
 * covered. Written apart from the strategies on purpose: it is what they are checked against.
 */
export class BrokerMap<K, V> {
  private buckets: { key: K; value: V }[][] | undefined;
  private capacity: number;
  size = 0;

  constructor(
    readonly hashCode: (key: K) => number,
    initialCapacity = 16,
  ) {
    this.capacity = 1;
    while (this.capacity < initialCapacity) this.capacity *= 2;
  }

  get(key: K): V | undefined {
    return this.bucket(key)?.find((entry) => entry.key === key)?.value;
  }

  put(key: K, value: V): this {
    this.buckets ??= this.emptyTable();
    const bucket = this.bucket(key)!;
    const present = bucket.find((entry) => entry.key === key);
    if (present !== undefined) present.value = value;
    else {
      bucket.push({ key, value });
      this.size++;
      if (this.isOverfull()) this.double();
    }
    return this;
  }

  computeIfAbsent(key: K, create: () => V): V {
    if (this.buckets !== undefined && this.isOverfull()) this.double();
    this.buckets ??= this.emptyTable();
    const bucket = this.bucket(key)!;
    const present = bucket.find((entry) => entry.key === key);
    if (present !== undefined) return present.value;
    const value = create();
    bucket.unshift({ key, value });
    this.size++;
    return value;
  }

  remove(key: K): void {
    const bucket = this.bucket(key);
    const place = bucket?.findIndex((entry) => entry.key === key) ?? -1;
    if (place < 0) return;
    bucket!.splice(place, 1);
    this.size--;
  }

  entries(): { key: K; value: V }[] {
    return (this.buckets ?? []).flat();
  }

  keys(): K[] {
    return this.entries().map(({ key }) => key);
  }

  private bucket(key: K): { key: K; value: V }[] | undefined {
    const hash = this.hashCode(key);
    return this.buckets?.[(hash ^ (hash >>> 16)) & (this.capacity - 1)];
  }

  private isOverfull(): boolean {
    return this.size > Math.floor(this.capacity * 0.75);
  }

  private double(): void {
    const entries = this.entries();
    this.capacity *= 2;
    this.buckets = this.emptyTable();
    for (const entry of entries) this.bucket(entry.key)!.push(entry);
  }

  private emptyTable(): { key: K; value: V }[][] {
    return Array.from({ length: this.capacity }, () => []);
  }
}

export function stringHashCode(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

const uuidHashCodes = new Map<string, number>();

/** Of a Uuid as Kafka prints it. Remembered, since maps ask for it at every step. */
export function uuidHashCode(id: string): number {
  let hash = uuidHashCodes.get(id);
  if (hash === undefined) {
    const bytes = Buffer.from(id, 'base64url');
    hash = bytes.readInt32BE(0) ^ bytes.readInt32BE(4) ^ bytes.readInt32BE(8) ^ bytes.readInt32BE(12);
    uuidHashCodes.set(id, hash);
  }
  return hash;
}

export function compareUuids(a: string, b: string): number {
  const left = Buffer.from(a, 'base64url');
  const right = Buffer.from(b, 'base64url');
  const upper = left.readBigInt64BE(0) - right.readBigInt64BE(0);
  const order = upper !== 0n ? upper : left.readBigInt64BE(8) - right.readBigInt64BE(8);
  return order < 0n ? -1 : order > 0n ? 1 : 0;
}

/** `new HashSet<>(collection)` of numbers. */
export function numberSet(numbers: readonly number[]): BrokerMap<number, true> {
  const set = new BrokerMap<number, true>((number) => number, Math.max(Math.floor(numbers.length / 0.75) + 1, 16));
  for (const number of numbers) set.put(number, true);
  return set;
}
