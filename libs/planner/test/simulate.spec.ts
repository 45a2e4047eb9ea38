import { describe, expect, it } from '@jest/globals';
import { AllotError, findViolations } from '@allot/model';
import type { MemberSpec } from '@allot/model';
import { listAssignors } from '@allot/strategies';
import fc from 'fast-check';
import { plan } from '../src/plan.js';
import type { SimulationInput, SimulationStep } from '../src/simulation-types.js';
import { simulate } from '../src/simulate.js';
import { loads, members, topics } from './support/groups.js';

const group = { topics: topics({ orders: 9 }), members: members(3, ['orders']) };
const statics = { ...group, members: group.members.map((m) => ({ ...m, instanceId: `i-${m.id}` })) };
const rolling: SimulationStep = { rollingRestart: {} };

describe('a rolling deploy of three members with nine partitions', () => {
  it('under the eager protocol stops everything six times', () => {
    const { steps, total } = simulate({ ...group, assignor: 'sticky', steps: [rolling] });
    expect(steps[0]!.events.map(({ kind, about, members: count }) => [kind, ...about, count])).toEqual([
      ['leave', 'c1', 2],
      ['join', 'c1', 3],
      ['leave', 'c2', 2],
      ['join', 'c2', 3],
      ['leave', 'c3', 2],
      ['join', 'c3', 3],
    ]);
    expect(total).toMatchObject({
      rebalances: 6,
      moves: 18,
      forcedMoves: 9,
      partitionSecondsPaused: 6 * 9 * 3,
      peakLoad: 5,
    });
  });

  it('under the cooperative protocol needs a second round at each return, but stops only what moves', () => {
    const { total, protocol } = simulate({ ...group, assignor: 'cooperative-sticky', steps: [rolling] });
    expect(protocol).toBe('cooperative');
    expect(total).toMatchObject({ rebalances: 9, moves: 18, partitionSecondsPaused: 18 * 3 });
  });

  it('under the consumer protocol hands over partition by partition', () => {
    const { total } = simulate({ ...group, assignor: 'sticky', protocol: 'consumer', steps: [rolling] });
    expect(total).toMatchObject({ rebalances: 6, moves: 18, partitionSecondsPaused: 18 * 5 });
  });

  it('with static members moves nothing: their partitions wait', () => {
    const { steps, total } = simulate({ ...statics, assignor: 'range', steps: [rolling] });
    expect(steps[0]!.events).toHaveLength(3);
    expect(total).toEqual({
      rebalances: 0,
      moves: 0,
      forcedMoves: 0,
      partitionSecondsPaused: 9 * 20,
      peakLoad: 3,
      displaced: 0,
    });
  });

  it('with static members that take longer than their session is a crash and a join', () => {
    const { steps } = simulate({
      ...statics,
      assignor: 'sticky',
      timing: { restartMs: 60_000 },
      steps: [{ rollingRestart: { members: ['c2'] } }],
    });
    expect(steps[0]!.events.map(({ kind }) => kind)).toEqual(['crash', 'join']);
    expect(steps[0]!.events[0]!.partitionSecondsPaused).toBe(3 * 45 + 9 * 3);
  });

  it('in batches has fewer rebalances and a higher peak', () => {
    const { total } = simulate({ ...group, assignor: 'sticky', steps: [{ rollingRestart: { batchSize: 2 } }] });
    expect(total).toMatchObject({ rebalances: 4, peakLoad: 9 });
  });
});

describe('other steps', () => {
  it('play one after the other, each from what the last one left', () => {
    const zoned = { ...group, members: group.members.map((m, i) => ({ ...m, rack: `r${i % 2}` })) };
    const { steps, after, assignment, assignor, protocol } = simulate({
      ...zoned,
      assignor: 'range',
      steps: [
        { crash: 1 },
        { addMembers: 2, rack: 'r1' },
        { zoneLoss: 'r1' },
        { topic: 'orders', partitions: 12 },
        { assignor: 'cooperative-sticky' },
      ],
    });
    expect(steps.map(({ events }) => events[0]!.about)).toEqual([['c3'], ['c3', 'c4'], ['c2', 'c3', 'c4'], [], []]);
    expect(steps.map(({ events }) => events[0]!.members)).toEqual([2, 4, 1, 1, 1]);
    expect(steps[0]!.partitionSecondsPaused).toBe(3 * 45 + 9 * 3);
    expect(loads(assignment)).toEqual([12]);
    expect(after.members[0]).toMatchObject({
      id: 'c1',
      owned: new Map([['orders', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]]),
    });
    expect([assignor, protocol]).toEqual(['cooperative-sticky', 'cooperative']);
  });

  it('say what is wrong with them, and where', () => {
    const refused = (steps: SimulationStep[], more: Partial<SimulationInput> = {}): string => {
      try {
        simulate({ ...group, assignor: 'range', ...more, steps });
      } catch (error) {
        if (error instanceof AllotError) return error.errors[0]!.pointer;
        throw error;
      }
      return 'accepted';
    };
    expect(refused([{ crash: 0 }, { crash: 4 }])).toBe('/steps/1/crash');
    expect(refused([{ crash: ['c1', 'x'] }])).toBe('/steps/0/crash/1');
    expect(refused([{ zoneLoss: 'r' }])).toBe('/steps/0/zoneLoss');
    expect(refused([{ rollingRestart: { batchSize: 0 } }])).toBe('/steps/0/rollingRestart/batchSize');
    expect(refused([{ rollingRestart: { members: ['x'] } }])).toBe('/steps/0/rollingRestart/members/0');
    expect(refused([{ addMembers: 1 }, { removeMembers: ['x'] }])).toBe('/steps/1/removeMembers/0');
    expect(refused([{ assignor: 'x' }])).toBe('/steps/0/assignor');
    expect(refused([], { timing: { restartMs: -1 } })).toBe('/timing/restartMs');
    expect(refused(Array.from({ length: 1001 }, () => ({ crash: 0 })))).toBe('/steps');
    // Static members cost no rebalance, so that the limit is reached quickly.
    const many = members(600, ['orders']).map((m) => ({ ...m, instanceId: m.id }));
    const deploys = Array.from({ length: 20 }, () => rolling);
    expect(refused(deploys, { members: many })).toBe('/steps/4/rollingRestart');
  });
});

describe('every simulation', () => {
  const runs = { numRuns: Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 60) };
  // The first-generation rules refuse groups of unequal subscriptions.
  const names = listAssignors()
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('threads-'));
  const anyGroup = fc.record({
    topics: fc.record({ t: fc.nat(9), u: fc.nat(9) }).map(topics),
    members: fc
      .uniqueArray(fc.tuple(fc.nat(30), fc.subarray(['t', 'u']), fc.boolean()), { maxLength: 7, selector: ([n]) => n })
      .map((list) =>
        list.map(([n, subscribed, fixed]): MemberSpec => ({
          id: `m${n}`,
          topics: subscribed,
          ...(fixed ? { instanceId: `i${n}` } : {}),
        })),
      ),
    assignor: fc.constantFrom(...names),
    protocol: fc.constantFrom('eager' as const, 'cooperative' as const, 'consumer' as const),
  });
  const step: fc.Arbitrary<SimulationStep> = fc.oneof(
    fc.integer({ min: 1, max: 4 }).map((batchSize) => ({ rollingRestart: { batchSize } })),
    fc.nat(3).map((addMembers) => ({ addMembers })),
    fc.constantFrom(...names).map((assignor) => ({ assignor })),
    fc.integer({ min: 9, max: 14 }).map((partitions) => ({ topic: 't', partitions, recreate: true })),
  );

  it('ends complete, adds up, and costs static members nothing but time', () => {
    fc.assert(
      fc.property(anyGroup, fc.array(step, { maxLength: 4 }), (spec, steps) => {
        const result = simulate({ ...spec, steps });
        // Kafka's sticky rules give partitions to a member without a subscription if they meet it first.
        expect(findViolations(result.after, result.assignment).filter(({ kind }) => kind !== 'not-subscribed')).toEqual(
          [],
        );
        expect(result.steps.reduce((sum, { moves }) => sum + moves, 0)).toBe(result.total.moves);
        expect(result.steps.flatMap(({ events }) => events).reduce((sum, e) => sum + e.rebalances, 0)).toBe(
          result.total.rebalances,
        );
        for (const event of result.steps.flatMap(({ events }) => events)) {
          if (event.kind === 'static-restart') expect([event.moves, event.rebalances]).toEqual([0, 0]);
        }
      }),
      runs,
    );
  });

  it('moves for one change what a plan of that change moves', () => {
    fc.assert(
      fc.property(anyGroup, fc.nat(3), (spec, addMembers) => {
        const planned = plan({ ...spec, changes: [{ addMembers }] });
        expect(simulate({ ...spec, steps: [{ addMembers }] }).total.moves).toBe(planned.moves);
      }),
      runs,
    );
  });
});
