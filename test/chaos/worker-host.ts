// A process with many workers, some of them static. Reads commands, a word a line: `crash` makes one vanish and another join, `leave` makes
// one leave and another join, `restart` makes a static one leave for a while and return. Writes what every worker holds, a JSON document a line, in the moment it changes.
import { Agent } from 'node:http';
import { createInterface } from 'node:readline';
import { ClassicWorker } from './classic-worker.js';
import { Worker, type WorkerOptions, type Worklike } from './worker.js';
import { randomOf } from './random.js';

interface HostOptions {
  readonly group: string;
  readonly topic: string;
  readonly replicas: readonly string[];
  readonly classic: boolean;
  readonly workers: number;
  /** Instance ids of its static members, apart from `workers`; whoever takes this host's place has the same. */
  readonly instanceIds: readonly string[];
  readonly seed: number;
}

const { classic, workers: count, instanceIds, seed, ...rest } = JSON.parse(process.argv[2]!) as HostOptions;
const random = randomOf(seed);
const agent = new Agent({ keepAlive: true, maxSockets: 50 });
const log: WorkerOptions['log'] = (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`);
interface Running {
  readonly worker: Worklike;
  readonly instanceId?: string;
}
const all: Running[] = [];

function start(instanceId?: string): void {
  const options = { ...rest, agent, random, log, ...(instanceId !== undefined && { instanceId }) };
  const worker: Worklike = classic ? new ClassicWorker(options) : new Worker(options);
  all.push({ worker, ...(instanceId !== undefined && { instanceId }) });
  void worker.run();
}

for (let i = 0; i < count; i++) setTimeout(start, random() * 1_000);
for (const instanceId of instanceIds) setTimeout(start, random() * 1_000, instanceId);

createInterface({ input: process.stdin }).on('line', (command) => {
  const able = command === 'restart' ? all.filter(({ instanceId }) => instanceId !== undefined) : all;
  const chosen = able[Math.floor(random() * able.length)];
  if (chosen === undefined) return;
  all.splice(all.indexOf(chosen), 1);
  const { worker, instanceId } = chosen;
  if (command === 'crash') worker.crash();
  else if (command === 'restart') void worker.leaveTemporarily().then(() => start(instanceId));
  else void worker.leave();
  if (command !== 'restart') start(instanceId);
});
process.stdin.once('end', () => process.exit(0));
