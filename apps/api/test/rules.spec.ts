import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Json, type Replica } from './support/service.js';

let replica: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(1);
  replica = started.replicas[0]!;
  stop = started.stop;
});
afterAll(() => stop());

const names = (list: Json) => list.items.map(({ name }: { name: string }) => name);

describe('assignors', () => {
  it('are listed with their default, over REST and GraphQL', async () => {
    const list = await replica.call('GET', '/v1/assignors');
    expect(names(list)).toEqual(
      expect.arrayContaining(['range', 'roundrobin', 'sticky', 'cooperative-sticky', 'uniform']),
    );
    expect(list.items.filter(({ isDefault }: { isDefault: boolean }) => isDefault)).toMatchObject([{ name: 'range' }]);
    const { data } = await replica.call('POST', '/graphql', { query: '{ assignors { name aliases kafkaVersions } }' });
    expect(data.assignors.map(({ name }: { name: string }) => name)).toEqual(names(list));
  });
});

describe('partitioners', () => {
  const partition = (name: string, body: Json) =>
    replica.send('POST', `/v1/partitioners/${encodeURIComponent(name)}/partition`, body);

  it('put keys where Kafka puts them', async () => {
    expect(names(await replica.call('GET', '/v1/partitioners'))).toContain('default');
    // murmur2 of these keys, the sign bit masked, modulo 100: from Kafka's own tests of its hash.
    const { json } = await partition('default', { partitions: 100, keys: ['21', 'foobar', 'abc'] });
    const hashes = [-973932308, -790332482, 479470107].map((hash) => (hash & 0x7fffffff) % 100);
    expect(json).toEqual({ partitioner: 'default', partitions: hashes });
    const classic = 'org.apache.kafka.clients.producer.internals.DefaultPartitioner';
    expect((await partition(classic, { partitions: 100, keys: ['21'] })).json.partitions).toEqual(hashes.slice(0, 1));
  });

  it('take an explicit partition before any rule, and repeat themselves', async () => {
    const body = { partitions: 4, records: [{ key: 'a', partition: 3 }, {}, {}, { key: null }], seed: 7 };
    const first = (await partition('default', body)).json;
    expect(first.partitions[0]).toBe(3);
    expect((await partition('default', body)).json).toEqual(first);
    const beyond = await partition('default', { partitions: 4, records: [{ partition: 4 }] });
    expect(beyond.json).toMatchObject({ status: 404, code: 'UNKNOWN_TOPIC_OR_PARTITION' });
  });

  it('name what is wrong', async () => {
    expect((await partition('none', { partitions: 4, keys: [] })).json).toMatchObject({
      code: 'UNSUPPORTED_PARTITIONER',
    });
    expect((await partition('default', { partitions: 4 })).json).toMatchObject({ code: 'INVALID_REQUEST' });
    expect((await partition('default', { partitions: 4, keys: [1] })).json).toMatchObject({ code: 'INVALID_REQUEST' });
    expect((await partition('default', { partitions: 4, keys: [{}] })).json).toMatchObject({
      errors: [{ pointer: '/keys/0' }],
    });
  });

  it('say how keys move, and who wrote them', async () => {
    const even = await replica.call('POST', '/v1/partitioners/default/remap', { from: 10, to: 20 });
    expect(even.movedShare).toBeCloseTo(0.5);
    const known = await replica.call('POST', '/v1/partitioners/default/remap', { from: 10, to: 10, keys: ['a', 'b'] });
    expect(known).toMatchObject({ movedShare: 0 });
    const keys = ['21', 'foobar', 'abc'];
    const { json } = await partition('default', { partitions: 10, keys });
    const observations = keys.map((key, i) => ({ key, partition: json.partitions[i], partitions: 10 }));
    const diagnosis = await replica.call('POST', '/v1/partitioners/diagnose', { observations });
    expect(diagnosis.families[0].matches).toBe(true);
    expect(diagnosis.families[0].partitioners).toContain('default');
    expect(diagnosis.chance).toBeCloseTo(0.001);
  });
});

describe('placements', () => {
  const brokers = [{ id: 1 }, { id: 2 }, { id: 3 }];

  it('place the i-th partition on broker i mod n by the oldest rule', async () => {
    const body = { placer: 'modulo', brokers, partitions: 4, replicationFactor: 2, topic: 'orders' };
    const { replicas, reassignment } = await replica.call('POST', '/v1/placements', body);
    expect(replicas).toEqual([
      [1, 2],
      [2, 3],
      [3, 1],
      [1, 2],
    ]);
    expect(reassignment).toMatchObject({
      version: 1,
      partitions: [{ topic: 'orders', partition: 0, replicas: [1, 2] }, {}, {}, {}],
    });
  });

  it('refuse what cannot be placed with codes of Kafka', async () => {
    const place = (body: Json) =>
      replica.send('POST', '/v1/placements', { brokers, partitions: 4, replicationFactor: 2, ...body });
    expect((await place({ placer: 'none' })).json).toMatchObject({ code: 'UNSUPPORTED_PLACER' });
    expect((await place({ placer: 'modulo', replicationFactor: 4 })).json).toMatchObject({
      code: 'INVALID_REPLICATION_FACTOR',
    });
    expect(names(await replica.call('GET', '/v1/placers'))).toContain('modulo');
  });

  it('move replicas off a broker that goes, and know the way back', async () => {
    const partitions = [
      { topic: 'orders', partition: 0, replicas: [1, 2] },
      { topic: 'orders', partition: 1, replicas: [2, 3] },
    ];
    const body = { partitions, brokers: [{ id: 1 }, { id: 3 }, { id: 4 }], mode: 'evacuate' };
    const { moves, reassignment, rollback } = await replica.call('POST', '/v1/placements/reassignments', body);
    expect(moves).toBe(2);
    expect(reassignment.partitions.flatMap(({ replicas }: { replicas: number[] }) => replicas)).not.toContain(2);
    expect(rollback.partitions).toMatchObject(partitions);
    const few = await replica.send('POST', '/v1/placements/reassignments', { ...body, brokers: [{ id: 1 }] });
    expect(few.json).toMatchObject({ status: 422, code: 'REPLICATION_DECREASED' });
  });
});

describe('coordinators', () => {
  it('are found by the hash of the group id', async () => {
    // Java: "test".hashCode() is 3556498, so partition 48 of 50.
    const coordinator = '/v1/clusters/default/coordinators';
    expect(await replica.call('GET', `${coordinator}/test`)).toEqual({
      groupId: 'test',
      selection: 'hash',
      partition: 48,
      offsetsPartitions: 50,
      reason: expect.stringContaining('__consumer_offsets'),
    });
    const leaders = Array.from({ length: 50 }, (_, i) => i % 3);
    const replicas = leaders.map((leader) => [leader]);
    await replica.call('PUT', '/v1/clusters/default/topics/__consumer_offsets', { partitions: 50, leaders, replicas });
    expect(await replica.call('GET', `${coordinator}/test`)).toMatchObject({ partition: 48, broker: 0 });
    expect(await replica.call('GET', `${coordinator}/${encodeURIComponent('a/b:組')}`)).toMatchObject({
      groupId: 'a/b:組',
    });
  });

  it('are found by load where the cluster says so', async () => {
    const cluster = '/v1/clusters/old';
    await replica.call('PUT', cluster, { coordinatorSelection: 'least-loaded' });
    expect((await replica.send('GET', `${cluster}/coordinators/g1`)).json).toMatchObject({
      code: 'COORDINATOR_NOT_AVAILABLE',
    });
    for (const id of [5, 7]) await replica.call('PUT', `${cluster}/brokers/${id}`, {});
    for (const group of ['g1', 'g2', 'g3']) await replica.call('PUT', `${cluster}/groups/${group}`, {});
    const found = [];
    for (const group of ['g1', 'g2', 'g3', 'g4']) {
      found.push((await replica.call('GET', `${cluster}/coordinators/${group}`)).broker);
    }
    expect(found).toEqual([5, 7, 5, 7]);
  });
});
