import { AllotError } from '@allot/model';
import { readMigrationFiles } from '../migrations/migration-files.js';
import type { Database } from './database.js';
import { run } from './run.js';

/** Whether requests can be served right now. */
export class PostgresProbe {
  #newest: string | undefined;

  constructor(private readonly database: Database) {}

  /** @throws AllotError STORE_UNAVAILABLE when the database is away or lacks a migration of this release. */
  async check(): Promise<void> {
    this.#newest ??= (await readMigrationFiles()).at(-1)!.name;
    const newest = this.#newest;
    const rows = await run(this.database, (statements) => {
      return statements.$queryRaw<{ applied: boolean }[]>`
        SELECT EXISTS (SELECT 1 FROM _prisma_migrations WHERE migration_name = ${newest} AND finished_at IS NOT NULL
                       AND rolled_back_at IS NULL) AS applied`;
    });
    if (rows[0]?.applied) return;
    throw new AllotError('STORE_UNAVAILABLE', `The database lacks the migration ${newest}.`, {
      action: 'retry',
      retryAfterMs: 5_000,
    });
  }
}
