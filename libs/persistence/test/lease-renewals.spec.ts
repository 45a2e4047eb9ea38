import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, PrismaGroupStore, type Database } from '@allot/persistence';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { changeOf, group, member } from './sample-group.js';

const MEMBERS = Array.from({ length: 300 }, (_, i) => `m${i}`);
const statements: string[] = [];
let testDatabase: TestDatabase;
let database: Database;
let store: PrismaGroupStore;
let other: pg.Client;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { poolSize: 4, onStatement: (sql) => statements.push(sql) });
  store = new PrismaGroupStore(database);
  other = new pg.Client({ connectionString: testDatabase.url });
  await other.connect();
  for (const groupId of ['a', 'b']) {
    const members = MEMBERS.map((memberId, i) => member(memberId, { joinOrder: i }));
    const after = group({ nextJoinOrder: MEMBERS.length }, members);
    await store.transact({ cluster: 'default', groupId }, () => {
      return { group: after, change: changeOf(after), renewed: MEMBERS, reply: 0 };
    });
  }
});

afterAll(async () => {
  await other.end();
  await database.close();
  await testDatabase.drop();
});

const renew = (groupId: string, memberId: string, memberEpoch = 1) =>
  store.renewLease({ cluster: 'default', groupId }, memberId, memberEpoch);

describe('heartbeats that come together', () => {
  it('share statements across groups, and each gets the lease that the database holds', async () => {
    statements.length = 0;
    const renewals = await Promise.all(['a', 'b'].flatMap((id) => MEMBERS.map((memberId) => renew(id, memberId))));
    expect(statements.length).toBeLessThanOrEqual(3);
    const { rows } = await other.query<{ member_id: string; until: string }>(
      `SELECT member_id, (extract(epoch FROM lease_until) * 1000)::bigint::text AS until
       FROM member_leases l JOIN groups g ON g.id = l.group_pk WHERE g.group_id = 'b'`,
    );
    const until = new Map(rows.map((row) => [row.member_id, Number(row.until)]));
    for (const [i, memberId] of MEMBERS.entries()) {
      expect(renewals[MEMBERS.length + i]).toMatchObject({ leaseUntil: until.get(memberId), revision: 1 });
    }
  });

  it('are told apart: who has something new, is unknown or speaks twice', async () => {
    const answers = await Promise.all([renew('a', 'm1'), renew('a', 'm1'), renew('a', 'm2', 7), renew('a', 'nobody')]);
    expect(answers.map((answer) => answer !== undefined)).toEqual([true, true, false, false]);
  });

  it('do not wait for one whose lease is locked; that one waits alone', async () => {
    await other.query('BEGIN');
    await other.query(`SELECT 1 FROM member_leases l JOIN groups g ON g.id = l.group_pk
                       WHERE g.group_id = 'a' AND l.member_id = 'm5' FOR UPDATE OF l`);
    const held = renew('a', 'm5');
    let isHeld = true;
    void held.then(() => (isHeld = false));
    expect(await renew('b', 'm5')).toBeDefined();
    expect(await renew('a', 'm6')).toBeDefined();
    expect(isHeld).toBe(true);
    await other.query('COMMIT');
    expect(await held).toBeDefined();
  });

  it('are all answered with the fault when the database cannot write them', async () => {
    const away = openDatabase(testDatabase.url.replace(/:\d+\//, ':1/'));
    const unreachable = new PrismaGroupStore(away);
    const asked = ['m1', 'm2', 'm3'].map((memberId) =>
      unreachable.renewLease({ cluster: 'default', groupId: 'a' }, memberId, 1),
    );
    const outcomes = await Promise.allSettled(asked);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'STORE_UNAVAILABLE', retriable: true } });
    }
    await away.close();
  });
});
