import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GroupPlanner } from '../src/plans/group-planner.js';
import { PlanLifecycle } from '../src/plans/plan-lifecycle.js';
import { startReplicas, type Json, type Replica } from './support/service.js';

let [one, two]: Replica[] = [];
let stop: () => Promise<void>;
const groups = '/v1/clusters/default/groups';

beforeAll(async () => {
  const started = await startReplicas(2);
  [one, two] = started.replicas;
  stop = started.stop;
  await one!.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 6 });
});
afterAll(() => stop());

const join = (groupId: string, memberId: string, more = {}) =>
  one!.call('POST', `${groups}/${groupId}/members`, { memberId, subscription: { topics: ['orders'] }, ...more }, 201);
const planned = (groupId: string, changes: Json, replica = one!): Promise<Json> =>
  replica.call('POST', `${groups}/${groupId}/plans`, { changes }, 201);
const groupOf = (groupId: string): Promise<Json> => one!.call('GET', `${groups}/${groupId}`);
const apply = (plan: Json, headers: Record<string, string> = {}, replica = one!, query = '') =>
  replica.send('POST', `${groups}/${plan.groupId}/plans/${plan.id}/apply${query}`, undefined, {
    'if-match': `"${plan.baseRevision}"`,
    ...headers,
  });
const targetsOf = ({ members }: Json): Json =>
  Object.fromEntries(members.map(({ memberId, target }: Json) => [memberId, target]));

/** Heartbeats of everybody, each reporting what it was last told to have, until nothing changes any more. */
async function settle(groupId: string): Promise<Json> {
  for (let round = 0; round < 10; round++) {
    const before = await groupOf(groupId);
    for (const { memberId, memberEpoch, current } of before.members) {
      const body = { memberEpoch, owned: current };
      await one!.call('POST', `${groups}/${groupId}/members/${memberId}/heartbeat`, body);
    }
    const after = await groupOf(groupId);
    if (after.revision === before.revision) return after;
  }
  throw new Error(`${groupId} does not come to rest`);
}

async function twoMembers(groupId: string): Promise<void> {
  for (const memberId of ['a', 'b']) await join(groupId, memberId);
  await settle(groupId);
}

describe('applying a plan', () => {
  it('G-17 S-04 writes exactly the stored target, with its cause, and members reach it by heartbeats', async () => {
    await twoMembers('exact');
    const plan = await planned('exact', [{ assignor: 'sticky' }, { member: 'a', weight: 3 }]);
    expect(plan).toMatchObject({ status: 'open', applicable: true, blockers: [] });
    const answer = await apply(plan, {}, two, '?reason=friday');
    expect([answer.status, answer.json.status, answer.json.applied]).toMatchObject([
      200,
      'applied',
      { actor: 'anonymous', reason: 'friday', revision: plan.baseRevision + 1 },
    ]);
    expect(answer.headers.get('etag')).toBe(`"${plan.baseRevision}-applied"`);
    const group = await groupOf('exact');
    expect(targetsOf(group)).toEqual(plan.result.target);
    expect(group).toMatchObject({ spec: { assignors: ['sticky'] }, state: 'RECONCILING' });
    expect(group.groupEpoch).toBe(group.assignmentEpoch);
    expect(group.members.find(({ memberId }: Json) => memberId === 'a').weight).toBe(3);
    const settled = await settle('exact');
    expect(settled.state).toBe('STABLE');
    for (const { current, target } of settled.members) expect(current).toEqual(target);
    expect(targetsOf(settled)).toEqual(plan.result.target);
    const { items } = await one!.call('GET', `${groups}/exact/changes?after=${plan.baseRevision}`);
    expect(items[0]).toMatchObject({ cause: 'plan-applied', planId: plan.id, actor: 'anonymous', reason: 'friday' });
  });

  it('says that a group with a move budget goes a longer way by itself, and goes there in one', async () => {
    await twoMembers('budget');
    await one!.call('PUT', `${groups}/budget`, { moveBudget: 1 });
    const plan = await planned('budget', [{ removeMembers: ['b'] }, { assignor: 'sticky' }]);
    expect(plan.result.warnings).toContainEqual(expect.objectContaining({ code: 'move-budget', count: 3 }));
    expect((await apply(plan)).status).toBe(200);
    expect(targetsOf(await settle('budget'))).toEqual({ ...plan.result.target, b: {} });
  });

  it('gives the group its pins, which later targets keep', async () => {
    await twoMembers('pinned');
    const pins = [{ topic: 'orders', partition: 0, member: 'b' }];
    const plan = await planned('pinned', [{ pins }]);
    expect(plan.result.target.b.orders).toContain(0);
    expect((await apply(plan)).status).toBe(200);
    expect((await groupOf('pinned')).spec.pins).toEqual(pins);
    await join('pinned', 'c');
    expect(targetsOf(await settle('pinned')).b.orders).toContain(0);
    const freed = await planned('pinned', [{ pins: [] }]);
    expect((await apply(freed)).status).toBe(200);
    expect((await groupOf('pinned')).spec.pins).toBeUndefined();
  });

  it('drains the members that it removes, so that nobody loses what it works on', async () => {
    await twoMembers('drained');
    const plan = await planned('drained', [{ removeMembers: ['b'] }]);
    expect((await apply(plan)).status).toBe(200);
    const group = await groupOf('drained');
    expect(targetsOf(group)).toEqual({ ...plan.result.target, b: {} });
    const before = (await settle('drained')).revision;
    expect((await groupOf('drained')).members.map(({ current }: Json) => current)).toEqual([
      { orders: [0, 1, 2, 3, 4, 5] },
      {},
    ]);
    await one!.call('DELETE', `${groups}/drained/members/b`, undefined, 204);
    const after = await settle('drained');
    expect(targetsOf(after)).toEqual(plan.result.target);
    expect(after.revision).toBeGreaterThan(before);
  });

  it.each<[string, Json, string, string]>([
    ['members that do not exist yet', [{ addMembers: ['c'] }], 'members-missing', '/changes/0/addMembers'],
    ['a subscription', [{ member: 'a', topics: [] }], 'subscription-is-the-members', '/changes/0/topics'],
    ['a rack', [{ assignor: 'range' }, { member: 'a', rack: 'r' }], 'rack-is-the-members', '/changes/1/rack'],
    ['more partitions', [{ topic: 'orders', partitions: 8 }], 'topics-are-the-clusters', '/changes/0'],
  ])('refuses %s and says what to do first', async (name, changes, code, pointer) => {
    const groupId = `blocked ${name}`;
    await twoMembers(encodeURIComponent(groupId));
    const plan = await planned(encodeURIComponent(groupId), changes);
    expect(plan).toMatchObject({ applicable: false, blockers: [{ code, pointer }] });
    const answer = await apply({ ...plan, groupId: encodeURIComponent(groupId) });
    expect([answer.status, answer.json]).toMatchObject([
      422,
      { code: 'PLAN_NOT_APPLICABLE', blockers: [{ code }], errors: [{ pointer }] },
    ]);
  });

  it('S-04 refuses a plan whose group has changed, and says what changed since', async () => {
    await twoMembers('stale');
    const plan = await planned('stale', [{ assignor: 'sticky' }]);
    await join('stale', 'c');
    await one!.call('DELETE', `${groups}/stale/members/c?reason=mistake`, undefined, 204);
    const before = await groupOf('stale');
    const answer = await apply(plan);
    expect([answer.status, answer.json]).toMatchObject([
      412,
      {
        code: 'STALE_PLAN',
        baseRevision: plan.baseRevision,
        revision: before.revision,
        changes: [{ cause: 'member-joined' }, { cause: 'member-removed', reason: 'mistake' }],
      },
    ]);
    expect(await groupOf('stale')).toEqual({ ...before, members: expect.anything() });
    expect((await one!.call('GET', `${groups}/stale/plans/${plan.id}`)).status).toBe('open');
  });

  it('refuses a plan whose topics have changed although the group has not', async () => {
    await one!.call('PUT', '/v1/clusters/default/topics/racked', { partitions: 2 });
    await join('catalog', 'a', { subscription: { topics: ['racked'] } });
    await settle('catalog');
    const plan = await planned('catalog', [{ assignor: 'sticky' }]);
    await one!.call('PUT', '/v1/clusters/default/topics/racked', { partitions: 3 });
    expect([(await apply(plan)).json.code]).toEqual(['STALE_PLAN']);
  });

  it('S-04 of two plans for one revision applies one, and tells the other who won', async () => {
    await twoMembers('race');
    const plans = [
      await planned('race', [{ assignor: 'sticky' }]),
      await planned('race', [{ assignor: 'uniform' }], two),
    ];
    const answers = await Promise.all([apply(plans[0], {}, one), apply(plans[1], {}, two)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const winner = answers.find(({ status }) => status === 200)!.json;
    const loser = answers.find(({ status }) => status === 412)!.json;
    expect(loser.changes).toMatchObject([{ cause: 'plan-applied', planId: winner.id }]);
    expect(targetsOf(await groupOf('race'))).toEqual(winner.result.target);
  });

  it('S-04 applied by many at once changes the group once; a retry gets the outcome and says that it is a replay', async () => {
    await twoMembers('retry');
    const plan = await planned('retry', [{ assignor: 'sticky' }]);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => apply(plan, {}, i % 2 ? one : two)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const replayed = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
    expect(replayed).toHaveLength(7);
    for (const { json } of answers) expect(json.applied.revision).toBe(plan.baseRevision + 1);
    await settle('retry');
    const headers = { 'idempotency-key': 'apply-it' };
    for (let i = 0; i < 2; i++) {
      const again = await apply(plan, headers);
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      expect(again.json.applied.revision).toBe(plan.baseRevision + 1);
    }
  });

  it('needs If-Match with the revision that the plan rests on', async () => {
    await twoMembers('match');
    const plan = await planned('match', [{ assignor: 'sticky' }]);
    const path = `${groups}/match/plans/${plan.id}/apply`;
    expect((await one!.send('POST', path)).json.code).toBe('PRECONDITION_REQUIRED');
    expect((await apply(plan, { 'if-match': `"${plan.baseRevision + 1}"` })).json.code).toBe('STALE_REVISION');
    expect((await apply(plan, { 'if-match': 'x' })).json.code).toBe('INVALID_REQUEST');
    const etag = (await one!.send('GET', `${groups}/match/plans/${plan.id}`)).headers.get('etag')!;
    expect(etag).toBe(`"${plan.baseRevision}-open"`);
    const unchanged = await one!.send('GET', `${groups}/match/plans/${plan.id}`, undefined, { 'if-none-match': etag });
    expect(unchanged.status).toBe(304);
    expect((await apply(plan, { 'if-match': etag })).status).toBe(200);
  });

  it('does every check in a dry run and changes nothing', async () => {
    await twoMembers('dry');
    const plan = await planned('dry', [{ assignor: 'sticky' }]);
    const before = await groupOf('dry');
    const answer = await apply(plan, {}, one, '?dryRun=true');
    expect([answer.status, answer.json.status, answer.headers.get('allot-dry-run')]).toEqual([200, 'applied', 'true']);
    expect((await groupOf('dry')).revision).toBe(before.revision);
    for (const verb of ['approve', 'discard']) {
      const dry = await one!.send('POST', `${groups}/dry/plans/${plan.id}/${verb}?dryRun=true`);
      expect(dry.status).toBe(200);
    }
    expect((await one!.call('GET', `${groups}/dry/plans/${plan.id}`)).status).toBe('open');
    await join('dry', 'c');
    expect((await apply(plan, {}, one, '?dryRun=true')).status).toBe(412);
  });

  it('rewrites the picture of an imported group: paste, plan, review, apply', async () => {
    const text = [
      'GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID',
      ...[0, 1, 2, 3].map((p) => `pasted orders ${p} 1 1 0 c${p < 3 ? 1 : 2}-7a1b /10.0.0.1 c${p < 3 ? 1 : 2}`),
    ].join('\n');
    await one!.call('POST', '/v1/clusters/default/imports', { text }, 200);
    const plan = await planned('pasted', [
      { assignor: 'cooperative-sticky' },
      { addMembers: [{ id: 'c3', rack: 'z' }] },
      { removeMembers: ['c2-7a1b'] },
    ]);
    expect(plan).toMatchObject({ applicable: true });
    expect((await apply(plan)).status).toBe(200);
    const group = await groupOf('pasted');
    expect(group).toMatchObject({ source: 'imported', state: 'STABLE', spec: { assignors: ['cooperative-sticky'] } });
    expect(targetsOf(group)).toEqual(plan.result.target);
    for (const { current, target } of group.members) expect(current).toEqual(target);
    expect(group.members.map(({ memberId }: Json) => memberId)).toEqual(['c1-7a1b', 'c3']);
    expect(group.members[1]).toMatchObject({ rackId: 'z', subscription: { topics: ['orders'] } });
    const next = await planned('pasted', [{ addMembers: 1 }]);
    expect(next.result.current).toEqual(plan.result.target);
  });
});

describe('approving and discarding', () => {
  it('is asked for by the group, and the author cannot do it', async () => {
    await twoMembers('approval');
    await one!.call('PUT', `${groups}/approval`, { planApproval: { required: true } });
    expect((await groupOf('approval')).spec.planApproval).toEqual({ required: true });
    const plan = await planned('approval', [{ assignor: 'sticky' }]);
    expect([(await apply(plan)).status, (await apply(plan)).json.code]).toEqual([409, 'PLAN_NOT_APPROVED']);
    const approve = await one!.send('POST', `${groups}/approval/plans/${plan.id}/approve`);
    expect([approve.status, approve.json.code]).toEqual([403, 'PLAN_APPROVER_IS_AUTHOR']);
  });

  it('S-04 keeps author, approver and whoever applies it apart, and tells a second who was first', async () => {
    await twoMembers('people');
    await one!.call('PUT', `${groups}/people`, { planApproval: { required: true } });
    const ref = { cluster: 'default', groupId: 'people' };
    const planner = one!.app.get(GroupPlanner);
    const [lifecycle, elsewhere] = [one!.app.get(PlanLifecycle), two!.app.get(PlanLifecycle)];
    const { id } = await planner.make(ref, { changes: [{ assignor: 'sticky' }] }, { actor: 'ann' });
    await expect(lifecycle.approve(ref, id, { actor: 'ann' }, {})).rejects.toMatchObject({
      code: 'PLAN_APPROVER_IS_AUTHOR',
    });
    await expect(lifecycle.apply(ref, id, { actor: 'ann' }, {})).rejects.toMatchObject({ code: 'PLAN_NOT_APPROVED' });
    await elsewhere.approve(ref, id, { actor: 'bob' }, {});
    const both = await Promise.allSettled([
      lifecycle.apply(ref, id, { actor: 'ann' }, {}),
      elsewhere.apply(ref, id, { actor: 'carol' }, {}),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [won] = both.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const [lost] = both.flatMap((result) => (result.status === 'rejected' ? [result.reason as Json] : []));
    const { actor } = won!.plan.applied!;
    expect(lost).toMatchObject({ code: 'PLAN_CLOSED', facts: { planStatus: 'applied', by: actor } });
    const again = await elsewhere.apply(ref, id, { actor }, {});
    expect([again.replayed, again.plan.applied]).toEqual([true, won!.plan.applied]);
    expect(again.plan.approved).toMatchObject({ actor: 'bob' });
  });

  it('plans a classic group, and says why nothing of it can be applied', async () => {
    await one!.call('PUT', `${groups}/classic-one`, { type: 'classic' });
    const plan = await planned('classic-one', []);
    expect(plan).toMatchObject({ applicable: false, blockers: [{ code: 'classic-group', pointer: '' }] });
    expect((await apply(plan)).json).toMatchObject({ status: 422, code: 'PLAN_NOT_APPLICABLE' });
  });

  it('is recorded, and repeated without harm', async () => {
    await twoMembers('approved');
    const plan = await planned('approved', [{ assignor: 'sticky' }]);
    const path = `${groups}/approved/plans/${plan.id}`;
    const etag = { 'if-match': `"${plan.baseRevision}-open"` };
    const approved = await one!.call('POST', `${path}/approve?reason=fine`, undefined, 200, etag);
    expect(approved).toMatchObject({ status: 'approved', approved: { actor: 'anonymous', reason: 'fine' } });
    expect(await two!.call('POST', `${path}/approve`)).toEqual(approved);
    expect((await apply(plan)).json).toMatchObject({ status: 'applied', approved: { reason: 'fine' } });
    expect((await one!.send('POST', `${path}/discard`)).json).toMatchObject({
      code: 'PLAN_CLOSED',
      planStatus: 'applied',
      appliedRevision: plan.baseRevision + 1,
    });
  });

  it('refuses to approve what could not be applied', async () => {
    await twoMembers('late');
    const plan = await planned('late', [{ assignor: 'sticky' }]);
    await join('late', 'c');
    const answer = await one!.send('POST', `${groups}/late/plans/${plan.id}/approve`);
    expect([answer.status, answer.json]).toMatchObject([
      412,
      { code: 'STALE_PLAN', changes: [{ cause: 'member-joined' }] },
    ]);
  });

  it('closes a plan for good, and lists plans by status', async () => {
    await twoMembers('discarded');
    const [kept, gone] = [await planned('discarded', []), await planned('discarded', [{ assignor: 'sticky' }])];
    const path = `${groups}/discarded/plans`;
    const discarded = await one!.call('POST', `${path}/${gone.id}/discard?reason=no`, undefined, 200);
    expect(discarded).toMatchObject({ status: 'discarded', discarded: { reason: 'no' } });
    expect(await one!.call('POST', `${path}/${gone.id}/discard`)).toEqual(discarded);
    expect([(await apply(gone)).status, (await apply(gone)).json.code]).toEqual([409, 'PLAN_CLOSED']);
    const ids = async (status: string) =>
      (await one!.call('GET', `${path}?status=${status}`)).items.map(({ id }: Json) => id);
    expect([await ids('open'), await ids('discarded'), await ids('applied')]).toEqual([[kept.id], [gone.id], []]);
    expect((await one!.send('GET', `${path}?status=lost`)).status).toBe(400);
  });

  it('knows a plan whose time is over', async () => {
    await twoMembers('expired');
    const plan = await one!.call('POST', `${groups}/expired/plans`, { validForMs: 1_000 }, 201);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect((await apply(plan)).json.code).toBe('PLAN_EXPIRED');
    const { items } = await one!.call('GET', `${groups}/expired/plans?status=expired`);
    expect(items).toMatchObject([{ id: plan.id, status: 'expired' }]);
  });
});
