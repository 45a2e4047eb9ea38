import { setImmediate } from 'node:timers/promises';

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Virtual time: events run one after the other, those of the same moment in the order in which they were planned, and nothing
 * happens between them. Everything that waits, waits here, so a run depends on nothing but what is planned.
 */
export class Scheduler {
  /** True time, ms; every clock of the simulation is made of it. */
  now = 0;
  /** A fingerprint of all that was noted: two runs that are alike to the last event have the same. */
  hash = 0x811c9dc5;
  events = 0;
  readonly trace: string[] | undefined;
  readonly #heap: Event[] = [];
  #planned = 0;
  #woken = false;

  constructor(options: { readonly trace?: boolean } = {}) {
    this.trace = options.trace ? [] : undefined;
  }

  plan(delayMs: number, run: () => void): void {
    const event = { at: this.now + Math.max(0, Math.round(delayMs)), order: this.#planned++, run };
    const heap = this.#heap;
    let at = heap.length;
    for (heap.push(event); at > 0;) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, event)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.plan(delayMs, () => {
        this.#woken = true;
        resolve();
      });
    });
  }

  /** What a call of asynchronous code comes to is waited for before the next event. */
  awaken(): void {
    this.#woken = true;
  }

  note(...facts: readonly (string | number)[]): void {
    const line = `${this.now} ${facts.join(' ')}`;
    let hash = this.hash;
    for (let i = 0; i < line.length; i++) hash = Math.imul(hash ^ line.charCodeAt(i), 0x01000193);
    this.hash = hash >>> 0;
    this.trace?.push(line);
  }

  /** Runs everything that is planned until `until`, and `check` after every event. */
  async run(until: number, check: () => void): Promise<void> {
    for (let event = this.#heap[0]; event !== undefined && event.at <= until; event = this.#heap[0]) {
      this.#removeFirst();
      this.now = event.at;
      this.events++;
      event.run();
      if (this.#woken) {
        this.#woken = false;
        // All that follows from it in this moment: promises settle before the event loop turns.
        await setImmediate();
      }
      check();
    }
    this.now = until;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
