// `npm run bench:streams`: what open streams cost, against Node's own http server, both measured in turns in one run. Bars: P10 (one event
// to the last of 10,000 streams; memory a stream) and R12 (1,000 readers that do not read). Exits non-zero when a bar is missed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '@allot/persistence';
import { measureRebalance } from './rebalance.mjs';
import { median, Readers, startBare, startReplica } from './processes.mjs';

const number = (value) => ({ type: 'string', default: String(value) });
const { values } = parseArgs({
  options: {
    streams: number(10_000),
    rounds: number(9),
    processes: number(3),
    members: number(1_000),
    only: { type: 'string' },
  },
});
const [streams, rounds, processes, members] = [values.streams, values.rounds, values.processes, values.members].map(
  Number,
);
const wants = (part) => values.only === undefined || values.only === part;

const folder = await mkdtemp(join(tmpdir(), 'allot-bench-'));
const postgres = await EmbeddedPostgres.start({ configured: folder, projectRoot: folder });
const misses = [];

function judge(name, value, bar, unit = 'x') {
  const holds = value <= bar;
  console.log(`${holds ? 'holds ' : 'MISSED'}  ${name}: ${value.toFixed(2)} ${unit} (bar ${bar})`);
  if (!holds) misses.push(name);
}

async function call(url, method, path, body) {
  const json =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(url + path, { method, ...json });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Each change of the group is one event. */
function groupOf(url, groupId) {
  const path = `/v1/clusters/default/groups/${groupId}`;
  let value = 1_000;
  let revision = 0;
  const change = async () => {
    ({ revision } = await call(url, 'PUT', path, { heartbeatIntervalMs: ++value }));
  };
  return { events: `${path}/events`, change, next: () => revision + 1 };
}

function bareGroup(url) {
  let revision = 1;
  return {
    events: '/',
    change: async () => void ({ revision } = await call(url, 'PUT', '/')),
    next: () => revision + 1,
  };
}

async function sizeOfEvent(url, group) {
  const stop = new AbortController();
  const response = await fetch(url + group.events, { signal: stop.signal });
  const reader = response.body.getReader();
  await reader.read();
  await group.change();
  const { value } = await reader.read();
  stop.abort();
  return value.length;
}

async function measureFanOut() {
  const ours = await startReplica(postgres.url);
  const group = groupOf(ours.url, 'fan-out');
  await group.change();
  const eventBytes = await sizeOfEvent(ours.url, group);
  const bare = await startBare(eventBytes - 40);
  const sides = [
    { name: 'allot', ...ours, group },
    { name: 'bare', ...bare, group: bareGroup(bare.url) },
  ];
  for (const side of sides) {
    side.readers = new Readers(processes);
    // The code that serves a stream is loaded and warm before it is weighed.
    await side.readers.open(side.url, Array(300).fill(side.group.events));
    const before = await side.child.ask('memory');
    await side.readers.open(side.url, Array(streams - 300).fill(side.group.events));
    const after = await side.child.ask('memory');
    side.kilobytes = (after.held - before.held) / (streams - 300) / 1024;
    side.times = [];
  }
  for (let round = 0; round <= rounds; round++) {
    for (const {
      readers,
      group: { next, change },
      times,
    } of round % 2 === 0 ? sides : [...sides].reverse()) {
      const time = await readers.timeOf(next(), async () => void (await change()));
      if (round > 0) times.push(time);
    }
  }
  const [a, b] = sides;
  for (const { name, times, kilobytes } of sides) {
    const total = median(times.map(({ totalMs }) => totalMs));
    const fan = median(times.map(({ fanOutMs }) => fanOutMs));
    console.log(
      `        ${name.padEnd(6)} last of ${streams} after ${total.toFixed(0)} ms (first to last ${fan.toFixed(0)} ms), ${kilobytes.toFixed(1)} KB a stream, event of ${eventBytes} bytes`,
    );
  }
  const ratio = median(a.times.map(({ totalMs }, i) => totalMs / b.times[i].totalMs));
  judge('P10 one event to the last stream, over bare http', ratio, 1.25);
  judge('P10 memory a stream, over bare http', a.kilobytes / b.kilobytes, 1.5);
  for (const { readers, child } of sides) {
    await readers.stop();
    await child.stop();
  }
}

/** Readers that read, with and without a thousand that have stopped reading: whose connections are full, so that nothing goes out to them. */
async function measureStalled() {
  const { child, url } = await startReplica(postgres.url);
  const group = groupOf(url, 'stalled');
  await call(url, 'PUT', '/v1/clusters/default/topics/stalled', { partitions: 20_000 });
  await group.change();
  const live = new Readers(1);
  await live.open(url, Array(1_000).fill(group.events));
  const time = async () => (await live.timeOf(group.next(), async () => void (await group.change()))).totalMs;
  const runs = async (count) => {
    const times = [];
    for (let i = 0; i < count; i++) times.push(await time());
    return median(times);
  };
  await runs(20);
  const stalled = new Readers(1);
  await stalled.open(url, Array(1_000).fill(group.events), { stalled: true });
  const before = await child.ask('memory');
  // A connection on one machine takes about 2.6 MB before it is full; each join is an event of some 250 KB.
  for (let i = 0; i < 14; i++) {
    const members = '/v1/clusters/default/groups/stalled/members';
    await call(url, 'POST', members, { memberId: 'm', subscription: { topics: ['stalled'] } });
    await fetch(`${url}${members}/m`, { method: 'DELETE' });
  }
  await group.change();
  await time();
  const together = await runs(40);
  const after = await child.ask('memory');
  await stalled.stop();
  await runs(10);
  const alone = await runs(40);
  const megabytes = ({ held }) => (held / 2 ** 20).toFixed(1);
  console.log(
    `        1,000 readers: ${alone.toFixed(1)} ms alone, ${together.toFixed(1)} ms with 1,000 that do not read; held ${megabytes(before)} MB, then ${megabytes(after)} MB`,
  );
  judge('R12 memory after 1,000 readers have stalled over before', after.held / before.held, 1.1);
  judge('R12 delay of others by 1,000 stalled readers', together / alone, 1.2);
  await live.stop();
  await child.stop();
}

try {
  if (wants('fan-out')) await measureFanOut();
  if (wants('stalled')) await measureStalled();
  if (wants('rebalance')) {
    const { ratio, line } = await measureRebalance(postgres.url, { members, rounds, call });
    console.log(`        ${line}`);
    judge('P11 join committed to the last affected stream, p99 over commit and bare fan-out', ratio, 4);
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
console.log(misses.length === 0 ? 'held: every bar' : `MISSED: ${misses.join('; ')}`);
process.exitCode = misses.length === 0 ? 0 : 1;
