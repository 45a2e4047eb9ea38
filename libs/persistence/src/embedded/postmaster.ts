import { readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { commandOf, exists, isAlive, processesIn } from './process-identity.js';

/** What a running server writes into postmaster.pid of its data directory. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** `starting`, `ready`, `stopping`. */
  readonly status: string;
}

export async function readPostmaster(pgdata: string): Promise<Postmaster | undefined> {
  let text: string;
  try {
    text = await readFile(join(pgdata, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const lines = text.split('\n').map((line) => line.trim());
  return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7] ?? '' };
}

/**
 * Clears the way for a new server after the service that ran the last one was killed. The caller holds the instance lock, so a
 * server that still runs on `pgdata` is an orphan: it is stopped in its own orderly way. A number in postmaster.pid that by now
 * belongs to a stranger is forgotten, and the stranger is left alone.
 */
export async function clearOrphan(pgdata: string, onNotice: (line: string) => void): Promise<void> {
  const postmaster = await readPostmaster(pgdata);
  // A number that is free PostgreSQL itself recognizes as stale.
  if (postmaster === undefined || !(postmaster.pid > 0) || !exists(postmaster.pid)) return;
  const { pid } = postmaster;
  if (!isAlive(pid)) return forget(pgdata);
  const command = commandOf(pid);
  if (command === undefined) {
    throw new EmbeddedPostgresError(
      `Process ${pid} may be a PostgreSQL still running on ${pgdata}; this system does not tell. Stop it, or if it is something ` +
        `else delete ${join(pgdata, 'postmaster.pid')}, and start again.`,
    );
  }
  if (!isServerOf(command, pgdata)) return forget(pgdata);
  onNotice(`Stopping the PostgreSQL that an Allot killed earlier left behind (process ${pid}).`);
  if (await stopProcess(pid, () => isServerOf(commandOf(pid) ?? '', pgdata))) {
    if (exists(pid)) await forget(pgdata);
    return;
  }
  throw new EmbeddedPostgresError(
    `A PostgreSQL left behind on ${pgdata} does not stop. End process ${pid} and start again.`,
  );
}

/**
 * Removes a postmaster.pid whose number misleads PostgreSQL. The file also guards against children that outlive their server
 * by a moment, so they are waited for first.
 */
async function forget(pgdata: string): Promise<void> {
  const folder = await realpath(pgdata);
  let children: readonly number[] = [];
  for (let waited = 0; waited < 10_000; waited += 50) {
    children = processesIn(folder);
    if (children.length === 0) return rm(join(pgdata, 'postmaster.pid'), { force: true });
    await sleep(50);
  }
  throw new EmbeddedPostgresError(
    `Processes of an earlier PostgreSQL still use ${pgdata}: ${children.join(', ')}. End them and start again.`,
  );
}

function isServerOf(command: string, pgdata: string): boolean {
  return command.includes('postgres') && ` ${command} `.includes(` -D ${pgdata} `);
}

/** Fast shutdown (clients are cut off, the state is flushed), then after a while an immediate one. False: it still runs. */
async function stopProcess(pid: number, isStillIt: () => boolean): Promise<boolean> {
  for (const [signal, patienceMs] of [
    ['SIGINT', 20_000],
    ['SIGQUIT', 5_000],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
      throw error;
    }
    for (let waited = 0; waited < patienceMs; waited += 20) {
      if (!isAlive(pid) || !isStillIt()) return true;
      await sleep(20);
    }
  }
  return false;
}
