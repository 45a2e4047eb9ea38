import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Replica } from './support/service.js';

let replica: Replica;
let stop: () => Promise<void>;
const cluster = '/v1/clusters/racks';
const group = `${cluster}/groups/g`;

/** Two members in racks, two partitions with a replica in each member's rack, on brokers of which one is not registered. */
beforeAll(async () => {
  const started = await startReplicas(1);
  replica = started.replicas[0]!;
  stop = started.stop;
  await replica.call('PUT', cluster, {});
  for (const [id, rack] of [
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ] as const) {
    await replica.call('PUT', `${cluster}/brokers/${id}`, { rack });
  }
  await replica.call('PUT', `${cluster}/topics/orders`, {
    partitions: 2,
    replicas: [
      [1, 3],
      [2, 3],
    ],
  });
  await replica.call('PUT', group, { assignor: 'range' });
  for (const [memberId, rackId] of [
    ['m1', 'a'],
    ['m2', 'b'],
  ] as const) {
    await replica.call('POST', `${group}/members`, { memberId, rackId, subscription: { topics: ['orders'] } });
  }
});
afterAll(() => stop());

describe('questions about a stored group', () => {
  it('are answered on the group as it is, by the protocol that serves it', async () => {
    const before = await replica.call('GET', group);
    const { rows } = await replica.call('POST', `${group}/plans/compare`, { assignors: ['range', 'sticky'] }, 200);
    expect(rows).toMatchObject([
      { assignor: 'range', protocol: 'consumer', movesNow: 0, least: 1, most: 1 },
      { assignor: 'sticky', protocol: 'consumer' },
    ]);
    const size = await replica.call('POST', `${group}/plans/right-size`, { upTo: 4 }, 200);
    expect(size).toMatchObject({ assignor: 'range', now: { members: 2, busiest: 1, enough: 2 }, evaluatedUpTo: 4 });
    const steps = [{ crash: ['m2'] }, { addMembers: 1 }];
    const played = await replica.call('POST', `${group}/simulations`, { steps }, 200);
    expect(played).toMatchObject({ protocol: 'consumer', steps: [{ moves: 1, peakLoad: 2 }, { moves: 1 }] });
    const better = await replica.call(
      'POST',
      `${group}/simulations/recommend`,
      { steps: [{ rollingRestart: {} }] },
      200,
    );
    expect(better.recommendations.map(({ setting }: { setting: string }) => setting)).toContain('static-membership');
    expect(await replica.call('GET', group)).toEqual(before);
  });

  it('are the same as on that group in the request', async () => {
    const steps = [{ rollingRestart: { batchSize: 1 } }];
    const { total } = await replica.call('POST', `${group}/simulations`, { steps }, 200);
    const inline = {
      assignor: 'range',
      protocol: 'consumer',
      topics: [
        {
          name: 'orders',
          partitions: 2,
          racks: [
            ['a', 'c'],
            ['b', 'c'],
          ],
        },
      ],
      members: [
        { id: 'm1', rack: 'a', topics: ['orders'] },
        { id: 'm2', rack: 'b', topics: ['orders'] },
      ],
      steps,
    };
    expect(total).toEqual((await replica.call('POST', '/v1/simulations', inline, 200)).total);
  });

  it('may wait, as operations do', async () => {
    const body = { assignors: ['range'] };
    const { status, headers } = await replica.send('POST', `${group}/plans/compare`, body, {
      Prefer: 'respond-async, wait=0',
    });
    expect(status).toBe(202);
    let operation;
    do operation = await replica.call('GET', headers.get('location')!);
    while (operation.status === 'running' || operation.status === 'queued');
    expect(operation).toMatchObject({ status: 'succeeded', result: { rows: [{ assignor: 'range' }] } });
  });

  it.each([
    ['plans/compare', {}, '/assignors'],
    ['plans/compare', { assignors: ['range'], topics: [] }, '/topics'],
    ['plans/right-size', { upTo: 0 }, '/upTo'],
    ['simulations', {}, '/steps'],
    ['simulations', { steps: [{ crash: ['nobody'] }] }, '/steps/0/crash/0'],
    ['simulations/recommend', { steps: [], protocol: 'x' }, '/protocol'],
  ])('are refused with a pointer: %s %j', async (path, body, pointer) => {
    const { status, json } = await replica.send('POST', `${group}/${path}`, body);
    expect([status, json.errors[0].pointer]).toEqual([400, pointer]);
  });

  it('know no group that is not there', async () => {
    const { status, json } = await replica.send('POST', `${cluster}/groups/none/simulations`, { steps: [] });
    expect([status, json.code]).toEqual([404, 'GROUP_ID_NOT_FOUND']);
  });

  it('are asked by GraphQL as well', async () => {
    const query = `query ($steps: JSON!, $compare: JSON!, $size: JSON!) { cluster(name: "racks") {
      compareGroupAssignors(group: "g", input: $compare) { rows { ... on ComparedAssignor { assignor movesNow } } }
      rightSizeGroup(group: "g", input: $size) { now { enough } }
      simulateGroup(group: "g", input: $steps) { total { moves } }
      recommendGroupSettings(group: "g", input: $steps) { baseline { moves } }
    } }`;
    const variables = { compare: { assignors: ['range'] }, size: {}, steps: { steps: [{ crash: 1 }] } };
    const { data, errors } = await replica.call('POST', '/graphql', { query, variables }, 200);
    expect(errors).toBeUndefined();
    expect(data.cluster).toEqual({
      compareGroupAssignors: { rows: [{ assignor: 'range', movesNow: 0 }] },
      rightSizeGroup: { now: { enough: 2 } },
      simulateGroup: { total: { moves: 1 } },
      recommendGroupSettings: { baseline: { moves: 1 } },
    });
  });
});

describe('brokers of a stored group', () => {
  it('come from the catalog, and a plan about them is told to change them first', async () => {
    const made = await replica.send('POST', `${group}/plans`, { changes: [{ removeBrokers: [1] }] });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      applicable: false,
      blockers: [{ code: 'brokers-are-the-clusters', pointer: '/changes/0' }],
      result: { stats: { rackLocality: { before: { local: 2, known: 2 }, after: { local: 1, known: 2 } } } },
    });
    const at = `${group}/plans/${made.json.id}`;
    expect(await replica.call('GET', `${at}/explain?member=m1`)).toMatchObject({ member: 'm1' });
    const { baseRevision } = made.json;
    const { status, json } = await replica.send('POST', `${at}/apply`, undefined, { 'If-Match': `"${baseRevision}"` });
    expect([status, json.code]).toEqual([422, 'PLAN_NOT_APPLICABLE']);
  });

  it('are named where they are not there', async () => {
    const { status, json } = await replica.send('POST', `${group}/plans`, { changes: [{ removeBrokers: [1, 9] }] });
    expect(status).toBe(400);
    expect(json.errors).toEqual([
      { pointer: '/changes/0/removeBrokers', detail: 'There is no broker 9 at this point; there are 1, 2, 3.' },
    ]);
  });

  it('are played in simulations', async () => {
    const steps = [
      { broker: 1, rack: 'b' },
      { broker: 2, rack: 'a' },
    ];
    expect((await replica.call('POST', `${group}/simulations`, { steps }, 200)).total.displaced).toBe(2);
  });
});
