import type { StreamLeases } from '@allot/coordinator';
import { frameOf, type WireFormat } from './frames.js';
import type { StreamReader } from './stream-reader.js';

interface Listener {
  readonly format: WireFormat;
  readonly everyMs: number;
  dueAt: number;
}

/**
 * Calls to members that listen: each shows the database's time, and the member that has read it sends it back. Its lease then runs from
 * that time, so a call that nobody reads (the connection is half open, a proxy holds the bytes, the process is frozen) extends nothing.
 */
export class LeaseCalls {
  readonly #listeners = new Map<StreamReader, Listener>();
  #asking = false;

  constructor(private readonly leases: StreamLeases) {}

  add(reader: StreamReader, { everyMs, shownAt }: { everyMs: number; shownAt: number }, format: WireFormat): void {
    this.#listeners.set(reader, { format, everyMs, dueAt: performance.now() + everyMs });
    reader.tell(callOf(shownAt, everyMs, format));
  }

  remove(reader: StreamReader): void {
    this.#listeners.delete(reader);
  }

  /** Calls those who are due; `now` is of a monotonic clock, in ms. While the database is away nobody is called. */
  call(now: number): void {
    if (this.#asking) return;
    const due = [...this.#listeners].filter(([, { dueAt }]) => dueAt <= now);
    if (due.length === 0) return;
    this.#asking = true;
    void this.#callAll(due, now).finally(() => (this.#asking = false));
  }

  async #callAll(due: readonly (readonly [StreamReader, Listener])[], now: number): Promise<void> {
    const shownAt = await this.leases.now().catch(() => undefined);
    if (shownAt === undefined) return;
    for (const [reader, listener] of due) {
      if (!this.#listeners.has(reader)) continue;
      listener.dueAt = now + listener.everyMs;
      reader.tell(callOf(shownAt, listener.everyMs, listener.format));
    }
  }
}

function callOf(shownAt: number, everyMs: number, format: WireFormat) {
  return frameOf({ name: 'lease', data: { token: String(shownAt), everyMs } }, format);
}
