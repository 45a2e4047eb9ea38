import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { isAlive, startTimeOf } from './process-identity.js';

interface Holder {
  readonly pid: number;
  readonly startTime?: string;
}

/**
 * Takes the lock file for this process and returns the function that gives it back.
 * @throws EmbeddedPostgresError when another living process holds it; a dead one's lock is taken over.
 */
export async function acquireInstanceLock(path: string): Promise<() => Promise<void>> {
  const mine = JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) } satisfies Holder);
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      await writeFile(path, mine, { flag: 'wx', mode: 0o644 });
      return () => release(path, mine);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const found = await readIfThere(path);
    if (found === undefined) continue;
    const holder = parseHolder(found);
    // An empty file may be a lock that is being written just now; only one that stays empty is debris.
    if (holder === undefined && attempt < 10) {
      await sleep(50);
      continue;
    }
    if (holder !== undefined && isHolding(holder)) throw inUse(holder.pid, path);
    await removeStale(path, found);
  }
  throw new EmbeddedPostgresError(`The lock ${path} keeps changing hands; try again.`);
}

function isHolding(holder: Holder): boolean {
  if (!isAlive(holder.pid)) return false;
  const startTime = startTimeOf(holder.pid);
  return startTime === undefined || holder.startTime === undefined || startTime === holder.startTime;
}

function inUse(pid: number, path: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `Another Allot is already running on this data (process ${pid}, lock ${path}). Stop it first, or give this one a folder of ` +
      'its own with ALLOT_DATA_DIR, or let both share one PostgreSQL with DATABASE_URL.',
  );
}

/** Two starters may find the same stale lock: the one that moves away a lock it did not judge puts it back. */
async function removeStale(path: string, judged: string): Promise<void> {
  const aside = `${path}.stale-${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = await readFile(aside, 'utf8');
  if (moved !== judged) await writeFile(path, moved, { flag: 'wx' }).catch(() => undefined);
  await rm(aside, { force: true });
}

async function release(path: string, mine: string): Promise<void> {
  if ((await readIfThere(path)) === mine) await rm(path, { force: true });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value = JSON.parse(text) as Holder;
    return Number.isInteger(value.pid) && value.pid > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
