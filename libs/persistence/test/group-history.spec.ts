import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEFAULT_GROUP_LIMITS, GroupCoordinator, withoutEpochs, type GroupRevision } from '@allot/coordinator';
import { assignmentToJson } from '@allot/model';
import {
  migrate,
  openDatabase,
  PrismaCatalogStore,
  PrismaGroupHistory,
  PrismaGroupStore,
  Retention,
} from '@allot/persistence';
import type { Database } from '@allot/persistence';
import { resolveAssignor } from '@allot/strategies';
import pg from 'pg';
import { createEmptyDatabase, createTestDatabase } from '../../../test/support/test-database.js';
import type { TestDatabase } from '../../../test/support/test-database.js';
import { changeOf, group } from './sample-group.js';

const ORIGIN = { actor: 'test' };
const DAY_MS = 86_400_000;

let testDatabase: TestDatabase;
let database: Database;
let store: PrismaGroupStore;
let history: PrismaGroupHistory;
let coordinator: GroupCoordinator;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
  store = new PrismaGroupStore(database);
  history = new PrismaGroupHistory(database);
  coordinator = new GroupCoordinator({
    store,
    newMemberId: () => 'unused',
    resolveAssignor,
    limits: DEFAULT_GROUP_LIMITS,
  });
  await new PrismaCatalogStore(database).putTopic('default', 'orders', { partitions: 7 });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** The same numbers every time. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
}

const told = ({ members }: Pick<GroupRevision, 'members'>) =>
  [...members.values()]
    .map(({ memberId, instanceId, memberEpoch, state, current, revoking, target }) => ({
      ...{ memberId, instanceId, memberEpoch, state },
      assignments: [current, revoking, target].map(assignmentToJson),
    }))
    .sort((a, b) => (a.memberId < b.memberId ? -1 : 1));

/** The group as it is now, in the form in which a revision is told. */
async function present(groupId: string) {
  const { group: now } = (await store.read({ cluster: 'default', groupId }))!;
  const members = [...now.members.values()].map(({ assigned, pendingRevocation, ...member }) => {
    const [current, revoking] = [withoutEpochs(assigned), withoutEpochs(pendingRevocation)];
    return [member.memberId, { ...member, current, revoking }] as const;
  });
  return { revision: now.revision, members: told({ members: new Map(members) }) };
}

/** Members come, go, are late and say what they have; returns what the group was at each revision. */
async function live(groupId: string, steps: number): Promise<Map<number, unknown>> {
  const ref = { cluster: 'default', groupId };
  const random = randomOf(7);
  const states = new Map<number, unknown>();
  for (let step = 0; step < steps; step++) {
    const memberId = `m${random(5)}`;
    const member = (await store.read(ref))?.group.members.get(memberId);
    const isStatic = memberId < 'm2';
    if (member === undefined) {
      const instance = isStatic ? { instanceId: `i-${memberId}` } : {};
      await coordinator.join(ref, { memberId, subscription: { topics: ['orders'] }, ...instance }, ORIGIN);
    } else if (random(8) === 0) {
      await coordinator.leave(ref, { memberId }, ORIGIN);
    } else {
      const owned = random(4) === 0 ? {} : { owned: withoutEpochs(member.assigned) };
      await coordinator.heartbeat(ref, { memberId, memberEpoch: member.memberEpoch, ...owned }, ORIGIN);
    }
    const { revision, members } = await present(groupId);
    states.set(revision, members);
  }
  return states;
}

describe('the history of a group', () => {
  it('tells every revision as it was: from its beginning, from snapshots, and after older ones went', async () => {
    const ref = { cluster: 'default', groupId: 'told' };
    const states = await live('told', 90);
    const newest = Math.max(...states.keys());
    expect(newest).toBeGreaterThan(40);
    const check = async (from: number) => {
      const revisions = [...states.keys()].filter((revision) => revision >= from);
      for (const [i, past] of (await history.read(ref, revisions)).entries()) {
        expect([past.change.revision, told(past)]).toEqual([revisions[i], states.get(revisions[i]!)]);
      }
      for (const revision of revisions.filter((_, i) => i % 7 === 0)) {
        expect(told((await history.read(ref, [revision]))[0]!)).toEqual(states.get(revision));
      }
    };
    await check(1);
    const retention = new Retention(database);
    const policy = { leastPerGroup: 5, mostPerGroup: 30, maxAgeMs: DAY_MS };
    // Two replicas at once.
    await Promise.all([retention.takeSnapshots(policy, 10), new Retention(database).takeSnapshots(policy, 10)]);
    expect(await retention.takeSnapshots(policy, 10)).toBe(0);
    await check(1);
    while ((await retention.pruneChanges(policy, 7)) > 0) await check(newest - 30 + 1);
    const { oldest } = await store.changesSince(ref, 0, 1);
    expect(newest - oldest).toBeGreaterThanOrEqual(30);
    expect(newest - oldest).toBeLessThan(30 + 3);
    await expect(history.read(ref, [oldest - 1])).rejects.toMatchObject({
      code: 'REVISION_COMPACTED',
      facts: { oldest },
    });
    await check(oldest);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const old = { leastPerGroup: 5, mostPerGroup: 30, maxAgeMs: 1 };
    await retention.takeSnapshots(old, 10);
    await retention.pruneChanges(old, 1_000);
    const kept = newest - (await store.changesSince(ref, 0, 1)).oldest + 1;
    expect(kept).toBeGreaterThanOrEqual(5);
    expect(kept).toBeLessThanOrEqual(5 + 3);
    await check(newest - 4);
  });

  it('goes on after a group of the same id, whose history is gone', async () => {
    const ref = { cluster: 'default', groupId: 'again' };
    await live('again', 10);
    const first = (await present('again')).revision;
    for (const memberId of (await store.read(ref))!.group.members.keys()) {
      await coordinator.leave(ref, { memberId }, ORIGIN);
    }
    await coordinator.deleteGroup(ref);
    const states = await live('again', 10);
    for (const [revision, members] of states) expect(told((await history.read(ref, [revision]))[0]!)).toEqual(members);
    await expect(history.read(ref, [first])).rejects.toMatchObject({ code: 'REVISION_COMPACTED' });
    await new Retention(database).takeSnapshots({ leastPerGroup: 1, mostPerGroup: 10, maxAgeMs: DAY_MS }, 100);
    for (const [revision, members] of states) expect(told((await history.read(ref, [revision]))[0]!)).toEqual(members);
  });
});

describe('the feed of a cluster', () => {
  const make = (groupId: string) => {
    const made = group();
    return store.transact({ cluster: 'default', groupId }, () => ({ group: made, change: changeOf(made), reply: 0 }));
  };

  it('shows nothing while an older transaction may still commit, so that nothing comes in behind a reader', async () => {
    await make('slow');
    const { position } = await history.changesOfCluster('default', 'newest', 1);
    const slow = new pg.Client({ connectionString: testDatabase.url });
    await slow.connect();
    await slow.query('BEGIN');
    await slow.query(`
      INSERT INTO group_changes (group_pk, revision, at, kind, cause, actor, state, group_epoch, assignment_epoch, members)
      SELECT id, 2, now(), 'group', 'group-settings-changed', 'slow', 'EMPTY', 1, 1, '[]' FROM groups WHERE group_id = 'slow'`);
    await make('fast');
    const before = await history.changesOfCluster('default', position, 10);
    expect(before).toEqual({ entries: [], position });
    await slow.query('COMMIT');
    await slow.end();
    const { entries } = await history.changesOfCluster('default', position, 10);
    expect(entries.map(({ ref, change }) => [ref.groupId, change.revision])).toEqual([
      ['slow', 2],
      ['fast', 1],
    ]);
    const [first, second] = entries;
    expect((await history.changesOfCluster('default', first!.position, 10)).entries).toEqual([second]);
    expect((await history.changesOfCluster('default', second!.position, 10)).entries).toEqual([]);
  });

  it('knows its clusters and its places', async () => {
    const feed = (cluster: string, after?: string) => history.changesOfCluster(cluster, after, 1);
    await expect(feed('nowhere')).rejects.toMatchObject({ code: 'CLUSTER_NOT_FOUND' });
    await expect(feed('default', '1.2')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('a database of the release before', () => {
  it('can tell what its groups were from their beginning on, or else from now on', async () => {
    const empty = await createEmptyDatabase();
    const older = await mkdtemp(join(tmpdir(), 'allot-older-'));
    const own = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
    for (const name of await readdir(own)) {
      if (name < '20261130222000') await cp(join(own, name), join(older, name), { recursive: true });
    }
    await migrate(empty.url, { folder: older });
    const client = new pg.Client({ connectionString: empty.url });
    await client.connect();
    for (const [groupId, from] of [
      ['whole', 1],
      ['cut', 3],
    ] as const) {
      await client.query(
        `WITH g AS (
           INSERT INTO groups (cluster, group_id, type, source, settings, group_epoch, assignment_epoch, revision,
             catalog_revision, subscribed_topics, next_join_order)
           VALUES ('default', $1, 'consumer', 'live', '{}', 1, 1, 4, 1, '[]', 2) RETURNING id),
         m AS (
           INSERT INTO group_members (group_pk, member_id, instance_id, subscribed_topics, rebalance_timeout_ms, member_epoch,
             previous_member_epoch, state, target, join_order)
           SELECT id, 'a', 'i-a', '{orders}', 1, 1, 0, 'STABLE', '{"orders": [0, 1]}', 1 FROM g)
         INSERT INTO group_changes (group_pk, revision, at, kind, cause, actor, state, group_epoch, assignment_epoch, members)
         SELECT id, n, now(), 'member', 'member-joined', 'x', 'STABLE', 1, 1,
           jsonb_build_array(jsonb_build_object('memberId', 'a', 'memberEpoch', n, 'state', 'STABLE', 'current', '{}'::jsonb,
             'revoking', '{}'::jsonb, 'target', '{"orders": [0, 1]}'::jsonb))
         FROM g, generate_series($2::int, 4) n`,
        [groupId, from],
      );
    }
    await client.query(`
      INSERT INTO partition_ownership (group_pk, topic, partition, member_id, kind, epoch)
      SELECT id, 'orders', p, 'a', CASE p WHEN 0 THEN 'assigned' ELSE 'revoking' END, 1 FROM groups, generate_series(0, 1) p`);
    await client.end();
    await migrate(empty.url);
    const migrated = openDatabase(empty.url);
    const past = new PrismaGroupHistory(migrated);
    const now = {
      ...{ memberId: 'a', instanceId: 'i-a', memberEpoch: 1, state: 'STABLE' },
      assignments: [{ orders: [0] }, { orders: [1] }, { orders: [0, 1] }],
    };
    const whole = { cluster: 'default', groupId: 'whole' };
    expect(told((await past.read(whole, [2]))[0]!)).toMatchObject([{ memberId: 'a', memberEpoch: 2 }]);
    for (const groupId of ['whole', 'cut']) {
      expect(told((await past.read({ cluster: 'default', groupId }, [4]))[0]!)).toEqual([now]);
    }
    await expect(past.read({ cluster: 'default', groupId: 'cut' }, [3])).rejects.toMatchObject({
      facts: { oldest: 4 },
    });
    const { items } = await past.list({ cluster: 'default', groupId: 'cut' }, { limit: 10 });
    expect(items.map(({ change }) => change.revision)).toEqual([4, 3]);
    await migrated.close();
    await empty.drop();
    await rm(older, { recursive: true });
  });
});
