import { describe, expect, it } from '@jest/globals';
import { changesFromJson } from '../src/changes-from-json.js';
import { comparisonFromJson, planFromJson, rightSizeFromJson } from '../src/plan-from-json.js';
import { simulationFromJson } from '../src/simulation-from-json.js';
import { simulationToJson } from '../src/simulation-to-json.js';
import { simulate } from '../src/simulate.js';
import { planToJson } from '../src/plan-to-json.js';
import { plan } from '../src/plan.js';
import { faults } from './support/faults.js';

describe('reading a plan', () => {
  it('C-21 (iii) refuses what is cut short, and names the member', () => {
    const topics = [{ name: 't', partitions: 2 }];
    const members = [{ id: 'a', topics: ['t'] }, { id: 'b' }, { id: 'c', topics: [''] }, {}];
    expect(faults(() => planFromJson({ topics, members }))).toEqual([
      '/members/1/topics',
      '/members/2/topics/0',
      '/members/3/id',
      '/members/3/topics',
    ]);
  });

  it('reads every field', () => {
    const body = {
      assignor: ['sticky', 'range'],
      kafkaVersion: '4.0',
      protocol: 'consumer',
      topics: [{ name: 'orders', id: 'abc', partitions: 2, racks: [['a', 'b'], []], weights: [1, 2] }],
      members: [
        {
          id: 'c1',
          topics: ['orders'],
          instanceId: 'i1',
          rack: 'a',
          owned: { orders: [1, 0, 1] },
          generation: 3,
          weight: 2,
          streams: { orders: 2 },
        },
        { id: 'c2', topics: [], streams: 3 },
      ],
      changes: [
        { addMembers: 2 },
        { removeMembers: ['c1'] },
        { topic: 'orders', partitions: 12 },
        { assignor: 'cooperative-sticky' },
        { addMembers: ['x', { id: 'y', rack: 'b' }], topics: ['orders'], rack: 'a' },
        { member: 'c2', rack: null },
        { addTopic: { name: 'new', partitions: 1 } },
        { removeTopic: 'new' },
      ],
      pins: [{ topic: 'orders', partition: 1, member: 'c1' }],
      weightedSticky: { balance: 'load', moveBudget: 3, coolingDown: [{ topic: 'orders', partition: 0 }] },
      partitionOrder: [
        { topic: 'orders', partition: 1 },
        { topic: 'orders', partition: 0 },
      ],
    };
    const [first, second] = body.members;
    const owned = new Map([['orders', [0, 1]]]);
    const streams = new Map([['orders', 2]]);
    expect(planFromJson(body)).toEqual({ ...body, members: [{ ...first, owned, streams }, second] });
  });

  it('takes a line of the conformance vectors as it is, and range where no assignor is named', () => {
    expect(planFromJson({ id: 'x-1', topics: [], members: [], assignment: {} })).toEqual({
      assignor: 'range',
      topics: [],
      members: [],
    });
  });

  it('keeps __proto__ as a name', () => {
    const body: unknown = JSON.parse(
      '{"topics": [], "members": [{"id": "m", "topics": [], "owned": {"__proto__": [1]}}]}',
    );
    expect(planFromJson(body).members[0]!.owned).toEqual(new Map([['__proto__', [1]]]));
  });

  it('names every fault by its pointer', () => {
    const body = {
      assignor: 7,
      protocol: 'gossip',
      topics: [{ name: '', partitions: -1 }, 'orders', { name: 'a', partitions: 1, partition: 2, racks: 'a' }],
      members: [{ topics: 'orders', owned: { 'a/b': ['0'] }, generation: -2 }, null],
      changes: [
        {},
        { addMembers: 1, removeMembers: 1 },
        { topic: 't', partition: 3 },
        { member: 'm' },
        [],
        { assignor: null },
      ],
      extra: true,
    };
    expect(faults(() => planFromJson(body))).toEqual([
      '/extra',
      '/protocol',
      '/assignor',
      '/topics/0/name',
      '/topics/0/partitions',
      '/topics/1',
      '/topics/2/partition',
      '/topics/2/racks',
      '/members/0/id',
      '/members/0/topics',
      '/members/0/owned/a~1b/0',
      '/members/0/generation',
      '/members/1',
      '/changes/0',
      '/changes/1',
      '/changes/2/partition',
      '/changes/2/partitions',
      '/changes/3',
      '/changes/4',
      '/changes/5/assignor',
    ]);
  });

  it.each([undefined, null, 3, 'x', []])('refuses %p as a whole', (body) => {
    expect(faults(() => planFromJson(body))).toEqual(['']);
  });

  it('refuses what means nothing together, with pointers too', () => {
    const twice = {
      topics: [
        { name: 't', partitions: 1, racks: [] },
        { name: 't', partitions: 1 },
      ],
      members: [
        { id: 'a', topics: [], instanceId: 'i' },
        { id: 'a', topics: [], instanceId: 'i', weight: -1 },
      ],
    };
    expect(faults(() => plan(planFromJson(twice)))).toEqual([
      '/topics/1/name',
      '/members/1/id',
      '/members/1/instanceId',
      '/topics/0/racks',
      '/members/1/weight',
    ]);
  });

  it('bounds the list of faults', () => {
    expect(faults(() => changesFromJson(Array.from({ length: 900 }, () => ({}))))).toHaveLength(100);
    expect(faults(() => changesFromJson(Array.from({ length: 1001 }, () => ({}))))).toEqual(['/changes']);
  });
});

describe('reading what is like a plan', () => {
  const group = { topics: [{ name: 't', partitions: 2 }], members: [{ id: 'a', topics: ['t'] }] };

  it('a comparison and a right size', () => {
    const input = { assignor: 'range', ...group };
    expect(comparisonFromJson({ ...input, assignors: ['range', 'sticky'] })).toEqual({
      input,
      assignors: ['range', 'sticky'],
    });
    expect(faults(() => comparisonFromJson(input))).toEqual(['/assignors']);
    expect(rightSizeFromJson({ ...input, upTo: 5, changes: [] })).toEqual({
      input: { ...input, changes: [] },
      upTo: 5,
    });
    expect(rightSizeFromJson(input)).toEqual({ input, upTo: undefined });
    expect(faults(() => rightSizeFromJson({ ...input, upTo: 0 }))).toEqual(['/upTo']);
  });

  it('a simulation, and writes its result', () => {
    const steps = [
      { rollingRestart: {} },
      { rollingRestart: { batchSize: 2, members: ['a'] } },
      { addMembers: ['b'], rack: 'r' },
      { crash: ['a'] },
      { crash: 0 },
      { zoneLoss: 'r' },
    ];
    const body = { assignor: 'range', ...group, protocol: 'eager', timing: { restartMs: 10 }, steps };
    expect(simulationFromJson(body)).toEqual(body);
    const written: unknown = JSON.parse(
      JSON.stringify(simulationToJson(simulate(simulationFromJson({ ...body, steps: steps.slice(0, 4) })))),
    );
    expect(written).toMatchObject({ assignor: 'range', assignment: { b: { t: [0, 1] } }, total: { rebalances: 6 } });
  });

  it('names the faults of a simulation', () => {
    const body = {
      ...group,
      timing: { restart: 1, restartMs: 'x' },
      steps: [
        { rollingRestart: true },
        { rollingRestart: { batchSize: 0 } },
        { crash: -1 },
        { crash: 'a' },
        { zoneLoss: '' },
        {},
        7,
        { crash: 1, more: 1 },
      ],
    };
    expect(faults(() => simulationFromJson(body))).toEqual([
      '/timing/restart',
      '/timing/restartMs',
      '/steps/0/rollingRestart',
      '/steps/1/rollingRestart/batchSize',
      '/steps/2/crash',
      '/steps/3/crash',
      '/steps/4/zoneLoss',
      '/steps/5',
      '/steps/6',
      '/steps/7/more',
    ]);
    expect(faults(() => simulationFromJson({ ...group }))).toEqual(['/steps']);
    expect(faults(() => simulationFromJson('x'))).toEqual(['']);
  });
});

describe('writing a plan', () => {
  it('has the documented shape', () => {
    const body = {
      assignor: 'roundrobin',
      topics: [{ name: 'orders', partitions: 3 }],
      members: [{ id: 'c1', topics: ['orders'] }],
      changes: [{ addMembers: 1 }],
    };
    expect(JSON.parse(JSON.stringify(planToJson(plan(planFromJson(body)))))).toMatchObject({
      current: { c1: { orders: [0, 1, 2] } },
      target: { c1: { orders: [0, 2] }, c2: { orders: [1] } },
      diff: [{ topic: 'orders', partition: 1, from: 'c1', to: 'c2' }],
      stats: { moves: 1, skew: { overall: 1, perTopic: { orders: 1 } }, idle: [] },
      currentSource: 'computed',
      addedMembers: ['c2'],
    });
  });

  it('tells the difference by partition and by member', () => {
    const { diff, memberDiff } = planToJson(
      plan(
        planFromJson({
          assignor: 'sticky',
          topics: [{ name: 't', partitions: 2 }],
          members: [
            { id: 'a', topics: ['t'], owned: { t: [0, 1] }, generation: 1 },
            { id: '__proto__', topics: ['t'] },
          ],
        }),
      ),
    );
    const { partition } = diff[0]!;
    expect(diff).toEqual([{ topic: 't', partition, from: 'a', to: '__proto__' }]);
    expect(Object.entries(memberDiff).map(([id, change]) => [id, { ...change.gained }, { ...change.lost }])).toEqual([
      ['a', {}, { t: [partition] }],
      ['__proto__', { t: [partition] }, {}],
    ]);
  });

  it('writes __proto__ as an ordinary key', () => {
    const text = JSON.stringify(
      planToJson(
        plan({
          assignor: 'range',
          topics: [{ name: '__proto__', partitions: 1 }],
          members: [{ id: '__proto__', topics: ['__proto__'] }],
        }),
      ),
    );
    expect(text).toContain('"target":{"__proto__":{"__proto__":[0]}}');
    expect(text).toContain('"perTopic":{"__proto__":0}');
  });
});
