import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Json, type Replica } from './support/service.js';

let replica: Replica;
let stop: () => Promise<void>;
const statements: string[] = [];
const group = '/v1/clusters/default/groups/g';

beforeAll(async () => {
  const started = await startReplicas(1, { onStatement: (sql) => statements.push(sql) });
  replica = started.replicas[0]!;
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/t', { partitions: 2 });
  for (const memberId of ['a', 'b'])
    await replica.call('POST', `${group}/members`, { memberId, subscription: { topics: ['t'] } });
});
afterAll(() => stop());

/** Statements that wait for a group's lock; those for the member's own lease do not. */
const locking = (sql: readonly string[]) => sql.filter((text) => /FROM groups g\s+WHERE[^;]*FOR UPDATE/.test(text));

/** A heartbeat, its answer and the statements it cost, the sweeper's left out. */
async function beat(memberId: string, memberEpoch: number, owned: Json): Promise<{ answer: Json; sql: string[] }> {
  statements.length = 0;
  const answer = await replica.call('POST', `${group}/members/${memberId}/heartbeat`, { memberEpoch, owned });
  const sql = statements.filter(
    (text) => !/statement_timestamp\(\)|catalog_revision < c\.catalog_revision|pg_notify/.test(text),
  );
  return { answer, sql };
}

describe('what a heartbeat costs', () => {
  it('takes no lock while a member waits for others, and tells the same', async () => {
    const { answer, sql } = await beat('b', 2, {});
    expect(answer).toMatchObject({ state: 'UNRELEASED_PARTITIONS', memberEpoch: 2, revoking: {} });
    expect(sql).toHaveLength(2);
    expect(locking(sql)).toEqual([]);
  });

  it('takes none either while a member still holds what it was told to give up', async () => {
    await beat('a', 1, { t: [0, 1] });
    const { answer, sql } = await beat('a', 1, { t: [0, 1] });
    expect(answer).toMatchObject({ state: 'UNREVOKED_PARTITIONS', revoking: { t: [1] }, assignment: { t: [0] } });
    expect(locking(sql)).toEqual([]);
  });

  it('takes the lock when something moves, and one statement when all is calm', async () => {
    const moved = await beat('a', 1, { t: [0] });
    expect(moved.answer).toMatchObject({ state: 'STABLE', memberEpoch: 2 });
    expect(locking(moved.sql)).toHaveLength(1);
    expect((await beat('b', 2, {})).answer).toMatchObject({ state: 'STABLE', assignment: { t: [1] } });
    const calm = await beat('b', 2, { t: [1] });
    expect(calm.answer).toMatchObject({ state: 'STABLE', memberEpoch: 2 });
    expect(calm.sql).toHaveLength(1);
  });

  it('takes over what a member says of itself, and refuses an instance id that is not its own, however calm all is', async () => {
    const say = (description: Json) => {
      const body = { memberEpoch: 2, owned: { t: [1] }, ...description };
      return replica.send('POST', `${group}/members/b/heartbeat`, body);
    };
    expect((await say({ rackId: 'r', weight: 2, rebalanceTimeoutMs: 12_345 })).json).toMatchObject({
      state: 'STABLE',
      rebalanceTimeoutMs: 12_345,
    });
    const { members } = await replica.call('GET', group);
    expect(members[1]).toMatchObject({ memberId: 'b', rackId: 'r', weight: 2 });
    expect((await say({ instanceId: 'another' })).json).toMatchObject({ code: 'UNKNOWN_MEMBER_ID' });
    statements.length = 0;
    expect((await say({ rackId: 'r' })).status).toBe(200);
    expect(locking(statements)).toEqual([]);
  });
});
