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

const CONFLICT = '... on Conflict { code action retriable facts }';

/** One mutation's payload. */
async function mutate(call: string, fields: string, variables: Json = {}, types = ''): Promise<Json> {
  const query = `mutation ${types} { it: ${call} { __typename ${fields} } }`;
  const { data, errors } = await replica.call<Json>('POST', '/graphql', { query, variables });
  return errors === undefined ? data.it : { errors };
}

describe('mutations', () => {
  it('put clusters, brokers and topics by the rules of REST', async () => {
    const made = await mutate(
      'putCluster(cluster: "m", input: {numPartitions: 3})',
      '... on ClusterWritten { outcome dryRun cluster { name numPartitions } }',
    );
    expect(made).toEqual({
      __typename: 'ClusterWritten',
      outcome: 'created',
      dryRun: false,
      cluster: { name: 'm', numPartitions: 3 },
    });
    const topic = '... on TopicWritten { outcome topic { partitions revision racks } }';
    expect(await mutate('putTopic(cluster: "m", name: "t")', topic)).toMatchObject({
      topic: { partitions: 3, revision: 1 },
    });
    const racks = await mutate('putTopic(cluster: "m", name: "t", input: {racks: [["a"], ["b"], ["a"]]})', topic);
    expect(racks).toMatchObject({ outcome: 'changed', topic: { racks: [['a'], ['b'], ['a']], revision: 2 } });
    expect(
      await mutate('putBroker(cluster: "m", id: 1, input: {rack: "a"})', '... on BrokerWritten { broker { id rack } }'),
    ).toMatchObject({ broker: { id: 1, rack: 'a' } });
    const shrunk = await mutate('putTopic(cluster: "m", name: "t", input: {partitions: 2})', topic);
    expect(shrunk.errors[0].extensions).toMatchObject({ code: 'INVALID_PARTITIONS', action: 'fix-request' });
    const wrong = await mutate('putTopic(cluster: "m", name: "t", input: {partitions: 0})', topic);
    expect(wrong.errors[0].extensions).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/input/partitions' }],
    });
  });

  it('answer a stale revision and what is not empty as results', async () => {
    const stale = await mutate('putTopic(cluster: "m", name: "t", ifRevision: 1, input: {partitions: 9})', CONFLICT);
    expect(stale).toMatchObject({ __typename: 'StaleRevision', code: 'STALE_REVISION', action: 'refresh' });
    const full = await mutate('deleteCluster(cluster: "m", force: true)', CONFLICT);
    expect(full).toMatchObject({ __typename: 'NotEmpty', code: 'NON_EMPTY_CLUSTER' });
    const unsure = await mutate('deleteTopic(cluster: "m", name: "t")', '');
    expect(unsure.errors[0].extensions).toMatchObject({ code: 'PRECONDITION_REQUIRED', action: 'refresh' });
    const dry = await mutate(
      'deleteTopic(cluster: "m", name: "t", force: true, dryRun: true)',
      '... on Deleted { dryRun }',
    );
    expect(dry).toEqual({ __typename: 'Deleted', dryRun: true });
    expect((await replica.send('GET', '/v1/clusters/m/topics/t')).status).toBe(200);
    expect(await mutate('deleteTopic(cluster: "m", name: "t", ifRevision: 2)', '')).toEqual({ __typename: 'Deleted' });
  });

  it('let members join, report, be fenced and leave', async () => {
    await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
    const answer =
      '... on MemberAnswer { memberId memberEpoch state assignment { topic partitions } revoking { topic } validForMs }';
    const join = (input: string) => mutate(`joinGroup(group: "g", input: ${input})`, `${answer} ${CONFLICT}`);
    expect(await join('{memberId: "a", instanceId: "i", subscription: {topics: ["orders"]}}')).toMatchObject({
      __typename: 'MemberAnswer',
      memberEpoch: 1,
      assignment: [{ topic: 'orders', partitions: [0, 1, 2, 3] }],
    });
    expect(await join('{instanceId: "i", subscription: {topics: ["orders"]}}')).toMatchObject({
      __typename: 'InstanceConflict',
      code: 'UNRELEASED_INSTANCE_ID',
      retriable: true,
      facts: { heldBy: 'a' },
    });
    const beat = (epoch: number, owned: Json) =>
      mutate(
        'heartbeat(group: "g", member: "a", input: $in)',
        `${answer} ${CONFLICT}`,
        { in: { memberEpoch: epoch, owned } },
        '($in: HeartbeatRequestInput!)',
      );
    expect(await beat(1, { orders: [0, 1, 2, 3] })).toMatchObject({
      __typename: 'MemberAnswer',
      state: 'STABLE',
      assignment: null,
    });
    expect(await beat(7, {})).toMatchObject({
      __typename: 'FencedMember',
      code: 'FENCED_MEMBER_EPOCH',
      action: 'rejoin',
    });
    expect((await beat(-1, {})).errors[0].extensions.code).toBe('INVALID_REQUEST');
    const nonEmpty = await mutate('deleteGroup(group: "g", force: true)', CONFLICT);
    expect(nonEmpty).toMatchObject({ __typename: 'NotEmpty', code: 'NON_EMPTY_GROUP' });
    const put = await mutate(
      'putGroup(group: "g", reason: "slow", input: {sessionTimeoutMs: 50000})',
      '... on GroupWritten { outcome group { state spec { sessionTimeoutMs } members { memberId } } }',
    );
    expect(put).toMatchObject({
      outcome: 'changed',
      group: { spec: { sessionTimeoutMs: 50_000 }, members: [{ memberId: 'a' }] },
    });
    expect(await mutate('leaveGroup(group: "g", member: "b")', CONFLICT)).toMatchObject({
      __typename: 'FencedMember',
      code: 'UNKNOWN_MEMBER_ID',
    });
    expect(await mutate('leaveGroup(group: "g", member: "a")', '')).toEqual({ __typename: 'MemberLeft' });
    expect(await mutate('deleteGroup(group: "g", force: true)', '')).toEqual({ __typename: 'Deleted' });
  });

  it('drain a member, serve it again, and remove one by its instance id', async () => {
    const members = '/v1/clusters/default/groups/d/members';
    for (const id of ['a', 'b']) {
      const subscription = { topics: ['orders'] };
      await replica.call('POST', members, { memberId: id, instanceId: `i-${id}`, subscription });
    }
    await replica.call('POST', `${members}/a/heartbeat`, { memberEpoch: 1, owned: { orders: [0, 1] } });
    const answer =
      '... on DrainAnswer { draining safe holds { topic partitions } handsOver { topic partition to } }' + CONFLICT;
    const drain = (more: string) => mutate(`drainMember(group: "d", ${more})`, answer);
    const holds = [{ topic: 'orders', partitions: [0, 1] }];
    const handsOver = [0, 1].map((partition) => ({ topic: 'orders', partition, to: 'b' }));
    const check = { __typename: 'DrainAnswer', draining: false, safe: false, holds, handsOver };
    expect(await drain('member: "a", dryRun: true')).toEqual({ ...check, draining: true });
    const rest = await replica.call<Json>('GET', `${members}/a/check-drain`);
    expect(rest).toMatchObject({ draining: false, handsOver });
    expect(await drain('member: "a", reason: "new kernel"')).toMatchObject({ draining: true, safe: false });
    expect(await mutate('cancelDrain(group: "d", member: "a")', answer)).toMatchObject({ draining: false });
    expect(await drain('member: "c"')).toMatchObject({ __typename: 'FencedMember', code: 'UNKNOWN_MEMBER_ID' });
    expect((await mutate('drainMember(group: "none", member: "a")', answer)).errors[0].extensions.code).toBe(
      'GROUP_ID_NOT_FOUND',
    );

    const remove = (more: string) =>
      mutate(`removeInstance(group: "d", ${more})`, `... on InstanceRemoved { instanceId dryRun } ${CONFLICT}`);
    expect(await remove('instanceId: "i-a", dryRun: true')).toMatchObject({ instanceId: 'i-a', dryRun: true });
    expect(await remove('instanceId: "i-a", reason: "host is gone"')).toEqual({
      __typename: 'InstanceRemoved',
      instanceId: 'i-a',
      dryRun: false,
    });
    expect(await remove('instanceId: "i-a"')).toMatchObject({ __typename: 'FencedMember', code: 'UNKNOWN_MEMBER_ID' });
    const { data } = await replica.call<Json>('POST', '/graphql', {
      query: '{ cluster { revisions(group: "d", first: 1) { nodes { cause reason } } } }',
    });
    expect(data.cluster.revisions.nodes).toEqual([{ cause: 'member-removed', reason: 'host is gone' }]);
  });

  it('make, approve and apply plans; a changed group is a conflict that says what changed', async () => {
    const groups = '/v1/clusters/default/groups';
    await replica.call('POST', `${groups}/p/members`, { memberId: 'a', subscription: { topics: ['orders'] } });
    const plan = (changes: string) =>
      mutate(
        `planGroup(group: "p", input: {changes: ${changes}})`,
        'id status baseRevision result { moves target { memberId } }',
      );
    const first = await plan('[{addMembers: 1}]');
    expect(first).toMatchObject({ __typename: 'Plan', status: 'open', baseRevision: 1 });
    const why = `{ cluster { plan(group: \"p\", plan: \"${first.id}\") { status wholeResult } explainPlan(group: \"p\", plan: \"${first.id}\", partition: \"orders-0\") { ... on PartitionExplanation { cause to } } } }`;
    const { data } = await replica.call<Json>('POST', '/graphql', { query: why });
    expect(data.cluster).toMatchObject({
      plan: { status: 'open', wholeResult: { assignor: 'range' } },
      explainPlan: { to: 'a' },
    });
    const second = await plan('[{assignor: "uniform"}]');
    const written = `... on PlanWritten { plan { id status } dryRun } ${CONFLICT}`;
    const decide = (verb: string, id: string, more = '') =>
      mutate(`${verb}(group: "p", plan: "${id}" ${more})`, written);
    expect(await decide('approvePlan', second.id)).toMatchObject({
      __typename: 'PlanWritten',
      plan: { status: 'approved' },
    });
    expect((await decide('applyPlan', second.id)).errors[0].extensions.code).toBe('PRECONDITION_REQUIRED');
    expect(await decide('applyPlan', second.id, ', ifRevision: 1, dryRun: true')).toMatchObject({ dryRun: true });
    expect(await decide('applyPlan', second.id, ', ifRevision: 1')).toMatchObject({ plan: { status: 'applied' } });
    const third = await plan('[{assignor: "range"}]');
    await replica.call('PUT', `${groups}/p`, { sessionTimeoutMs: 50_000 });
    expect(await decide('applyPlan', third.id, ', ifRevision: 2')).toMatchObject({
      __typename: 'StalePlan',
      code: 'STALE_PLAN',
      facts: { baseRevision: 2, revision: 3 },
    });
    expect(await decide('discardPlan', third.id)).toMatchObject({ plan: { status: 'discarded' } });
  });

  it('import what Kafka prints', async () => {
    const text = 'Topic: pasted\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: ';
    const report = await mutate(
      'importText(input: {text: $text})',
      'totals { topics } topics { name outcome } lines { status }',
      { text },
      '($text: String!)',
    );
    expect(report).toMatchObject({ totals: { topics: 1 }, topics: [{ name: 'pasted', outcome: 'created' }] });
  });

  it('answer again for an idempotency key, never a conflict', async () => {
    const put = (name: string, key: string) =>
      mutate(
        `putTopic(name: "${name}", idempotencyKey: "${key}", input: {partitions: 1})`,
        `... on TopicWritten { outcome topic { name createdAt } } ${CONFLICT}`,
      );
    const first = await put('once', 'k1');
    expect(first).toMatchObject({ outcome: 'created' });
    expect(await put('once', 'k1')).toEqual(first);
    expect((await put('twice', 'k1')).errors[0].extensions.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const stale = (revision: number) =>
      mutate(
        `putTopic(name: "once", idempotencyKey: "k2", ifRevision: ${revision}, input: {partitions: 2})`,
        `... on TopicWritten { outcome } ${CONFLICT}`,
      );
    expect(await stale(7)).toMatchObject({ code: 'STALE_REVISION' });
    expect(await stale(1)).toMatchObject({ outcome: 'changed' });
    const join = () =>
      mutate(
        'joinGroup(group: "idem", idempotencyKey: "k3", input: {subscription: {topics: ["orders"]}})',
        '... on MemberAnswer { memberId memberEpoch validUntil assignment { topic partitions } }',
      );
    const joined = await join();
    expect(await join()).toEqual(joined);
    const { members } = await replica.call<Json>('GET', '/v1/clusters/default/groups/idem');
    expect(members).toHaveLength(1);
  });
});

describe('questions', () => {
  const ask = async (query: string, variables: Json = {}): Promise<Json> => {
    const { data, errors } = await replica.call<Json>('POST', '/graphql', { query, variables });
    expect(errors).toBeUndefined();
    return data;
  };
  const input = {
    assignor: 'range',
    topics: [{ name: 'orders', partitions: 10 }],
    members: ['c1', 'c2', 'c3'].map((id) => ({ id, topics: ['orders'] })),
  };

  it('are answered as REST answers them', async () => {
    const query = `query ($plan: JSON!, $compare: JSON!, $simulate: JSON!) {
      planTopology(input: $plan) { assignor target stats diff { partition from to } }
      explainTopology(input: $plan, partition: "orders-3") { ... on PartitionExplanation { to cause candidates { member loadAfter } } }
      compareAssignors(input: $compare) { rows { ... on ComparedAssignor { assignor most rollingRestart { moves } } ... on RefusingAssignor { assignor refused } } }
      rightSize(input: $plan) { sizes { members busiest } }
      simulate(input: $simulate) { total { rebalances } steps { step events { kind } } }
      recommend(input: $simulate) { recommendations { setting saved { moves } } }
    }`;
    const compare = { ...input, assignors: ['range', 'cooperative-sticky'] };
    const simulate = { ...input, steps: [{ rollingRestart: { batchSize: 1 } }] };
    const answer = await ask(query, { plan: input, compare, simulate });
    const rest = (path: string, body: Json) => replica.call<Json>('POST', path, body);
    const plan = await rest('/v1/plans', input);
    expect(answer.planTopology).toEqual({ assignor: 'range', target: plan.target, stats: plan.stats, diff: plan.diff });
    expect(answer.explainTopology).toMatchObject({ to: 'c1', candidates: [{ member: 'c1' }, {}, {}] });
    const { rows } = await rest('/v1/plans/compare', compare);
    expect(answer.compareAssignors.rows).toMatchObject(rows.map(({ assignor, most }: Json) => ({ assignor, most })));
    expect(answer.simulate.total.rebalances).toBe((await rest('/v1/simulations', simulate)).total.rebalances);
    expect(answer.recommend.recommendations.length).toBeGreaterThan(0);
  });

  it('keep keys such as __proto__ as the data that they are', async () => {
    const text = `{"query":"query ($in: JSON!) { planTopology(input: $in) { target } }","variables":{"in":{"assignor":"range",
      "topics":[{"name":"__proto__","partitions":2}],"members":[{"id":"constructor","topics":["__proto__"]}]}}}`;
    const { text: answer } = await replica.send('POST', '/graphql', text);
    expect(answer).toContain('"target":{"constructor":{"__proto__":[0,1]}}');
  });

  it('know partitioners, placers and coordinators', async () => {
    const answer = await ask(`{
      partitioners { name } placers { name } assignors { name }
      partitionKeys(partitioner: "default", input: {partitions: 10, keys: ["order-1", null]}) { partitions }
      remapKeys(partitioner: "default", input: {from: 10, to: 12}) { movedShare flows { from to } }
      diagnosePartitioner(input: {observations: [{key: "order-1", partition: 3, partitions: 10}]}) { chance families { partitioners matches } }
      placeReplicas(input: {placer: "modulo", brokers: [{id: 1}, {id: 2}], partitions: 2, replicationFactor: 1, topic: "t"}) { replicas reassignment }
      reassignReplicas(input: {partitions: [{topic: "t", partition: 0, replicas: [1]}], brokers: [{id: 2}]}) { moves rollback }
      cluster { coordinator(group: "g") { selection partition reason } }
    }`);
    expect(answer.partitionKeys.partitions).toHaveLength(2);
    expect(answer.placeReplicas.replicas).toEqual([[1], [2]]);
    expect(answer.reassignReplicas).toMatchObject({ moves: 1, rollback: { partitions: [{ replicas: [1] }] } });
    expect(answer.cluster.coordinator).toMatchObject({ selection: 'hash', partition: expect.any(Number) });
    const { partition } = await replica.call<Json>('GET', '/v1/clusters/default/coordinators/g');
    expect(answer.cluster.coordinator.partition).toBe(partition);
  });
});
