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

/** The least of three: what runs in the background may fall into one of them. */
async function askThrice(query: string, variables: Json): Promise<{ answer: Json; count: number }> {
  const [first, ...others] = [await ask(query, variables), await ask(query, variables), await ask(query, variables)];
  return { answer: first.answer, count: Math.min(first.count, ...others.map(({ count }) => count)) };
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
    const one = await askThrice(DASHBOARD, { groups: 1 });
    const many = await askThrice(DASHBOARD, { groups: GROUPS });
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

/** Everything that a dashboard shows of a cluster and its groups, in one query. */
const EVERYTHING = `query Everything($groups: Int!) {
  cluster {
    overview { groups members idleMembers groupsByState { state groups } position revision }
    activity { rebalances movedPartitions hours { startsAt rebalances } }
    topMovingGroups(first: 5) { groupId movedPartitions group { state } }
    flappingGroups(moreThan: 1) { groupId rebalances }
    rebalances(first: 10) { nodes { groupId rebalance { cause outcome movedPartitions } } }
    topics(first: 10) { nodes { name partitionDetails(first: 10) { nodes { partition leader holders { groupId memberId kind } } } } }
    groups(first: $groups, orderBy: {by: "skew", descending: true}) { nodes {
      groupId state skew idleMemberCount lastRebalanceAt lastRebalanceCause activity { rebalances }
      idleMembers { memberId reason } members { memberId current { topic partitions } target { topic partitions } }
      partitions(first: 10) { nodes { topic partition current target revoking unownedBecause assignmentEpoch } }
      rebalances(first: 2) { nodes { revision cause } } plans(first: 1) { id }
    } }
  }
}`;

describe('the rest of the read model', () => {
  it('costs no more SQL statements for twelve groups than for one', async () => {
    const one = await askThrice(EVERYTHING, { groups: 1 });
    expect(one.answer.errors).toBeUndefined();
    const many = await askThrice(EVERYTHING, { groups: GROUPS });
    expect(many.answer.data.cluster.groups.nodes).toHaveLength(GROUPS);
    process.stdout.write(
      `dashboard: everything of ${GROUPS} groups in ${many.count} statements, of one in ${one.count}\n`,
    );
    // With all groups in the list those that move most need not be read apart.
    expect(many.count).toBeLessThanOrEqual(one.count);
    // One or two a field, however many groups there are.
    expect(many.count).toBeLessThanOrEqual(16);
  });

  it('counts what rebalances did, in SQL', async () => {
    const { answer } = await ask(EVERYTHING, { groups: 1 });
    const { overview, activity, topMovingGroups, flappingGroups, rebalances } = answer.data.cluster;
    expect(overview).toMatchObject({
      groups: GROUPS,
      members: 2 * GROUPS,
      idleMembers: 0,
      groupsByState: [{ state: 'RECONCILING', groups: GROUPS }],
    });
    // Each group: one for the first member, one for the second, which moves two partitions.
    expect(activity).toMatchObject({ rebalances: 2 * GROUPS, movedPartitions: 2 * GROUPS });
    expect(topMovingGroups).toHaveLength(5);
    expect(topMovingGroups[0]).toEqual({ groupId: 'g00', movedPartitions: 2, group: { state: 'RECONCILING' } });
    expect(flappingGroups.map(({ rebalances }: Json) => rebalances)).toEqual(Array.from({ length: 10 }, () => 2));
    expect(rebalances.nodes[0]).toMatchObject({
      groupId: 'g11',
      rebalance: { cause: 'member-joined', outcome: 'running', movedPartitions: 2 },
    });
    expect(rebalances.nodes[1]).toMatchObject({ groupId: 'g11', rebalance: { outcome: 'completed' } });
  });

  it('shows partitions by topic with their holders, and by group with who has them and who shall', async () => {
    const { answer } = await ask(EVERYTHING, { groups: 1 });
    const [topic] = answer.data.cluster.topics.nodes;
    const { partition, holders } = topic.partitionDetails.nodes[3];
    expect([partition, holders.length]).toEqual([3, GROUPS]);
    expect(holders[0]).toEqual({ groupId: 'g00', memberId: 'a', kind: 'assigned' });
    const [group] = answer.data.cluster.groups.nodes;
    expect(group.partitions.nodes[3]).toEqual({
      topic: 'orders',
      partition: 3,
      current: 'a',
      target: 'b',
      revoking: null,
      unownedBecause: null,
      assignmentEpoch: expect.any(Number),
    });
  });

  it('says why members are idle and why nobody may work on a partition', async () => {
    await replica.call('PUT', '/v1/clusters/why', {});
    await replica.call('PUT', '/v1/clusters/why/topics/one', { partitions: 1 });
    const members = '/v1/clusters/why/groups/g/members';
    for (const memberId of ['a', 'b'])
      await replica.call('POST', members, { memberId, subscription: { topics: ['one'] } });
    await replica.call('PUT', '/v1/clusters/why/topics/one', { partitions: 2 });
    const query = `{ cluster(name: "why") { group(id: "g") { idleMembers { memberId reason } idleMemberCount skew lastRebalanceCause
      partitions(unownedOnly: true) { nodes { partition target unownedBecause } } } } }`;
    const { answer } = await ask(query);
    const { group } = answer.data.cluster;
    if (group.idleMembers.length > 0) expect(group.idleMembers[0].reason).toBe('more-members-than-partitions');
    await replica.call('DELETE', `${members}/a`, undefined, 204);
    const after = await ask(query);
    expect(after.answer.data.cluster.group.partitions.nodes).toContainEqual({
      partition: 0,
      target: 'b',
      unownedBecause: 'not-picked-up',
    });
  });

  it('picks and orders groups, and pages through any order', async () => {
    await replica.call('PUT', `${groups}/zz-empty`, {});
    const list = `query ($filter: GroupFilter, $orderBy: GroupOrder, $after: String, $first: Int! = 5) {
      cluster { groups(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        nodes { groupId } pageInfo { hasNextPage endCursor } } } }`;
    const ids = async (variables: Json): Promise<string[]> => {
      const found: string[] = [];
      for (let after: string | undefined; ;) {
        const { answer } = await ask(list, { ...variables, after });
        expect(answer.errors).toBeUndefined();
        const { nodes, pageInfo } = answer.data.cluster.groups;
        found.push(...nodes.map(({ groupId }: Json) => groupId));
        if (!pageInfo.hasNextPage) return found;
        after = pageInfo.endCursor;
      }
    };
    const all = await ids({});
    expect(all).toHaveLength(GROUPS + 1);
    expect(await ids({ orderBy: { by: 'id', descending: true } })).toEqual([...all].reverse());
    for (const by of ['members', 'partitions', 'skew', 'idle', 'last-rebalance', 'updated']) {
      for (const descending of [false, true]) {
        const found = await ids({ orderBy: { by, descending } });
        expect([...found].sort()).toEqual(all);
        if (by === 'members') expect(found[descending ? found.length - 1 : 0]).toBe('zz-empty');
      }
    }
    expect(await ids({ filter: { states: ['EMPTY'] } })).toEqual(['zz-empty']);
    expect(await ids({ filter: { idPrefix: 'g1' } })).toEqual(['g10', 'g11']);
    expect(await ids({ filter: { minSkew: 5 } })).toEqual([]);
    expect(await ids({ filter: { minSkew: 4, idle: false, causes: ['member-joined'] } })).toHaveLength(GROUPS);
    expect(await ids({ filter: { rebalancedSince: '2020-01-01T00:00:00Z' } })).toHaveLength(GROUPS);
    expect(await ids({ filter: { rebalancedBefore: '2020-01-01T00:00:00Z' } })).toEqual([]);
    const wrong = await ask(list, { orderBy: { by: 'beauty' } });
    expect(wrong.answer.errors[0].extensions).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/orderBy/by' }],
    });
    const { answer } = await ask(list, { first: 1, orderBy: { by: 'skew' } });
    const { endCursor } = answer.data.cluster.groups.pageInfo;
    const other = await ask(list, { after: endCursor });
    expect(other.answer.errors[0].extensions.code).toBe('INVALID_REQUEST');
  });
});
