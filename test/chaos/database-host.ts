// A durable PostgreSQL in a temporary folder, in a process of its own. Commands, a word a line: `restart` ends and starts it in good order,
// `crash` kills it with its children's work undone and starts it again. Prints a JSON document a line: the URL first, then what was done.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EmbeddedPostgres, migrate } from '@allot/persistence';

const folder = await mkdtemp(join(tmpdir(), 'allot-chaos-'));
const start = () => EmbeddedPostgres.start({ configured: folder, projectRoot: folder });
let server = await start();
await migrate(server.url);
const say = (fact: object) => process.stdout.write(`${JSON.stringify(fact)}\n`);
say({ url: server.url });

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
for await (const command of createInterface({ input: process.stdin })) {
  if (command === 'crash') {
    // SIGQUIT is the immediate shutdown: nothing is flushed, the next start recovers from the log as after a power cut of the server alone.
    const [pid] = (await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGQUIT');
  }
  await server.stop();
  server = await start();
  say({ done: command, url: server.url });
}
await server.stop();
await rm(folder, { recursive: true, force: true });
process.exit(0);
