import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumerGroup, GroupRef, GroupView } from '@allot/coordinator';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  PostgresProbe,
  PrismaCatalogStore,
  PrismaGroupStore,
  PrismaIdempotencyStore,
  PrismaPlanStore,
  openDatabase,
} from '@allot/persistence';
import type { Database } from '@allot/persistence';
import pg from 'pg';
import { createTestDatabase } from '../../../test/support/test-database.js';
import type { TestDatabase } from '../../../test/support/test-database.js';
import { inTransaction } from '../src/database/run.js';
import { BatchQueue } from '../src/database/batch-queue.js';
import { startProxy } from './freezing-proxy.js';
import { changeOf, group, member, next } from './sample-group.js';

let testDatabase: TestDatabase;
let database: Database;
let store: PrismaGroupStore;
let client: pg.Client;
let observer: pg.Client;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { applicationName: 'victim', poolSize: 4 });
  store = new PrismaGroupStore(database);
  client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  observer = new pg.Client({ connectionString: testDatabase.url });
  await observer.connect();
});

afterAll(async () => {
  for (const close of closing) await close();
  await observer.end();
  await client.end();
  await database.close();
  await testDatabase.drop();
});

const ref: GroupRef = { cluster: 'default', groupId: 'g' };
const commit = (decide: (before: ConsumerGroup | undefined) => ConsumerGroup) => (view: GroupView) => {
  const before = view.group as ConsumerGroup | undefined;
  const after = decide(before);
  return { group: after, change: changeOf(after), reply: 0 };
};
const unavailable = { code: 'STORE_UNAVAILABLE', retriable: true, action: 'retry', retryAfterMs: expect.any(Number) };

it('answers "try again" while the database is away, whatever is asked', async () => {
  const url = new URL(testDatabase.url);
  url.port = '1';
  const away = openDatabase(url.href);
  const groups = new PrismaGroupStore(away);
  const catalog = new PrismaCatalogStore(away);
  for (const ask of [
    () =>
      groups.transact(
        ref,
        commit(() => group()),
      ),
    () => groups.renewLease(ref, 'm', 1),
    () => groups.read(ref),
    () => groups.findExpired(1),
    () => groups.changesSince(ref, 0, 1),
    () => catalog.listClusters({ limit: 1 }),
    () => catalog.putTopic('default', 't', {}),
    () => new PrismaPlanStore(away).listByGroup(ref, { limit: 1 }),
    () => new PrismaIdempotencyStore(away).begin({ principal: 'p', key: 'k' }, 'h', 1),
    () => new PostgresProbe(away).check(),
  ]) {
    await expect(ask()).rejects.toMatchObject(unavailable);
  }
  await away.close();
});

it('answers "try again" when the connection is cut in the middle, writes nothing, and goes on afterwards', async () => {
  await store.transact(
    ref,
    commit(() => group()),
  );
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM groups FOR UPDATE');
  const waiting = store.transact(
    ref,
    commit((before) => next(before!)),
  );
  const outcome = expect(waiting).rejects.toMatchObject(unavailable);
  // Within one transaction pg_stat_activity does not move, so another one looks.
  for (let cut = 0; cut === 0; await sleep(20)) {
    const { rowCount } = await observer.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim' AND wait_event_type = 'Lock'`,
    );
    cut = rowCount ?? 0;
  }
  await outcome;
  await client.query('COMMIT');
  const { group: after } = await store.transact(
    ref,
    commit((before) => next(before!)),
  );
  expect(after!.revision).toBe(2);
});

it('survives that every idle connection is cut', async () => {
  await Promise.all([1, 2, 3, 4].map(() => database.ping()));
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'`);
  await sleep(100);
  await database.ping();
});

it('gives up a connection that is cut without a word', async () => {
  const proxy = await startProxy(Number(new URL(testDatabase.url).port));
  const url = new URL(testDatabase.url);
  url.port = String(proxy.port);
  closing.push(() => proxy.close());
  const distant = openDatabase(url.href, { silenceMs: 200, poolSize: 3 });
  const groups = new PrismaGroupStore(distant);
  const silent = { cluster: 'default', groupId: 'silent' };
  await groups.transact(
    silent,
    commit(() => group()),
  );
  await sleep(500);
  await distant.ping();
  proxy.freeze();
  const call = groups.transact(
    silent,
    commit((before) => next(before!)),
  );
  await expect(call).rejects.toMatchObject(unavailable);
  proxy.thaw();
  expect(
    (
      await groups.transact(
        silent,
        commit((before) => next(before!)),
      )
    ).group!.revision,
  ).toBe(2);
  await groups.transact(silent, () => ({ group: null, reply: 0 }));
  await groups.drain();
  await distant.close();
});

it('turns requests away that waited too long for their group, and only those', async () => {
  const queue = new BatchQueue<{ ms: number; resolve: () => void }>(
    async ([first]) => {
      await sleep(first!.task.ms);
      first!.task.resolve();
      return 1;
    },
    { most: 1, maxWaitMs: 50 },
  );
  const run = (key: string, ms: number) =>
    new Promise<void>((resolve, reject) => queue.push(key, { task: { ms, resolve }, reject }));
  const slow = run('a', 100);
  const outcome = expect(run('a', 0)).rejects.toMatchObject(unavailable);
  await run('b', 0);
  await slow;
  await outcome;
  await run('a', 0);
});

it('hands over together what queues up for one group, and again what was not taken', async () => {
  const batches: number[][] = [];
  const queue = new BatchQueue<{ n: number; resolve: () => void }>(
    async (batch) => {
      batches.push(batch.map(({ task }) => task.n));
      await sleep(5);
      const taken = batch.slice(0, 2);
      for (const { task } of taken) task.resolve();
      return taken.length;
    },
    { most: 3, maxWaitMs: 5_000 },
  );
  const run = (n: number) => new Promise<void>((resolve, reject) => queue.push('a', { task: { n, resolve }, reject }));
  await Promise.all([1, 2, 3, 4, 5].map(run));
  expect(batches).toEqual([[1], [2, 3, 4], [4, 5]]);
});

it('gives a group back that a stopped replica has locked', async () => {
  const { rows } = await client.query<{ limit: string }>(
    `SELECT setting AS limit FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'`,
  );
  expect(rows[0]!.limit).toBe('0');
  const [settings] = await database.prisma.$queryRaw<object[]>`
    SELECT current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('lock_timeout') AS lock,
           current_setting('statement_timeout') AS statement`;
  expect(settings).toEqual({ idle: '10s', lock: '10s', statement: '20s' });
});

it('S-12 runs a transaction again that lost a deadlock', async () => {
  await client.query('CREATE TABLE pair (id int PRIMARY KEY, n int); INSERT INTO pair VALUES (1, 0), (2, 0)');
  let attempts = 0;
  let meet!: () => void;
  const met = new Promise<void>((resolve) => (meet = resolve));
  const update = (first: number, second: number) =>
    inTransaction(database, async (tx) => {
      await tx.$executeRaw`UPDATE pair SET n = n + 1 WHERE id = ${first}`;
      // Each holds its first row before either asks for its second.
      if (++attempts === 2) meet();
      await met;
      await tx.$executeRaw`UPDATE pair SET n = n + 1 WHERE id = ${second}`;
    });
  await Promise.all([update(1, 2), update(2, 1)]);
  expect(attempts).toBeGreaterThan(2);
  expect((await client.query('SELECT n FROM pair')).rows).toEqual([{ n: 2 }, { n: 2 }]);
});

describe('text that PostgreSQL cannot hold is the caller’s mistake', () => {
  const long = randomBytes(8_000).toString('base64');
  const lone = '\ud800';

  it.each([
    ['a group id with NUL', { groupId: 'a\0b' }, {}],
    ['a group id with half a surrogate pair', { groupId: lone }, {}],
    ['a group id that is too long', { groupId: long }, {}],
    ['a member id with NUL', { groupId: 'ok' }, { memberId: 'a\0b' }],
    ['an instance id with half a surrogate pair', { groupId: 'ok' }, { instanceId: lone }],
    ['a member id that is too long', { groupId: 'ok' }, { memberId: long }],
  ])('%s', async (_, { groupId }, fields) => {
    const bad = { cluster: 'default', groupId };
    const joined = { ...member('m'), ...fields };
    await expect(
      store.transact(
        bad,
        commit(() => group({}, [joined])),
      ),
    ).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const { rows } = await client.query(`SELECT 1 FROM groups WHERE group_id <> 'g'`);
    expect(rows).toEqual([]);
  });
});
