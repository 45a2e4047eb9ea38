import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { DATABASE_USER, ensureInitialised, writeInstance } from './data-directory.js';
import { chooseDataFolder } from './data-folder.js';
import type { DataFolder, DataFolderChoice } from './data-folder.js';
import { acquireInstanceLock } from './instance-lock.js';
import { preparePostgresBinaries } from './postgres-binaries.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { clearOrphan } from './postmaster.js';
import { endServer, launchServer, logOf } from './server-process.js';

export interface EmbeddedPostgresOptions extends DataFolderChoice {
  /** Lines meant for the operator. */
  readonly onNotice?: (line: string) => void;
  /** Called when the server ends without `stop`. */
  readonly onCrash?: (detail: string) => void;
  /** Give up durability for speed; for tests on throw-away data. */
  readonly volatile?: boolean;
}

const DATABASE = 'allot';

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
      const { child, port } = await launchServer(folder, binaries, instance.port, options.volatile ?? false);
      try {
        if (port !== instance.port) await writeInstance(folder, { ...instance, port });
        await ensureDatabase(port, instance.password);
      } catch (error) {
        await endServer(child, binaries, join(folder.path, 'postgres'));
        throw error;
      }
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
  return `postgresql://${DATABASE_USER}:${password}@127.0.0.1:${port}/${database}`;
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
