import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Json, type Replica } from './support/service.js';
import { Reader } from './support/stream-reader.js';

let replica: Replica;
let other: Replica;
let stop: () => Promise<void>;
const groups = '/v1/clusters/default/groups';
const SESSION = 4_500;

beforeAll(async () => {
  const started = await startReplicas(2);
  [replica, other] = started.replicas as [Replica, Replica];
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/t', { partitions: 4 });
});
afterAll(() => stop());

/** A group with one member, `m`. */
async function makeMember(group: string, sessionTimeoutMs = SESSION): Promise<string> {
  await replica.call('PUT', `${groups}/${group}`, { sessionTimeoutMs, heartbeatIntervalMs: 500 });
  await replica.call('POST', `${groups}/${group}/members`, { memberId: 'm', subscription: { topics: ['t'] } });
  return `${groups}/${group}/members/m`;
}

const isThere = async (group: string) => (await replica.call('GET', `${groups}/${group}`)).members.length === 1;
const answer = (via: Replica, member: string, token: unknown, memberEpoch = 1) =>
  via.send('POST', `${member}/lease`, { memberEpoch, token });

describe("a member's stream is its lease", () => {
  it('keeps the session while its calls are answered, to whichever replica, without any heartbeat', async () => {
    const member = await makeMember('l1');
    const reader = await Reader.open(replica, `${member}/events?memberEpoch=1`);
    expect(await reader.next()).toMatchObject({ name: 'snapshot', id: 2 });
    const begun = performance.now();
    let calls = 0;
    while (performance.now() - begun < 2.5 * SESSION) {
      const { data } = await reader.until('lease');
      expect(data.everyMs).toBe(SESSION / 3);
      const { status, json } = await answer(calls++ % 2 === 0 ? other : replica, member, data.token);
      expect([status, json.memberEpoch, json.state, json.assignmentEpoch]).toEqual([200, 1, 'STABLE', 1]);
      expect(json.validForMs).toBeGreaterThan(SESSION / 2);
      expect(json.validForMs).toBeLessThanOrEqual(SESSION - 250);
    }
    expect(await isThere('l1')).toBe(true);
    expect(calls).toBeGreaterThanOrEqual(6);
    reader.close();
  });

  it('keeps nothing when it is merely open: what the service can write proves nothing', async () => {
    const member = await makeMember('l2');
    const reader = await Reader.open(replica, `${member}/events?memberEpoch=1`);
    const { data } = await reader.until('removed');
    expect(data).toEqual({ memberId: 'm', cause: 'session-expired' });
    await expect(reader.until('lease')).rejects.toThrow('ended');
    expect(await isThere('l2')).toBe(false);
  });

  it('lets the session run from when the call was written, not from when it was answered', async () => {
    const member = await makeMember('l3');
    const reader = await Reader.open(replica, `${member}/events?memberEpoch=1`);
    const first = (await reader.until('lease')).data.token;
    await sleep(SESSION / 2);
    const late = await answer(replica, member, first);
    expect(late.json.validForMs).toBeLessThanOrEqual(SESSION / 2 - 200);
    let newest = first;
    while (newest === first) newest = (await reader.until('lease')).data.token;
    const { json } = await answer(replica, member, newest);
    expect(json.validForMs).toBeGreaterThan(late.json.validForMs);
    // The old one again, as a copy that was late: it takes nothing away.
    expect((await answer(replica, member, first)).json.validUntil).toBe(json.validUntil);
    // One that was never written gains nothing over a heartbeat of now.
    const forged = await answer(replica, member, '999999999999999');
    expect(forged.json.validForMs).toBeLessThanOrEqual(SESSION - 250);
    reader.close();
  });

  it('is refused to who is not the member, or not any more', async () => {
    const member = await makeMember('l4');
    const refusal = async (work: Promise<{ status: number; json: Json }>) => {
      const { status, json } = await work;
      return [status, json.code, json.action];
    };
    const fenced = [409, 'FENCED_MEMBER_EPOCH', 'rejoin'];
    const gone = [404, 'UNKNOWN_MEMBER_ID', 'rejoin'];
    expect(await refusal(replica.send('GET', `${member}/events?memberEpoch=7`))).toEqual(fenced);
    expect(await refusal(answer(replica, member, '1', 7))).toEqual(fenced);
    expect(await refusal(answer(replica, `${groups}/l4/members/x`, '1'))).toEqual(gone);
    expect(await refusal(answer(replica, `${groups}/none/members/x`, '1'))).toEqual([
      404,
      'GROUP_ID_NOT_FOUND',
      'fix-request',
    ]);
    expect((await answer(replica, member, 'x')).json).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/token' }],
    });
    await sleep(SESSION + 100);
    expect(await refusal(answer(replica, member, String(Date.now())))).toEqual(gone);
  });

  it('says where the member stands, and ends with the time to give up', async () => {
    const member = await makeMember('l5', 3_000);
    const beat = (owned: Json, memberEpoch = 1) => replica.call('POST', `${member}/heartbeat`, { memberEpoch, owned });
    await replica.call('POST', `${member}/heartbeat`, {
      memberEpoch: 1,
      owned: { t: [0, 1, 2, 3] },
      rebalanceTimeoutMs: 3_000,
    });
    const reader = await Reader.open(other, `${member}/events?memberEpoch=1`);
    const { token } = (await reader.until('lease')).data;
    await replica.call('POST', `${groups}/l5/members`, { memberId: 'n', subscription: { topics: ['t'] } });
    expect((await answer(other, member, token)).json).toMatchObject({
      memberEpoch: 1,
      assignmentEpoch: 2,
      state: 'STABLE',
    });
    await beat({ t: [0, 1, 2, 3] });
    await sleep(500);
    // A call of now: the session would last 3 s from here, the time to give up began half a second ago.
    const revoking = (await answer(other, member, String(Date.now()))).json;
    expect(revoking.state).toBe('UNREVOKED_PARTITIONS');
    expect(revoking.validForMs).toBeLessThanOrEqual(2_500 - 250);
    await beat({ t: [0, 1] });
    // The answer to that may have been lost: the epoch before is good once more, and the answer tells the new one.
    expect((await answer(other, member, token)).json).toMatchObject({ memberEpoch: 2, state: 'STABLE' });
    reader.close();
  });
});
