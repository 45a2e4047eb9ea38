import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Replica } from './support/service.js';

let replica: Replica;
let stop: () => Promise<void>;
const group = '/v1/clusters/default/groups/g';

beforeAll(async () => {
  const started = await startReplicas(1);
  replica = started.replicas[0]!;
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
  await replica.call('PUT', '/v1/clusters/default/topics/payments', { partitions: 2 });
  for (const memberId of ['a', 'b']) {
    await replica.call('POST', `${group}/members`, { memberId, subscription: { topics: ['orders'] } });
  }
});
afterAll(() => stop());

describe('what-ifs on a topology in the request', () => {
  it('takes a line of the conformance vectors as it is', async () => {
    const line = {
      id: 'range-mixed-00001',
      assignor: 'range',
      topics: [{ name: 't0', partitions: 3 }],
      members: [
        { id: 'c1', topics: ['t0'], owned: { t0: [0] }, generation: 3 },
        { id: 'c2', topics: ['t0'] },
      ],
      assignment: { c1: { t0: [0, 1] }, c2: { t0: [2] } },
    };
    const plan = await replica.call('POST', '/v1/plans', line, 200);
    expect(plan.target).toEqual(line.assignment);
  });

  it.each([
    [{ topics: [{ name: 't', partitions: -1 }], members: [] }, '/topics/0/partitions'],
    [{ topics: [{ name: 't', partitions: 1 }], members: [{ id: 'a' }] }, '/members/0/topics'],
    [{ topics: [], members: [], extra: 1 }, '/extra'],
    [{ topics: [], members: [], changes: [{ removeMembers: ['x'] }] }, '/changes/0/removeMembers/0'],
  ])('says what is wrong with %j', async (body, pointer) => {
    const { status, json } = await replica.send('POST', '/v1/plans', body);
    expect(status).toBe(400);
    expect(json.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
  });
});

describe('what-ifs on a stored group', () => {
  it('keeps the plan with the revision it rests on, and leaves the group alone', async () => {
    const { revision } = await replica.call('GET', group);
    const made = await replica.send('POST', `${group}/plans?reason=black+friday`, {
      changes: [{ addMembers: ['c', 'd'] }],
    });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      baseRevision: revision,
      status: 'open',
      author: 'anonymous',
      reason: 'black friday',
    });
    expect(made.json.result).toMatchObject({ assignor: 'range', protocol: 'consumer', stats: { moves: 3, idle: [] } });
    expect(await replica.call('GET', made.headers.get('location')!)).toEqual(made.json);
    expect((await replica.call('GET', group)).revision).toBe(revision);
    const { items } = await replica.call('GET', `${group}/plans`);
    expect(items).toEqual([made.json]);
  });

  it('predicts what the group then does', async () => {
    const { result } = await replica.call('POST', `${group}/plans`, { changes: [{ addMembers: ['c'] }] }, 201);
    await replica.call('POST', `${group}/members`, { memberId: 'c', subscription: { topics: ['orders'] } });
    const { members } = await replica.call('GET', `${group}/assignment`);
    for (const id of ['a', 'b', 'c']) expect([id, members[id].target]).toEqual([id, result.target[id]]);
  });

  it('knows topics that the group does not read yet, and says so of those that do not exist', async () => {
    const read = { member: 'a', topics: ['orders', 'payments'] };
    const { result } = await replica.call('POST', `${group}/plans`, { changes: [read] }, 201);
    expect(result.target.a.payments).toEqual([0, 1]);
    const grown = await replica.call(
      'POST',
      `${group}/plans`,
      { changes: [read, { topic: 'payments', partitions: 3 }] },
      201,
    );
    expect(grown.result.target.a.payments).toEqual([0, 1, 2]);
    const ghost = await replica.call('POST', `${group}/plans`, { changes: [{ member: 'a', topics: ['ghost'] }] }, 201);
    expect(ghost.result.unknownTopics).toEqual(['ghost']);
  });

  it('answers the same plan to the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const first = await replica.send('POST', `${group}/plans`, { changes: [{ addMembers: 1 }] }, headers);
    const again = await replica.send('POST', `${group}/plans`, { changes: [{ addMembers: 1 }] }, headers);
    expect(again.json.id).toBe(first.json.id);
    const other = await replica.send('POST', `${group}/plans`, { changes: [{ addMembers: 2 }] }, headers);
    expect([other.status, other.json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it.each([
    ['POST', '/plans', { change: [] }, 400, 'INVALID_REQUEST'],
    ['POST', '/plans', { changes: [{ addMembers: -1 }] }, 400, 'INVALID_REQUEST'],
    ['POST', '/plans', { changes: [{ assignor: 'magic' }] }, 422, 'UNSUPPORTED_ASSIGNOR'],
    ['GET', '/plans/00000000-0000-4000-8000-000000000000', undefined, 404, 'PLAN_NOT_FOUND'],
    ['GET', '/plans/nonsense', undefined, 404, 'PLAN_NOT_FOUND'],
  ])('%s %s %j answers %d %s', async (method, path, body, status, code) => {
    const answer = await replica.send(method, group + path, body);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
});
