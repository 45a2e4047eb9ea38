import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { hasChecksum, readMigrationFiles } from './migration-files.js';
import type { MigrationFile } from './migration-files.js';

/** Why the database cannot be brought to this release's schema, in words for the operator. */
export class MigrationError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MigrationError';
  }
}

export interface MigrateOptions {
  /** Another folder than the release's own prisma/migrations. */
  readonly folder?: string;
}

interface AppliedMigration {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

/** The lock that `prisma migrate` takes, so that it and any number of starting replicas go one after the other. */
const MIGRATION_LOCK = 72_707_369;
const OLDEST_POSTGRES = 15;

/** The table as Prisma makes it. */
const MIGRATIONS_TABLE = `
CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

/**
 * Applies the migrations that the database does not have yet, each in a transaction of its own, and returns their names.
 * Understands what `prisma migrate deploy` recorded and records the same. Migrations of a newer release are left alone: this
 * release runs on the newer schema.
 * @throws MigrationError when an applied file was edited, a migration failed halfway elsewhere, or PostgreSQL is too old.
 */
export async function migrate(connectionString: string, options: MigrateOptions = {}): Promise<readonly string[]> {
  const files = await readMigrationFiles(options.folder);
  const client = new pg.Client({ connectionString, application_name: 'allot-migrate' });
  await client.connect();
  try {
    await refuseOldPostgres(client);
    await client.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
    await client.query(MIGRATIONS_TABLE);
    const pending = await findPending(client, files);
    for (const file of pending) await apply(client, file);
    return pending.map((file) => file.name);
  } finally {
    // Ends the session and with it the lock.
    await client.end();
  }
}

async function refuseOldPostgres(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string; number: number }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`,
  );
  const { version, number } = rows[0]!;
  if (number >= OLDEST_POSTGRES * 10_000) return;
  throw new MigrationError(
    `This is PostgreSQL ${version}; Allot needs ${OLDEST_POSTGRES} or newer. Upgrade it, or unset DATABASE_URL to use the ` +
      'embedded one.',
  );
}

async function findPending(client: pg.Client, files: readonly MigrationFile[]): Promise<readonly MigrationFile[]> {
  const { rows } = await client.query<AppliedMigration>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished FROM "_prisma_migrations" WHERE rolled_back_at IS NULL`,
  );
  const applied = new Map(rows.map((row) => [row.migration_name, row]));
  for (const { migration_name: name, finished } of rows) {
    if (finished) continue;
    throw new MigrationError(
      `The migration ${name} was begun by another tool and never finished. Look at its row in "_prisma_migrations", repair the ` +
        `schema, then run \`npx prisma migrate resolve --applied ${name}\` (or --rolled-back).`,
    );
  }
  for (const file of files) {
    const row = applied.get(file.name);
    if (row === undefined || hasChecksum(file, row.checksum)) continue;
    throw new MigrationError(
      `The migration ${file.name} was edited after it had been applied to this database (checksum ${row.checksum} there, ` +
        `${file.checksum} here). Restore the file; changes go into a new migration.`,
    );
  }
  return files.filter((file) => !applied.has(file.name));
}

async function apply(client: pg.Client, file: MigrationFile): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(file.sql);
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), file.checksum, file.name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    const detail = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`The migration ${file.name} failed and was rolled back: ${detail}`, error);
  }
}
