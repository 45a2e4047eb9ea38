import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createMember, forEachPartition, listPartitions, type Member, type MemberOptions } from '@allot/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SESSION = 4_000;
const GROUPS = '/v1/clusters/default/groups';

/** A replica in a process of its own, so that it can be killed. */
class ReplicaProcess {
  #child: ChildProcess | undefined;
  url = '';

  constructor(private readonly databaseUrl: string) {}

  async start(): Promise<void> {
    const child = spawn(
      process.execPath,
      ['--no-deprecation', '--import', './test/support/typescript.mjs', 'apps/api/src/main.ts'],
      {
        cwd: ROOT,
        env: {
          PATH: process.env['PATH'],
          DATABASE_URL: this.databaseUrl,
          PORT: new URL(this.url || 'http://x:0').port || '0',
          ALLOT_LOG_LEVEL: 'error',
          ALLOT_MIN_SESSION_TIMEOUT_MS: '1000',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    this.#child = child;
    let output = '';
    while (this.url === '' || !output.includes(`${this.url}/v1`)) {
      const [chunk] = (await Promise.race([
        once(child.stdout!, 'data'),
        once(child, 'exit').then(([code]) => {
          throw new Error(`a replica ended with ${code}: ${output}`);
        }),
      ])) as [Buffer];
      output += String(chunk);
      this.url = /API {6}(http:\S+)\/v1/.exec(output)?.[1] ?? this.url;
    }
  }

  async kill(): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

let database: TestDatabase;
let a: ReplicaProcess;
let b: ReplicaProcess;
const members: Member[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  [a, b] = [new ReplicaProcess(database.url), new ReplicaProcess(database.url)];
  await a.start();
  await b.start();
  await put('/v1/clusters/default/topics/t', { partitions: 6 });
}, 120_000);
afterEach(async () => {
  await Promise.all(members.splice(0).map((member) => member.stop({ leave: 'vanish' })));
});
afterAll(async () => {
  await Promise.all([a.kill(), b.kill()]);
  await database.drop();
}, 60_000);

async function put(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(b.url + path, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect(status).toBeLessThan(300);
}

/** A member that writes down what it is told. */
function join(group: string, options: Partial<MemberOptions> = {}) {
  const member = createMember({ servers: [a.url, b.url], group, subscription: { topics: ['t'] }, ...options });
  members.push(member);
  const told: string[] = [];
  for (const name of ['assigned', 'revoked', 'lost', 'fenced', 'stopped'] as const) {
    member.on(name, () => void told.push(name));
  }
  const failures: unknown[] = [];
  member.on('error', (error) => void failures.push(error));
  return { member, told, failures, count: () => listPartitions(member.assignment).length };
}

async function until(holds: () => boolean, withinMs = 20_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('this did not come about in time');
    await sleep(20);
  }
}

describe('members of replicas that are killed', () => {
  it.each(['stream', 'heartbeat'] as const)(
    'S-01 work on without a break through the other one, by %s',
    async (transport) => {
      const group = `kill-${transport}`;
      await put(`${GROUPS}/${group}`, { sessionTimeoutMs: SESSION, heartbeatIntervalMs: 700, assignor: 'uniform' });
      const one = join(group, { transport });
      const two = join(group, { transport });
      const gaps: number[] = [];
      forEachPartition(one.member, async ({ signal }) => {
        while (!signal.aborted) {
          if (!one.member.isValid) gaps.push(Date.now());
          await sleep(20);
        }
      });
      await until(() => one.count() === 3 && two.count() === 3);
      const before = [one.told.length, two.told.length];
      for (const replica of [a, b]) {
        await replica.kill();
        await sleep(SESSION * 1.5);
        expect([one.count(), two.count()]).toEqual([3, 3]);
        await replica.start();
      }
      expect([gaps, one.told.length, two.told.length]).toEqual([[], ...before]);
      // The kills were noticed, so the test has tested something.
      expect(one.failures.length + two.failures.length).toBeGreaterThan(0);
    },
    120_000,
  );

  it('join and leave though the first of their servers is dead', async () => {
    await put(`${GROUPS}/dead`, { sessionTimeoutMs: SESSION, heartbeatIntervalMs: 700 });
    for (let i = 0; i < 4; i++) {
      const { member, count } = join('dead', { servers: ['http://127.0.0.1:1', b.url] });
      await until(() => count() === 6);
      await member.stop();
      const answer = await fetch(`${b.url}${GROUPS}/dead`);
      expect(((await answer.json()) as { members: object[] }).members).toEqual([]);
    }
  }, 60_000);
});

describe('a static member whose place another process takes', () => {
  it('is told FENCED_INSTANCE_ID, gives up its work, fires `fenced`, ends, and leaves the other one alone', async () => {
    await put(`${GROUPS}/taken`, { sessionTimeoutMs: SESSION, heartbeatIntervalMs: 700, staticPolicy: 'newest-wins' });
    const first = join('taken', { instanceId: 'i' });
    let working = 0;
    forEachPartition(first.member, async ({ signal }) => {
      working++;
      while (!signal.aborted) await sleep(10);
      working--;
    });
    await until(() => working === 6);
    const second = join('taken', { instanceId: 'i' });
    await expect(first.member.stopped).rejects.toMatchObject({
      code: 'FENCED_INSTANCE_ID',
      action: 'stop',
      retriable: false,
    });
    expect([working, first.told]).toEqual([0, ['assigned', 'lost', 'fenced', 'stopped']]);
    await first.member.stop();
    await until(() => second.count() === 6);
    await sleep(SESSION);
    expect([second.count(), second.told]).toEqual([6, ['assigned']]);
  }, 60_000);
});
