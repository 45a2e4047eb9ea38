import { setTimeout as sleep } from 'node:timers/promises';
import type { Retention } from '@allot/persistence';
import type { Logger } from 'pino';

const INTERVAL_MS = 60_000;
const BATCH = 1_000;
const KEPT_CHANGES = { mostPerGroup: 10_000, maxAgeMs: 30 * 86_400_000 };
const KEEP_EXPIRED_PLANS_MS = 7 * 86_400_000;

/** Removes history, keys and plans whose time is over, every minute; the returned function ends it. */
export function startHousekeeping(retention: Retention, logger: Logger): () => Promise<void> {
  const stop = new AbortController();
  const running = keepHouse(retention, logger, stop.signal);
  return async () => {
    stop.abort();
    await running;
  };
}

async function keepHouse(retention: Retention, logger: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // Rejects only when it is told to stop.
    await sleep(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    try {
      while (!signal.aborted && (await retention.pruneChanges(KEPT_CHANGES, BATCH)) >= BATCH);
      if (!signal.aborted) await retention.pruneExpired(KEEP_EXPIRED_PLANS_MS, BATCH);
    } catch (error) {
      logger.warn({ err: error }, 'housekeeping failed and is tried again');
    }
  }
}
