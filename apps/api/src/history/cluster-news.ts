import type { FeedPosition, GroupHistory } from '@allot/coordinator';
import { Inject, Injectable } from '@nestjs/common';
import { GROUP_HISTORY } from '../ports.js';

/** Between two looks at a cluster for all who wait for its changes. */
const POLL_MS = 500;
const CHANGES_A_LOOK = 1_000;

interface Watched {
  readonly waiting: Set<Waiting>;
  /** Up to where it was looked; undefined before the first look. */
  seen: FeedPosition | undefined;
  timer: NodeJS.Timeout | undefined;
}

interface Waiting {
  /** Where this reader is; it may be behind what was seen. */
  readonly position: FeedPosition | undefined;
  readonly wake: () => void;
}

/**
 * Tells readers of whole clusters that there may be something new. Notifications name groups, of which a cluster has thousands, so one look a
 * cluster does for all readers; while nobody waits nothing is asked.
 */
@Injectable()
export class ClusterNews {
  readonly #watched = new Map<string, Watched>();

  constructor(@Inject(GROUP_HISTORY) private readonly history: GroupHistory) {}

  /** Resolves when something may be newer than `position`, after `timeoutMs`, or when the signal is aborted. */
  async wait(
    cluster: string,
    position: FeedPosition | undefined,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) return;
    const watched = this.#watch(cluster);
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timeout);
        signal.removeEventListener('abort', end);
        watched.waiting.delete(waiting);
        resolve();
      };
      const timeout = setTimeout(end, timeoutMs);
      const waiting = { position, wake: end };
      signal.addEventListener('abort', end);
      watched.waiting.add(waiting);
    });
    if (watched.waiting.size === 0) this.#unwatch(cluster, watched);
  }

  #watch(cluster: string): Watched {
    let watched = this.#watched.get(cluster);
    if (watched === undefined) {
      watched = { waiting: new Set(), seen: undefined, timer: undefined };
      this.#watched.set(cluster, watched);
      this.#lookSoon(cluster, watched);
    }
    return watched;
  }

  #unwatch(cluster: string, watched: Watched): void {
    clearTimeout(watched.timer);
    if (this.#watched.get(cluster) === watched) this.#watched.delete(cluster);
  }

  #lookSoon(cluster: string, watched: Watched): void {
    watched.timer = setTimeout(() => void this.#look(cluster, watched), POLL_MS);
  }

  async #look(cluster: string, watched: Watched): Promise<void> {
    // Who is elsewhere than this look may have missed what it has passed, and looks for itself.
    for (const { position, wake } of [...watched.waiting]) if (position !== watched.seen) wake();
    try {
      const from = watched.seen ?? 'newest';
      const { entries, position } = await this.history.changesOfCluster(cluster, from, CHANGES_A_LOOK);
      watched.seen = position;
      if (entries.length > 0) for (const { wake } of [...watched.waiting]) wake();
    } catch {
      // The database is away, or the cluster is gone: readers are told so when they read.
      for (const { wake } of [...watched.waiting]) wake();
    }
    if (this.#watched.get(cluster) === watched) this.#lookSoon(cluster, watched);
  }
}
