import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataFolder } from './data-folder.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { readPostmaster } from './postmaster.js';

const START_ATTEMPTS = 5;
const START_PATIENCE_MS = 60_000;
const LARGEST_LOG = 10_000_000;

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly port: number;
}

export function logOf(folder: DataFolder): string {
  return join(folder.path, 'postgres.log');
}

/** Starts the server on `wantedPort`, or on a free one when that is taken. */
export async function launchServer(
  folder: DataFolder,
  binaries: PostgresBinaries,
  wantedPort: number,
  volatile: boolean,
): Promise<ServerProcess> {
  let port = wantedPort;
  for (let attempt = 1; ; attempt++) {
    if (!(await isFree(port))) port = await freePort();
    const { child, log } = await tryLaunch(folder, binaries, port, volatile);
    if (child !== undefined) return { child, port };
    // The port was taken in the meantime, or children of a killed server are still letting go of its memory.
    const passing = /Address already in use|could not bind|is still in use/.test(log);
    if (!passing || attempt === START_ATTEMPTS) {
      throw new EmbeddedPostgresError(`PostgreSQL did not start. The end of ${logOf(folder)}:\n${log.trim()}`);
    }
    await sleep(200 * attempt);
  }
}

async function tryLaunch(
  folder: DataFolder,
  binaries: PostgresBinaries,
  port: number,
  volatile: boolean,
): Promise<{ child?: ChildProcess; log: string }> {
  const pgdata = join(folder.path, 'postgres');
  const logPath = logOf(folder);
  const logged = await stat(logPath).then(
    ({ size }) => size,
    () => 0,
  );
  if (logged > LARGEST_LOG) await rename(logPath, `${logPath}.1`);
  const log = await open(logPath, 'a');
  const begin = (await log.stat()).size;
  try {
    const child = spawn(binaries.postgres, ['-D', pgdata, ...serverSettings(port, volatile)], {
      ...folder.user,
      cwd: folder.path,
      env: serverEnvironment(),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    const ended = new Promise<void>((resolve, reject) => {
      child.once('error', (error) => reject(cannotRun(binaries.postgres, error)));
      child.once('exit', () => resolve());
    });
    const ready = await Promise.race([ended.then(() => false), untilReady(pgdata, child)]);
    if (ready) return { child, log: '' };
    return { log: (await readFile(logPath)).subarray(begin).toString('utf8').slice(-4_000) };
  } finally {
    await log.close();
  }
}

function serverSettings(port: number, volatile: boolean): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(volatile ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** The server says so itself in postmaster.pid. True when ready, false when it ended. */
async function untilReady(pgdata: string, child: ChildProcess): Promise<boolean> {
  for (let waited = 0; waited < START_PATIENCE_MS; waited += 10) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    const postmaster = await readPostmaster(pgdata);
    if (postmaster?.pid === child.pid && postmaster?.status === 'ready') return true;
    await sleep(10);
  }
  child.kill('SIGINT');
  throw new EmbeddedPostgresError(`PostgreSQL did not become ready in ${START_PATIENCE_MS / 1000} s.`);
}

/** Cuts clients off and flushes; harder after a while. */
export async function endServer(child: ChildProcess, binaries: PostgresBinaries, pgdata: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const within = (ms: number) => Promise.race([ended.then(() => true), sleep(ms, false, { ref: false })]);
  // Windows has no signals that a server could catch; pg_ctl knows another way.
  if (platform() === 'win32') spawn(binaries.pgCtl, ['stop', '-D', pgdata, '-m', 'fast'], { stdio: 'ignore' });
  else child.kill('SIGINT');
  if (await within(30_000)) return;
  child.kill('SIGQUIT');
  if (await within(5_000)) return;
  child.kill('SIGKILL');
  await ended;
}

/** The service's environment without what would configure a PostgreSQL client or server, in one language. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG') && !name.startsWith('LC_'));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}

export function cannotRun(path: string, error: Error): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${path} cannot run on this machine (${error.message}). Its PostgreSQL needs glibc on Linux; use another PostgreSQL with ` +
      'DATABASE_URL.',
    error,
  );
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
