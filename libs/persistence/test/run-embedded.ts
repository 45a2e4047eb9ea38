// Runs an embedded PostgreSQL the way the service does, for tests that kill it: `run-embedded.ts FOLDER MODE`.
import { EmbeddedPostgres } from '@allot/persistence';
import pg from 'pg';

const [folder, mode] = process.argv.slice(2);
const server = await EmbeddedPostgres.start({ configured: folder!, projectRoot: folder! });
process.stdout.write(`${JSON.stringify({ url: server.url, port: server.port })}\n`);
if (mode === 'exit') process.exit(7);

process.once('SIGINT', () => void drain());
// Until a signal comes.
const waiting = setInterval(() => undefined, 60_000);

/** Drains like a service: still needs the database for a moment after Ctrl-C. */
async function drain(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 300));
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('SELECT 1');
  await client.end();
  await server.stop();
  clearInterval(waiting);
  process.stdout.write('drained\n');
}
