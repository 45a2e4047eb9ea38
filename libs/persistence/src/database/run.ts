import { setTimeout as sleep } from 'node:timers/promises';
import type { Prisma } from '../generated/client.js';
import type { Database, Statements } from './database.js';
import { isConflict, toStoreError } from './database-errors.js';

const ATTEMPTS = 6;

/** Thrown to roll a dry run back; carries what it would have answered. */
class DryRunDone {
  constructor(readonly value: unknown) {}
}

/**
 * Runs `work` in one READ COMMITTED transaction. Deadlocks and serialization conflicts run it again, after a pause that is
 * random and grows; with `dryRun` all of it happens and is then rolled back.
 * @throws AllotError as `work` threw it, or STORE_UNAVAILABLE.
 */
export async function inTransaction<R>(
  database: Database,
  work: (tx: Prisma.TransactionClient) => Promise<R>,
  options: { readonly dryRun?: boolean } = {},
): Promise<R> {
  return attempt(() =>
    database.prisma
      .$transaction(async (tx) => {
        const value = await work(tx);
        if (options.dryRun) throw new DryRunDone(value);
        return value;
      })
      .catch((error: unknown) => {
        if (error instanceof DryRunDone) return error.value as R;
        throw error;
      }),
  );
}

/** Runs statements outside of a transaction. @throws AllotError STORE_UNAVAILABLE */
export function run<R>(database: Database, work: (statements: Statements) => Promise<R>): Promise<R> {
  return attempt(() => work(database.prisma));
}

async function attempt<R>(work: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw toStoreError(error);
      await sleep(Math.random() * 10 * 2 ** attempt);
    }
  }
}
