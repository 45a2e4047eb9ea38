// `npm run test:commit-points -- --points 54`: a replica is killed with -9 at one commit after another: before the commit reaches the database,
// after it was carried out but before the replica knows, and just after the replica heard. A second replica must serve at once, nothing that
// was acknowledged may be missing, and what was in flight has happened completely or not at all.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ChaosDatabase } from './chaos-database.js';
import { CommitTrap, PHASES } from './commit-trap.js';
import { FaultProxy } from './fault-proxy.js';
import { openPorts } from './free-ports.js';
import { Ledger } from './ledger.js';
import { ReplicaProcess } from './processes.js';
import { randomOf } from './random.js';

const { values } = parseArgs({
  options: { points: { type: 'string', default: '54' }, seed: { type: 'string', default: '1' } },
});
const points = Number(values.points);
const random = randomOf(Number(values.seed));
/** One heartbeat interval of the group under test. */
const HEARTBEAT_MS = 2_000;

async function main(): Promise<boolean> {
  const database = await ChaosDatabase.start();
  const [victimPort, witnessPort, proxyPort] = await openPorts(3);
  const proxy = await FaultProxy.start(proxyPort!, () => database.port);
  const victim = new ReplicaProcess(database.url(proxyPort), victimPort!);
  const witness = new ReplicaProcess(database.url(), witnessPort!);
  const client = new pg.Client({ connectionString: database.url() });
  const broken: string[] = [];
  const outages: number[] = [];
  try {
    await client.connect();
    await witness.start();
    const ledger = new Ledger(random, client);
    await ledger.prepare(witness.url);
    for (let point = 0; point < points; point++) {
      const phase = PHASES[point % PHASES.length]!;
      await victim.start();
      const trap = new CommitTrap(proxy, phase, 1 + Math.floor(random() * 6), () => victim.kill());
      await ledger.workUntilItBreaks(victim.url, trap.sprung);
      await trap.sprung;
      const started = performance.now();
      const faults = await ledger.check(witness.url);
      outages.push(performance.now() - started);
      for (const fault of faults) broken.push(`point ${point + 1} (${phase}): ${fault}`);
      if (outages.at(-1)! > HEARTBEAT_MS)
        broken.push(`point ${point + 1} (${phase}): served again after ${outages.at(-1)} ms`);
    }
    for (const problem of broken) console.log(`  BROKEN: ${problem}`);
    outages.sort((a, b) => a - b);
    console.log(
      `commit points ${broken.length === 0 ? 'held' : 'BROKE'}: ${points} kills, ${ledger.acknowledged} acknowledged changes, ` +
        `served again after ${outages[outages.length >> 1]!.toFixed(0)} ms (median), ${outages.at(-1)!.toFixed(0)} ms (longest)`,
    );
    return broken.length === 0;
  } finally {
    await client.end();
    await victim.kill();
    await witness.stop();
    await proxy.close();
    await database.stop();
  }
}

process.exit((await main()) ? 0 : 1);
