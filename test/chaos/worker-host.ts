// A process with many workers. Reads commands, a word a line: `crash` makes one vanish and another join, `leave` makes one leave and
// another join. Writes what every worker holds, a JSON document a line, in the moment it changes.
import { Agent } from 'node:http';
import { createInterface } from 'node:readline';
import { Worker, type WorkerOptions } from './worker.js';
import { randomOf } from './random.js';

interface HostOptions {
  readonly group: string;
  readonly topic: string;
  readonly replicas: readonly string[];
  readonly workers: number;
  readonly seed: number;
}

const { workers: count, seed, ...rest } = JSON.parse(process.argv[2]!) as HostOptions;
const random = randomOf(seed);
const options: WorkerOptions = {
  ...rest,
  agent: new Agent({ keepAlive: true, maxSockets: 50 }),
  random,
  log: (holding) => process.stdout.write(`${JSON.stringify(holding)}\n`),
};
const workers: Worker[] = [];

function start(): void {
  const worker = new Worker(options);
  workers.push(worker);
  void worker.run();
}

for (let i = 0; i < count; i++) setTimeout(start, random() * 1_000);

createInterface({ input: process.stdin }).on('line', (command) => {
  const [worker] = workers.splice(Math.floor(random() * workers.length), 1);
  if (worker === undefined) return;
  if (command === 'crash') worker.crash();
  else void worker.leave();
  start();
});
process.stdin.once('end', () => process.exit(0));
