// The PostgreSQL that the tests share: an embedded one in a temporary folder, or the one that DATABASE_URL names. Prints its
// URL and the name of a migrated template database, then lives until its input ends, which it also does when Jest is killed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres, migrate } from '@allot/persistence';
import pg from 'pg';

const TEMPLATE = `allot_test_template_${process.pid}`;

async function withAdmin(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function onDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

async function startEmbedded(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'allot-test-'));
  const server = await EmbeddedPostgres.start({ configured: folder, projectRoot: folder, volatile: true });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}

const given = process.env['DATABASE_URL'];
const server = given
  ? { url: given, stop: () => withAdmin(given, `DROP DATABASE "${TEMPLATE}" WITH (FORCE)`) }
  : await startEmbedded();
await withAdmin(server.url, `CREATE DATABASE "${TEMPLATE}"`);
await migrate(onDatabase(server.url, TEMPLATE));
process.stdout.write(`${JSON.stringify({ admin: server.url, template: TEMPLATE })}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.stdin.resume();
process.stdin.once('end', () => void server.stop().then(() => process.exit(0)));
