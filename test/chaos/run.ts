// `npm run test:chaos -- --seconds 60`: replicas with wrong clocks, each behind a faulty network to one PostgreSQL, serve groups of many workers
// while all of them are killed, frozen, cut off and restarted at random. A checker reads every worker's own log. Ends with a line that
// says what held; exits non-zero when something did not.
import { parseArgs } from 'node:util';
import { FAULTS } from './faults.js';
import { randomOf } from './random.js';
import { findFaults, untilStable } from './verdict.js';
import { sleep, World } from './world.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    members: { type: 'string', default: '200' },
    replicas: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

function whole(name: keyof typeof values): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`--${name} must be a whole number above 0, not ${values[name]}`);
  process.exit(2);
}

/** One fault after the other, some overlapping with the next; answers how often each happened. */
async function makeTrouble(world: World, deadline: number): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const running: Promise<unknown>[] = [];
  let nextNews = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const [name, fault] = world.pick(FAULTS);
    const done = fault(world).then(
      (happened) => {
        if (happened) counts.set(name, (counts.get(name) ?? 0) + 1);
      },
      // The run goes on, and says in the end that it is not what it should have been.
      (error: unknown) => world.problems.push(`${name}: ${String(error)}`),
    );
    running.push(done);
    await Promise.race([done, sleep(1_500)]);
    await sleep(world.random() * 400);
    for (const replica of world.replicas) await replica.measure();
    if (Date.now() < nextNews) continue;
    nextNews += 60_000;
    console.log(
      `  ${Math.round((deadline - Date.now()) / 1000)} s to go, ${sum(counts)} faults, ${world.log.entries} answers`,
    );
  }
  await Promise.all(running);
  return counts;
}

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((total, count) => total + count, 0);

function printMeasures(world: World, counts: ReadonlyMap<string, number>, calmMs: number | undefined): void {
  for (const [name, count] of [...counts].sort()) console.log(`  ${String(count).padStart(4)} x ${name}`);
  const times = world.log.grantTimes();
  const at = (share: number) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN).toFixed(0);
  console.log(
    `  join to first partitions: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${times.length} joins, faults included)`,
  );
  console.log(
    `  peak memory of a replica: ${Math.max(...world.replicas.map(({ peakRssMb }) => peakRssMb)).toFixed(0)} MB`,
  );
  console.log(`  stable ${calmMs === undefined ? 'never' : `${(calmMs / 1000).toFixed(1)} s`} after the last fault`);
}

/** Whether everything held. */
async function main(): Promise<boolean> {
  const [seconds, members, replicas, seed] = (['seconds', 'members', 'replicas', 'seed'] as const).map(whole);
  console.log(`chaos: ${members} members, ${replicas} replicas, ${seconds} s, seed ${seed}`);
  const world = await World.start({ members: members!, replicas: replicas!, seed: seed!, random: randomOf(seed!) });
  try {
    await world.open();
    await sleep(5_000);
    const counts = await makeTrouble(world, Date.now() + seconds! * 1000);
    const calmMs = await untilStable(world);
    printMeasures(world, counts, calmMs);
    const broken = [...world.problems, ...(await findFaults(world, calmMs))];
    for (const problem of broken) console.log(`  BROKEN: ${problem}`);
    const { log } = world;
    console.log(
      `chaos ${broken.length === 0 ? 'held' : 'BROKE'}: ${sum(counts)} faults, ${log.entries} answers, ` +
        `${log.verdicts} write checks, ${log.overlaps().length} overlaps, ${log.staleWrites().length} stale writes`,
    );
    return broken.length === 0;
  } finally {
    await world.close();
  }
}

process.exit((await main()) ? 0 : 1);
