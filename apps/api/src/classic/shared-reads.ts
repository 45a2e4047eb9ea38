import type { GroupReading, GroupRef, GroupStore } from '@allot/coordinator';

type Reading = Promise<GroupReading | undefined>;

/**
 * Reads of groups that many wait for: those that ask while a read runs share the next one, so that a change costs a replica one read
 * however many wait. What one gets was read after it asked.
 */
export class SharedReads {
  readonly #running = new Map<string, Reading>();
  readonly #next = new Map<string, Reading>();

  constructor(private readonly store: GroupStore) {}

  newest(ref: GroupRef): Reading {
    const key = JSON.stringify([ref.cluster, ref.groupId]);
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, ref);
    let next = this.#next.get(key);
    if (next === undefined) {
      const start = () => {
        this.#next.delete(key);
        return this.#start(key, ref);
      };
      this.#next.set(key, (next = running.then(start, start)));
    }
    return next;
  }

  #start(key: string, ref: GroupRef): Reading {
    const reading = this.store.read(ref).finally(() => {
      if (this.#running.get(key) === reading) this.#running.delete(key);
    });
    this.#running.set(key, reading);
    return reading;
  }
}
