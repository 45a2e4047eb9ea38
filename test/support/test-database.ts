import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  /** Cuts open connections and removes it. */
  drop(): Promise<void>;
}

/** A migrated database of its own, with nothing in it but the cluster `default`; for one test file. Drop it in `afterAll`. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(testServer().template);
}

/** A database without any tables, for tests of the migrations. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template0');
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const { admin } = testServer();
  const name = `allot_test_${randomBytes(8).toString('hex')}`;
  await execute(admin, `CREATE DATABASE "${name}" TEMPLATE "${template}"`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(admin, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`) };
}

function testServer(): { admin: string; template: string } {
  const server = process.env['ALLOT_TEST_SERVER'];
  if (server === undefined)
    throw new Error('Tests on PostgreSQL belong into the Jest project `service`, which starts one.');
  return JSON.parse(server) as { admin: string; template: string };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
