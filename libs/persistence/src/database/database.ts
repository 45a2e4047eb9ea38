import type { Socket } from 'node:net';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/client.js';
import type { Prisma } from '../generated/client.js';

export interface DatabaseOptions {
  /** Connections of the pool, 10 when absent. Work on one group queues in front of it, so it may be small. */
  readonly poolSize?: number;
  /**
   * A connection that owes an answer and is silent for so long is given up; 25,000 when absent. It must be more than the
   * statement timeout: a server that lives says at least that a statement took too long.
   */
  readonly silenceMs?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** Told every SQL statement, for tests that count them. */
  readonly onStatement?: (sql: string) => void;
  /** Told of connections that broke while idle. */
  readonly onConnectionLost?: (error: Error) => void;
}

/** A client or a transaction: both take statements. */
export type Statements = PrismaClient | Prisma.TransactionClient;

/**
 * Limits on every connection. A replica that is stopped in the middle of a transaction loses it, and the group's lock with it;
 * a statement that waits for such a lock gives up and is answered as "try again".
 */
const SESSION_SETTINGS = `SET statement_timeout = '20s'; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '10s'`;

/** The pool of one process and the Prisma client on it. */
export class Database {
  constructor(
    readonly url: string,
    readonly prisma: PrismaClient,
    private readonly pool: pg.Pool,
  ) {}

  /** One round trip; throws when the database is away. */
  async ping(): Promise<void> {
    await this.prisma.$queryRaw`SELECT 1`;
  }

  /** Connections of the pool: all of them, and requests waiting for one. */
  load(): { readonly connections: number; readonly waiting: number } {
    return { connections: this.pool.totalCount, waiting: this.pool.waitingCount };
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect();
    await this.pool.end();
  }
}

/** Opens lazily: the first statement connects. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize ?? 10,
    application_name: options.applicationName ?? 'allot',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // The pool waits for it before it lends the connection.
    onConnect: async (client) => {
      giveUpWhenSilent(client, options.silenceMs ?? 25_000);
      await client.query(SESSION_SETTINGS);
    },
  });
  pool.on('error', (error) => options.onConnectionLost?.(error));
  const { onStatement } = options;
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: 10_000, timeout: 20_000, isolationLevel: 'ReadCommitted' },
    ...(onStatement === undefined ? {} : { log: [{ emit: 'event', level: 'query' }] }),
  });
  if (onStatement !== undefined) {
    (prisma as PrismaClient<'query'>).$on('query', (event: Prisma.QueryEvent) => onStatement(event.query));
  }
  return new Database(url, prisma, pool);
}

/**
 * TCP alone takes a quarter of an hour to notice a peer that vanished without a word. A socket's timeout also comes to idle
 * connections, where it means nothing.
 */
function giveUpWhenSilent(client: pg.ClientBase, silenceMs: number): void {
  const { connection } = client as unknown as { connection: { stream: Socket } };
  const { stream } = connection;
  stream.setTimeout(silenceMs);
  stream.on('timeout', () => {
    const { readyForQuery } = client as unknown as { readyForQuery: boolean };
    if (!readyForQuery) stream.destroy(new Error('Connection terminated: the database is silent.'));
  });
}
