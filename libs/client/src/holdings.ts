import { keyOf, partitionsOf, type Partitions, type TopicPartition } from './partitions.js';

/** One partition that the member received, from then until it is given up or lost. */
export interface Grant extends TopicPartition {
  /** The member's epoch when it received it. */
  readonly epoch: number;
  readonly abort: AbortController;
  /** It is being given up: still the member's own, but no more work is begun on it. */
  leaving: boolean;
}

/** What the member holds. What it is giving up counts until that is done. */
export class Holdings {
  readonly #grants = new Map<string, Grant>();

  get size(): number {
    return this.#grants.size;
  }

  get(partition: TopicPartition): Grant | undefined {
    return this.#grants.get(keyOf(partition));
  }

  all(): Grant[] {
    return [...this.#grants.values()];
  }

  partitions(): Partitions {
    return partitionsOf(this.#grants.values());
  }

  /** Those of `wanted` that are new; they are held from here on. */
  take(wanted: readonly TopicPartition[], epoch: number): Grant[] {
    const taken: Grant[] = [];
    for (const { topic, partition } of wanted) {
      const key = keyOf({ topic, partition });
      if (this.#grants.has(key)) continue;
      const grant: Grant = { topic, partition, epoch, abort: new AbortController(), leaving: false };
      this.#grants.set(key, grant);
      taken.push(grant);
    }
    return taken;
  }

  /** Those that are not in `kept` and not yet being given up. */
  beyond(kept: readonly TopicPartition[]): Grant[] {
    const keys = new Set(kept.map(keyOf));
    return this.all().filter((grant) => !grant.leaving && !keys.has(keyOf(grant)));
  }

  /** Forgets grants, unless their place was taken by later ones. */
  release(grants: readonly Grant[]): void {
    for (const grant of grants) if (this.get(grant) === grant) this.#grants.delete(keyOf(grant));
  }
}
