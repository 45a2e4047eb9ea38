import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Replica } from './support/service.js';

let replica: Replica;
let stop: () => Promise<void>;
const group = '/v1/clusters/default/groups/g';
const folder = mkdtempSync(join(tmpdir(), 'allot-questions-'));

/** All partitions to the first member. */
const OWN = `export default { name: 'all-to-first', summary: 'For a test.', sticky: false, assign({ topics, members }) {
  const all = Object.fromEntries(topics.map(({ name, partitions }) => [name, Array.from({ length: partitions }, (_, p) => p)]));
  return Object.fromEntries(members.map(({ id }, i) => [id, i === 0 ? all : {}]));
} };`;

beforeAll(async () => {
  const module = join(folder, 'own.mjs');
  writeFileSync(module, OWN);
  const started = await startReplicas(1, { env: { ALLOT_ASSIGNORS: module, ALLOT_ASSIGNOR_TIMEOUT_MS: '5000' } });
  replica = started.replicas[0]!;
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
  for (const memberId of ['a', 'b']) {
    await replica.call('POST', `${group}/members`, { memberId, subscription: { topics: ['orders'] } });
  }
});
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

const three = {
  topics: [{ name: 'orders-eu', partitions: 10 }],
  members: ['c1', 'c2', 'c3'].map((id) => ({ id, topics: ['orders-eu'] })),
};
const large = {
  topics: [{ name: 't', partitions: 50_000 }],
  members: Array.from({ length: 500 }, (_, i) => ({ id: `m${i}`, topics: ['t'] })),
};

describe('assignors side by side', () => {
  it('answers a row for each, those of the operator included', async () => {
    const body = { ...three, assignor: 'range', assignors: ['range', 'sticky', 'all-to-first'] };
    const { rows } = await replica.call('POST', '/v1/plans/compare', body, 200);
    expect(rows).toMatchObject([
      { assignor: 'range', most: 4, least: 3, movesNow: 0, protocol: 'eager', rackLocality: { known: 0, local: 0 } },
      { assignor: 'sticky', most: 4, least: 3, idle: 0, rollingRestart: { batchSize: 1, rebalances: 6 } },
      { assignor: 'all-to-first', most: 10, least: 0, idle: 2, skew: { overall: 10, perTopic: { 'orders-eu': 10 } } },
    ]);
  });

  it('lets an assignor refuse, and the others answer', async () => {
    const body = { ...three, kafkaVersion: '3.5', assignors: ['range', 'uniform'] };
    const { rows } = await replica.call('POST', '/v1/plans/compare', body, 200);
    expect(rows[0]).toMatchObject({ assignor: 'range', most: 4 });
    expect(rows[1]).toEqual({ assignor: 'uniform', refused: expect.stringContaining('3.5') });
  });
});

describe('numbers of members', () => {
  it('lists those that help', async () => {
    const answer = await replica.call('POST', '/v1/plans/right-size', { ...three, assignor: 'sticky' }, 200);
    expect(answer).toMatchObject({ evaluatedUpTo: 10, exhaustive: true, now: { members: 3, busiest: 4, enough: 3 } });
    expect(answer.sizes.map(({ members, busiest }: Record<string, number>) => [members, busiest])).toEqual([
      [1, 10],
      [2, 5],
      [3, 4],
      [4, 3],
      [5, 2],
      [10, 1],
    ]);
    const own = await replica.call('POST', '/v1/plans/right-size', { ...three, assignor: 'all-to-first' }, 200);
    expect(own.sizes).toEqual([{ members: 1, busiest: 10, idle: 0 }]);
  });

  it('leaves out what an empty group has now', async () => {
    const answer = await replica.call('POST', '/v1/plans/right-size', { ...three, members: [], upTo: 2 }, 200);
    expect(answer).toEqual({
      assignor: 'range',
      sizes: [
        { members: 1, busiest: 10, idle: 0 },
        { members: 2, busiest: 5, idle: 0 },
      ],
      evaluatedUpTo: 2,
      exhaustive: false,
    });
  });
});

describe('sequences of events', () => {
  const deploy = { ...three, assignor: 'sticky', steps: [{ rollingRestart: {} }, { crash: ['c2'] }] };

  it('answers what each step and the whole cost', async () => {
    const answer = await replica.call('POST', '/v1/simulations', { ...deploy, timing: { restartMs: 5_000 } }, 200);
    expect(answer).toMatchObject({ assignor: 'sticky', protocol: 'eager', timing: { restartMs: 5_000 } });
    expect(answer.steps.map(({ step, rebalances }: Record<string, unknown>) => [step, rebalances])).toEqual([
      [{ rollingRestart: {} }, 6],
      [{ crash: ['c2'] }, 1],
    ]);
    expect(answer.steps[1].events).toMatchObject([{ kind: 'crash', about: ['c2'], members: 2, peakLoad: 5 }]);
    expect(answer.total.rebalances).toBe(7);
    expect(Object.keys(answer.assignment).sort()).toEqual(['c1', 'c3']);
  });

  it('recommends settings with what they save here', async () => {
    const { baseline, recommendations } = await replica.call('POST', '/v1/simulations/recommend', deploy, 200);
    expect(baseline.rebalances).toBe(7);
    const [first] = recommendations;
    expect(first.saved.partitionSecondsPaused).toBe(
      baseline.partitionSecondsPaused - first.total.partitionSecondsPaused,
    );
    expect(recommendations.map(({ setting }: { setting: string }) => setting)).toContain('static-membership');
  });
});

describe('explanations', () => {
  const grown = { ...three, assignor: 'sticky', changes: [{ addMembers: 1 }] };
  const why = '/v1/plans/explain';

  it('say why a partition is where it is', async () => {
    const answer = await replica.call('POST', `${why}?partition=orders-eu-9`, grown, 200);
    expect(answer).toMatchObject({ topic: 'orders-eu', partition: 9, from: 'c1', assignor: 'sticky' });
    const { diff } = await replica.call('POST', '/v1/plans', grown, 200);
    for (const { topic, partition, from, to } of diff) {
      const moved = await replica.call('POST', `${why}?partition=${topic}-${partition}`, grown, 200);
      expect(moved).toMatchObject({ from, to, forced: false, text: expect.stringContaining(`from ${from} to ${to}`) });
    }
  });

  it('say what a plan means for a member', async () => {
    const answer = await replica.call('POST', `${why}?member=c4`, grown, 200);
    expect(answer).toMatchObject({
      member: 'c4',
      before: null,
      idle: null,
      text: expect.stringMatching(/^c4 joins and gets 2 partitions: /),
    });
    expect(answer.after).toEqual(answer.gained);
    const own = await replica.call('POST', `${why}?member=c2`, { ...three, assignor: 'all-to-first' }, 200);
    expect(own).toMatchObject({ after: {}, lost: {}, idle: 'assignor-rule' });
  });

  it('are given for stored plans, until the group changes', async () => {
    const changes = [
      { rack: 'r1', addMembers: ['c'], topics: ['orders'] },
      { topic: 'orders', partitions: 6 },
    ];
    const { id, result } = await replica.call('POST', `${group}/plans`, { changes }, 201);
    const path = `${group}/plans/${id}/explain`;
    for (const [member, target] of Object.entries(result.target)) {
      const { after } = await replica.call('GET', `${path}?member=${member}`, undefined, 200);
      expect([member, after]).toEqual([member, target]);
    }
    const gained = await replica.call('GET', `${path}?partition=orders-5`, undefined, 200);
    expect(gained).toMatchObject({ from: null, to: 'c', cause: 'first-owner' });
    await replica.call('POST', `${group}/members`, { memberId: 'd', subscription: { topics: ['orders'] } });
    const stale = await replica.send('GET', `${path}?partition=orders-5`);
    expect([stale.status, stale.json.code, stale.json.action]).toEqual([412, 'STALE_PLAN', 'refresh']);
  });

  it.each([
    ['', 400, 'INVALID_REQUEST'],
    ['?partition=orders-eu-1&member=c1', 400, 'INVALID_REQUEST'],
    ['?partition=orders', 400, 'INVALID_REQUEST'],
    ['?partition=orders-eu--1', 404, 'UNKNOWN_TOPIC_OR_PARTITION'],
    ['?partition=orders-eu-10', 404, 'UNKNOWN_TOPIC_OR_PARTITION'],
    [`?partition=${'x'.repeat(260)}-1`, 422, 'LIMIT_EXCEEDED'],
    ['?member=nobody', 404, 'UNKNOWN_MEMBER_ID'],
    ['?partitions=orders-eu-1', 400, 'INVALID_REQUEST'],
  ])('of %s are refused: %d %s', async (query, status, code) => {
    const answer = await replica.send('POST', why + query, grown);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });
});

describe('bad questions', () => {
  it.each([
    ['/v1/plans/compare', three, 400, '/assignors'],
    ['/v1/plans/compare', { ...three, assignors: ['range', 'magic'] }, 422, '/assignors/1'],
    ['/v1/plans/compare', { ...three, assignors: Array.from({ length: 51 }, () => 'range') }, 400, '/assignors'],
    ['/v1/plans/right-size', { ...three, upTo: 0 }, 400, '/upTo'],
    ['/v1/simulations', three, 400, '/steps'],
    ['/v1/simulations', { ...three, steps: [{ crash: 4 }] }, 400, '/steps/0/crash'],
    ['/v1/simulations', { ...three, steps: [], timing: { restartMs: -1 } }, 400, '/timing/restartMs'],
    ['/v1/simulations/recommend', { ...three, steps: [], changes: [] }, 400, '/changes'],
    ['/v1/simulations', { ...three, assignor: 'magic', steps: [] }, 422, '/assignor'],
  ])('%s, case %#, is refused', async (path, body, status, pointer) => {
    const answer = await replica.send('POST', path, body);
    expect([answer.status, answer.json.errors?.[0]?.pointer]).toEqual([status, pointer]);
  });

  it.each([
    ['/v1/plans/compare', { ...large, assignors: ['range', 'sticky', 'uniform'] }, '/assignors'],
    ['/v1/plans/right-size', { ...large, upTo: 400 }, '/upTo'],
    ['/v1/simulations', { ...large, steps: [{ rollingRestart: {} }] }, '/steps/0/rollingRestart'],
    ['/v1/simulations/recommend', { ...large, steps: [{ rollingRestart: {} }] }, '/steps/0/rollingRestart'],
  ])('%s is refused where it would take too long, and says which limit', async (path, body, pointer) => {
    const answer = await replica.send('POST', path, body);
    expect([answer.status, answer.json.code, answer.json.errors[0].pointer]).toEqual([422, 'LIMIT_EXCEEDED', pointer]);
    expect(answer.json.detail).toMatch(/at most 1000000/);
  });
});
