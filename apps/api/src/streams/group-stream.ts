import type { ChangeFeed, GroupChange, GroupReading, GroupRef, GroupStore } from '@allot/coordinator';
import { AllotError } from '@allot/model';

/** One event of a group's stream. `revision` is its id: a reader that comes back names the last one it saw. */
export type StreamEvent =
  | { readonly type: 'snapshot'; readonly revision: number; readonly reading: GroupReading }
  | { readonly type: 'change'; readonly revision: number; readonly change: GroupChange }
  /** Everything up to `revision` was seen, and none of it was for this reader. */
  | { readonly type: 'bookmark'; readonly revision: number }
  /** The group is gone; the stream ends. */
  | { readonly type: 'deleted'; readonly revision: number }
  /** Nothing happened for a while; shows a proxy that the connection lives. */
  | { readonly type: 'idle' };

export interface StreamOptions {
  /** The last revision that the reader saw; absent: it starts with a snapshot. */
  readonly since?: number;
  /** Changes that the reader wants; the rest only moves its bookmark. */
  readonly wants?: (change: GroupChange) => boolean;
  readonly signal: AbortSignal;
  /** Time without an event after which `idle` is sent. */
  readonly idleMs: number;
}

/** A reader that is further behind than this gets one snapshot instead of every change. */
const MAX_CATCH_UP = 200;

/**
 * Follows a group from a revision on, without losing or repeating one: it reads what the store has after the last revision it gave
 * out, and waits only when there is nothing. Hints merely end the wait. Nothing is queued, so a slow reader costs no memory: it is
 * asked for the next event when it has taken the last, and if it fell too far behind it gets a snapshot.
 *
 * @throws AllotError GROUP_ID_NOT_FOUND; REVISION_COMPACTED when `since` is older than the kept history.
 */
export async function* followGroup(
  store: GroupStore,
  feed: ChangeFeed,
  ref: GroupRef,
  { since, wants = () => true, signal, idleMs }: StreamOptions,
): AsyncGenerator<StreamEvent, void, void> {
  const hint = new Hint(feed, ref, signal);
  try {
    let last = since;
    // A reader that comes back to no news is told so at once: until the first event it does not even know that it is connected, and
    // what is wrong can still be an error.
    let connected = false;
    while (!signal.aborted) {
      if (last === undefined) {
        const reading = await store.read(ref);
        if (reading === undefined) throw notFound(ref);
        last = reading.group.revision;
        connected = true;
        yield { type: 'snapshot', revision: last, reading };
        continue;
      }
      hint.reset();
      const page = await store.changesSince(ref, last, MAX_CATCH_UP);
      if (page.newest === 0) {
        if (!connected) throw notFound(ref);
        yield { type: 'deleted', revision: last };
        return;
      }
      if (page.oldest > last + 1 && !connected) throw compacted(page.oldest);
      if (last > page.newest || page.newest > last + MAX_CATCH_UP || page.oldest > last + 1) {
        last = undefined;
        continue;
      }
      let skipped = false;
      for (const change of page.changes) {
        last = change.revision;
        skipped = !wants(change);
        if (!skipped) yield { type: 'change', revision: last, change };
      }
      if (skipped) yield { type: 'bookmark', revision: last };
      const quiet = page.changes.length === 0 && (!connected || !(await hint.wait(idleMs)));
      if (quiet && !signal.aborted) yield { type: 'idle' };
      connected = true;
    }
  } finally {
    hint.close();
  }
}

function notFound({ cluster, groupId }: GroupRef): AllotError {
  return new AllotError('GROUP_ID_NOT_FOUND', `The cluster ${cluster} has no group ${groupId}.`, {
    action: 'fix-request',
  });
}

function compacted(oldest: number): AllotError {
  return new AllotError(
    'REVISION_COMPACTED',
    `The history starts at revision ${oldest}. Start again without a revision; the stream then begins with a snapshot.`,
    { action: 'refresh', facts: { oldest } },
  );
}

/** Waits for the next hint of a feed, a timeout or the end; a hint that comes while nobody waits is not lost. */
export class Hint {
  #given = false;
  #wake: (() => void) | undefined;
  readonly #unwatch: () => void;
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.#wake?.();

  constructor(feed: ChangeFeed, ref: GroupRef, signal: AbortSignal) {
    this.#signal = signal;
    this.#unwatch = feed.watch(ref, () => {
      this.#given = true;
      this.#wake?.();
    });
    signal.addEventListener('abort', this.#onAbort);
  }

  reset(): void {
    this.#given = false;
  }

  /** Resolves with true when a hint came, with false on the timeout or the end. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#given && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    return this.#given;
  }

  close(): void {
    this.#unwatch();
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
