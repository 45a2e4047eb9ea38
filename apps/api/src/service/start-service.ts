import { fileURLToPath } from 'node:url';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { EmbeddedPostgres as EmbeddedPostgresServer } from '@allot/persistence';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { startHousekeeping } from './housekeeping.js';
import { StartError, explainDatabaseError, explainListenError } from './start-error.js';

export interface Service {
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  /** Folder of the embedded PostgreSQL; undefined with a database of one's own. */
  readonly dataDir: string | undefined;
  /** What took how long, in milliseconds, in order. */
  readonly times: readonly (readonly [step: string, ms: number])[];
  /** Ends streams, waits for requests in flight (for `drainMs` at most), closes everything. May be called again. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Gives the start up, with everything that was started stopped again. */
  readonly signal: AbortSignal;
  /** Lines meant for the operator. */
  readonly onNotice: (line: string) => void;
  /** Called when the embedded database ends by itself. */
  readonly onCrash: (detail: string) => void;
}

/** The embedded PostgreSQL keeps its data in `.allot` of the project, three folders above this file, in src and in dist. */
const PROJECT_ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * Starts the database (unless there is one), brings its schema up to date, and serves.
 * @throws StartError in words for the operator; whatever was started is stopped again.
 */
export async function startService(options: StartOptions): Promise<Service> {
  const { config, logger, signal } = options;
  const undo: (() => Promise<void>)[] = [];
  const stop = once(async () => {
    for (const close of undo.reverse()) await close();
  });
  const times: [string, number][] = [];
  // What a step started must be known to `stop` before the start is given up, so that is looked at when the next one begins.
  const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const start = performance.now();
    const result = await work();
    times.push([step, performance.now() - start]);
    return result;
  };
  try {
    // Reading the code of the API takes as long as PostgreSQL needs to start, so they go together.
    const code = loadCode();
    const persistence = await timed('code', () => import('@allot/persistence'));
    const embedded = await timed('database', () => startDatabase(persistence.EmbeddedPostgres, options));
    if (embedded !== undefined) undo.push(() => embedded.stop());
    const databaseUrl = config.databaseUrl ?? embedded!.url;
    await timed('migrations', () => migrate(persistence.migrate, databaseUrl, config));
    const { createApp, openPostgresPorts, ThreadComputing } = await timed('code of the API', () => code);
    const { ports, database, close } = openPostgresPorts(databaseUrl, {
      onConnectionLost: (error) => logger.warn({ err: error }, 'an idle database connection was lost'),
      onListenerLost: (error) => logger.warn({ err: error }, 'the listening database connection was lost'),
    });
    undo.push(close, startHousekeeping(new persistence.Retention(database), config.history, logger));
    const app = await timed('application', () =>
      createApp({ ports, config, logger, computing: (inline) => new ThreadComputing(inline) }),
    );
    undo.push(() => closeWithin(app, config.drainMs, logger));
    const url = await timed('listening', () => listen(app, config));
    signal.throwIfAborted();
    return { url, dataDir: embedded?.folder.path, times, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function loadCode() {
  const [{ createApp }, { openPostgresPorts }, { ThreadComputing }] = await Promise.all([
    import('../app.js'),
    import('../postgres-ports.js'),
    import('../computing/thread-computing.js'),
  ]);
  return { createApp, openPostgresPorts, ThreadComputing };
}

async function startDatabase(
  EmbeddedPostgres: typeof EmbeddedPostgresServer,
  { config, onNotice, onCrash }: StartOptions,
): Promise<EmbeddedPostgresServer | undefined> {
  if (config.databaseUrl !== undefined) return undefined;
  const { dataDir } = config;
  return EmbeddedPostgres.start({
    projectRoot: PROJECT_ROOT,
    ...(dataDir === undefined ? {} : { configured: dataDir }),
    onNotice,
    onCrash,
  });
}

async function migrate(run: (url: string) => Promise<unknown>, url: string, config: Config): Promise<void> {
  try {
    await run(url);
  } catch (error) {
    throw config.databaseUrl === undefined ? error : explainDatabaseError(error, url);
  }
}

async function listen(app: NestFastifyApplication, { host, port }: Config): Promise<string> {
  try {
    await app.getHttpAdapter().getInstance().listen({ host, port });
  } catch (error) {
    throw explainListenError(error, host, port);
  }
  const address = app.getHttpServer().address();
  if (address === null || typeof address === 'string') throw new StartError('The service listens on no port.');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

/** Requests in flight may end; after `drainMs` their connections are cut. */
async function closeWithin(app: NestFastifyApplication, drainMs: number, logger: Logger): Promise<void> {
  const timer = setTimeout(() => {
    logger.warn(`requests were still in flight after ${drainMs} ms; their connections are closed`);
    app.getHttpServer().closeAllConnections();
  }, drainMs);
  await app.close();
  clearTimeout(timer);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}
