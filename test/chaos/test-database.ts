import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** The PostgreSQL of the tests, with one migrated database; `DATABASE_URL` takes another server. */
export async function startTestServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const args = ['--no-warnings', '--import', './test/support/typescript.mjs', './test/support/test-server.ts'];
  const server = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const { admin, template } = JSON.parse(line.toString()) as { admin: string; template: string };
  const url = new URL(admin);
  url.pathname = `/chaos_${process.pid}`;
  await execute(admin, `CREATE DATABASE "chaos_${process.pid}" TEMPLATE "${template}"`);
  const stop = async () => {
    await execute(admin, `DROP DATABASE IF EXISTS "chaos_${process.pid}" WITH (FORCE)`);
    server.stdin.end();
    await once(server, 'exit');
  };
  return { url: url.href, stop };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
