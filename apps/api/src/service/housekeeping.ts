import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryPolicy, Retention } from '@allot/persistence';
import type { Logger } from 'pino';

const INTERVAL_MS = 60_000;
const BATCH = 1_000;
const GROUPS_A_PASS = 100;
const KEEP_EXPIRED_PLANS_MS = 7 * 86_400_000;

/** Removes history, keys and plans whose time is over, every minute; the returned function ends it. */
export function startHousekeeping(retention: Retention, policy: HistoryPolicy, logger: Logger): () => Promise<void> {
  const stop = new AbortController();
  const running = keepHouse(retention, policy, logger, stop.signal);
  return async () => {
    stop.abort();
    await running;
  };
}

async function keepHouse(
  retention: Retention,
  policy: HistoryPolicy,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // Rejects only when it is told to stop.
    await sleep(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    try {
      while (!signal.aborted && (await retention.takeSnapshots(policy, GROUPS_A_PASS)) >= GROUPS_A_PASS);
      while (!signal.aborted && (await retention.pruneChanges(policy, BATCH)) >= BATCH);
      if (!signal.aborted) await retention.pruneExpired(KEEP_EXPIRED_PLANS_MS, BATCH);
    } catch (error) {
      logger.warn({ err: error }, 'housekeeping failed and is tried again');
    }
  }
}
