// `npm run test:races -- --requests 10000`: many clients join, heartbeat and leave one group at the same time, each request through either of two
// replicas. What one client was told, its next request must find true on the other replica; what they all did must add up in the end.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ChaosDatabase } from './chaos-database.js';
import { WorkLog } from './checker.js';
import { openPorts } from './free-ports.js';
import { ReplicaProcess } from './processes.js';
import { randomOf } from './random.js';
import { monotonicMs } from './worker.js';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    clients: { type: 'string', default: '64' },
    seed: { type: 'string', default: '1' },
  },
});
const random = randomOf(Number(values.seed));
const agent = new Agent({ keepAlive: true, maxSockets: 100 });
const counts = new Map<string, number>();
const broken: string[] = [];
const log = new WorkLog();
const present = new Set<string>();
let left = Number(values.requests);

interface Reply {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a client gets is any JSON
  readonly json: any;
}

function send(urls: readonly string[], method: string, path: string, body?: unknown): Promise<Reply> {
  left--;
  const url = `${urls[Math.floor(random() * urls.length)]}/v1/clusters/default/groups/g${path}`;
  return new Promise((resolve, reject) => {
    const call = request(url, { method, agent, headers: { 'content-type': 'application/json' } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('end', () => {
        const status = response.statusCode ?? 0;
        resolve({ status, json: text === '' ? undefined : JSON.parse(text) });
      });
    });
    call.once('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** One client: a member that joins, heartbeats for a while and leaves, then the next. */
async function client(urls: readonly string[]): Promise<void> {
  while (left > 0) await live(urls, randomUUID());
}

async function live(urls: readonly string[], member: string): Promise<void> {
  let held: Record<string, number[]> = {};
  let [epoch, revision] = [0, 0];
  const note = (until: number) => log.add({ at: monotonicMs(), member, epoch, until, held, revision });
  const beat = async (body: object): Promise<boolean> => {
    const sentAt = monotonicMs();
    const { status, json } = await send(urls, 'POST', `/members/${member}/heartbeat`, { revision, ...body });
    if (!expectStatus('heartbeat', status, [200], json)) return false;
    if (json.memberEpoch < epoch) broken.push(`the epoch of ${member} fell from ${epoch} to ${json.memberEpoch}`);
    if (json.revision < revision) broken.push(`the revision fell from ${revision} to ${json.revision}`);
    [epoch, revision, held] = [json.memberEpoch, json.revision, json.assignment ?? held];
    note(sentAt + json.validForMs);
    return true;
  };
  // Both at once, as after a time-out: one joins and the other finds the member.
  const twice = random() < 0.1;
  // Without the revision a copy that comes late would say that the member holds nothing, whatever it was given since.
  const join = { memberEpoch: 0, subscription: { topics: ['t'] }, revision: 0 };
  const [joined] = await Promise.all([
    beat(join),
    ...(twice ? [send(urls, 'POST', `/members/${member}/heartbeat`, join)] : []),
  ]);
  if (!joined) return;
  present.add(member);
  for (let i = Math.floor(random() * 12); i > 0 && left > 0; i--)
    if (!(await beat({ memberEpoch: epoch, owned: held }))) return;
  if (left <= 0) return;
  held = {};
  note(0);
  const gone = await send(urls, 'DELETE', `/members/${member}`);
  expectStatus('leave', gone.status, [204], gone.json);
  present.delete(member);
  const late = await send(urls, 'POST', `/members/${member}/heartbeat`, { memberEpoch: epoch, owned: {} });
  expectStatus('heartbeat after leaving', late.status, [404], late.json);
}

function expectStatus(what: string, status: number, expected: readonly number[], json: unknown): boolean {
  counts.set(`${what}: ${status}`, (counts.get(`${what}: ${status}`) ?? 0) + 1);
  if (expected.includes(status)) return true;
  broken.push(`${what} was answered ${status}: ${JSON.stringify(json)}`);
  return false;
}

/** The group's rows must say what the clients were told. */
async function checkRows(client: pg.Client): Promise<number> {
  const found = await client.query<{ revision: number; changes: number; members: string[] }>(`
    SELECT g.revision::int, (SELECT count(*) FROM group_changes WHERE group_pk = g.id)::int AS changes,
      (SELECT coalesce(array_agg(member_id), '{}') FROM group_members WHERE group_pk = g.id) AS members
    FROM groups g WHERE g.group_id = 'g'`);
  const { revision, changes, members } = found.rows[0]!;
  if (changes !== revision) broken.push(`${revision} revisions have ${changes} rows of history`);
  const missing = [...present].filter((member) => !members.includes(member));
  const extra = members.filter((member) => !present.has(member));
  if (missing.length + extra.length > 0)
    broken.push(`${missing.length} members are missing, ${extra.length} are too many`);
  return revision;
}

async function main(): Promise<boolean> {
  const database = await ChaosDatabase.start();
  const ports = await openPorts(2);
  const replicas = ports.map((port) => new ReplicaProcess(database.url(), port));
  const rows = new pg.Client({ connectionString: database.url() });
  try {
    await Promise.all(replicas.map((replica) => replica.start()));
    await rows.connect();
    const [url] = replicas.map((replica) => `${replica.url}/v1/clusters/default`);
    const put = (path: string, body: object) =>
      fetch(url + path, { method: 'PUT', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    await put('/topics/t', { partitions: 100 });
    await put('/groups/g', { assignor: 'sticky', sessionTimeoutMs: 600_000 });
    const started = performance.now();
    const urls = replicas.map((replica) => replica.url);
    await Promise.all(Array.from({ length: Number(values.clients) }, () => client(urls)));
    const seconds = (performance.now() - started) / 1000;
    const revision = await checkRows(rows);
    const overlaps = log.overlaps();
    if (overlaps.length > 0) broken.push(`${overlaps.length} times two members worked on one partition`);
    for (const [what, count] of [...counts].sort()) console.log(`  ${String(count).padStart(6)} x ${what}`);
    for (const problem of broken.slice(0, 10)) console.log(`  BROKEN: ${problem}`);
    console.log(
      `races ${broken.length === 0 ? 'held' : 'BROKE'}: ${values.requests} requests by ${values.clients} clients over two replicas in ` +
        `${seconds.toFixed(1)} s, ${revision} revisions, ${overlaps.length} overlaps`,
    );
    return broken.length === 0;
  } finally {
    await rows.end();
    for (const replica of replicas) await replica.stop();
    await database.stop();
  }
}

process.exit((await main()) ? 0 : 1);
