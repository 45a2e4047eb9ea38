import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Json, type Replica } from './support/service.js';

let replica: Replica;
let stop: () => Promise<void>;
const statements: string[] = [];

const GROUPS = 12;
const groups = '/v1/clusters/default/groups';
const DASHBOARD = `query Dashboard($groups: Int!) {
  cluster(name: "default") {
    name
    topics(first: 100) { nodes { name partitions } }
    brokers { nodes { id rack fenced } }
    groups(first: $groups) {
      pageInfo { hasNextPage endCursor }
      nodes {
        groupId state revision groupEpoch assignmentEpoch memberCount assignedPartitions idle unknownTopics
        spec { assignors sessionTimeoutMs }
        unowned { topic partitions }
        members { memberId state memberEpoch validUntil current { topic partitions } target { topic partitions } revoking { topic } }
        plans(first: 3) { id status baseRevision result { moves skew idle diff { topic partition from to } warnings { code } } }
      }
    }
  }
}`;

beforeAll(async () => {
  const started = await startReplicas(1, { onStatement: (sql) => statements.push(sql) });
  replica = started.replicas[0]!;
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
  for (let i = 0; i < GROUPS; i++) {
    const id = `g${String(i).padStart(2, '0')}`;
    await replica.call('POST', `${groups}/${id}/members`, {
      memberId: 'a',
      subscription: { topics: ['orders', 'ghost'] },
    });
    await replica.call('POST', `${groups}/${id}/members`, { memberId: 'b', subscription: { topics: ['orders'] } });
    await replica.call('POST', `${groups}/${id}/plans`, { changes: [{ addMembers: 3 }] }, 201);
  }
});
afterAll(() => stop());

async function ask(query: string, variables: Json = {}): Promise<{ answer: Json; count: number }> {
  // Statements of the sweeper are not the query's.
  await new Promise((resolve) => setTimeout(resolve, 100));
  statements.length = 0;
  const answer = await replica.call('POST', '/graphql', { query, variables });
  const own = statements.filter(
    (sql) => !/lease_until <= statement_timestamp|catalog_revision < c.catalog_revision/.test(sql),
  );
  return { answer, count: own.length };
}

describe('the query behind a dashboard', () => {
  it('shows groups with members, both assignments, what is idle and unowned, and plans', async () => {
    const { answer } = await ask(DASHBOARD, { groups: 2 });
    expect(answer.errors).toBeUndefined();
    const { cluster } = answer.data;
    expect(cluster.topics.nodes).toEqual([{ name: 'orders', partitions: 4 }]);
    expect(cluster.groups.pageInfo).toMatchObject({ hasNextPage: true });
    expect(cluster.groups.nodes[0]).toMatchObject({
      groupId: 'g00',
      state: 'RECONCILING',
      memberCount: 2,
      assignedPartitions: 4,
      unknownTopics: ['ghost'],
      unowned: [],
      idle: [],
      spec: { assignors: ['range'], sessionTimeoutMs: 45_000 },
      members: [
        {
          memberId: 'a',
          current: [{ topic: 'orders', partitions: [0, 1, 2, 3] }],
          target: [{ topic: 'orders', partitions: [0, 1] }],
        },
        {
          memberId: 'b',
          state: 'UNRELEASED_PARTITIONS',
          current: [],
          target: [{ topic: 'orders', partitions: [2, 3] }],
        },
      ],
      plans: [{ status: 'open', result: { idle: [expect.any(String)], warnings: expect.any(Array) } }],
    });
  });

  it('costs the same number of SQL statements for one group and for twelve', async () => {
    const one = await ask(DASHBOARD, { groups: 1 });
    const many = await ask(DASHBOARD, { groups: GROUPS });
    expect(many.answer.data.cluster.groups.nodes).toHaveLength(GROUPS);
    expect(many.count).toBe(one.count);
    // The cluster, its topics with brokers' racks, brokers and groups, what is in the groups, and their plans.
    expect(many.count).toBeLessThanOrEqual(8);
  });

  it('pages through groups by cursor, and reads one by id', async () => {
    const page = `query ($after: String) { cluster { groups(first: 5, after: $after) { nodes { groupId } pageInfo { hasNextPage endCursor } } } }`;
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { answer } = await ask(page, { after });
      const { nodes, pageInfo } = answer.data.cluster.groups;
      seen.push(...nodes.map(({ groupId }: Json) => groupId));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
    } while (after !== undefined);
    expect(seen).toEqual(Array.from({ length: GROUPS }, (_, i) => `g${String(i).padStart(2, '0')}`));
    const { answer } = await ask(
      '{ cluster { group(id: "g03") { groupId members { memberId } } none: group(id: "x") { groupId } } }',
    );
    expect(answer.data.cluster).toEqual({
      group: { groupId: 'g03', members: [{ memberId: 'a' }, { memberId: 'b' }] },
      none: null,
    });
  });

  it('answers errors with the codes of REST', async () => {
    const { answer } = await ask('{ cluster { groups(first: 5000) { nodes { groupId } } } }');
    expect(answer.errors[0].extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', action: 'fix-request' });
  });
});
