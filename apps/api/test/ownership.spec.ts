import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Json, type Replica } from './support/service.js';

let replica: Replica;
let other: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(2);
  [replica, other] = started.replicas as [Replica, Replica];
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 2 });
});
afterAll(() => stop());

const groups = '/v1/clusters/default/groups';
const join = (groupId: string, memberId: string, more: Json = {}) =>
  replica.call('POST', `${groups}/${groupId}/members`, { memberId, subscription: { topics: ['orders'] }, ...more });
const beat = (groupId: string, memberId: string, memberEpoch: number, owned: Json) =>
  replica.call('POST', `${groups}/${groupId}/members/${memberId}/heartbeat`, { memberEpoch, owned });
const verify = (groupId: string, memberId: string, memberEpoch: number, partitions: Json) =>
  other.call('POST', `${groups}/${groupId}/verify-ownership`, { memberId, memberEpoch, partitions });

describe('the ownership check over HTTP', () => {
  it('S-10 follows a partition from one member to the other, on any replica', async () => {
    await join('v1', 'a');
    expect(await verify('v1', 'a', 1, { orders: [0, 1] })).toMatchObject({
      valid: true,
      fenced: {},
      reasons: [],
      memberEpoch: 1,
    });
    await join('v1', 'b');
    expect((await verify('v1', 'b', 2, { orders: [1] })).fenced).toEqual({ orders: [1] });
    expect((await beat('v1', 'a', 1, { orders: [0, 1] })).revoking).toEqual({ orders: [1] });
    expect((await verify('v1', 'a', 1, { orders: [0, 1] })).valid).toBe(true);
    await beat('v1', 'a', 1, { orders: [0] });
    await beat('v1', 'b', 2, {});
    expect(await verify('v1', 'a', 1, { orders: [0, 1] })).toMatchObject({
      valid: false,
      fenced: { orders: [1] },
      reasons: [{ code: 'NOT_HELD', partitions: { orders: [1] } }],
      memberEpoch: 2,
    });
    const held = await verify('v1', 'b', 2, { orders: [1] });
    expect(held.valid).toBe(true);
    expect(held.validForMs).toBeLessThanOrEqual(44_750);
    expect(Date.parse(held.validUntil)).toBeGreaterThan(Date.now());
  });

  it('S-10 fences when the session ended, whether or not anyone noticed, and keeps no session alive', async () => {
    await replica.call('PUT', `${groups}/v2`, { sessionTimeoutMs: 600 });
    await join('v2', 'a');
    const deadline = Date.now() + 10_000;
    let answer: Json;
    do {
      answer = await verify('v2', 'a', 1, { orders: [0] });
      if (answer.valid) expect(answer.validForMs).toBeLessThanOrEqual(350);
    } while (answer.valid && Date.now() < deadline);
    expect(answer).toMatchObject({ valid: false, fenced: { orders: [0] } });
    expect(['SESSION_EXPIRED', 'UNKNOWN_MEMBER_ID']).toContain(answer.reasons[0].code);
    expect(answer.validUntil).toBeUndefined();
  });

  it('S-09 does not take a late heartbeat for a report of what its member has received since', async () => {
    await join('v4', 'a');
    const { revision } = await join('v4', 'b');
    const late = { memberEpoch: 2, owned: {}, revision };
    const send = (body: Json) => other.call('POST', `${groups}/v4/members/b/heartbeat`, body);
    await beat('v4', 'a', 1, { orders: [0, 1] });
    await beat('v4', 'a', 1, { orders: [0] });
    expect((await send(late)).assignment).toEqual({ orders: [1] });
    await join('v4', 'aa');
    expect(await send(late)).toMatchObject({ state: 'UNREVOKED_PARTITIONS', revoking: { orders: [1] } });
    expect((await verify('v4', 'b', 2, { orders: [1] })).valid).toBe(true);
    expect((await beat('v4', 'aa', 3, {})).assignment).toBeUndefined();
  });

  it('never promises a member more time than its rebalance timer leaves it', async () => {
    await replica.call('PUT', `${groups}/v3`, { sessionTimeoutMs: 6_000 });
    await join('v3', 'a', { rebalanceTimeoutMs: 1_000 });
    await join('v3', 'b');
    expect((await beat('v3', 'a', 1, { orders: [0, 1] })).revoking).toEqual({ orders: [1] });
    await sleep(600);
    const told = await beat('v3', 'a', 1, { orders: [0, 1] });
    expect(told.validForMs).toBeLessThanOrEqual(5_400);
    const checked = await verify('v3', 'a', 1, { orders: [1] });
    expect(checked.valid).toBe(true);
    expect(checked.validForMs).toBeLessThanOrEqual(5_400);
    const { members } = await other.call('GET', `${groups}/v3`);
    expect(Date.parse(members[0].validUntil)).toBeLessThanOrEqual(Date.parse(told.validUntil));
    expect((await beat('v3', 'a', 1, { orders: [0] })).validForMs).toBeGreaterThan(5_400);
  });

  it.each([
    [{ memberId: 'a', memberEpoch: 1 }, 400],
    [{ memberId: 'a', memberEpoch: -1, partitions: {} }, 400],
    [{ memberId: 'a', memberEpoch: 1, partitions: { orders: [-1] } }, 400],
    [{ memberId: 'a', memberEpoch: 1, partitions: { orders: [0] } }, 404],
  ])('refuses %j with %d', async (body, status) => {
    expect((await replica.send('POST', `${groups}/nobody/verify-ownership`, body)).status).toBe(status);
  });
});
