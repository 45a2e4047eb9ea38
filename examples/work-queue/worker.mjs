// One worker of the queue: `node worker.mjs --name A --servers http://127.0.0.1:3000 --database postgresql://... --group queue`
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createMember, forEachPartition, stopOnSignals } from '@allot/client';
import pg from 'pg';
import { finishItem, nextItem, takeOver } from './queue.mjs';

const text = { type: 'string' };
const { values } = parseArgs({
  options: { name: text, servers: text, database: text, group: text, topic: text, transport: text },
});
const { name: worker, servers, database, group, topic, transport } = values;

const pool = new pg.Pool({ connectionString: database, max: 4 });
pool.on('error', () => undefined);

const member = createMember({
  servers: servers.split(','),
  group,
  clientId: worker,
  subscription: { topics: [topic] },
  ...(transport !== undefined && { transport }),
});

forEachPartition(member, async ({ partition, epoch, signal }) => {
  if (!(await takeOver(pool, partition, epoch))) return;
  while (!signal.aborted) {
    const id = await nextItem(pool, partition);
    if (id === undefined) {
      await sleep(50, undefined, { signal });
      continue;
    }
    // The work: something outside of the database that takes a while.
    await sleep(5 + Math.random() * 30);
    if (!(await finishItem(pool, { id, partition, worker, epoch }))) return;
  }
});

member.on('error', (error) => process.env.VERBOSE && console.error(worker, error));
stopOnSignals(member, process);
await member.stopped;
await pool.end();
