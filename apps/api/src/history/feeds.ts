import type { AuditEntry, ChangeFeed, FeedPage, GroupHistory, GroupRef } from '@allot/coordinator';
import { invalidRequest } from '@allot/model';
import { Hint } from '../streams/hint.js';
import type { ClusterNews } from './cluster-news.js';

/** A sequence of changes that can be read from any place on, and that tells when there may be more. */
export interface Feed {
  /** Changes after a cursor, oldest first; without one all that is kept. */
  read(after: string | undefined, limit: number): Promise<FeedPage>;
  /** Resolves when something may be newer than what was read last, after `timeoutMs`, or when the signal is aborted. */
  wait(timeoutMs: number): Promise<void>;
  close(): void;
}

/** The changes of one group; a cursor is a revision. */
export class GroupFeed implements Feed {
  readonly #hint: Hint;

  constructor(
    private readonly history: GroupHistory,
    feed: ChangeFeed,
    private readonly ref: GroupRef,
    signal: AbortSignal,
  ) {
    this.#hint = new Hint((wake) => feed.watch(ref, wake), signal);
  }

  async read(after: string | undefined, limit: number): Promise<FeedPage> {
    this.#hint.reset();
    if (after === 'newest') {
      const [newest] = (await this.history.list(this.ref, { limit: 1 })).items;
      return { entries: [], position: String(newest?.change.revision ?? 0) };
    }
    const entries =
      after === undefined
        ? await this.#oldest(limit)
        : await this.history.changesOfGroup(this.ref, revisionOf(after), limit);
    const placed = entries.map((entry) => ({ ...entry, position: String(entry.change.revision) }));
    return { entries: placed, position: placed.at(-1)?.position ?? after ?? '0' };
  }

  #oldest(limit: number): Promise<readonly AuditEntry[]> {
    return this.history.changesOfGroup(this.ref, 'oldest', limit);
  }

  async wait(timeoutMs: number): Promise<void> {
    await this.#hint.wait(timeoutMs);
  }

  close(): void {
    this.#hint.close();
  }
}

/** The changes of all groups of a cluster. */
export class ClusterFeed implements Feed {
  #position: string | undefined;

  constructor(
    private readonly history: GroupHistory,
    private readonly news: ClusterNews,
    private readonly cluster: string,
    private readonly signal: AbortSignal,
  ) {}

  async read(after: string | undefined, limit: number): Promise<FeedPage> {
    const page = await this.history.changesOfCluster(this.cluster, after, limit);
    this.#position = page.position;
    return page;
  }

  wait(timeoutMs: number): Promise<void> {
    return this.news.wait(this.cluster, this.#position, timeoutMs, this.signal);
  }

  close(): void {}
}

function revisionOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  const detail = 'must be a revision of the group, or newest';
  throw invalidRequest(`after ${detail}.`, [{ pointer: 'after', detail }]);
}
