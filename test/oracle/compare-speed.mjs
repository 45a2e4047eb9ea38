// Times Allot's assignors beside Kafka's own, cell by cell, alternating: node test/oracle/compare-speed.mjs
//   [--version 4.1.0] [--rounds 5] [--millis 500] [--limit 120] [--cells FILE] [--only TEXT] [--json FILE]
// Needs Java and Maven (see run.sh) and the built libraries (npm run build), or `--import ./test/support/typescript.mjs`. Both
// sides get the same group, both answers are compared, and neither side is timed while it reads its input. CPU time counts first, because test machines are shared: for
// Kafka that of the calling thread alone, for Allot that of the whole process with its garbage collector.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { assignmentFromJson } from '@allot/model';
import { resolveAssignor } from '@allot/strategies';

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    version: { type: 'string', default: '4.1.0' },
    rounds: { type: 'string', default: '5' },
    millis: { type: 'string', default: '500' },
    limit: { type: 'string', default: '120' },
    cells: { type: 'string', default: join(here, 'cells.json') },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const rounds = Number(options.rounds);
const millis = Number(options.millis);
const SHORTEST_SAMPLE_MS = 2;
const cellFile = join(here, 'target', `cell-${process.pid}.json`);

/** Kafka's side: a warm Java machine that answers one request a line. */
class Kafka {
  #child = spawn(join(here, 'run.sh'), ['serve', '--version', options.version, '--limit', options.limit], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ORACLE_JAVA_OPTIONS: process.env.ORACLE_JAVA_OPTIONS ?? '-Xmx3g' },
  });
  #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();

  /** An answer, `{ timedOutSeconds }` when Kafka takes too long, or undefined when the oracle cannot run here. */
  async ask(request) {
    this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) return undefined;
    if (value.startsWith('{')) return JSON.parse(value);
    console.log(value);
    return undefined;
  }

  stop() {
    this.#child.kill();
  }
}

/**
 * Allot's side: the call alone, as `computed`, and with a walk over everything that it handed out. Kafka's answers are finished
 * collections; Allot's become one where they are read, so the second number is the like-for-like one. Small groups are
 * answered many times between two looks at the clock, which takes some microseconds by itself.
 */
function measure(assignor, group, assignOptions, budget) {
  const assign = () => assignor.assign(group, assignOptions).assignment;
  const readWhole = () => {
    let handedOut = 0;
    for (const owned of assign().values()) for (const partitions of owned.values()) handedOut += partitions.length;
    if (handedOut === 0) throw new Error('nothing was handed out');
  };
  const start = performance.now();
  readWhole();
  const times = Math.ceil(SHORTEST_SAMPLE_MS / (performance.now() - start));
  const wall = [];
  let computed = 0;
  let cpu = 0;
  do {
    computed += timed(assign, times).cpu;
    const whole = timed(readWhole, times);
    wall.push(whole.wall);
    cpu += whole.cpu;
  } while (performance.now() - start < budget);
  const runs = wall.length;
  return { ms: median(wall), cpuMs: cpu / runs, computedMs: computed / runs, runs: runs * times };
}

/** Milliseconds a call, of the clock and of the CPU. */
function timed(call, times) {
  const cpuStart = process.cpuUsage();
  const start = performance.now();
  for (let i = 0; i < times; i++) call();
  return { wall: (performance.now() - start) / times, cpu: cpuMillis(cpuStart) / times };
}

function cpuMillis(since) {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/**
 * Members with the same subscription share one list, as the members of a running group do: Kafka's assignors are told whether
 * all subscriptions are equal and need not compare them.
 */
function readLine(file) {
  const line = JSON.parse(readFileSync(file, 'utf8'));
  const lists = new Map();
  for (const member of line.members) {
    const key = member.topics.join('\n');
    if (!lists.has(key)) lists.set(key, member.topics);
    member.topics = lists.get(key);
  }
  const members = line.members.map((member) => ({
    ...member,
    ...(member.owned && {
      owned: line.ownedOrder === 'given' ? new Map(Object.entries(member.owned)) : assignmentFromJson(member.owned),
    }),
  }));
  return { line, group: { topics: line.topics, members } };
}

function sameAnswer(expected, assignment) {
  return Object.entries(expected).every(([member, topics]) => {
    const owned = assignment.get(member);
    const names = Object.keys(topics);
    return owned.size === names.length && names.every((topic) => owned.get(topic)?.join() === topics[topic].join());
  });
}

async function compare(cell, kafka) {
  rmSync(cellFile, { force: true });
  const opened = await kafka.ask({ open: cell, file: cellFile });
  if (opened === undefined) return undefined;
  let input;
  try {
    input = readLine(cellFile);
  } catch {
    return { kafkaMs: `> ${options.limit} s for the round before`, restart: true };
  }
  const { line, group } = input;
  const assignor = resolveAssignor(cell.assignor);
  const assignOptions = { kafkaVersion: options.version, ...(line.ownedOrder && { ownedOrder: line.ownedOrder }) };
  const warm = opened.timedOutSeconds === undefined ? await kafka.ask({ millis }) : opened;
  if (warm.timedOutSeconds !== undefined) {
    const { ms, cpuMs, computedMs } = measure(assignor, group, assignOptions, millis);
    const kafkaMs = `> ${warm.timedOutSeconds} s`;
    return { name: line.id, kafkaMs, allotMs: ms, allotCpuMs: cpuMs, allotComputedMs: computedMs, restart: true };
  }
  const same = sameAnswer(line.assignment, assignor.assign(group, assignOptions).assignment);
  measure(assignor, group, assignOptions, millis);
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    const allotFirst = round % 2 === 1 && measure(assignor, group, assignOptions, millis);
    const theirs = await kafka.ask({ millis });
    pairs.push({ theirs, ours: allotFirst || measure(assignor, group, assignOptions, millis) });
  }
  return {
    name: line.id,
    same,
    kafkaMs: median(pairs.map(({ theirs }) => theirs.ms)),
    kafkaCpuMs: median(pairs.map(({ theirs }) => theirs.cpuMs)),
    allotMs: median(pairs.map(({ ours }) => ours.ms)),
    allotCpuMs: median(pairs.map(({ ours }) => ours.cpuMs)),
    allotComputedMs: median(pairs.map(({ ours }) => ours.computedMs)),
    ratio: median(pairs.map(({ theirs, ours }) => ours.cpuMs / theirs.cpuMs)),
    computedRatio: median(pairs.map(({ theirs, ours }) => ours.computedMs / theirs.cpuMs)),
  };
}

mkdirSync(join(here, 'target'), { recursive: true });
const results = [];
let kafka = new Kafka();
console.log(
  `Kafka ${options.version} and Allot on Node ${process.version}, ${cpus()[0]?.model}, ${rounds} rounds, CPU milliseconds`,
);
console.log('| bar | cell | Kafka | Allot, read whole | ratio | Allot, computed | ratio | same answer |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const cell of JSON.parse(readFileSync(options.cells, 'utf8'))) {
  if (!JSON.stringify(cell).includes(options.only)) continue;
  const result = await compare(cell, kafka);
  if (result === undefined) break;
  results.push({ ...cell, ...result });
  const number = (value) => (typeof value === 'number' ? String(Number(value.toPrecision(3))) : (value ?? ''));
  const name = result.name ?? JSON.stringify(cell);
  const { kafkaCpuMs = result.kafkaMs, allotCpuMs, ratio, allotComputedMs, computedRatio, same = '' } = result;
  const numbers = [kafkaCpuMs, allotCpuMs, ratio, allotComputedMs, computedRatio].map(number).join(' | ');
  console.log(`| ${cell.bar ?? ''} | ${name} | ${numbers} | ${same} |`);
  if (result.restart) {
    kafka.stop();
    kafka = new Kafka();
  }
}
kafka.stop();
rmSync(cellFile, { force: true });
if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
