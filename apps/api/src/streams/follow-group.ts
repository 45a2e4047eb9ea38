import type { GroupChange, GroupReading } from '@allot/coordinator';
import type { Cursor, GroupTail } from './group-tail.js';
import { Hint } from './hint.js';

/** One event of a group that is followed. `revision` is its id: a reader that comes back names the last one it saw. */
export type GroupNews =
  | { readonly type: 'snapshot'; readonly revision: number; readonly reading: GroupReading }
  | { readonly type: 'change'; readonly revision: number; readonly change: GroupChange }
  /** The group is gone; nothing follows. */
  | { readonly type: 'deleted'; readonly revision: number }
  /** Nothing happened for a while. */
  | { readonly type: 'idle' };

export interface FollowOptions {
  /** The last revision that the reader saw; absent: it starts with a snapshot. */
  readonly since?: number;
  readonly signal: AbortSignal;
  /** Time without an event after which `idle` is told. */
  readonly idleMs: number;
}

/**
 * Follows a group for a reader that asks for an event when it has taken the last: without losing or repeating a revision, and with
 * nothing queued. One that fell too far behind gets a snapshot. What is new is read once for all readers of the tail.
 *
 * @throws AllotError GROUP_ID_NOT_FOUND; REVISION_COMPACTED when `since` is older than the kept history.
 */
export async function* followGroup(
  tail: GroupTail,
  { since, signal, idleMs }: FollowOptions,
): AsyncGenerator<GroupNews, void, void> {
  const beginning = await tail.begin(since);
  const cursor = tail.cursorAt('reading' in beginning ? beginning.reading.group.revision : since!);
  const hint = new Hint((wake) => tail.attach(cursor, wake), signal);
  try {
    if ('reading' in beginning) yield { type: 'snapshot', revision: cursor.revision, reading: beginning.reading };
    // A reader that comes back to no news is told at once that it is connected; until then what is wrong can still be an error.
    else if (beginning.missed.length === 0) yield { type: 'idle' };
    else for (const change of beginning.missed) yield take(cursor, change);
    while (!signal.aborted) {
      hint.reset();
      const next = tail.next(cursor);
      if (next === 'none') {
        if (!(await hint.wait(idleMs)) && !signal.aborted) yield { type: 'idle' };
        continue;
      }
      if (typeof next === 'object') {
        yield take(cursor, next);
        continue;
      }
      const reading = next === 'behind' ? await tail.startOver(cursor) : undefined;
      if (reading === undefined) {
        yield { type: 'deleted', revision: cursor.revision };
        return;
      }
      yield { type: 'snapshot', revision: cursor.revision, reading };
    }
  } finally {
    hint.close();
  }
}

function take(cursor: Cursor, change: GroupChange): GroupNews {
  cursor.revision = change.revision;
  return { type: 'change', revision: change.revision, change };
}
