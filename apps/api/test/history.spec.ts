import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Retention } from '@allot/persistence';
import { startReplicas, type Json, type Replica } from './support/service.js';

let [one, two]: Replica[] = [];
let stop: () => Promise<void>;
const cluster = '/v1/clusters/default';
const groups = `${cluster}/groups`;

beforeAll(async () => {
  const started = await startReplicas(2);
  [one, two] = started.replicas;
  stop = started.stop;
  await one!.call('PUT', `${cluster}/topics/orders`, { partitions: 4 });
});
afterAll(() => stop());

const join = (groupId: string, memberId: string, more = {}): Promise<Json> =>
  one!.call('POST', `${groups}/${groupId}/members`, { memberId, subscription: { topics: ['orders'] }, ...more }, 201);
const leave = (groupId: string, memberId: string): Promise<Json> =>
  one!.call('DELETE', `${groups}/${groupId}/members/${memberId}`, undefined, 204);
const groupOf = (groupId: string): Promise<Json> => one!.call('GET', `${groups}/${groupId}`);

/** What a group is now, in the form in which a revision is told. */
async function present(groupId: string): Promise<Json> {
  const { revision, groupEpoch, assignmentEpoch, state, members } = await groupOf(groupId);
  const told = members.map(({ memberId, instanceId, memberEpoch, state: mine, current, revoking, target }: Json) => ({
    ...{ memberId, memberEpoch, state: mine, current, revoking, target },
    ...(instanceId !== undefined && { instanceId }),
  }));
  return { groupId, revision, groupEpoch, assignmentEpoch, state, members: told };
}

/** Heartbeats of everybody until nothing changes; calls `at` whenever something may have changed. */
async function settle(groupId: string, at: () => Promise<void> = async () => {}): Promise<void> {
  for (let before = -1, now = (await groupOf(groupId)).revision; now !== before;) {
    before = now;
    for (const { memberId, memberEpoch, current } of (await groupOf(groupId)).members) {
      await one!.call('POST', `${groups}/${groupId}/members/${memberId}/heartbeat`, { memberEpoch, owned: current });
      await at();
    }
    now = (await groupOf(groupId)).revision;
  }
}

describe('revisions of a group', () => {
  it('tells every revision as it was when it was the present', async () => {
    const seen: Json[] = [];
    const look = async () => void seen.push(await present('past'));
    for (const [memberId, instanceId] of [['a', 'i-a'], ['b'], ['c']] as const) {
      await join('past', memberId, instanceId && { instanceId });
      await look();
      await settle('past', look);
    }
    await leave('past', 'b');
    await look();
    await settle('past', look);
    const byRevision = new Map(seen.map((told) => [told.revision, told]));
    expect(byRevision.size).toBeGreaterThan(8);
    for (const [revision, told] of byRevision) {
      expect(await one!.call('GET', `${groups}/past/revisions/${revision}`)).toMatchObject(told);
    }
    const { items } = await two!.call('GET', `${groups}/past/revisions?pageSize=1000`);
    expect(items.map(({ revision }: Json) => revision)).toEqual(
      Array.from({ length: items.length }, (_, i) => items.length - i),
    );
    const targets = await two!.call('GET', `${groups}/past/revisions?targetsOnly=true`);
    expect(targets.items.map(({ cause }: Json) => cause)).toEqual([
      'member-left',
      'member-joined',
      'member-joined',
      'member-joined',
    ]);
    expect(targets.items[1]).toMatchObject({ added: ['c'], removed: [], begins: true, movedPartitions: 1 });
  });

  it('compares two of them by partition and by member, with what happened in between', async () => {
    await join('compared', 'a');
    const { revision: from } = await groupOf('compared');
    await join('compared', 'b');
    await settle('compared');
    const { revision: to } = await groupOf('compared');
    const forward = await one!.call('GET', `${groups}/compared/revisions/${from}/diff/${to}`);
    const moved = [2, 3].map((partition) => ({ topic: 'orders', partition, from: 'a', to: 'b' }));
    const members = [
      { memberId: 'a', gained: {}, lost: { orders: [2, 3] } },
      { memberId: 'b', gained: { orders: [2, 3] }, lost: {} },
    ];
    expect(forward).toMatchObject({ from, to, target: { partitions: moved, members }, current: { partitions: moved } });
    expect(forward.changes.map(({ revision }: Json) => revision)).toEqual(
      Array.from({ length: to - from }, (_, i) => from + 1 + i),
    );
    expect(forward.changes[0]).toMatchObject({ cause: 'member-joined', added: ['b'] });
    expect(forward.changes.at(-1)).toMatchObject({ ended: { revision: from + 1, late: ['b'] } });
    const backward = await one!.call('GET', `${groups}/compared/revisions/${to}/diff/${from}`);
    expect(backward.target.partitions[0]).toEqual({ topic: 'orders', partition: 2, from: 'b', to: 'a' });
    const same = await one!.call('GET', `${groups}/compared/revisions/${to}/diff/${to}`);
    expect(same).toMatchObject({ changes: [], target: { partitions: [], members: [] } });
  });

  it('knows which revisions it has, which are to come and which are gone', async () => {
    await join('kept', 'a');
    for (let i = 0; i < 30; i++) {
      await join('kept', 'b');
      await leave('kept', 'b');
    }
    const { revision } = await groupOf('kept');
    const told = await present('kept');
    expect((await one!.send('GET', `${groups}/kept/revisions/${revision + 1}`)).json).toMatchObject({
      status: 404,
      code: 'REVISION_NOT_FOUND',
      newest: revision,
    });
    const retention = new Retention(one!.postgres.database);
    const policy = { leastPerGroup: 1, mostPerGroup: 20, maxAgeMs: 86_400_000 };
    await retention.takeSnapshots(policy, 1_000);
    for (const at of [1, 2, 17, revision]) await one!.call('GET', `${groups}/kept/revisions/${at}`);
    await retention.pruneChanges(policy, 1_000);
    const gone = await one!.send('GET', `${groups}/kept/revisions/3`);
    expect(gone.json).toMatchObject({ status: 410, code: 'REVISION_COMPACTED' });
    const { oldest } = gone.json;
    expect(oldest).toBeGreaterThan(revision - 20 - 3);
    expect(oldest).toBeLessThanOrEqual(revision - 20);
    for (let at = oldest; at <= revision; at++) {
      const { members, cause } = await one!.call('GET', `${groups}/kept/revisions/${at}`);
      expect([at, members.length]).toEqual([at, cause === 'member-joined' ? 2 : 1]);
    }
    expect(await one!.call('GET', `${groups}/kept/revisions/${revision}`)).toMatchObject(told);
    expect((await one!.send('GET', `${groups}/kept/changes?after=3`)).json).toMatchObject({ status: 410, oldest });
    expect((await one!.call('GET', `${groups}/kept/changes`)).items[0].revision).toBe(oldest);
    expect((await one!.send('GET', `${groups}/nobody/revisions/1`)).json.code).toBe('GROUP_ID_NOT_FOUND');
  });
});

describe('going back to a revision', () => {
  it('plans its target for who and what is still there, and applies it like any other plan', async () => {
    await one!.call('PUT', `${groups}/back`, { assignor: 'sticky' });
    await join('back', 'a');
    await join('back', 's1', { instanceId: 'static' });
    await join('back', 'c');
    await settle('back');
    const wanted = (await present('back')).members;
    const { revision } = await groupOf('back');
    await one!.call('PUT', `${groups}/back`, { assignor: 'range' });
    await leave('back', 'c');
    await one!.call('DELETE', `${groups}/back/members/s1?temporarily=true`, undefined, 204);
    await join('back', 's2', { instanceId: 'static' });
    await join('back', 'd');
    await settle('back');
    const plan = await one!.call('POST', `${groups}/back/plans`, { rollbackTo: revision }, 201);
    const target = (id: string) => wanted.find(({ memberId }: Json) => memberId === id).target;
    for (const [now, then] of [
      ['a', 'a'],
      ['s2', 's1'],
    ] as const) {
      expect(plan.result.target[now].orders).toEqual(expect.arrayContaining(target(then).orders));
    }
    expect(plan.result.warnings.map(({ code }: Json) => code)).toEqual(
      expect.arrayContaining(['rollback-members-gone', 'rollback-filled-up']),
    );
    const path = `${groups}/back/plans/${plan.id}`;
    expect(await one!.call('GET', `${path}/explain?member=a`)).toMatchObject({ member: 'a' });
    const applied = await two!.call('POST', `${path}/apply`, undefined, 200, { 'if-match': `"${plan.baseRevision}"` });
    expect(applied.status).toBe('applied');
    await settle('back');
    for (const { memberId, current } of (await present('back')).members) {
      expect([memberId, current]).toEqual([memberId, plan.result.target[memberId]]);
    }
  });

  it.each([
    [{ rollbackTo: 1, changes: [] }, 400, 'INVALID_REQUEST'],
    [{ rollbackTo: 0 }, 400, 'INVALID_REQUEST'],
    [{ rollbackTo: 99_999 }, 404, 'REVISION_NOT_FOUND'],
  ])('refuses %j', async (body, status, code) => {
    await one!.call('PUT', `${groups}/refused`, {});
    const answer = await one!.send('POST', `${groups}/refused/plans`, body);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
});

describe('the feed of changes', () => {
  it('gives every change of every group once, in one order, to readers of any replica', async () => {
    const start = (await one!.call('GET', `${cluster}/changes?after=newest`)).cursor;
    const names = Array.from({ length: 6 }, (_, i) => `fed-${i}`);
    await Promise.all(
      names.map(async (groupId, i) => {
        const replica = i % 2 ? one! : two!;
        const body = (memberId: string) => ({ memberId, subscription: { topics: ['orders'] } });
        for (const memberId of ['a', 'b', 'c'])
          await replica.call('POST', `${groups}/${groupId}/members`, body(memberId));
      }),
    );
    const seen: string[] = [];
    let cursor = start;
    for (let quiet = 0; quiet < 2;) {
      const page = await two!.call('GET', `${cluster}/changes?after=${cursor}&pageSize=4`);
      seen.push(...page.items.map(({ groupId, revision }: Json) => `${groupId}:${revision}`));
      cursor = page.cursor;
      quiet = page.items.length === 0 ? quiet + 1 : 0;
    }
    expect([...seen].sort()).toEqual(names.flatMap((groupId) => [1, 2, 3].map((n) => `${groupId}:${n}`)).sort());
    for (const groupId of names) {
      expect(seen.filter((entry) => entry.startsWith(`${groupId}:`))).toEqual([1, 2, 3].map((n) => `${groupId}:${n}`));
    }
  });

  it('waits for what is not there yet, of a group and of the cluster', async () => {
    await join('waited', 'a');
    const { cursor } = await one!.call('GET', `${groups}/waited/changes?after=newest`);
    expect(cursor).toBe('1');
    const all = (await two!.call('GET', `${cluster}/changes?after=newest`)).cursor;
    const begun = performance.now();
    const group = two!.call('GET', `${groups}/waited/changes?after=${cursor}&wait=20s`);
    const whole = two!.call('GET', `${cluster}/changes?after=${all}&wait=20s`);
    await sleep(100);
    await join('waited', 'b');
    expect((await group).items).toMatchObject([{ revision: 2, cause: 'member-joined', added: ['b'], cursor: '2' }]);
    expect((await whole).items).toMatchObject([{ groupId: 'waited', revision: 2, membersChanged: 2 }]);
    expect(performance.now() - begun).toBeLessThan(5_000);
    const none = await two!.call('GET', `${groups}/waited/changes?after=2&wait=50ms`);
    expect(none).toEqual({ items: [], cursor: '2' });
  });

  it.each(['groups/lines/changes', 'changes'])('comes one a line at %s, and goes on', async (path) => {
    await join('lines', 'a');
    const after = (await one!.call('GET', `${cluster}/${path}?after=newest`)).cursor;
    const abort = new AbortController();
    const headers = { accept: 'application/x-ndjson' };
    const response = await fetch(`${two!.url}${cluster}/${path}?after=${after}`, { headers, signal: abort.signal });
    expect(response.headers.get('content-type')).toContain('application/x-ndjson');
    await leave('lines', 'a');
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk, { stream: true });
      if (/\n\{.*\n/.test(text)) break;
    }
    abort.abort();
    const [line] = text.split('\n').filter((part) => part !== '');
    const change = JSON.parse(line!) as Json;
    expect(change).toMatchObject({ groupId: 'lines', cause: 'member-left', removed: ['a'] });
    const next = await one!.call('GET', `${cluster}/${path}?after=${change.cursor}`);
    expect(next.items).toEqual([]);
  });

  it.each([
    ['changes?after=x', 'INVALID_REQUEST'],
    ['groups/lines/changes?after=1.2.3', 'INVALID_REQUEST'],
    ['changes?wait=1h', 'INVALID_REQUEST'],
    ['groups/nobody/changes', 'GROUP_ID_NOT_FOUND'],
  ])('refuses %s', async (path, code) => {
    expect((await one!.send('GET', `${cluster}/${path}`)).json.code).toBe(code);
  });
});
