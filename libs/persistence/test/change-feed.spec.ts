import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumerGroup, GroupRef } from '@allot/coordinator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresChangeFeed, PrismaCatalogStore, PrismaGroupStore, openDatabase } from '@allot/persistence';
import type { ChangeFeedOptions, Database } from '@allot/persistence';
import pg from 'pg';
import { createTestDatabase } from '../../../test/support/test-database.js';
import type { TestDatabase } from '../../../test/support/test-database.js';
import { startProxy } from './freezing-proxy.js';
import { changeOf, group, member, next, owned } from './sample-group.js';

const NEVER = 3_600_000;

let testDatabase: TestDatabase;
let database: Database;
let store: PrismaGroupStore;
let client: pg.Client;
let number = 0;
const feeds: PostgresChangeFeed[] = [];
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
  store = new PrismaGroupStore(database);
  client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
});

afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.close();
});

afterAll(async () => {
  for (const close of closing) await close();
  await client.end();
  await store.drain();
  await database.close();
  await testDatabase.drop();
});

function newFeed(options: ChangeFeedOptions = {}, on: Database = database): PostgresChangeFeed {
  const feed = new PostgresChangeFeed(on, options);
  feeds.push(feed);
  return feed;
}

async function change(ref: GroupRef, initial: ConsumerGroup = group()): Promise<void> {
  await store.transact(ref, ({ group: before, lastRevision }) => {
    const after = before === undefined ? { ...initial, revision: lastRevision + 1 } : next(before);
    return { group: after, change: changeOf(after), reply: 0 };
  });
}

async function newGroup(): Promise<GroupRef> {
  const ref = { cluster: 'default', groupId: `watched-${++number}` };
  await change(ref);
  return ref;
}

/** Counts hints; `after(n)` resolves when there were n. */
function counter() {
  let count = 0;
  const hint = () => void count++;
  const after = async (wanted: number, withinMs = 5_000) => {
    for (let waited = 0; count < wanted && waited < withinMs; waited += 10) await sleep(10);
    expect(count).toBeGreaterThanOrEqual(wanted);
  };
  return { hint, after, count: () => count };
}

async function listeners(): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'allot-listen' AND datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
}

async function untilListening(): Promise<void> {
  for (let waited = 0; (await listeners()).length === 0 && waited < 5_000; waited += 20) await sleep(20);
  await sleep(100);
}

describe('S-08 the change feed', () => {
  it('hints by notification, long before the poll', async () => {
    const ref = await newGroup();
    const { hint, after, count } = counter();
    newFeed({ pollMs: NEVER }).watch(ref, hint);
    await untilListening();
    const before = count();
    await change(ref);
    await after(before + 1);
    await change(await newGroup());
    await sleep(100);
    expect(count()).toBe(before + 1);
  });

  it('hints by the poll alone when no notification arrives', async () => {
    const ref = await newGroup();
    const { hint, after, count } = counter();
    newFeed({ pollMs: 50 }).watch(ref, hint);
    await after(1);
    const before = count();
    await client.query(`UPDATE groups SET revision = revision + 1 WHERE group_id = $1`, [ref.groupId]);
    await after(before + 1);
  });

  it('hints when a group appears, disappears and is made again', async () => {
    const ref = { cluster: 'default', groupId: 'to be made' };
    const { hint, after } = counter();
    newFeed({ pollMs: 50 }).watch(ref, hint);
    await after(1);
    await change(ref);
    await after(2);
    await store.transact(ref, () => ({ group: null, reply: 0 }));
    await after(3);
    await change(ref);
    await after(4);
  });

  it('uses one connection for all watchers and frees it when closed', async () => {
    const feed = newFeed();
    const refs = [await newGroup(), await newGroup()];
    const stops = [...refs, ...refs].map((ref) => feed.watch(ref, () => undefined));
    await untilListening();
    expect(await listeners()).toHaveLength(1);
    expect(feed.size).toBe(2);
    stops.forEach((stop) => stop());
    stops.forEach((stop) => stop());
    expect(feed.size).toBe(0);
    await feed.close();
    expect(() => feed.watch(refs[0]!, () => undefined)).toThrow('closed');
    for (let waited = 0; (await listeners()).length > 0 && waited < 2_000; waited += 20) await sleep(20);
    expect(await listeners()).toEqual([]);
  });

  it('connects again after a loss and tells what was missed meanwhile', async () => {
    const ref = await newGroup();
    const { hint, after, count } = counter();
    const losses: Error[] = [];
    newFeed({ pollMs: NEVER, onError: (error) => losses.push(error) }).watch(ref, hint);
    await untilListening();
    const before = count();
    for (const pid of await listeners()) await client.query('SELECT pg_terminate_backend($1)', [pid]);
    // Committed while nobody listens; its notification is gone.
    await change(ref);
    await after(before + 1);
    expect(losses).toHaveLength(1);
    await untilListening();
    const again = count();
    await change(ref);
    await after(again + 1);
  });

  it('notices a connection that is cut without a word', async () => {
    const proxy = await startProxy(Number(new URL(testDatabase.url).port));
    closing.push(() => proxy.close());
    const url = new URL(testDatabase.url);
    url.port = String(proxy.port);
    const viaProxy = Object.create(database, { url: { value: url.href } }) as Database;
    const ref = await newGroup();
    const { hint, after, count } = counter();
    const losses: Error[] = [];
    newFeed({ pollMs: NEVER, probeMs: 150, onError: (error) => losses.push(error) }, viaProxy).watch(ref, hint);
    await untilListening();
    proxy.freeze();
    const before = count();
    await change(ref);
    for (let waited = 0; losses.length === 0 && waited < 5_000; waited += 20) await sleep(20);
    expect(losses[0]!.message).toContain('does not answer');
    proxy.thaw();
    await after(before + 1);
  });

  it('keeps other watchers informed when one of them throws', async () => {
    const ref = await newGroup();
    const { hint, after, count } = counter();
    const errors: Error[] = [];
    const feed = newFeed({ pollMs: 50, onError: (error) => errors.push(error) });
    feed.watch(ref, () => {
      throw new Error('mine');
    });
    feed.watch(ref, hint);
    await after(1);
    const before = count();
    await change(ref);
    await after(before + 1);
    expect(errors.map(({ message }) => message)).toContain('mine');
  });
});

describe('S-08 notifications', () => {
  it('carry key and revision only, once a committed revision and never for a heartbeat', async () => {
    const payloads: string[] = [];
    const listener = new pg.Client({ connectionString: testDatabase.url });
    await listener.connect();
    listener.on('notification', ({ payload }) => payloads.push(payload!));
    await listener.query('LISTEN allot_changes');
    const ref = { cluster: 'default', groupId: 'x'.repeat(255) };
    const partitions = Object.fromEntries(Array.from({ length: 5_000 }, (_, partition) => [partition, 1]));
    const catalogRevision = (await new PrismaCatalogStore(database).getCluster('default')).catalogRevision;
    await change(ref, group({ catalogRevision }, [member('m', { assigned: owned({ topic: partitions }) })]));
    for (let i = 0; i < 20; i++) expect(await store.renewLease(ref, 'm', 1)).toBeDefined();
    await store.transact(ref, ({ group: before }) => ({ group: before, renewed: ['m'], reply: 0 }));
    await store.transact(
      ref,
      ({ group: before }) => {
        const after = next(before!);
        return { group: after, change: changeOf(after), reply: 0 };
      },
      { dryRun: true },
    );
    await change(ref);
    await store.transact(ref, () => ({ group: null, reply: 0 }));
    await store.drain();
    await listener.query('SELECT 1');
    const { rows } = await client.query<{ pk: string }>(`SELECT last_value AS pk FROM groups_id_seq`);
    expect(payloads).toEqual(['1', '2', '0'].map((revision) => `${rows[0]!.pk}:${revision}`));
    await listener.end();
  });
});
