import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startReplicas, type Replica } from '../../apps/api/test/support/service.js';
import type { TestDatabase } from '../support/test-database.js';

let replicas: Replica[];
let database: TestDatabase;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ replicas, database, stop } = await startReplicas(2));
});
afterAll(() => stop());

/** Runs the demo from source on the test's own service. */
function commandOf(args: string[]): string[] {
  const loader = ['--no-warnings', '--import', './test/support/typescript.mjs'];
  const where = ['--servers', replicas.map(({ url }) => url).join(','), '--database', database.url];
  return [...loader, './examples/work-queue/demo.mjs', ...where, ...args];
}

async function demo(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, commandOf(args), { timeout: 110_000 });
  return stdout;
}

describe('the demo', () => {
  it('refuses who comes late, and would see an item that was done twice', async () => {
    const script = new URL('../../examples/work-queue/queue.mjs', import.meta.url).href;
    const queue = (await import(script)) as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const pool = new pg.Pool({ connectionString: database.url });
    await queue['createQueue']!(pool, 1);
    await queue['addItems']!(pool, 1, 1);
    const finish = (epoch: number) => queue['finishItem']!(pool, { id: '1', partition: 0, worker: 'w', epoch });
    expect([await queue['takeOver']!(pool, 0, 5), await queue['takeOver']!(pool, 0, 7)]).toEqual([true, true]);
    // The holder of epoch 5 was frozen when the one of epoch 7 took over.
    expect([await finish(5), await queue['takeOver']!(pool, 0, 5), await finish(7)]).toEqual([false, false, true]);
    expect(await queue['inspect']!(pool)).toEqual({ items: 1, done: 1, refused: 1, twice: 0, lost: 0, backwards: 0 });
    await finish(7);
    expect(await queue['inspect']!(pool)).toMatchObject({ twice: 1, lost: 0 });
    await pool.query('TRUNCATE work_queue.effects');
    expect(await queue['inspect']!(pool)).toMatchObject({ twice: 0, lost: 1 });
    await pool.end();
  });

  it('divides a queue among workers that are killed, frozen and restarted, and does every item once', async () => {
    const stdout = await demo('--seconds', '9', '--workers', '3', '--partitions', '12', '--rate', '60');
    const killed = Number(/killed (\d+)/.exec(stdout)?.[1]);
    const items = Number(/held: all (\d+) items done, none lost, none done twice/.exec(stdout)?.[1]);
    expect(killed).toBeGreaterThan(0);
    expect(items).toBeGreaterThan(60);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      'SELECT count(*)::int AS n, count(DISTINCT item)::int AS items FROM work_queue.effects',
    );
    expect(rows).toEqual([{ n: items, items }]);
    await client.end();
  }, 120_000);

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves no worker behind after %s',
    async (signal) => {
      // Of a process group of its own, so that whoever is left of it can be found.
      const args = commandOf(['--seconds', '60', '--workers', '2', '--partitions', '12', '--rate', '20']);
      const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      const runs = new Promise<void>((resolve) =>
        child.stdout.on('data', (text) => {
          output += String(text);
          if (output.includes(' 1 s ')) resolve();
        }),
      );
      const exit = once(child, 'exit');
      await Promise.race([runs, exit]);
      child.kill(signal);
      const [code] = await exit;
      expect([code, output.trim().split('\n').at(-1)]).toEqual([1, 'interrupted: nothing was counted']);
      expect(() => process.kill(-child.pid!, 0)).toThrow('ESRCH');
    },
    60_000,
  );
});
