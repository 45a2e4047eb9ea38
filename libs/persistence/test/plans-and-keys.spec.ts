import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlanKey, StoredPlan } from '@allot/coordinator';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  PrismaCatalogStore,
  PrismaGroupReadModel,
  PrismaGroupStore,
  PrismaIdempotencyStore,
  PrismaPlanStore,
  Retention,
  openDatabase,
} from '@allot/persistence';
import type { Database } from '@allot/persistence';
import { createTestDatabase } from '../../../test/support/test-database.js';
import type { TestDatabase } from '../../../test/support/test-database.js';
import { changeOf, group, member, next, owned } from './sample-group.js';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

describe('plans', () => {
  const ref = { cluster: 'default', groupId: 'planned' };
  const newPlan = (fields: object = {}) => ({
    id: randomUUID() as string,
    ref,
    baseRevision: 7,
    inputHash: 'hash',
    author: 'alice',
    request: { changes: [{ addMembers: 1 }] },
    result: { __proto__x: 1, target: {} },
    validForMs: 60_000,
    ...fields,
  });

  it('are kept as they were saved, in the database time', async () => {
    const store = new PrismaPlanStore(database);
    const plan = newPlan({ reason: 'why not' });
    const saved = await store.save(plan);
    const { validForMs, ...content } = plan;
    expect(saved).toEqual({
      ...content,
      status: 'open',
      createdAt: expect.any(Number),
      expiresAt: saved.createdAt + validForMs,
      expired: false,
    });
    expect(await store.get(plan.id)).toEqual(saved);
    expect(await store.get(randomUUID())).toBeUndefined();
    expect(await store.get('no uuid')).toBeUndefined();
    const elsewhere = newPlan({ ref: { cluster: 'nowhere', groupId: 'g' } });
    await expect(store.save(elsewhere)).rejects.toMatchObject({ code: 'CLUSTER_NOT_FOUND' });
  });

  it('change their status once, whoever asks', async () => {
    const store = new PrismaPlanStore(database);
    const { id } = await store.save(newPlan());
    let turns = 0;
    const once = ({ status }: StoredPlan) => status === 'open' && ++turns > 0;
    await Promise.all([1, 2, 3, 4].map((n) => store.decide(id, 'approved', { actor: `reviewer-${n}` }, once)));
    expect(turns).toBe(1);
    const approved = (await store.get(id))!;
    expect(approved).toMatchObject({ status: 'approved', approved: { actor: expect.stringMatching(/^reviewer-/) } });
    expect(approved.approved!.at).toBeGreaterThanOrEqual(approved.createdAt);
    expect((await store.decide(id, 'discarded', { actor: 'x' }, () => true, { dryRun: true }))!.status).toBe(
      'discarded',
    );
    expect((await store.get(id))!.status).toBe('approved');
    expect(await store.decide(randomUUID(), 'approved', { actor: 'x' }, () => true)).toBeUndefined();
  });

  it('are found for many groups at once, the newest of each', async () => {
    const store = new PrismaPlanStore(database);
    const [a, b] = ['many-a', 'many-b'].map((groupId) => ({ cluster: 'default', groupId }));
    const ids: string[] = [];
    for (const each of [a!, a!, a!, b!]) {
      ids.push((await store.save(newPlan({ ref: each }))).id);
      await sleep(2);
    }
    const found = await store.newestByGroups('default', ['many-a', 'many-b', 'many-c', 'many-a'], 2);
    expect([...found].map(([groupId, plans]) => [groupId, plans.map(({ id }) => id)]).sort()).toEqual([
      ['many-a', [ids[2], ids[1]]],
      ['many-b', [ids[3]]],
    ]);
  });

  it('are listed newest first, page by page, and say when they are too old', async () => {
    const store = new PrismaPlanStore(database);
    const other = { cluster: 'default', groupId: 'listed' };
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await store.save(newPlan({ ref: other, validForMs: 1 }))).id);
    await sleep(5);
    const listed: string[] = [];
    let after: PlanKey | undefined;
    for (let more = true; more;) {
      const page = await store.listByGroup(other, { limit: 2, ...(after && { after }) });
      listed.push(...page.items.map(({ id }) => id));
      expect(page.items.every(({ expired }) => expired)).toBe(true);
      after = page.items.at(-1);
      more = page.more;
    }
    expect([...listed].sort()).toEqual([...ids].sort());
    expect(new Set(listed).size).toBe(5);
  });
});

describe('idempotency keys', () => {
  const response = { status: 201, headers: { etag: '"1"' }, body: { __proto: 1, list: [null] } };
  const newKey = () => ({ principal: 'alice', key: randomUUID() });

  it('replay the stored answer, and refuse another request under the same key', async () => {
    const store = new PrismaIdempotencyStore(database);
    const id = newKey();
    expect(await store.begin(id, 'h', 60_000)).toEqual({ kind: 'begun' });
    expect(await store.begin(id, 'h', 60_000)).toEqual({ kind: 'in-flight' });
    expect(await store.begin(id, 'other', 60_000)).toEqual({ kind: 'mismatch' });
    await store.finish(id, 'h', response, 60_000);
    await sleep(20);
    const replay = await store.begin(id, 'h', 60_000);
    expect(replay).toEqual({ kind: 'replay', response, ageMs: expect.any(Number) });
    expect((replay as { ageMs: number }).ageMs).toBeGreaterThanOrEqual(20);
    expect(await store.begin(id, 'other', 60_000)).toEqual({ kind: 'mismatch' });
    expect(await store.begin({ ...id, principal: 'bob' }, 'other', 60_000)).toEqual({ kind: 'begun' });
  });

  it('let exactly one of many begin', async () => {
    const store = new PrismaIdempotencyStore(database);
    const id = newKey();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.begin(id, 'h', 60_000)));
    expect(outcomes.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'in-flight')).toHaveLength(19);
  });

  it('are free again when abandoned, when the claim was left behind, or when the answer is too old', async () => {
    const store = new PrismaIdempotencyStore(database);
    const [abandoned, left, old] = [newKey(), newKey(), newKey()];
    await store.begin(abandoned, 'h', 60_000);
    await store.abandon(abandoned, 'h');
    await store.begin(left, 'h', 1);
    await store.begin(old, 'h', 60_000);
    await store.finish(old, 'h', response, 1);
    await sleep(5);
    for (const id of [abandoned, left, old]) expect(await store.begin(id, 'new', 60_000)).toEqual({ kind: 'begun' });
    await store.finish(left, 'h', response, 60_000);
    expect(await store.begin(left, 'new', 60_000)).toEqual({ kind: 'in-flight' });
  });
});

describe('retention', () => {
  it('keeps the newest changes of each group and tells readers what is lost', async () => {
    const store = new PrismaGroupStore(database);
    const retention = new Retention(database);
    const ref = { cluster: 'default', groupId: 'history' };
    for (let i = 0; i < 10; i++) {
      await store.transact(ref, ({ group: before }) => {
        const after = before === undefined ? group() : next(before);
        return { group: after, change: changeOf(after, { at: Date.now() }), reply: 0 };
      });
    }
    const policy = { leastPerGroup: 2, mostPerGroup: 4, maxAgeMs: 86_400_000 };
    expect(await retention.pruneChanges(policy, 5)).toBe(0);
    await retention.takeSnapshots(policy, 100);
    expect(await retention.pruneChanges(policy, 3)).toBe(3);
    expect(await retention.pruneChanges(policy, 3)).toBe(2);
    const page = await store.changesSince(ref, 0, 100);
    expect(page).toMatchObject({ oldest: 6, newest: 10 });
    expect(page.changes.map(({ revision }) => revision)).toEqual([6, 7, 8, 9, 10]);
    await sleep(5);
    expect(await retention.pruneChanges({ leastPerGroup: 2, mostPerGroup: 100, maxAgeMs: 1 }, 100)).toBe(2);
    expect(await store.changesSince(ref, 0, 100)).toMatchObject({ oldest: 8, newest: 10 });
  });

  it('never rewrites history', async () => {
    const store = new PrismaGroupStore(database);
    const initial = group();
    const ref = { cluster: 'default', groupId: 'written' };
    await store.transact(ref, () => ({ group: initial, change: changeOf(initial), reply: 0 }));
    await expect(database.prisma.$executeRaw`UPDATE group_changes SET actor = 'nobody'`).rejects.toThrow('append-only');
  });

  it('removes what has expired', async () => {
    const plans = new PrismaPlanStore(database);
    const keys = new PrismaIdempotencyStore(database);
    const retention = new Retention(database);
    await retention.pruneExpired(0, 1_000);
    const ref = { cluster: 'default', groupId: 'expired' };
    const base = { ref, baseRevision: 1, inputHash: 'h', author: 'a', request: {}, result: {} };
    const gone = await plans.save({ ...base, id: randomUUID(), validForMs: 1 });
    const kept = await plans.save({ ...base, id: randomUUID(), validForMs: 60_000 });
    const carriedOut = await plans.save({ ...base, id: randomUUID(), validForMs: 1 });
    const applied = group();
    const change = { ...changeOf(applied), planId: carriedOut.id };
    const { appliesPlan, planId } = { appliesPlan: true as const, planId: carriedOut.id };
    const step = () => ({ group: applied, change, appliesPlan, reply: 0 });
    await new PrismaGroupStore(database).transact(ref, step, { planId });
    await keys.begin({ principal: 'p', key: 'gone' }, 'h', 1);
    await keys.begin({ principal: 'p', key: 'kept' }, 'h', 60_000);
    await sleep(5);
    expect(await retention.pruneExpired(60_000, 100)).toBe(1);
    expect(await retention.pruneExpired(0, 100)).toBe(1);
    expect(await plans.get(gone.id)).toBeUndefined();
    expect(await plans.get(kept.id)).toBeDefined();
    expect(await plans.get(carriedOut.id)).toMatchObject({
      status: 'applied',
      applied: { actor: change.origin.actor, at: change.at, revision: 1 },
    });
    expect(await keys.begin({ principal: 'p', key: 'kept' }, 'h', 60_000)).toEqual({ kind: 'in-flight' });
  });
});

describe('the list of groups', () => {
  it('shows state and counts, in byte order, in one statement a page', async () => {
    const catalog = new PrismaCatalogStore(database);
    await catalog.putCluster('listed', {});
    const statements: string[] = [];
    const counted = openDatabase(testDatabase.url, { onStatement: (sql) => statements.push(sql) });
    const store = new PrismaGroupStore(database);
    const reads = new PrismaGroupReadModel(counted);
    expect(await reads.listGroups('listed', { limit: 5 })).toEqual({ items: [], more: false });
    await expect(reads.listGroups('nowhere', { limit: 5 })).rejects.toMatchObject({ code: 'CLUSTER_NOT_FOUND' });
    const held = { assigned: owned({ t: { 0: 1, 1: 1 } }), pendingRevocation: owned({ t: { 2: 1 } }) };
    const groups = {
      'a/b:c d': group(),
      B: group({ groupEpoch: 2, assignorFault: 'no' }, [member('m')]),
      a: group({}, [member('m', held), member('n', { state: 'UNRELEASED_PARTITIONS', joinOrder: 1 })]),
      組: group({ source: 'imported' }, [member('m', held)]),
    };
    for (const [groupId, each] of Object.entries(groups)) {
      await store.transact({ cluster: 'listed', groupId }, () => ({ group: each, change: changeOf(each), reply: 0 }));
    }
    statements.length = 0;
    const first = await reads.listGroups('listed', { limit: 3 });
    expect(statements).toHaveLength(1);
    const last = await reads.listGroups('listed', { after: 'a/b:c d', limit: 3 });
    expect([first.more, last.more]).toEqual([true, false]);
    const rows = [...first.items, ...last.items];
    expect(
      rows.map(({ ref, state, memberCount, assignedPartitions }) => [
        ref.groupId,
        state,
        memberCount,
        assignedPartitions,
      ]),
    ).toEqual([
      ['B', 'ASSIGNING', 1, 0],
      ['a', 'RECONCILING', 2, 2],
      ['a/b:c d', 'EMPTY', 0, 0],
      ['組', 'STABLE', 1, 2],
    ]);
    expect(rows[0]).toEqual({
      ref: { cluster: 'listed', groupId: 'B' },
      type: 'consumer',
      source: 'live',
      state: 'ASSIGNING',
      revision: 1,
      groupEpoch: 2,
      assignmentEpoch: 1,
      memberCount: 1,
      assignedPartitions: 0,
      assignorFault: 'no',
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    });
    await counted.close();
  });
});
