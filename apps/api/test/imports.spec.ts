import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Replica } from './support/service.js';

let replica: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(1);
  replica = started.replicas[0]!;
  stop = started.stop;
});
afterAll(() => stop());

const TOPICS = [
  '$ kafka-topics.sh --bootstrap-server localhost:9092 --describe',
  'Topic: orders\tTopicId: Yqi2mVnRTbC2tU3s7VkLSw\tPartitionCount: 3\tReplicationFactor: 2\tConfigs: segment.bytes=1073741824',
  '\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2',
  '\tTopic: orders\tPartition: 1\tLeader: none\tReplicas: 2,3\tIsr: ',
  '\tTopic: orders\tPartition: 2\tLeader: 3\tReplicas: 3,1\tIsr: 3,1',
].join('\n');

const GROUP = [
  'GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID',
  'checkout        orders          0          10              12              2               app-1-aaaa      /10.0.0.1       app-1',
  'checkout        orders          1          -               12              -               app-2-bbbb      /10.0.0.2       app-2',
  'checkout        orders          2          7               7               0               -               -               -',
  'checkout        -               -          -               -               -               app-3-cccc      /10.0.0.3       app-3',
].join('\n');

let clusters = 0;

/** A cluster of its own for each test. */
async function newCluster(): Promise<string> {
  const path = `/v1/clusters/${encodeURIComponent(`import/${++clusters}`)}`;
  await replica.call('PUT', path, {}, 201);
  return path;
}

const text = { 'content-type': 'text/plain' };

describe('imports', () => {
  it('H-09 H-08 make topics of a describe output, leaderless partitions included', async () => {
    const cluster = await newCluster();
    const { status, json } = await replica.send('POST', `${cluster}/imports`, TOPICS, text);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      dryRun: false,
      formats: ['topics-describe'],
      totals: { lines: 5, understood: 4, ignored: 1, notUnderstood: 0, topics: 1, groups: 0 },
      topics: [{ name: 'orders', partitions: 3, outcome: 'created' }],
    });
    expect(json.lines).toHaveLength(5);
    expect(await replica.call('GET', `${cluster}/topics/orders`)).toMatchObject({
      id: 'Yqi2mVnRTbC2tU3s7VkLSw',
      partitions: 3,
      replicas: [
        [1, 2],
        [2, 3],
        [3, 1],
      ],
      leaders: [1, null, 3],
      isr: [[1, 2], [], [3, 1]],
    });
    const again = await replica.call('POST', `${cluster}/imports`, { text: TOPICS });
    expect(again.topics).toEqual([{ name: 'orders', partitions: 3, outcome: 'unchanged' }]);
  });

  it('H-01 H-02 make a snapshot of a group: idle member, unowned partition, unknown lag', async () => {
    const cluster = await newCluster();
    const { json } = await replica.send('POST', `${cluster}/imports`, `${TOPICS}\n\n${GROUP}\n`, text);
    expect(json.groups).toEqual([
      {
        groupId: 'checkout',
        outcome: 'created',
        state: expect.any(String),
        unstable: false,
        members: 3,
        assignedPartitions: 2,
        idle: ['app-3-cccc'],
        unowned: { orders: [2] },
      },
    ]);
    expect(json.warnings.map(({ code }: { code: string }) => code)).toContain('lag-unknown');
    const assignment = await replica.call('GET', `${cluster}/groups/checkout/assignment?view=byMember`);
    expect(assignment).toMatchObject({
      members: { 'app-1-aaaa': { current: { orders: [0] } }, 'app-2-bbbb': { current: { orders: [1] } } },
      unowned: { orders: [2] },
      idle: ['app-3-cccc'],
    });
    const join = await replica.send('POST', `${cluster}/groups/checkout/members`, {
      subscription: { topics: ['orders'] },
    });
    expect(join.json).toMatchObject({ status: 409, code: 'GROUP_READ_ONLY' });
  });

  it('counts a topic that only the group names, and says so', async () => {
    const cluster = await newCluster();
    const { json } = await replica.send('POST', `${cluster}/imports`, GROUP, text);
    expect(json.topics).toEqual([
      {
        name: 'orders',
        partitions: 3,
        outcome: 'created',
        reason: expect.stringContaining("Counted from the group's table"),
      },
    ]);
    const gap = GROUP.replaceAll('orders          0', 'orders          9');
    const other = await newCluster();
    const skipped = await replica.send('POST', `${other}/imports`, gap, text);
    expect(skipped.json.topics).toEqual([
      { name: 'orders', outcome: 'skipped', reason: expect.stringContaining('Only some of its partitions') },
    ]);
  });

  it('H-01 need the id of a group that the text does not name', async () => {
    const cluster = await newCluster();
    const old = GROUP.replaceAll(/^(GROUP|checkout) {8,11}/gm, '');
    const unnamed = await replica.send('POST', `${cluster}/imports`, old, text);
    expect(unnamed.json.groups).toMatchObject([{ outcome: 'skipped', reason: expect.stringContaining('?group=') }]);
    const named = await replica.send('POST', `${cluster}/imports?group=a%2Fb`, old, text);
    expect(named.json.groups).toMatchObject([{ groupId: 'a/b', outcome: 'created', members: 3 }]);
  });

  it('change nothing in a dry run, and nothing when one topic is refused', async () => {
    const cluster = await newCluster();
    const dry = await replica.send('POST', `${cluster}/imports?dryRun=true`, `${TOPICS}\n\n${GROUP}`, text);
    expect(dry.json).toMatchObject({
      dryRun: true,
      topics: [{ outcome: 'created' }],
      groups: [{ outcome: 'created' }],
    });
    expect((await replica.call('GET', `${cluster}/topics`)).items).toEqual([]);
    expect((await replica.send('GET', `${cluster}/groups/checkout`)).status).toBe(404);

    await replica.call('PUT', `${cluster}/topics/orders`, { partitions: 5 });
    const both = `${TOPICS}\nTopic: pay\tPartitionCount: 2\tReplicationFactor: 1\tConfigs: `;
    const refused = await replica.send('POST', `${cluster}/imports`, both, text);
    expect(refused.json).toMatchObject({
      status: 422,
      code: 'INVALID_PARTITIONS',
      detail: expect.stringContaining('orders'),
    });
    expect((await replica.call('GET', `${cluster}/topics`)).items.map(({ name }: { name: string }) => name)).toEqual([
      'orders',
    ]);
  });

  it('keep the id of a topic that was here before, and say so', async () => {
    const cluster = await newCluster();
    const { id } = await replica.call('PUT', `${cluster}/topics/orders`, { partitions: 2 }, 201);
    const { json } = await replica.send('POST', `${cluster}/imports`, TOPICS, text);
    expect(json.topics).toMatchObject([{ outcome: 'changed', partitions: 3, reason: expect.stringContaining(id) }]);
  });

  it('leave a live group alone', async () => {
    const cluster = await newCluster();
    await replica.call('POST', `${cluster}/imports`, TOPICS, 200, text);
    await replica.call('PUT', `${cluster}/groups/checkout`, { type: 'consumer' }, 201);
    await replica.call('POST', `${cluster}/groups/checkout/members`, { subscription: { topics: ['orders'] } }, 201);
    const { json } = await replica.send('POST', `${cluster}/imports`, GROUP, text);
    expect(json.groups).toMatchObject([{ outcome: 'skipped', reason: expect.stringContaining('live group') }]);
  });

  it('explain a text that says nothing, line by line', async () => {
    const cluster = await newCluster();
    const { json } = await replica.send('POST', `${cluster}/imports`, 'hello\nworld', text);
    expect(json).toMatchObject({ status: 422, code: 'IMPORT_FAILED', lines: [{ lineNumber: 1 }, { lineNumber: 2 }] });
    for (const body of ['[]', '7', '{}', '{"text": 7}', '{"text": "x", "txt": 1}', '']) {
      const wrong = await replica.send('POST', `${cluster}/imports`, body, { 'content-type': 'application/json' });
      expect([body, wrong.json.status, wrong.json.code]).toEqual([body, 400, 'INVALID_REQUEST']);
    }
    const nowhere = await replica.send('POST', '/v1/clusters/nowhere/imports', TOPICS, text);
    expect(nowhere.json).toMatchObject({ status: 404, code: 'CLUSTER_NOT_FOUND' });
  });
});

describe('Idempotency-Key', () => {
  const send = (cluster: string, body: string, key: string) =>
    replica.send('POST', `${cluster}/imports`, body, { ...text, 'idempotency-key': key });

  it('answers the same request from the first time', async () => {
    const cluster = await newCluster();
    const first = await send(cluster, TOPICS, 'k1');
    const second = await send(cluster, TOPICS, 'k1');
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json).toEqual(first.json);
    expect(second.json.topics[0].outcome).toBe('created');
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  });

  it('refuses another request, and lets a failed one be tried again', async () => {
    const cluster = await newCluster();
    expect((await send(cluster, 'hello', 'k2')).json.code).toBe('IMPORT_FAILED');
    expect((await send(cluster, TOPICS, 'k2')).status).toBe(200);
    expect((await send(cluster, GROUP, 'k2')).json).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
    expect((await send(cluster, GROUP, 'x'.repeat(256))).json).toMatchObject({ status: 400 });
  });

  it('lets one of many at the same time do the work', async () => {
    const cluster = await newCluster();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(cluster, TOPICS, 'k3')));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(done.every(({ json }) => json.topics[0].outcome === 'created')).toBe(true);
    for (const { json, headers } of answers.filter(({ status }) => status === 409)) {
      expect([json.code, headers.get('retry-after')]).toEqual(['IDEMPOTENCY_KEY_IN_USE', '1']);
    }
  });
});
