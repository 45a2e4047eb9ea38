// `npm run demo`: a service, ten workers that share a queue of 40 partitions, and someone who kills, freezes and restarts them at random.
// One line a second; at the end every item is counted. Exits non-zero when one was lost or done twice.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { addItems, createQueue, inspect } from './queue.mjs';

const number = (value) => ({ type: 'string', default: String(value) });
const { values } = parseArgs({
  options: {
    seconds: number(30),
    workers: number(10),
    partitions: number(40),
    /** Items a second. */
    rate: number(300),
    /** Use these instead of starting a service: addresses, and the database for the queue. */
    servers: { type: 'string' },
    database: { type: 'string' },
    transport: { type: 'string' },
    /** Write what happened to this file, for draw.mjs. */
    record: { type: 'string' },
  },
});
const [seconds, workerCount, partitions, rate] = [values.seconds, values.workers, values.partitions, values.rate].map(
  Number,
);
const GROUP = 'work-queue';
const TOPIC = 'work-queue';
const SESSION_MS = 3_000;
/** Workers are named by letters, one more for each that was started. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Ctrl-C, or whoever ends this process: nothing that it started stays behind. */
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupt.abort());
const interrupted = new Promise((resolve) => interrupt.signal.addEventListener('abort', resolve));

const stops = [];
const workers = [];
let servers, database, base, queue;
let started = 0;
const events = [];
const lines = [];
let begun = performance.now();
const elapsed = () => (performance.now() - begun) / 1000;

let held = false;
try {
  // What is half started cannot be stopped, so this is not interrupted.
  await start();
  held = !interrupt.signal.aborted && (await Promise.race([run(), interrupted.then(() => false)]));
} catch (error) {
  // Ctrl-C goes to the service too.
  if (!interrupt.signal.aborted) throw error;
} finally {
  const end = interrupt.signal.aborted;
  interrupt.abort();
  await Promise.all(workers.map(({ child }) => kill(child)));
  for (const stop of stops.reverse()) await stop();
  if (end) console.log('interrupted: nothing was counted');
}
process.exit(held ? 0 : 1);

async function start() {
  ({ servers, database } = values.servers === undefined ? await startService() : values);
  base = `${servers.split(',')[0]}/v1/clusters/default`;
  queue = new pg.Client({ connectionString: database });
  queue.on('error', () => undefined);
  await queue.connect();
  stops.push(() => queue.end());
  await createQueue(queue, partitions);
  await call('PUT', `/topics/${TOPIC}`, { partitions });
  await call('PUT', `/groups/${GROUP}`, {
    assignor: 'uniform',
    sessionTimeoutMs: SESSION_MS,
    heartbeatIntervalMs: 1_000,
  });
}

async function run() {
  for (let i = 0; i < workerCount; i++) startWorker();
  await everyPartitionIsHeld();
  begun = performance.now();
  await Promise.all([produce(), makeTrouble(), showEverySecond()]);
  return finish();
}

function startWorker() {
  if (interrupt.signal.aborted) return;
  const name = LETTERS[started++ % LETTERS.length];
  const script = fileURLToPath(new URL('./worker.mjs', import.meta.url));
  const args = ['--name', name, '--servers', servers, '--database', database, '--group', GROUP, '--topic', TOPIC];
  if (values.transport !== undefined) args.push('--transport', values.transport);
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  workers.push({ name, child, frozen: false });
}

async function kill(child) {
  if (!isAlive(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function isAlive(child) {
  return child.exitCode === null && child.signalCode === null;
}

async function everyPartitionIsHeld() {
  console.log(`${workerCount} workers start ...`);
  while ((await readOwners()).includes('.')) await sleep(100);
}

async function produce() {
  while (elapsed() < seconds) {
    await addItems(queue, Math.ceil(rate / 10), partitions);
    await sleep(100);
  }
}

/** Kills, stops or freezes a worker now and then; another takes its place. */
async function makeTrouble() {
  const faults = { kill: 'SIGKILL', leave: 'SIGTERM', freeze: 'SIGSTOP' };
  for (let i = 0; ; i++) {
    await sleep(1_500 + Math.random() * 1_500);
    // Time for the last frozen one to wake up, and be refused.
    if (elapsed() > seconds - 1.5 * (SESSION_MS / 1000)) return;
    const alive = workers.filter(({ child, frozen }) => isAlive(child) && !frozen);
    const victim = alive[Math.floor(Math.random() * alive.length)];
    if (victim === undefined) continue;
    const what = ['kill', 'freeze', 'leave'][i % 3];
    events.push({ at: elapsed(), what, worker: victim.name });
    victim.child.kill(faults[what]);
    if (what !== 'freeze') {
      setTimeout(startWorker, 800);
      continue;
    }
    victim.frozen = true;
    setTimeout(() => {
      victim.frozen = false;
      victim.child.kill('SIGCONT');
    }, SESSION_MS * 1.4);
  }
}

async function showEverySecond() {
  console.log(
    `${workerCount} workers, ${partitions} partitions, ${rate} items a second; each letter is the worker that holds the partition`,
  );
  let shown = 0;
  while (elapsed() < seconds) {
    await sleep(1_000 - ((performance.now() - begun) % 1_000));
    const [{ items, done, refused }, owners] = await Promise.all([inspect(queue), readOwners()]);
    const news = events.slice(shown).map(({ what, worker }) => `${what} ${worker}`);
    shown = events.length;
    lines.push({ at: elapsed(), items, done, refused, owners });
    const counts = `${String(done).padStart(6)} done ${String(items - done).padStart(4)} waiting ${String(refused).padStart(2)} refused`;
    console.log(`${String(Math.round(elapsed())).padStart(3)} s  ${owners}  ${counts}  ${news.join(', ')}`);
  }
}

/** Who holds each partition, as a text with one letter each. */
async function readOwners() {
  const { members } = await call('GET', `/groups/${GROUP}`);
  const owners = Array(partitions).fill('.');
  for (const { clientId, current } of members)
    for (const partition of current[TOPIC] ?? []) owners[partition] = clientId;
  return owners.join('');
}

/** Waits until everything is done, and counts. */
async function finish() {
  let state = await inspect(queue);
  let progressAt = performance.now();
  while (state.done < state.items && performance.now() < progressAt + 30_000) {
    await sleep(200);
    const { done } = state;
    state = await inspect(queue);
    if (state.done > done) progressAt = performance.now();
  }
  if (values.record !== undefined) {
    await writeFile(
      values.record,
      JSON.stringify({ seconds, partitions, workers: workerCount, rate, events, lines, state }),
    );
  }
  const count = (what) => events.filter((event) => event.what === what).length;
  console.log(
    `killed ${count('kill')}, frozen ${count('freeze')}, asked to leave ${count('leave')}; ${state.refused} late writes of frozen workers refused`,
  );
  const holds = state.done === state.items && state.twice === 0 && state.lost === 0 && state.backwards === 0;
  if (holds) console.log(`held: all ${state.items} items done, none lost, none done twice`);
  else console.log(`BROKEN: ${JSON.stringify(state)}`);
  return holds;
}

async function call(method, path, body) {
  const json =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(base + path, { method, ...json });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** A PostgreSQL and a service of its own, gone when the demo ends. */
async function startService() {
  const { EmbeddedPostgres } = await import('@allot/persistence');
  const folder = await mkdtemp(join(tmpdir(), 'allot-demo-'));
  stops.push(() => rm(folder, { recursive: true, force: true }));
  const postgres = await EmbeddedPostgres.start({ configured: folder, projectRoot: folder });
  stops.push(() => postgres.stop());
  const main = fileURLToPath(new URL('../../apps/api/dist/main.js', import.meta.url));
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    PORT: '0',
    ALLOT_LOG_LEVEL: 'error',
    ALLOT_MIN_SESSION_TIMEOUT_MS: '1000',
  };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  stops.push(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    if (isAlive(child)) await ended;
  });
  const url = await new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /API\s+(http:\S+)\/v1/.exec(output);
      if (found !== null) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`The service ended (code ${code}).`)));
  });
  return { servers: url, database: postgres.url };
}
