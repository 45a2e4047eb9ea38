// `npm run test:chaos -- --seconds 60`: replicas over one PostgreSQL serve a group of many workers while replicas and workers are
// killed, frozen and restarted at random and the topic grows. A checker reads every worker's own log and looks for two members that
// worked on one partition at the same time. Ends with a line that says what held; exits non-zero when something did not.
import { parseArgs } from 'node:util';
import { openPorts } from './free-ports.js';
import { WorkLog } from './checker.js';
import { ReplicaProcess, WorkerHost } from './processes.js';
import { randomOf } from './random.js';
import { startTestServer } from './test-database.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    members: { type: 'string', default: '200' },
    replicas: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [seconds, members, replicaCount, seed] = (['seconds', 'members', 'replicas', 'seed'] as const).map((name) =>
  whole(name),
);
const HOSTS = 4;
const SESSION_MS = 6_000;
const GROUP = 'chaos';
const TOPIC = 'work';
const FIRST_PARTITIONS = 400;

const random = randomOf(seed!);
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

console.log(`chaos: ${members} members, ${replicaCount} replicas, ${seconds} s, seed ${seed}`);
const database = await startTestServer();
const ports = await openPorts(replicaCount!);
const replicas = ports.map((port) => new ReplicaProcess(database.url, port));
const urls = replicas.map(({ url }) => url);
const log = new WorkLog();
const hosts: WorkerHost[] = [];
let hostSeed = seed!;
let partitions = FIRST_PARTITIONS;
const faults = new Map<string, number>();
const problems: string[] = [];

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(random() * list.length)]!;
}

function newHost(): WorkerHost {
  return new WorkerHost(
    { group: GROUP, topic: TOPIC, replicas: urls, workers: members! / HOSTS, seed: ++hostSeed },
    log,
  );
}

/** One fault after the other, some overlapping with the next. */
async function makeTrouble(deadline: number): Promise<void> {
  const running: Promise<void>[] = [];
  const busy = new Set<ReplicaProcess>();
  while (Date.now() < deadline) {
    const [name, fault] = pick(FAULTS);
    faults.set(name, (faults.get(name) ?? 0) + 1);
    const done = fault(busy);
    running.push(done);
    await Promise.race([done, sleep(1_500)]);
    await sleep(random() * 400);
    for (const replica of replicas) await replica.measure();
  }
  await Promise.all(running);
}

type Fault = (busy: Set<ReplicaProcess>) => Promise<void>;

const FAULTS: readonly (readonly [string, Fault])[] = [
  [
    'a replica is killed and restarted',
    onReplica(async (replica) => {
      await replica.kill();
      await sleep(random() * 1_000);
      await replica.start();
    }),
  ],
  [
    'a replica freezes for a while',
    onReplica(async (replica) => {
      replica.pause();
      await sleep(500 + random() * SESSION_MS);
      replica.resume();
    }),
  ],
  [
    'a host of workers is killed and replaced',
    async () => {
      const index = Math.floor(random() * hosts.length);
      const old = hosts[index]!;
      hosts[index] = newHost();
      await old.kill();
    },
  ],
  [
    'a host of workers freezes, for longer than its session half of the time',
    async () => {
      const host = pick(hosts);
      host.pause();
      await sleep(random() * 2 * SESSION_MS);
      host.resume();
    },
  ],
  [
    'workers crash',
    async () => {
      for (let i = 0; i < 5; i++) pick(hosts).command('crash');
    },
  ],
  [
    'workers leave',
    async () => {
      for (let i = 0; i < 5; i++) pick(hosts).command('leave');
    },
  ],
  [
    'the topic grows',
    async () => {
      const wanted = partitions + 5;
      // Acknowledged means kept: only then the larger count is expected at the end.
      const grown = await call('PUT', `/topics/${TOPIC}`, { partitions: wanted }).catch(() => undefined);
      if (grown !== undefined) partitions = wanted;
    },
  ],
];

/** A fault of a replica that is not already in trouble, while another one is left to serve. */
function onReplica(fault: (replica: ReplicaProcess) => Promise<void>): Fault {
  return async (busy) => {
    const free = replicas.filter((replica) => !busy.has(replica));
    if (free.length < 2) return;
    const replica = pick(free);
    busy.add(replica);
    await fault(replica);
    busy.delete(replica);
  };
}

async function call(method: string, path: string, body?: unknown): Promise<Record<string, never>> {
  let last: unknown;
  for (const url of [...urls, ...urls]) {
    try {
      const response = await fetch(`${url}/v1/clusters/default${path}`, {
        method,
        signal: AbortSignal.timeout(5_000),
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Record<string, never>;
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

interface GroupNow {
  readonly state: string;
  readonly revision: number;
  readonly members: readonly { readonly current: Record<string, number[]> }[];
  readonly unowned: Record<string, number[]>;
}

/** Waits until the group is stable with every worker in it; answers how long that took. */
async function untilStable(timeoutMs: number): Promise<number | undefined> {
  const started = Date.now();
  while (Date.now() - started < timeoutMs) {
    const group = (await call('GET', `/groups/${GROUP}`)) as unknown as GroupNow;
    if (group.state === 'STABLE' && group.members.length === members && Object.keys(group.unowned).length === 0) {
      return Date.now() - started;
    }
    await sleep(200);
  }
  return undefined;
}

async function report(calmMs: number | undefined): Promise<void> {
  const group = (await call('GET', `/groups/${GROUP}`)) as unknown as GroupNow;
  const owned = group.members.reduce((sum, { current }) => sum + (current[TOPIC]?.length ?? 0), 0);
  const overlaps = log.overlaps();
  const total = [...faults.values()].reduce((sum, n) => sum + n, 0);
  for (const [name, count] of faults) console.log(`  ${String(count).padStart(4)} x ${name}`);
  for (const { partition, a, b } of overlaps.slice(0, 5)) {
    problems.push(`${partition}: ${a.member} until ${a.to.toFixed(1)} and ${b.member} from ${b.from.toFixed(1)}`);
  }
  if (overlaps.length > 0) problems.push(`${overlaps.length} times two members worked on one partition`);
  problems.push(...log.regressions().slice(0, 5));
  if (calmMs === undefined)
    problems.push(`the group was not stable ${(4 * SESSION_MS) / 1000} s after the last fault: ${group.state}`);
  if (owned !== partitions) problems.push(`${owned} of ${partitions} partitions are owned`);
  if (group.revision < log.highestRevision()) problems.push('a revision that a worker was told of is gone');
  const times = log.grantTimes();
  const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN).toFixed(0);
  console.log(
    `  join to first partitions: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${times.length} joins, faults included)`,
  );
  console.log(`  peak memory of a replica: ${Math.max(...replicas.map(({ peakRssMb }) => peakRssMb)).toFixed(0)} MB`);
  console.log(`  stable ${calmMs === undefined ? 'never' : `${(calmMs / 1000).toFixed(1)} s`} after the last fault`);
  for (const problem of problems) console.log(`  BROKEN: ${problem}`);
  const verdict = problems.length === 0 ? 'held' : 'BROKE';
  console.log(
    `chaos ${verdict}: ${total} faults, ${log.entries} answers, ${group.revision} revisions, ${overlaps.length} overlaps`,
  );
}

function whole(name: 'seconds' | 'members' | 'replicas' | 'seed'): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`--${name} must be a whole number above 0, not ${values[name]}`);
  process.exit(2);
}

/** The whole run; it begins below, when everything above is there. */
async function main(): Promise<void> {
  try {
    await Promise.all(replicas.map((replica) => replica.start()));
    await call('PUT', `/topics/${TOPIC}`, { partitions });
    await call('PUT', `/groups/${GROUP}`, { assignor: 'sticky', sessionTimeoutMs: SESSION_MS });
    for (let i = 0; i < HOSTS; i++) hosts.push(newHost());
    await sleep(5_000);
    await makeTrouble(Date.now() + seconds! * 1000);
    const calmMs = await untilStable(4 * SESSION_MS);
    await report(calmMs);
  } finally {
    await Promise.all(hosts.map((host) => host.kill()));
    for (const replica of replicas) await replica.stop();
    await database.stop();
  }
}

await main();
process.exit(problems.length === 0 ? 0 : 1);
