import type { ChangeFeed, ChangePage, GroupChange, GroupReading, GroupRef, GroupStore } from '@allot/coordinator';
import { AllotError } from '@allot/model';

/** Where a reader stands: everything up to `revision` was given to it. `life` tells apart groups that had the same id. */
export interface Cursor {
  revision: number;
  life: number;
}

/** With what a reader begins: the group as it is, or what the reader has missed. */
export type Beginning = { readonly reading: GroupReading } | { readonly missed: readonly GroupChange[] };

/** A reader that is further behind than this gets one snapshot instead of every change. */
export const MAX_CATCH_UP = 200;

/** Numbers (partitions, members) that the kept changes of one group may have together: a few megabytes. */
const MAX_WEIGHT = 200_000;

/** A read that failed is tried again after this: the hint that asked for it will not come twice. */
const RETRY_MS = 1_000;

/**
 * The newest changes of one group, read once for all who follow it. Readers keep a cursor and take what comes after it when they can;
 * nothing is queued for any of them. Who falls behind what is kept here starts over with a snapshot.
 */
export class GroupTail {
  readonly #changes: GroupChange[] = [];
  readonly #readers = new Set<() => void>();
  readonly #pages = new Map<number, Promise<ChangePage>>();
  readonly #unwatch: () => void;
  #weight = 0;
  /** Revision that was read last; undefined before the first reader. */
  #newest: number | undefined;
  #life = 0;
  #gone = false;
  #reading: Promise<GroupReading | undefined> | undefined;
  #state: 'idle' | 'reading' | 'asked again' | 'closed' = 'idle';

  constructor(
    private readonly store: GroupStore,
    feed: ChangeFeed,
    private readonly ref: GroupRef,
  ) {
    this.#unwatch = feed.watch(ref, () => this.#refresh());
  }

  /** The group was deleted. */
  get gone(): boolean {
    return this.#gone;
  }

  /**
   * What a reader is given first that saw everything up to `since`, or nothing yet.
   * @throws AllotError GROUP_ID_NOT_FOUND; REVISION_COMPACTED when `since` is older than the kept history.
   */
  async begin(since: number | undefined): Promise<Beginning> {
    if (since !== undefined) {
      const { changes, oldest, newest } = await this.#page(since);
      if (newest === 0) throw notFound(this.ref);
      if (oldest > since + 1) throw compacted(oldest);
      // One from another life of the group, or too far behind, starts over.
      if (since <= newest && newest <= since + MAX_CATCH_UP) return { missed: changes };
    }
    const reading = await this.#snapshot();
    if (reading === undefined) throw notFound(this.ref);
    return { reading };
  }

  /** The group for a reader that is behind, which goes on after it; undefined: deleted. */
  async startOver(cursor: Cursor): Promise<GroupReading | undefined> {
    let reading = await this.#snapshot();
    // An answer that others had asked for before this reader got where it is would lead it back.
    const isOld = reading !== undefined && reading.group.revision < cursor.revision;
    if (isOld && cursor.life === this.#life) reading = await this.#snapshot();
    if (reading !== undefined) Object.assign(cursor, this.cursorAt(reading.group.revision));
    return reading;
  }

  /** The group as it is. Those who ask at the same time share one answer. */
  #snapshot(): Promise<GroupReading | undefined> {
    this.#reading ??= this.store.read(this.ref).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Kept changes after a revision, at most `MAX_CATCH_UP`. Those who ask for the same at the same time share one answer. */
  #page(since: number): Promise<ChangePage> {
    let page = this.#pages.get(since);
    if (page === undefined) {
      page = this.store.changesSince(this.ref, since, MAX_CATCH_UP).finally(() => this.#pages.delete(since));
      this.#pages.set(since, page);
    }
    return page;
  }

  cursorAt(revision: number): Cursor {
    return { revision, life: this.#life };
  }

  /** Calls `wake` whenever `next` may have something for the reader, until the returned function is called. */
  attach({ revision }: Cursor, wake: () => void): () => void {
    this.#readers.add(wake);
    if (this.#newest === undefined) {
      this.#newest = revision;
      // What happened since the reader read.
      this.#refresh();
    }
    return () => this.#readers.delete(wake);
  }

  /** The change after a cursor. */
  next({ revision, life }: Cursor): GroupChange | 'none' | 'behind' | 'gone' {
    if (this.#gone) return 'gone';
    if (life !== this.#life) return 'behind';
    if (revision >= this.#newest!) return 'none';
    const first = this.#changes[0]?.revision ?? Infinity;
    return revision + 1 < first ? 'behind' : this.#changes[revision + 1 - first]!;
  }

  close(): void {
    this.#state = 'closed';
    this.#unwatch();
  }

  #refresh(): void {
    if (this.#newest === undefined || this.#gone) return;
    if (this.#state === 'reading') this.#state = 'asked again';
    if (this.#state === 'idle') void this.#read();
  }

  async #read(): Promise<void> {
    let more = true;
    while (more) {
      this.#state = 'reading';
      try {
        more = this.#take(await this.store.changesSince(this.ref, this.#newest!, MAX_CATCH_UP));
      } catch {
        setTimeout(() => this.#refresh(), RETRY_MS).unref();
        more = false;
      }
      const state = this.#state as 'reading' | 'asked again' | 'closed';
      if (state === 'closed') return;
      more ||= state === 'asked again';
    }
    this.#state = 'idle';
  }

  /** Keeps what was read and wakes the readers; true when there is more. */
  #take(page: ChangePage): boolean {
    const last = this.#newest!;
    if (page.newest === 0) {
      this.#gone = true;
    } else if (page.newest < last) {
      this.#life++;
      this.#skipTo(page.newest);
    } else if (page.oldest > last + 1 || page.newest > last + MAX_CATCH_UP) {
      this.#skipTo(page.newest);
    } else {
      for (const change of page.changes) this.#keep(change);
    }
    if (this.#gone || this.#newest !== last) for (const wake of this.#readers) wake();
    return !this.#gone && this.#newest! < page.newest;
  }

  #skipTo(revision: number): void {
    this.#changes.length = 0;
    this.#weight = 0;
    this.#newest = revision;
  }

  #keep(change: GroupChange): void {
    this.#changes.push(change);
    this.#newest = change.revision;
    this.#weight += weightOf(change);
    while (this.#weight > MAX_WEIGHT && this.#changes.length > 1) this.#weight -= weightOf(this.#changes.shift()!);
    if (this.#changes.length > MAX_CATCH_UP) this.#weight -= weightOf(this.#changes.shift()!);
  }
}

function weightOf({ members }: GroupChange): number {
  let weight = 10;
  for (const { current, revoking, target } of members) {
    weight += 10;
    for (const assignment of [current, revoking, target]) {
      for (const partitions of assignment?.values() ?? []) weight += partitions.length;
    }
  }
  return weight;
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
