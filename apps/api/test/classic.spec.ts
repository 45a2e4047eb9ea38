import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Replica, startReplicas, type Json } from './support/service.js';

const CLUSTER = '/v1/clusters/default';
const ORDERS = { subscription: { topics: ['orders'] }, protocols: ['range'] };

describe('a classic group over HTTP', () => {
  let a: Replica;
  let b: Replica;
  let started: Awaited<ReturnType<typeof startReplicas>>;
  let groups = 0;
  const statements: string[] = [];

  beforeAll(async () => {
    started = await startReplicas(2, { onStatement: (sql) => statements.push(sql) });
    [a, b] = started.replicas as [Replica, Replica];
    await a.call('PUT', `${CLUSTER}/topics/orders`, { partitions: 4 });
  });
  afterAll(() => started.stop());

  /** The path of a new group. */
  async function newGroup(settings: object = {}): Promise<string> {
    const path = `${CLUSTER}/groups/classic-${++groups}`;
    await a.call('PUT', path, { type: 'classic', initialDelayMs: 0, ...settings });
    return path;
  }

  /** Gets an id and joins with it. */
  async function join(replica: Replica, path: string, body: object = ORDERS): Promise<Json> {
    const refused = await replica.send('POST', `${path}/join`, body);
    expect(refused).toMatchObject({ status: 409, json: { code: 'MEMBER_ID_REQUIRED', action: 'rejoin' } });
    return replica.call('POST', `${path}/join`, { ...body, memberId: refused.json.memberId }, 200);
  }

  it('goes from the first join to the leader’s assignment, member id first', async () => {
    const path = await newGroup();
    const joined = await join(a, path);
    expect(joined).toMatchObject({ completed: true, generation: 1, protocol: 'range', topics: { orders: 4 } });
    expect(joined.leader).toBe(joined.memberId);
    expect(joined.members).toEqual([{ memberId: joined.memberId, topics: ['orders'] }]);
    const { memberId, generation } = joined;
    const synced = await b.call('POST', `${path}/sync`, {
      memberId,
      generation,
      assignments: { [memberId]: { orders: [0, 1, 2, 3] } },
      userData: { [memberId]: 'aGk=' },
    });
    expect(synced).toMatchObject({ state: 'STABLE', assignment: { orders: [0, 1, 2, 3] }, userData: 'aGk=' });
    expect(synced.validForMs).toBeGreaterThan(40_000);
    const beat = await a.call('POST', `${path}/heartbeat`, { memberId, generation });
    expect(beat).toMatchObject({ state: 'STABLE', action: 'continue', generation: 1 });
    expect(await b.call('POST', `${path}/leave`, { members: [{ memberId }, { memberId: 'nobody' }] })).toEqual({
      members: [{ memberId }, expect.objectContaining({ memberId: 'nobody', code: 'UNKNOWN_MEMBER_ID' })],
    });
    expect(await a.call('GET', path)).toMatchObject({ type: 'classic', state: 'EMPTY', generation: 2, members: [] });
  });

  it('answers a join that waits on one replica when the last member joins on another', async () => {
    const path = await newGroup();
    const { memberId, generation } = await join(a, path);
    await a.call('POST', `${path}/sync`, { memberId, generation, assignments: {} });
    const refused = await a.send('POST', `${path}/join`, ORDERS);
    const second = a.call('POST', `${path}/join`, { ...ORDERS, memberId: refused.json.memberId }, 200);
    await waitFor(async () => (await b.call('GET', path)).state === 'PREPARING_REBALANCE');
    const begun = performance.now();
    const first = await b.call('POST', `${path}/join`, { ...ORDERS, memberId }, 200);
    const told = await second;
    // By the hint, not by the poll of a second.
    expect(performance.now() - begun).toBeLessThan(900);
    expect(told).toMatchObject({ generation: 2, leader: memberId, protocol: 'range' });
    expect(told.members).toBeUndefined();
    expect(first.members.map((member: Json) => member.memberId)).toEqual([memberId, told.memberId]);
    const follower = a.call('POST', `${path}/sync`, { memberId: told.memberId, generation: 2 });
    const assignments = { [memberId]: { orders: [0, 1] }, [told.memberId]: { orders: [2, 3] } };
    await b.call('POST', `${path}/sync`, { memberId, generation: 2, assignments });
    expect(await follower).toMatchObject({ completed: true, assignment: { orders: [2, 3] } });
  });

  it('S-02 never answers later than the request allows; the same request goes on, on any replica', async () => {
    const path = await newGroup({ initialDelayMs: 1_500 });
    const { json } = await a.send('POST', `${path}/join`, ORDERS);
    const body = { ...ORDERS, memberId: json.memberId };
    const begun = performance.now();
    const waiting = await a.call('POST', `${path}/join`, { ...body, timeoutMs: 200 }, 202);
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(waiting).toMatchObject({ memberId: json.memberId, completed: false, state: 'PREPARING_REBALANCE' });
    const { revision } = await a.call('GET', path);
    expect(await b.call('POST', `${path}/join`, { ...body, timeoutMs: 0 }, 202)).toMatchObject({ completed: false });
    expect((await a.call('GET', path)).revision).toBe(revision);
    expect(await b.call('POST', `${path}/join`, body, 200)).toMatchObject({ completed: true, generation: 1 });
  });

  it('loses nothing when the replica that a request waits on is gone', async () => {
    const path = await newGroup();
    const lost = await Replica.start(started.database.url);
    const { memberId, generation } = await join(a, path);
    await a.call('POST', `${path}/sync`, { memberId, generation, assignments: {} });
    const { json } = await lost.send('POST', `${path}/join`, ORDERS);
    const body = { ...ORDERS, memberId: json.memberId };
    const waiting = lost.send('POST', `${path}/join`, body).catch(() => undefined);
    await waitFor(async () => (await a.call('GET', path)).state === 'PREPARING_REBALANCE');
    lost.app.getHttpServer().closeAllConnections();
    await lost.stop();
    await waiting;
    await b.call('POST', `${path}/join`, { ...ORDERS, memberId }, 200);
    expect(await b.call('POST', `${path}/join`, body, 200)).toMatchObject({ generation: 2, memberId: json.memberId });
  });

  it('S-12 takes 50 concurrent joins on two replicas into one generation, without a gap and without a 5xx', async () => {
    const path = await newGroup({ initialDelayMs: 1_500, assignedBy: 'service' });
    const joins = await Promise.all(Array.from({ length: 50 }, (_, i) => join(i % 2 === 0 ? a : b, path)));
    const generations = new Set(joins.map(({ generation }) => generation));
    expect(generations).toEqual(new Set([1]));
    const [leader] = joins;
    const ids = joins.map(({ memberId }) => memberId);
    expect(new Set(ids).size).toBe(50);
    const { members } = joins.find(({ memberId, leader: led }) => memberId === led);
    expect(members.map((member: Json) => member.memberId).sort()).toEqual([...ids].sort());
    const synced = await Promise.all(
      ids.map((memberId, i) => (i % 3 === 0 ? a : b).call('POST', `${path}/sync`, { memberId, generation: 1 }, 200)),
    );
    const given = synced.flatMap(({ assignment }) => assignment.orders ?? []);
    expect(given.sort()).toEqual([0, 1, 2, 3]);
    const { revision } = await a.call('GET', path);
    const { newest, oldest } = await a.postgres.ports.groups.changesSince(
      { cluster: 'default', groupId: path.split('/').at(-1)! },
      0,
      1_000,
    );
    expect([oldest, newest]).toEqual([1, revision]);
    expect(leader.sessionTimeoutMs).toBe(45_000);
  });

  it('refuses a leader’s assignment that cannot be, and goes on waiting', async () => {
    const path = await newGroup();
    const { memberId, generation } = await join(a, path);
    const refused = await a.send('POST', `${path}/sync`, {
      memberId,
      generation,
      assignments: { [memberId]: { orders: [0, 9] }, nobody: { orders: [0] } },
    });
    expect(refused).toMatchObject({
      status: 422,
      json: {
        code: 'INVALID_GROUP_ASSIGNMENT',
        errors: [
          { pointer: `/assignments/${memberId}/orders`, detail: 'has no partition 9; there are 4' },
          { pointer: '/assignments/nobody', detail: 'is no member of this generation' },
          { pointer: '/assignments/nobody/orders' },
        ],
      },
    });
    const twice = { [memberId]: { orders: [1, 1] } };
    expect(await a.send('POST', `${path}/sync`, { memberId, generation, assignments: twice })).toMatchObject({
      status: 400,
      json: { errors: [{ pointer: `/assignments/${memberId}/orders`, detail: 'names a partition twice' }] },
    });
    expect((await a.call('GET', path)).state).toBe('COMPLETING_REBALANCE');
    await a.call('POST', `${path}/sync`, { memberId, generation, assignedBy: 'service' }, 200);
  });

  it('E-14 lets the newer of two processes win and tells of both in the stream of the group', async () => {
    const path = await newGroup({ assignedBy: 'service' });
    const body = { ...ORDERS, instanceId: 'pod' };
    const older = await a.call('POST', `${path}/join`, body, 200);
    await a.call('POST', `${path}/sync`, { memberId: older.memberId, generation: 1, instanceId: 'pod' });
    const newer = await b.call('POST', `${path}/join`, body, 200);
    expect(newer).toMatchObject({ generation: 1, skipAssignment: true, leader: newer.memberId, state: 'STABLE' });
    expect(await b.call('POST', `${path}/sync`, { memberId: newer.memberId, generation: 1 })).toMatchObject({
      assignment: { orders: [0, 1, 2, 3] },
    });
    const fenced = await a.send('POST', `${path}/heartbeat`, {
      memberId: older.memberId,
      generation: 1,
      instanceId: 'pod',
    });
    expect(fenced).toMatchObject({
      status: 409,
      json: { code: 'FENCED_INSTANCE_ID', action: 'stop', heldBy: newer.memberId },
    });
    const { changes } = await a.postgres.ports.groups.changesSince(
      { cluster: 'default', groupId: path.split('/').at(-1)! },
      0,
      100,
    );
    expect(changes.at(-1)).toMatchObject({
      cause: 'instance-conflict',
      members: [{ memberId: newer.memberId, conflictsWith: older.memberId }],
    });
  });

  it('knows the first request of a static process that is sent again, and a join that arrives late', async () => {
    const path = await newGroup({ assignedBy: 'service', staticPolicy: 'oldest-wins' });
    const first = { ...ORDERS, instanceId: 'pod', newMemberId: randomUUID(), revision: 0 };
    const { memberId, generation } = await a.call('POST', `${path}/join`, first, 200);
    expect(memberId).toBe(first.newMemberId);
    expect(await b.call('POST', `${path}/join`, first, 200)).toMatchObject({ memberId, generation });
    const { assignment } = await a.call('POST', `${path}/sync`, { memberId, generation, instanceId: 'pod' }, 200);
    const begun = { ...ORDERS, instanceId: 'other', timeoutMs: 0 };
    expect(await a.call('POST', `${path}/join`, begun, 202)).toMatchObject({ completed: false });
    const refused = await a.send('POST', `${path}/sync`, { memberId, generation, instanceId: 'pod' });
    expect(refused).toMatchObject({ status: 409, json: { code: 'REBALANCE_IN_PROGRESS' } });
    expect(refused.json.revision).toBeGreaterThan(1);
    await b.call('POST', `${path}/join`, { ...first, memberId, revision: 1, timeoutMs: 0 });
    const { members } = await a.call('GET', path);
    expect(members.find((each: { memberId: string }) => each.memberId === memberId).current).toEqual(assignment);
  });

  it('is read as any group: list, assignment, rebalances, stream and GraphQL', async () => {
    const path = await newGroup({ assignedBy: 'service' });
    const id = path.split('/').at(-1)!;
    const { memberId } = await join(a, path);
    const { revision } = await a.call('POST', `${path}/sync`, { memberId, generation: 1 });
    const facts = { type: 'classic', state: 'STABLE', generation: 1, protocol: 'range', leader: memberId };
    expect(await b.call('GET', path)).toMatchObject({
      ...facts,
      spec: { assignedBy: 'service' },
      members: [{ memberId, state: 'SYNCED', memberEpoch: 1, current: { orders: [0, 1, 2, 3] } }],
    });
    const list = await b.call('GET', `${CLUSTER}/groups?pageSize=1000`);
    expect(list.items.find((group: Json) => group.groupId === id)).toMatchObject({
      ...facts,
      memberCount: 1,
      assignedPartitions: 4,
    });
    const next = b.call('GET', `${path}/assignment?wait=10s&revision=${revision}`);
    await a.call('PUT', `${CLUSTER}/topics/orders`, { partitions: 5 });
    expect(await next).toMatchObject({ groupEpoch: 1, members: { [memberId]: { current: { orders: [0, 1, 2, 3] } } } });
    const beat = await b.call('POST', `${path}/heartbeat`, { memberId, generation: 1 });
    expect(beat).toMatchObject({ state: 'PREPARING_REBALANCE', action: 'rejoin' });
    await a.call('POST', `${path}/join`, { ...ORDERS, memberId }, 200);
    await a.call('POST', `${path}/sync`, { memberId, generation: 2 });
    const { items } = await b.call('GET', `${path}/rebalances`);
    expect(items).toMatchObject([
      { cause: 'partitions-grown', outcome: 'completed', groupEpoch: 1 },
      { cause: 'member-joined', outcome: 'completed' },
    ]);
    const query = `{ cluster(name: "default") { group(id: "${id}") { type state generation protocol leader members { memberId current { topic partitions } } } } }`;
    const { data } = await b.call('POST', '/graphql', { query });
    expect(data.cluster.group).toMatchObject({
      ...facts,
      generation: 2,
      members: [{ memberId, current: [{ topic: 'orders', partitions: [0, 1, 2, 3, 4] }] }],
    });
    const stream = await fetch(`${b.url}${path}/events?sinceRevision=1`, {
      headers: { accept: 'application/x-ndjson' },
    });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('assignment-computed')) text += (await reader.read()).value;
    await reader.cancel();
    expect(text).toContain('member-id-given');
  });

  it('checks the ownership of a member by its generation', async () => {
    const path = await newGroup({ assignedBy: 'service' });
    const { memberId } = await join(a, path);
    await a.call('POST', `${path}/sync`, { memberId, generation: 1 });
    const ask = (body: object) =>
      b.call('POST', `${path}/verify-ownership`, { memberId, partitions: { orders: [0] }, ...body });
    expect(await ask({ generation: 1 })).toMatchObject({ valid: true, fenced: {} });
    expect(await ask({ generation: 0 })).toMatchObject({ valid: false, reasons: [{ code: 'ILLEGAL_GENERATION' }] });
    await expect(ask({})).rejects.toThrow('memberEpoch');
  });

  it('writes one statement for a heartbeat that changes nothing', async () => {
    const path = await newGroup({ assignedBy: 'service' });
    const { memberId } = await join(a, path);
    await a.call('POST', `${path}/sync`, { memberId, generation: 1 });
    const { revision } = await a.call('GET', path);
    statements.length = 0;
    await a.call('POST', `${path}/heartbeat`, { memberId, generation: 1 });
    expect(statements.filter((sql) => sql.includes('UPDATE member_leases'))).toHaveLength(1);
    expect(statements.filter((sql) => /FOR UPDATE$|group_changes/.test(sql))).toEqual([]);
    expect((await a.call('GET', path)).revision).toBe(revision);
  });

  it('is no group of type consumer, and the other way round', async () => {
    const path = await newGroup();
    const consumer = `${CLUSTER}/groups/consumer`;
    await a.call('PUT', consumer, { type: 'consumer' });
    const told = async (path: string, body: object) => (await a.send('POST', path, body)).json;
    expect(await told(`${path}/members`, ORDERS_SUBSCRIPTION)).toMatchObject({ code: 'INCONSISTENT_GROUP_PROTOCOL' });
    expect(await told(`${consumer}/join`, ORDERS)).toMatchObject({ code: 'INCONSISTENT_GROUP_PROTOCOL' });
    expect(await told(`${consumer}/heartbeat`, { memberId: 'x', generation: 1 })).toMatchObject({
      code: 'INCONSISTENT_GROUP_PROTOCOL',
    });
    expect((await a.send('PUT', path, { type: 'consumer' })).json).toMatchObject({
      code: 'INCONSISTENT_GROUP_PROTOCOL',
    });
    expect((await a.send('PUT', path, { moveBudget: 3 })).json).toMatchObject({ errors: [{ pointer: '/moveBudget' }] });
  });

  it('can be planned on, and deleted when it is empty', async () => {
    const path = await newGroup({ assignedBy: 'service' });
    const { memberId } = await join(a, path);
    await a.call('POST', `${path}/sync`, { memberId, generation: 1 });
    const plan = await b.call('POST', `${path}/plans`, { changes: [{ addMembers: 1 }] }, 201);
    expect(plan.result.stats.moves).toBeGreaterThan(0);
    const applied = await b.send(
      'POST',
      `${path}/plans/${plan.id}/apply`,
      {},
      { 'if-match': `"${plan.baseRevision}"` },
    );
    expect(applied.status).toBeGreaterThanOrEqual(400);
    const wild = { 'if-match': '*' };
    expect((await a.send('DELETE', path, undefined, wild)).json).toMatchObject({ code: 'NON_EMPTY_GROUP' });
    await a.call('POST', `${path}/leave`, { members: [{ memberId }] });
    await a.call('DELETE', path, undefined, 204, wild);
    expect((await a.send('POST', `${path}/sync`, { memberId, generation: 1 })).json.code).toBe('GROUP_ID_NOT_FOUND');
  });

  it('ends the session of a silent member by the database’s clock, and makes a group by its first join', async () => {
    const path = `${CLUSTER}/groups/made-by-join`;
    const body = { ...ORDERS, instanceId: 's', sessionTimeoutMs: 400 };
    const waiting = a.call('POST', `${path}/join`, { ...body, timeoutMs: 0 }, 202);
    await waiting;
    expect(await b.call('GET', path)).toMatchObject({ type: 'classic', state: 'PREPARING_REBALANCE' });
    const joined = await b.call('POST', `${path}/join`, { ...body, memberId: (await waiting).memberId }, 200);
    expect(joined.sessionTimeoutMs).toBe(400);
    await waitFor(async () => (await b.call('GET', path)).state === 'EMPTY');
    const told = await a.send('POST', `${path}/heartbeat`, { memberId: joined.memberId, generation: 1 });
    expect(told).toMatchObject({ status: 404, json: { code: 'UNKNOWN_MEMBER_ID', action: 'rejoin' } });
  });
});

const ORDERS_SUBSCRIPTION = { subscription: { topics: ['orders'] } };

async function waitFor(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('It did not come to that.');
}
