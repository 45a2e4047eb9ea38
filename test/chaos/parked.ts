// `npm run build && node --import ./test/support/typescript.mjs test/chaos/parked.ts [members]`: what it costs a replica that so many members
// of a classic group wait in it for the next generation, and how long it takes from the last join to all answers.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { ChaosDatabase } from './chaos-database.js';
import { openPorts } from './free-ports.js';
import { ReplicaProcess } from './processes.js';
import { Wire } from './wire.js';
import { monotonicMs } from './worker.js';

const MEMBERS = Number(process.argv[2] ?? 1000);
/** Linux counts CPU time in ticks of 10 ms. */
const TICK_MS = 10;
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const database = await ChaosDatabase.start();
const [port] = await openPorts(1);
const replica = new ReplicaProcess(database.url(), port!);
await replica.start();
const agent = new Agent({ keepAlive: true, maxSockets: MEMBERS + 10 });
const wire = new Wire({ group: 'parked', replicas: [replica.url], agent, random: () => 0.5 });

/** Its resident memory in MB, and its CPU time in ms. */
async function measure(): Promise<{ readonly rssMb: number; readonly cpuMs: number }> {
  const [status, stat] = await Promise.all([
    readFile(`/proc/${replica.pid}/status`, 'utf8'),
    readFile(`/proc/${replica.pid}/stat`, 'utf8'),
  ]);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const rssMb = Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
  return { rssMb, cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
}

const put = (path: string, body: object) =>
  fetch(`${replica.url}/v1/clusters/default${path}`, {
    method: 'PUT',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
await put('/topics/t', { partitions: MEMBERS });
// The generation begins with the last of them: until then all wait.
await put('/groups/parked', {
  ...{ type: 'classic', assignor: 'range', maxSize: MEMBERS, initialDelayMs: 0 },
  ...{ rebalanceTimeoutMs: 600_000, sessionTimeoutMs: 300_000 },
});

const join = (memberId: string) =>
  wire.send(
    'POST',
    '/join',
    { instanceId: memberId, newMemberId: memberId, subscription: { topics: ['t'] }, revision: 0, timeoutMs: 60_000 },
    120_000,
  );

try {
  // The first makes a generation of its own; it joins again at the very end, so that everybody waits for it.
  const first = await join('first').then(() => 'first');
  const before = await measure();
  const begun = monotonicMs();
  const waiting = Array.from({ length: MEMBERS - 1 }, () => join(randomUUID()));
  for (let waits = 0; waits < MEMBERS - 1; await sleep(200)) {
    const group = await fetch(`${replica.url}/v1/clusters/default/groups/parked`);
    const { members } = (await group.json()) as { members: readonly unknown[] };
    waits = members.length - 1;
  }
  const arrivedMs = monotonicMs() - begun;
  const parked = await measure();
  await sleep(5_000);
  const rested = await measure();
  const last = monotonicMs();
  const rejoined = wire.send(
    'POST',
    '/join',
    { memberId: first, instanceId: first, subscription: { topics: ['t'] }, timeoutMs: 60_000 },
    120_000,
  );
  await Promise.all([...waiting, rejoined]);
  const answeredMs = monotonicMs() - last;
  const after = await measure();
  console.log(
    `${MEMBERS} members: ${arrivedMs.toFixed(0)} ms until all wait, ${parked.cpuMs - before.cpuMs} ms of CPU; memory ${before.rssMb.toFixed(0)} MB before, ` +
      `${rested.rssMb.toFixed(0)} MB with all of them waiting, which costs ${((rested.cpuMs - parked.cpuMs) / 5).toFixed(0)} ms of CPU a second; ` +
      `all answered ${answeredMs.toFixed(0)} ms after the last join, ${after.cpuMs - rested.cpuMs} ms of CPU, ${after.rssMb.toFixed(0)} MB`,
  );
} finally {
  agent.destroy();
  await replica.stop();
  await database.stop();
}
process.exit(0);
