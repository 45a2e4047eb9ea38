import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { chooseDataFolder } from './data-folder.js';
import type { DataFolder, DataFolderChoice } from './data-folder.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { acquireInstanceLock } from './instance-lock.js';
import { preparePostgresBinaries } from './postgres-binaries.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { clearOrphan, readPostmaster } from './postmaster.js';

export interface EmbeddedPostgresOptions extends DataFolderChoice {
  /** Lines meant for the operator. */
  readonly onNotice?: (line: string) => void;
  /** Called when the server ends without `stop`. */
  readonly onCrash?: (detail: string) => void;
  /** Give up durability for speed; for tests on throw-away data. */
  readonly volatile?: boolean;
}

/** Kept in the data folder; readable by its owner only. */
interface InstanceFile {
  readonly port: number;
  readonly password: string;
}

const USER = 'allot';
const DATABASE = 'allot';
const START_ATTEMPTS = 5;
const START_PATIENCE_MS = 60_000;

/**
 * A real PostgreSQL as a child of this process, on 127.0.0.1 only, its data in a folder that survives restarts:
 * `postgres/` (the data directory), `postgres.log`, `instance.json` (port and password) and `instance.lock`.
 *
 * The server is no member of this process's group: Ctrl-C reaches the service alone, which drains and then calls `stop`.
 */
export class EmbeddedPostgres {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #binaries: PostgresBinaries;
  readonly #unlock: () => Promise<void>;
  readonly #killOnExit: () => void;
  #stopped: Promise<void> | undefined;

  private constructor(
    readonly folder: DataFolder,
    readonly port: number,
    password: string,
    child: ChildProcess,
    binaries: PostgresBinaries,
    unlock: () => Promise<void>,
    onCrash: ((detail: string) => void) | undefined,
  ) {
    this.url = urlOf(port, password, DATABASE);
    this.#child = child;
    this.#binaries = binaries;
    this.#unlock = unlock;
    // A process that ends without `stop` (process.exit, an uncaught error) takes its server along.
    this.#killOnExit = () => child.kill('SIGINT');
    process.once('exit', this.#killOnExit);
    child.once('exit', (code, signal) => {
      if (this.#stopped === undefined) {
        onCrash?.(`PostgreSQL ended by itself (${signal ?? `code ${code}`}); its log is ${logOf(folder)}.`);
      }
    });
  }

  /**
   * Starts the server, on first use with a new data directory, and makes the database.
   * @throws EmbeddedPostgresError in words for the operator: another instance runs, folder unreachable, wrong version ...
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const onNotice = options.onNotice ?? (() => undefined);
    const folder = chooseDataFolder(options);
    if (folder.notice !== undefined) onNotice(folder.notice);
    const unlock = await acquireInstanceLock(join(folder.path, 'instance.lock'));
    try {
      const binaries = await preparePostgresBinaries(folder.path, folder.user);
      const instance = await ensureInitialised(folder, binaries, options.volatile ?? false);
      await clearOrphan(join(folder.path, 'postgres'), onNotice);
      const { child, port } = await launch(folder, binaries, instance, options.volatile ?? false);
      await ensureDatabase(port, instance.password);
      return new EmbeddedPostgres(folder, port, instance.password, child, binaries, unlock, options.onCrash);
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  /** Cuts clients off, flushes and ends the server, then frees the folder. May be called again. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    process.off('exit', this.#killOnExit);
    await endServer(this.#child, this.#binaries, join(this.folder.path, 'postgres'));
    await this.#unlock();
  }
}

function urlOf(port: number, password: string, database: string): string {
  return `postgresql://${USER}:${password}@127.0.0.1:${port}/${database}`;
}

function logOf(folder: DataFolder): string {
  return join(folder.path, 'postgres.log');
}

/** initdb works in a folder of another name that is renamed when all is done, so that an interrupted one leaves nothing half made. */
async function ensureInitialised(
  folder: DataFolder,
  binaries: PostgresBinaries,
  volatile: boolean,
): Promise<InstanceFile> {
  const pgdata = join(folder.path, 'postgres');
  const instancePath = join(folder.path, 'instance.json');
  if (existsSync(pgdata)) {
    await refuseOtherVersion(pgdata, binaries);
    const text = await readFile(instancePath, 'utf8').catch((error: unknown) => {
      throw new EmbeddedPostgresError(
        `${instancePath} with the password of the database is missing. Put it back, or move ${folder.path} away to start empty.`,
        error,
      );
    });
    return JSON.parse(text) as InstanceFile;
  }
  const unfinished = `${pgdata}.unfinished`;
  const passwordFile = join(folder.path, 'password.unfinished');
  const instance = { port: await freePort(), password: randomBytes(24).toString('base64url') };
  await rm(unfinished, { recursive: true, force: true });
  await writeFile(passwordFile, instance.password, { mode: 0o600 });
  try {
    if (folder.user !== undefined) {
      await chown(passwordFile, folder.user.uid, folder.user.gid);
      await mkdir(unfinished, { mode: 0o700 });
      await chown(unfinished, folder.user.uid, folder.user.gid);
    }
    await runInitdb(folder, binaries, unfinished, passwordFile, volatile);
    await writeInstance(folder, instance);
    await rename(unfinished, pgdata);
  } finally {
    await rm(passwordFile, { force: true });
  }
  return instance;
}

async function refuseOtherVersion(pgdata: string, binaries: PostgresBinaries): Promise<void> {
  const major = Number((await readFile(join(pgdata, 'PG_VERSION'), 'utf8')).trim());
  if (major === binaries.major) return;
  throw new EmbeddedPostgresError(
    `The data in ${pgdata} was written by PostgreSQL ${major}; this Allot brings PostgreSQL ${binaries.major}. Dump it with the ` +
      'old release and restore it, or name another folder with ALLOT_DATA_DIR.',
  );
}

async function writeInstance(folder: DataFolder, instance: InstanceFile): Promise<void> {
  const path = join(folder.path, 'instance.json');
  await writeFile(`${path}.unfinished`, `${JSON.stringify(instance)}\n`, { mode: 0o600 });
  await rename(`${path}.unfinished`, path);
}

async function runInitdb(
  folder: DataFolder,
  binaries: PostgresBinaries,
  pgdata: string,
  passwordFile: string,
  volatile: boolean,
): Promise<void> {
  const flags = [
    '--locale=C',
    '--encoding=UTF8',
    '--auth=scram-sha-256',
    '--no-instructions',
    ...(volatile ? ['--no-sync'] : []),
  ];
  const child = spawn(
    binaries.initdb,
    [`--pgdata=${pgdata}`, `--username=${USER}`, `--pwfile=${passwordFile}`, ...flags],
    {
      ...folder.user,
      cwd: folder.path,
      env: serverEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise<number | string | null>((resolve, reject) => {
    child.once('error', (error) => reject(cannotRun(binaries.initdb, error)));
    child.once('close', (exitCode, signal) => resolve(exitCode ?? signal));
  });
  if (code !== 0)
    throw new EmbeddedPostgresError(`Making the database in ${pgdata} failed (${code}):\n${output.trim()}`);
}

async function launch(
  folder: DataFolder,
  binaries: PostgresBinaries,
  instance: InstanceFile,
  volatile: boolean,
): Promise<{ child: ChildProcess; port: number }> {
  let port = instance.port;
  for (let attempt = 1; ; attempt++) {
    if (!(await isFree(port))) port = await freePort();
    const { child, log } = await tryLaunch(folder, binaries, port, volatile);
    if (child !== undefined) {
      if (port !== instance.port) await writeInstance(folder, { ...instance, port });
      return { child, port };
    }
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
  if (logged > 10_000_000) await rename(logPath, `${logPath}.1`);
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

async function ensureDatabase(port: number, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(port, password, 'postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

async function endServer(child: ChildProcess, binaries: PostgresBinaries, pgdata: string): Promise<void> {
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
function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG') && !name.startsWith('LC_'));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}

function cannotRun(path: string, error: Error): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${path} cannot run on this machine (${error.message}). Its PostgreSQL needs glibc on Linux; use another PostgreSQL with ` +
      'DATABASE_URL.',
    error,
  );
}

async function freePort(): Promise<number> {
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
