import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeFeed, GroupRef } from '@allot/coordinator';
import pg from 'pg';
import type { Database } from '../database/database.js';
import { run } from '../database/run.js';
import { keyOf } from '../groups/group-cache.js';
import { CHANGES_CHANNEL } from './change-notifier.js';

export interface ChangeFeedOptions {
  /** Between two polls, which find whatever a notification did not tell. 1,000 when absent. */
  readonly pollMs?: number;
  /** Between two probes of the listening connection; one that takes as long to answer is given up. 5,000 when absent. */
  readonly probeMs?: number;
  /** Told why the listening connection was lost, which is opened again without end, and of watchers that throw. */
  readonly onError?: (error: Error) => void;
}

interface Watched {
  readonly ref: GroupRef;
  readonly listeners: Set<() => void>;
  /** Key and revision of the group as last seen; undefined before the first look, null when there is none. */
  seen: { readonly pk: string; readonly revision: number } | null | undefined;
}

/**
 * Hints of changed groups from any replica: by LISTEN on one connection of its own, and by one poll for all watched groups,
 * which is the truth. Begins with the first watcher and runs until it is closed.
 */
export class PostgresChangeFeed implements ChangeFeed {
  readonly #watched = new Map<string, Watched>();
  readonly #byPk = new Map<string, Watched>();
  readonly #pollMs: number;
  readonly #probeMs: number;
  readonly #stop = new AbortController();
  #running: Promise<unknown> | undefined;
  #pollAsked = false;

  constructor(
    private readonly database: Database,
    private readonly options: ChangeFeedOptions = {},
  ) {
    this.#pollMs = options.pollMs ?? 1_000;
    this.#probeMs = options.probeMs ?? 5_000;
  }

  watch(ref: GroupRef, onHint: () => void): () => void {
    if (this.#stop.signal.aborted) throw new Error('The change feed is closed.');
    const key = keyOf(ref);
    let watched = this.#watched.get(key);
    if (watched === undefined) {
      watched = { ref, listeners: new Set(), seen: undefined };
      this.#watched.set(key, watched);
      this.#pollSoon();
    }
    this.#running ??= Promise.all([this.#keepPolling(), this.#keepListening()]);
    // A listener of its own for each call, even if the same function is given twice.
    const listener = () => onHint();
    watched.listeners.add(listener);
    return () => this.#unwatch(key, watched, listener);
  }

  /** Groups that are watched right now. */
  get size(): number {
    return this.#watched.size;
  }

  /** Ends polling and listening, and resolves when both have ended. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#watched.clear();
    this.#byPk.clear();
    await this.#running;
  }

  #unwatch(key: string, watched: Watched, listener: () => void): void {
    watched.listeners.delete(listener);
    if (watched.listeners.size > 0 || this.#watched.get(key) !== watched) return;
    this.#watched.delete(key);
    if (watched.seen) this.#byPk.delete(watched.seen.pk);
  }

  async #keepPolling(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#pause(this.#pollMs);
      await this.#poll();
    }
  }

  /** The key of a group that is new here must be known before a notification can be understood. */
  #pollSoon(): void {
    if (this.#pollAsked) return;
    this.#pollAsked = true;
    setImmediate(() => {
      this.#pollAsked = false;
      void this.#poll();
    });
  }

  /** One statement for all watched groups. Failures are left to the next poll. */
  async #poll(): Promise<void> {
    const asked = [...this.#watched.values()];
    if (asked.length === 0) return;
    const clusters = asked.map(({ ref }) => ref.cluster);
    const groupIds = asked.map(({ ref }) => ref.groupId);
    try {
      const rows = await run(this.database, (statements) => {
        return statements.$queryRaw<{ place: number; pk: string; revision: number }[]>`
          SELECT r.place::int AS place, g.id::text AS pk, g.revision::float8 AS revision
          FROM unnest(${clusters}::text[], ${groupIds}::text[]) WITH ORDINALITY AS r(cluster, group_id, place)
          JOIN groups g ON g.cluster = r.cluster AND g.group_id = r.group_id`;
      });
      const found = new Map(rows.map(({ place, pk, revision }) => [place - 1, { pk, revision }]));
      asked.forEach((watched, place) => this.#see(watched, found.get(place) ?? null));
    } catch {
      // The database is away: whoever reads will be told, and the next poll tries again.
    }
  }

  #see(watched: Watched, now: { readonly pk: string; readonly revision: number } | null): void {
    if (watched.listeners.size === 0) return;
    const before = watched.seen;
    if (before === null && now === null) return;
    // A poll that a notification has overtaken must not turn back.
    if (before && now && before.pk === now.pk && before.revision >= now.revision) return;
    if (before && before.pk !== now?.pk) this.#byPk.delete(before.pk);
    watched.seen = now;
    if (now) this.#byPk.set(now.pk, watched);
    for (const listener of [...watched.listeners]) {
      try {
        listener();
      } catch (error) {
        this.#report(error);
      }
    }
  }

  #report(error: unknown): void {
    this.options.onError?.(error instanceof Error ? error : new Error(String(error)));
  }

  /** Listens until closed; after a loss it connects again, later and later. */
  async #keepListening(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; failures++) {
      const begun = performance.now();
      try {
        await this.#listen();
      } catch (error) {
        if (signal.aborted) return;
        this.#report(error);
      }
      if (performance.now() - begun > 30_000) failures = 0;
      await this.#pause(Math.min(10_000, 100 * 2 ** failures) * (0.5 + Math.random() / 2));
    }
  }

  /** Returns only by throwing: the connection was lost or closed. */
  async #listen(): Promise<never> {
    const client = new pg.Client({
      connectionString: this.database.url,
      application_name: 'allot-listen',
      connectionTimeoutMillis: this.#probeMs,
      keepAlive: true,
    });
    // Not `end`, which would wait for an answer that a dead connection never gives.
    const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
    const cut = () => connection.stream.destroy();
    const lost = new Promise<never>((_, reject) => {
      client.on('error', reject);
      client.on('end', () => reject(new Error('The listening connection was closed.')));
    });
    lost.catch(() => undefined);
    this.#stop.signal.addEventListener('abort', cut);
    try {
      await Promise.race([client.connect(), lost]);
      client.on('notification', ({ payload }) => this.#onNotification(payload ?? ''));
      await Promise.race([client.query(`LISTEN ${CHANGES_CHANNEL}`), lost]);
      // What was committed while nobody listened.
      await this.#poll();
      for (;;) {
        await Promise.race([this.#pause(this.#probeMs), lost]);
        await Promise.race([client.query('SELECT 1'), lost, this.#deadline()]);
      }
    } finally {
      this.#stop.signal.removeEventListener('abort', cut);
      cut();
    }
  }

  async #deadline(): Promise<never> {
    await this.#pause(this.#probeMs);
    throw new Error('The listening connection does not answer.');
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  #onNotification(payload: string): void {
    const [pk, revision] = payload.split(':');
    const watched = this.#byPk.get(pk ?? '');
    if (watched === undefined) return;
    if (revision === '0') this.#see(watched, null);
    else this.#see(watched, { pk: pk!, revision: Number(revision) });
  }
}
