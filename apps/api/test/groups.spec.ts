import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Json, type Replica } from './support/service.js';

let replica: Replica;
let other: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(2);
  [replica, other] = started.replicas as [Replica, Replica];
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 10 });
});
afterAll(() => stop());

const groups = '/v1/clusters/default/groups';

describe('a consumer group over HTTP', () => {
  it('answers the shapes that scripts rely on', async () => {
    const body = { type: 'consumer', assignor: 'range', sessionTimeoutMs: 45_000 };
    const made = await replica.send('PUT', `${groups}/g1`, body);
    expect(made.status).toBe(201);
    expect(made.headers.get('etag')).toBe('"1"');
    expect(made.json).toMatchObject({
      groupId: 'g1',
      state: 'EMPTY',
      spec: { assignors: ['range'], sessionTimeoutMs: 45_000 },
    });
    const joined = await replica.send('POST', `${groups}/g1/members`, { subscription: { topics: ['orders'] } });
    expect(joined.status).toBe(201);
    expect(joined.json).toMatchObject({
      memberEpoch: 1,
      heartbeatIntervalMs: 5_000,
      sessionTimeoutMs: 45_000,
      assignment: { orders: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
      revoking: {},
      state: 'STABLE',
    });
    expect(joined.json.validForMs).toBeLessThanOrEqual(44_750);
    expect(joined.json.validForMs).toBeGreaterThan(40_000);
    expect(Date.parse(joined.json.validUntil)).toBeGreaterThan(Date.now());
    expect(joined.headers.get('location')).toBe(`${groups}/g1/members/${joined.json.memberId}`);
    const view = await replica.call('GET', `${groups}/g1/assignment?view=byMember`);
    expect(view).toEqual({
      revision: 2,
      groupEpoch: 1,
      assignmentEpoch: 1,
      members: { [joined.json.memberId]: { current: joined.json.assignment, target: joined.json.assignment } },
      unowned: {},
      idle: [],
    });
  });

  it('moves partitions from one member to another, revoke before assign, on any replica', async () => {
    const a = await replica.call('POST', `${groups}/g2/members`, { subscription: { topics: ['orders'] } }, 201);
    const b = await other.call('POST', `${groups}/g2/members`, { subscription: { pattern: '^ord.*' } }, 201);
    expect(b).toMatchObject({ assignment: {}, state: 'UNRELEASED_PARTITIONS', memberEpoch: 2 });
    const beat = (via: Replica, member: Json, memberEpoch: number, owned: Json) =>
      via.call('POST', `${groups}/g2/members/${member.memberId}/heartbeat`, { memberEpoch, owned }, 200);
    const told = await other.call<Json>('POST', `${groups}/g2/members/${a.memberId}/heartbeat`, {
      memberEpoch: 1,
      owned: a.assignment,
    });
    expect(told).toMatchObject({ memberEpoch: 1, state: 'UNREVOKED_PARTITIONS' });
    const half = told.assignment.orders;
    expect([...half, ...told.revoking.orders].sort((x, y) => x - y)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await beat(other, b, 2, {})).toMatchObject({ state: 'UNRELEASED_PARTITIONS' });
    expect(await beat(replica, a, 1, { orders: half })).toMatchObject({ memberEpoch: 2, state: 'STABLE' });
    expect(await beat(other, b, 2, {})).toMatchObject({
      state: 'STABLE',
      assignment: { orders: told.revoking.orders },
    });
    const steady = await beat(replica, a, 2, { orders: half });
    expect(steady).toMatchObject({ memberEpoch: 2, state: 'STABLE' });
    expect(steady.assignment).toBeUndefined();
    expect((await beat(other, a, 2, {})).assignment).toEqual({ orders: half });
    expect((await replica.call('GET', `${groups}/g2`)).state).toBe('STABLE');
  });

  it('fences a member whose session ended, by the clock of the database, and tells it to join again', async () => {
    await replica.call('PUT', `${groups}/g3`, { sessionTimeoutMs: 600 });
    const a = await replica.call('POST', `${groups}/g3/members`, { subscription: { topics: ['orders'] } });
    await until(async () => (await other.call('GET', `${groups}/g3`)).members.length === 0);
    const refused = await replica.send('POST', `${groups}/g3/members/${a.memberId}/heartbeat`, { memberEpoch: 1 });
    expect(refused.status).toBe(404);
    expect(refused.json).toMatchObject({ code: 'UNKNOWN_MEMBER_ID', action: 'rejoin', status: 404 });
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    const again = { memberEpoch: 0, subscription: { topics: ['orders'] } };
    const back = await replica.call('POST', `${groups}/g3/members/${a.memberId}/heartbeat`, again);
    expect(back).toMatchObject({ memberId: a.memberId, state: 'STABLE' });
  });

  it('gives a member new partitions of a topic that grows, and of a new topic that its pattern matches', async () => {
    await replica.call('PUT', '/v1/clusters/default/topics/growing', { partitions: 1 });
    const a = await replica.call('POST', `${groups}/g4/members`, { subscription: { pattern: 'grow.*' } });
    expect(a.assignment).toEqual({ growing: [0] });
    await replica.call('PUT', '/v1/clusters/default/topics/growing', { partitions: 2 });
    await other.call('PUT', '/v1/clusters/default/topics/growth', { partitions: 1 });
    await until(async () => {
      const { members } = await replica.call('GET', `${groups}/g4`);
      return JSON.stringify(members[0].target) === '{"growing":[0,1],"growth":[0]}';
    });
    const told = await replica.call('POST', `${groups}/g4/members/${a.memberId}/heartbeat`, {
      memberEpoch: 1,
      owned: a.assignment,
    });
    expect(told.assignment).toEqual({ growing: [0, 1], growth: [0] });
  });

  it('lets a member leave, and a static one leave for a while', async () => {
    const join = { subscription: { topics: ['orders'] }, instanceId: 'i1' };
    const a = await replica.call('POST', `${groups}/g5/members`, join);
    const taken = await other.send('POST', `${groups}/g5/members`, join);
    expect(taken.status).toBe(409);
    expect(taken.json).toMatchObject({ code: 'UNRELEASED_INSTANCE_ID', retriable: true });
    expect(taken.headers.get('retry-after')).toBe('5');
    await replica.call('POST', `${groups}/g5/members/${a.memberId}/heartbeat`, { memberEpoch: -2 }, 204);
    const b = await other.call('POST', `${groups}/g5/members`, join, 201);
    expect(b.assignment).toEqual(a.assignment);
    await replica.call('DELETE', `${groups}/g5/members/${b.memberId}`, undefined, 204);
    expect((await replica.call('GET', `${groups}/g5`)).state).toBe('EMPTY');
  });

  it.each(['a/b:c d', '組', '__proto__', '100%', '...', 'constructor'])(
    'works for a group called %s',
    async (groupId) => {
      const path = `${groups}/${encodeURIComponent(groupId)}`;
      await replica.call('PUT', path, {}, 201);
      const member = await replica.call('POST', `${path}/members`, {
        memberId: '__proto__',
        subscription: { topics: ['orders'] },
      });
      expect(member.memberId).toBe('__proto__');
      const read = await other.call('GET', path);
      expect(read).toMatchObject({ groupId, state: 'STABLE' });
      const { members } = await other.call('GET', `${path}/assignment`);
      expect(Object.keys(members)).toEqual(['__proto__']);
      await replica.call('DELETE', `${path}/members/__proto__`, undefined, 204);
      await replica.call('DELETE', path, undefined, 204, { 'if-match': '*' });
    },
  );
});

describe('reading an assignment', () => {
  it('answers by partition and by filters, with an ETag', async () => {
    const a = await replica.call('POST', `${groups}/r1/members`, {
      memberId: 'm1',
      subscription: { topics: ['orders'] },
    });
    const byPartition = await replica.send('GET', `${groups}/r1/assignment?view=byPartition&topics=orders`);
    expect(byPartition.json.partitions.orders).toHaveLength(10);
    expect(byPartition.json.partitions.orders[3]).toEqual({
      partition: 3,
      current: a.memberId,
      target: a.memberId,
      assignmentEpoch: 1,
    });
    const etag = byPartition.headers.get('etag')!;
    const same = await replica.send('GET', `${groups}/r1/assignment`, undefined, { 'if-none-match': etag });
    expect(same.status).toBe(304);
    const none = await replica.call('GET', `${groups}/r1/assignment?members=nobody`);
    expect(none.members).toEqual({});
  });

  it('waits for a newer revision, and answers 304 when none comes', async () => {
    await replica.call('POST', `${groups}/r2/members`, { memberId: 'm1', subscription: { topics: ['orders'] } });
    const quiet = await replica.send('GET', `${groups}/r2/assignment?wait=200ms&revision=1`);
    expect(quiet.status).toBe(304);
    const waiting = replica.send('GET', `${groups}/r2/assignment?wait=20s&revision=1`);
    await other.call('POST', `${groups}/r2/members`, { memberId: 'm2', subscription: { topics: ['orders'] } });
    const { status, json } = await waiting;
    expect(status).toBe(200);
    expect(json).toMatchObject({ revision: 2, members: { m2: {} } });
    expect((await replica.send('GET', `${groups}/r2/assignment?wait=1s`)).status).toBe(400);
  });
});

describe('requests that are wrong', () => {
  it.each([
    ['POST', '/bad/members', {}, 400, 'INVALID_REQUEST'],
    ['POST', '/bad/members', { subscription: {} }, 400, 'INVALID_REQUEST'],
    ['POST', '/bad/members', { subscription: { topics: [] } }, 400, 'INVALID_REQUEST'],
    ['POST', '/bad/members', { subscription: { topics: 'orders' } }, 400, 'INVALID_REQUEST'],
    ['POST', '/bad/members', { subscription: { pattern: '(' } }, 422, 'INVALID_REGULAR_EXPRESSION'],
    ['POST', '/bad/members', { subscription: { topics: ['a\u0000b'] } }, 400, 'INVALID_REQUEST'],
    ['POST', '/bad/members', { subscribtion: { topics: ['a'] } }, 400, 'INVALID_REQUEST'],
    ['POST', '/bad/members', '{"subscription"', 400, 'MALFORMED_JSON'],
    ['POST', '/bad/members/m/heartbeat', { memberEpoch: 1, owned: { orders: [-1] } }, 400, 'INVALID_REQUEST'],
    ['POST', '/bad/members/m/heartbeat', { memberEpoch: 1 }, 404, 'GROUP_ID_NOT_FOUND'],
    ['PUT', '/bad', { assignor: 'magic' }, 422, 'UNSUPPORTED_ASSIGNOR'],
    ['PUT', '/bad', { sessionTimeoutMs: '45000' }, 400, 'INVALID_REQUEST'],
    ['PUT', '/bad', { maxSize: 10_000_000 }, 422, 'LIMIT_EXCEEDED'],
    ['PUT', '/bad%0A', {}, 400, 'INVALID_REQUEST'],
    ['GET', '/nobody', undefined, 404, 'GROUP_ID_NOT_FOUND'],
    ['GET', '/nobody/events', undefined, 404, 'GROUP_ID_NOT_FOUND'],
    ['DELETE', '/nobody', undefined, 428, 'PRECONDITION_REQUIRED'],
  ])('%s %s %j answers %d %s and leaves nothing behind', async (method, path, body, status, code) => {
    const answer = await replica.send(method, groups + path, body);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect((await replica.send('GET', `${groups}/bad`)).status).toBe(404);
  });

  it('S-02 refuses to join under the id of a member that is alive', async () => {
    const join = { memberId: 'm1', subscription: { topics: ['orders'] } };
    await replica.call('POST', `${groups}/s02/members`, join, 201);
    const twice = await other.send('POST', `${groups}/s02/members`, join);
    expect([twice.status, twice.json.code]).toEqual([409, 'MEMBER_ID_IN_USE']);
  });

  it('changes nothing in a dry run, and fails where the real call would', async () => {
    const join = { memberId: 'm1', subscription: { topics: ['orders'] } };
    const dry = await replica.send('POST', `${groups}/dry/members?dryRun=true`, join);
    expect([dry.status, dry.json.state]).toEqual([200, 'STABLE']);
    expect((await replica.send('GET', `${groups}/dry`)).status).toBe(404);
    expect((await replica.send('PUT', `${groups}/dry?dryRun=true`, { assignor: 'magic' })).status).toBe(422);
    const beat = { memberEpoch: 0, subscription: { topics: ['orders'] } };
    const dryBeat = await replica.send('POST', `${groups}/dry/members/m2/heartbeat?dryRun=true`, beat);
    expect([dryBeat.json.memberEpoch, dryBeat.headers.get('allot-dry-run')]).toEqual([1, 'true']);
    expect((await replica.send('GET', `${groups}/dry`)).status).toBe(404);
  });

  it('refuses a reason that cannot be stored, of a heartbeat too', async () => {
    const beat = { memberEpoch: 0, subscription: { topics: ['orders'] } };
    for (const [reason, status] of [
      ['%00', 400],
      ['x'.repeat(1_001), 422],
    ] as const) {
      const answer = await replica.send('POST', `${groups}/why/members/m/heartbeat?reason=${reason}`, beat);
      expect([answer.status, answer.json.errors]).toEqual([status, [expect.objectContaining({ pointer: 'reason' })]]);
    }
  });

  it('refuses an assignor that could never give the group a target', async () => {
    for (const [body, code] of [
      [{ kafkaVersion: 'new' }, 'UNSUPPORTED_KAFKA_VERSION'],
      [{ assignor: 'uniform', kafkaVersion: '3.5' }, 'UNSUPPORTED_KAFKA_VERSION'],
      [{ assignor: 'threads-range' }, 'UNSUPPORTED_ASSIGNOR'],
    ] as const) {
      const refused = await replica.send('PUT', `${groups}/never`, body);
      expect([refused.status, refused.json.code]).toEqual([422, code]);
    }
    await replica.call('PUT', `${groups}/never`, { assignor: 'uniform', kafkaVersion: '4.0' }, 201);
  });

  it('refuses writes on an old revision', async () => {
    await replica.call('PUT', `${groups}/stale`, {});
    await replica.call('PUT', `${groups}/stale`, { maxSize: 5 }, 200, { 'if-match': '"1"' });
    const stale = await replica.send('PUT', `${groups}/stale`, { maxSize: 6 }, { 'if-match': '"1"' });
    expect([stale.status, stale.json.code, stale.json.revision]).toEqual([412, 'STALE_REVISION', 2]);
  });

  it('promises no more time when a join is answered again for its Idempotency-Key', async () => {
    const join = (to: Replica) => {
      const body = { subscription: { topics: ['orders'] } };
      return to.send('POST', `${groups}/again/members`, body, { 'idempotency-key': 'join-again' });
    };
    const { json: first } = await join(replica);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { json: again, headers } = await join(other);
    expect([headers.get('idempotency-replayed'), again.memberId]).toEqual(['true', first.memberId]);
    expect(again.validForMs).toBeLessThanOrEqual(first.validForMs - 300);
    expect(again.validForMs).toBeGreaterThan(0);
  });

  it('S-12 takes fifty joins at once: epochs and revisions without gaps', async () => {
    const joins = Array.from({ length: 50 }, (_, i) =>
      (i % 2 ? other : replica).call('POST', `${groups}/s12/members`, {
        memberId: `m${i}`,
        subscription: { topics: ['orders'] },
      }),
    );
    const answers = await Promise.all(joins);
    expect(answers.map(({ revision }) => revision).sort((x, y) => x - y)).toEqual(
      Array.from({ length: 50 }, (_, i) => i + 1),
    );
    expect(await replica.call('GET', `${groups}/s12`)).toMatchObject({ groupEpoch: 50, assignmentEpoch: 50 });
  });
});

async function until(condition: () => Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('what was waited for did not happen');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
