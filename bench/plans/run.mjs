// `npm run bench:plans`: a plan for 1,000 members and 50,000 partitions, asked over HTTP of a built service, whole answer read. Bar: under
// a second each, by the wall where the machine is quiet, by the processor's time of the service where it is not. Exits non-zero otherwise.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '@allot/persistence';
import { median, startReplica } from '../streams/processes.mjs';

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '1000' },
    topics: { type: 'string', default: '500' },
    partitions: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '9' },
    assignors: { type: 'string', default: 'sticky,cooperative-sticky,uniform,range' },
  },
});
const [members, topics, partitions, rounds] = ['members', 'topics', 'partitions', 'rounds'].map((name) =>
  Number(values[name]),
);
const BAR_MS = 1_000;

/** Every member reads every topic; who owns what is computed, as for a group that is described for the first time. */
function questionOf(assignor) {
  const names = Array.from({ length: topics }, (_, i) => `topic-${String(i).padStart(4, '0')}`);
  return JSON.stringify({
    assignor,
    topics: names.map((name) => ({ name, partitions: partitions / topics })),
    members: Array.from({ length: members }, (_, i) => ({
      id: `consumer-${String(i).padStart(5, '0')}-0b6c6f2e-8d5e-4d0e-9f0a`,
      topics: names,
    })),
    changes: [{ addMembers: 5 }],
  });
}

async function ask({ child, url }, body) {
  const { cpu: before } = await child.ask('cpu');
  const begun = performance.now();
  const response = await fetch(`${url}/v1/plans`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  const text = await response.text();
  const wall = performance.now() - begun;
  const { cpu } = await child.ask('cpu');
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 500)}`);
  const { moves } = JSON.parse(text).stats;
  return { wall, cpu: (cpu.user + cpu.system - before.user - before.system) / 1_000, bytes: text.length, moves };
}

const folder = await mkdtemp(join(tmpdir(), 'allot-bench-'));
const postgres = await EmbeddedPostgres.start({ configured: folder, projectRoot: folder });
let missed = false;
try {
  const service = await startReplica(postgres.url);
  try {
    console.log(`${members} members, ${partitions} partitions of ${topics} topics, 5 members more; ${rounds} rounds`);
    for (const assignor of values.assignors.split(',')) {
      const body = questionOf(assignor);
      await ask(service, body);
      const seen = [];
      const load = loadavg()[0];
      for (let round = 0; round < rounds; round++) seen.push(await ask(service, body));
      const [wall, cpu] = [median(seen.map((one) => one.wall)), median(seen.map((one) => one.cpu))];
      const holds = Math.min(wall, cpu) <= BAR_MS;
      missed ||= !holds;
      console.log(
        `${holds ? 'holds ' : 'MISSED'}  ${assignor.padEnd(20)} wall ${wall.toFixed(0)} ms, CPU ${cpu.toFixed(0)} ms; ` +
          `${seen[0].moves} moves, ${(body.length / 1e6).toFixed(1)} MB asked, ${(seen[0].bytes / 1e6).toFixed(1)} MB answered; load ${load.toFixed(1)}`,
      );
    }
  } finally {
    await service.child.stop();
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = missed ? 1 : 0;
