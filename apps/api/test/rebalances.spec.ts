import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Json, type Replica } from './support/service.js';

const statements: string[] = [];
let replica: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(1, { onStatement: (sql) => statements.push(sql) });
  replica = started.replicas[0]!;
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
});
afterAll(() => stop());

const groups = '/v1/clusters/default/groups';
const join = (groupId: string, memberId: string, headers = {}) => {
  const body = { memberId, subscription: { topics: ['orders'] } };
  return replica.call('POST', `${groups}/${groupId}/members`, body, 201, headers);
};
const beat = (groupId: string, memberId: string, memberEpoch: number, owned: Json) =>
  replica.call('POST', `${groups}/${groupId}/members/${memberId}/heartbeat`, { memberEpoch, owned });
const leave = (groupId: string, memberId: string, reason?: string) => {
  const query = reason === undefined ? '' : `?reason=${encodeURIComponent(reason)}`;
  return replica.call('DELETE', `${groups}/${groupId}/members/${memberId}${query}`, undefined, 204);
};

describe("a group's rebalances", () => {
  it('tells why each began, what it moved and when it ended, newest first', async () => {
    await join('h1', 'a');
    await join('h1', 'b', { 'x-request-id': 'req-of-b' });
    const running = (await replica.call('GET', `${groups}/h1/rebalances`)).items[0];
    expect(running).toMatchObject({ revision: 2, outcome: 'running', requestId: 'req-of-b', movedPartitions: 2 });
    expect(running).not.toHaveProperty('endedAt');
    await beat('h1', 'a', 1, { orders: [0, 1, 2, 3] });
    await beat('h1', 'a', 1, { orders: [0, 1] });
    await beat('h1', 'b', 2, {});
    await leave('h1', 'b', 'scaled in');
    await join('h1', 'c');
    const { items } = await replica.call('GET', `${groups}/h1/rebalances`);
    expect(items).toMatchObject([
      { cause: 'member-joined', groupEpoch: 4, outcome: 'running' },
      {
        cause: 'member-removed',
        groupEpoch: 3,
        outcome: 'superseded',
        reason: 'scaled in',
        movedPartitions: 2,
        skewAfter: 0,
      },
      { cause: 'member-joined', groupEpoch: 2, outcome: 'completed', skewBefore: 0, skewAfter: 0, endRevision: 5 },
      { cause: 'member-joined', groupEpoch: 1, outcome: 'completed', movedPartitions: 0, durationMs: 0 },
    ]);
    expect(items.map(({ late }: Json) => late)).toEqual([
      [],
      [],
      [{ memberId: 'b', afterMs: items[2].durationMs, fenced: false }],
      [],
    ]);
    expect(items[1].endRevision).toBe(items[0].revision);
    expect(items[2].durationMs).toBe(Date.parse(items[2].endedAt) - Date.parse(items[2].startedAt));
  });

  it('pages backward without losing where one ended', async () => {
    for (let i = 0; i < 5; i++) {
      await join('h2', `m${i}`);
      await leave('h2', `m${i}`);
    }
    const all = (await replica.call('GET', `${groups}/h2/rebalances`)).items;
    expect(all).toHaveLength(5);
    const paged: Json[] = [];
    let token = '';
    do {
      const page = await replica.call('GET', `${groups}/h2/rebalances?pageSize=2${token}`);
      paged.push(...page.items);
      token = page.nextPageToken === undefined ? '' : `&pageToken=${page.nextPageToken}`;
    } while (token !== '');
    expect(paged).toEqual(all);
  });

  it('has none of a group without members, and answers 404 for one that does not exist', async () => {
    await replica.call('PUT', `${groups}/h3`, {});
    expect(await replica.call('GET', `${groups}/h3/rebalances`)).toEqual({ items: [] });
    expect((await replica.send('GET', `${groups}/nobody/rebalances`)).json.code).toBe('GROUP_ID_NOT_FOUND');
    expect((await replica.send('GET', `${groups}/h3/rebalances?pageToken=x`)).status).toBe(400);
  });

  it('reads the rebalances of all groups of a GraphQL answer in one statement', async () => {
    statements.length = 0;
    const query =
      '{ cluster { groups { nodes { groupId rebalances(first: 1) { nodes { cause outcome durationMs } pageInfo { hasNextPage } } } } } }';
    const { data } = await replica.call('POST', '/graphql', { query });
    const byId = new Map(data.cluster.groups.nodes.map((node: Json) => [node.groupId, node.rebalances]));
    expect(byId.get('h1')).toMatchObject({
      nodes: [{ outcome: 'running', durationMs: null }],
      pageInfo: { hasNextPage: true },
    });
    expect(byId.get('h3')).toEqual({ nodes: [], pageInfo: { hasNextPage: false } });
    expect(statements.filter((sql) => sql.includes('jsonb_array_length(members)'))).toHaveLength(1);
  });
});
