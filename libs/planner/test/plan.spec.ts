import { describe, expect, it } from '@jest/globals';
import { AllotError, findViolations } from '@allot/model';
import { findAssignor } from '@allot/strategies';
import type { Assignor } from '@allot/strategies';
import { plan } from '../src/plan.js';
import type { PlanInput, PlanResult } from '../src/plan-types.js';
import { loads, member, members, plain, topics } from './support/groups.js';
import { stickyStandIn } from './support/sticky-stand-in.js';

const resolve = (name: string): Assignor | undefined => (name === 'stand-in' ? stickyStandIn : findAssignor(name));
const run = (input: PlanInput): PlanResult => plan(input, resolve);
const codes = (result: PlanResult): string[] => result.warnings.map(({ code }) => code);

describe('a what-if without claims', () => {
  const group = { topics: topics({ orders: 10 }), members: members(3, ['orders']) };

  it('computes the current assignment first, so that "10 partitions, 3 members, add 2" needs no claims', () => {
    const result = run({ ...group, assignor: 'stand-in', changes: [{ addMembers: 2 }] });
    expect(result.currentSource).toBe('computed');
    expect(loads(result.current)).toEqual([4, 3, 3]);
    expect(loads(result.target)).toEqual([2, 2, 2, 2, 2]);
    expect(result.addedMembers).toEqual(['c4', 'c5']);
    expect(result.moves).toBe(4);
    expect(result.forcedMoves).toBe(0);
    expect(result.diff.every(({ from, to }) => from!.startsWith('c') && ['c4', 'c5'].includes(to!))).toBe(true);
    expect(result.skew).toEqual({
      before: { overall: 1, perTopic: new Map([['orders', 1]]) },
      after: { overall: 0, perTopic: new Map([['orders', 0]]) },
    });
  });

  it('shows what range does to the same group', () => {
    const result = run({ ...group, assignor: 'range', changes: [{ addMembers: 2 }] });
    expect(plain(result.current)).toEqual({
      c1: { orders: [0, 1, 2, 3] },
      c2: { orders: [4, 5, 6] },
      c3: { orders: [7, 8, 9] },
    });
    expect(result.diff).toEqual([
      { topic: 'orders', partition: 2, from: 'c1', to: 'c2' },
      { topic: 'orders', partition: 3, from: 'c1', to: 'c2' },
      { topic: 'orders', partition: 4, from: 'c2', to: 'c3' },
      { topic: 'orders', partition: 5, from: 'c2', to: 'c3' },
      { topic: 'orders', partition: 6, from: 'c2', to: 'c4' },
      { topic: 'orders', partition: 7, from: 'c3', to: 'c4' },
      { topic: 'orders', partition: 8, from: 'c3', to: 'c5' },
      { topic: 'orders', partition: 9, from: 'c3', to: 'c5' },
    ]);
    expect(result.disruption).toEqual({
      eager: { protocol: 'eager', pauseSeconds: 3, partitionsPaused: 10, partitionSecondsPaused: 30, rebalances: 1 },
      cooperative: {
        protocol: 'cooperative',
        pauseSeconds: 3,
        partitionsPaused: 8,
        partitionSecondsPaused: 24,
        rebalances: 2,
      },
      consumer: {
        protocol: 'consumer',
        pauseSeconds: 5,
        partitionsPaused: 8,
        partitionSecondsPaused: 40,
        rebalances: 1,
      },
    });
    expect(codes(result)).toEqual(['eager-stops-the-world']);
  });

  it('without changes answers the assignment itself, with nothing to do', () => {
    const result = run({ ...group, assignor: 'range' });
    expect(plain(result.target)).toEqual(plain(result.current));
    expect([result.diff, result.warnings, result.moves]).toEqual([[], [], 0]);
    expect(result.disruption.eager.partitionsPaused).toBe(0);
  });
});

describe('a what-if of first-generation consumers', () => {
  it('is about their threads', () => {
    const result = run({
      assignor: 'threads-range',
      topics: topics({ t: 10 }),
      members: [
        { id: 'c1', topics: ['t'] },
        { id: 'c2', topics: ['t'], streams: 2 },
      ],
      changes: [{ addMembers: 1 }],
    });
    expect(plain(result.current)).toEqual({
      'c1-0': { t: [0, 1, 2, 3] },
      'c2-0': { t: [4, 5, 6] },
      'c2-1': { t: [7, 8, 9] },
    });
    expect(loads(result.target)).toEqual([3, 3, 2, 2]);
    expect([result.idle, result.skew.after.overall, result.protocol]).toEqual([[], 1, 'eager']);
    expect(result.owners.after.members.map(({ id }) => id)).toEqual(['c1-0', 'c2-0', 'c2-1', 'c3-0']);
    expect(result.addedMembers).toEqual(['c3']);
  });
});

describe('a what-if on claims', () => {
  it('counts a move as forced when the owner is gone or no longer subscribes', () => {
    const result = run({
      assignor: 'stand-in',
      topics: topics({ t: 4, u: 1 }),
      members: [
        member('a', ['t'], { t: [0, 1] }, 3),
        member('b', ['t', 'u'], { t: [2], u: [0] }, 3),
        member('c', ['t'], { t: [3] }, 3),
      ],
      changes: [{ removeMembers: ['c'] }, { member: 'b', topics: ['t'] }, { member: 'a', topics: ['t', 'u'] }],
    });
    expect(result.currentSource).toBe('owned');
    expect(result.removedMembers).toEqual(['c']);
    expect(result.diff).toEqual(
      expect.arrayContaining([
        { topic: 't', partition: 3, from: 'c', to: 'b' },
        { topic: 'u', partition: 0, from: 'b', to: 'a' },
      ]),
    );
    expect([result.moves, result.forcedMoves]).toEqual([2, 2]);
  });

  it('tells new and vanished partitions from moves', () => {
    const owned = [member('a', ['t', 'u'], { t: [0], u: [0] }, 1), member('b', ['t', 'u'], { t: [1] }, 1)];
    const result = run({
      assignor: 'stand-in',
      topics: topics({ t: 2, u: 1 }),
      members: owned,
      changes: [{ topic: 't', partitions: 4 }, { removeTopic: 'u' }],
    });
    expect(result.diff).toEqual([
      { topic: 't', partition: 2, from: null, to: 'a' },
      { topic: 't', partition: 3, from: null, to: 'b' },
      { topic: 'u', partition: 0, from: 'a', to: null },
    ]);
    expect(result.moves).toBe(0);
    expect(result.unknownTopics).toEqual(['u']);
  });

  it('lets a change of assignor see what the members own', () => {
    const group = {
      topics: topics({ t: 4 }),
      members: [member('b', ['t'], { t: [0, 1] }, 1), member('a', ['t'], { t: [2, 3] }, 1)],
    };
    expect(run({ ...group, assignor: 'range', changes: [{ assignor: 'stand-in' }] }).moves).toBe(0);
    expect(run({ ...group, assignor: 'stand-in', changes: [{ assignor: ['own.Rule', 'range'] }] })).toMatchObject({
      assignor: 'range',
      moves: 4,
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'assignor-passed-over' })]),
    });
  });

  it('C-07 a member that missed a generation: the plan says that its ownership was interrupted', () => {
    const result = run({
      assignor: 'stand-in',
      topics: topics({ topic: 6 }),
      members: [
        member('A', ['topic'], { topic: [0, 3] }, 1),
        member('B', ['topic'], { topic: [0, 1, 4] }, 2),
        member('C', ['topic'], { topic: [2, 3, 5] }, 2),
      ],
    });
    expect(plain(result.current)).toEqual({ A: {}, B: { topic: [0, 1, 4] }, C: { topic: [2, 3, 5] } });
    expect(result.warnings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'generation-gap', members: ['A'], count: 1 }),
        expect.objectContaining({ code: 'stale-claim', members: ['A'], count: 2 }),
      ]),
    );
  });

  it('G-17 in a live group passes on no claim that its member lost with the change, as the coordinator does', () => {
    const input = {
      assignor: 'sticky',
      topics: topics({ t: 2, u: 2 }),
      members: [member('a', ['t', 'u'], { t: [0, 1] }, 4), member('b', ['t', 'u'], { u: [0, 1] }, 4)],
      changes: [
        { member: 'a', topics: ['u'] },
        { topic: 'u', partitions: 1, recreate: true },
      ],
    };
    const live = run({ ...input, live: true });
    expect(live.after.members.map(({ owned }) => owned)).toEqual([new Map(), new Map([['u', [0]]])]);
    expect(live).toMatchObject({ protocol: 'consumer', current: run(input).current });
    expect(findViolations(live.after, live.target)).toEqual([]);
    expect(run(input).after.members[0]!.owned).toEqual(new Map([['t', [0, 1]]]));
  });

  it('gives a partition that two members claim in the same generation to nobody, and says so', () => {
    const result = run({
      assignor: 'range',
      topics: topics({ t: 2 }),
      members: [member('a', ['t'], { t: [0, 1] }, 5), member('b', ['t'], { t: [1] }, 5)],
    });
    expect(plain(result.current)).toEqual({ a: { t: [0] }, b: {} });
    expect(result.warnings).toContainEqual(
      expect.objectContaining({ code: 'conflicting-claims', count: 1, topics: ['t'] }),
    );
  });

  it("warns when a rule gives a partition to a member that does not subscribe, as Kafka's sticky ones can", () => {
    const faulty: Assignor = {
      ...stickyStandIn,
      assign: () => {
        const target = new Map([
          ['a', new Map([['u', [0]]])],
          ['b', new Map()],
        ]);
        return { assignment: target, target, warnings: [] };
      },
    };
    const result = plan(
      { assignor: 'x', topics: topics({ u: 1 }), members: [member('a', ['t']), member('b', ['u'])] },
      () => faulty,
    );
    expect(result.warnings).toContainEqual(
      expect.objectContaining({ code: 'assigned-to-non-subscriber', members: ['a'], topics: ['u'], count: 1 }),
    );
  });
});

describe('warnings of idle members and skew', () => {
  it.each([
    { case: 'i', members: 2, count: 2, partitions: 1, skew: 2, idle: 1, roundRobin: [1, 1] },
    { case: 'ii', members: 12, count: 30, partitions: 1, skew: 30, idle: 11, roundRobin: [2, 3] },
    { case: 'iii', members: 4, count: 100, partitions: 5, skew: 100, idle: 0, roundRobin: [125, 125] },
  ])(
    'A-04 ($case) range over many small topics: skew $skew, and what roundrobin would give',
    ({ members: m, count, partitions, skew, idle, roundRobin }) => {
      const names = Array.from({ length: count }, (_, i) => `topic-${String(i).padStart(3, '0')}`);
      const result = run({
        assignor: 'range',
        topics: names.map((name) => ({ name, partitions })),
        members: members(m, names),
      });
      expect(result.skew.after.overall).toBe(skew);
      expect(result.idle).toEqual(
        members(m, names)
          .slice(m - idle)
          .map(({ id }) => ({ member: id, reason: 'assignor-rule' })),
      );
      const warning = result.warnings.find(({ code }) => code === 'skew')!;
      expect(warning).toMatchObject({ severity: 'warning', count: skew });
      expect(warning.alternatives).toContainEqual({
        assignor: 'roundrobin',
        idle: 0,
        least: roundRobin[0],
        most: roundRobin[1],
      });
      expect(codes(result).includes('idle-members')).toBe(idle > 0);
    },
  );

  it('offers no assignor that refuses the Kafka version that was asked for', () => {
    const names = ['a', 'b', 'c', 'd'];
    const group = { assignor: 'range', topics: topics({ a: 1, b: 1, c: 1, d: 1 }), members: members(4, names) };
    const refusing = (name: string): Assignor | undefined => {
      const assignor = findAssignor(name);
      if (assignor === undefined || name === 'range') return assignor;
      return {
        ...assignor,
        assign: () => {
          throw new AllotError('UNSUPPORTED_KAFKA_VERSION', 'too old', { action: 'fix-request' });
        },
      };
    };
    const { warnings } = plan(group, refusing);
    expect(warnings.map(({ code, alternatives }) => [code, alternatives])).toEqual([
      ['idle-members', undefined],
      ['skew', undefined],
    ]);
  });

  it('B-07 shows that roundrobin leaves a member idle although there is enough for all', () => {
    const all = ['topic1', 'topic2', 'topic3', 'topic4', 'topic5'];
    const odd = ['topic1', 'topic3', 'topic5'];
    const result = run({
      assignor: 'roundrobin',
      topics: topics({ topic1: 2, topic2: 1, topic3: 2, topic4: 1, topic5: 2 }),
      members: [member('consumer1', all), member('consumer2', odd), member('consumer3', odd), member('consumer4', all)],
    });
    expect(loads(result.target)).toEqual([3, 3, 0, 2]);
    expect(result.idle).toEqual([{ member: 'consumer3', reason: 'assignor-rule' }]);
    expect(codes(result)).toEqual(expect.arrayContaining(['idle-members', 'skew']));
  });

  it('tells the reasons of idleness apart', () => {
    const result = run({
      assignor: 'range',
      topics: topics({ t: 2, none: 0 }),
      members: [
        member('a', ['t']),
        member('b', ['t']),
        member('c', ['t']),
        member('d', []),
        member('e', ['none', 'ghost']),
      ],
    });
    expect(result.idle).toEqual([
      { member: 'c', reason: 'more-members-than-partitions' },
      { member: 'd', reason: 'no-subscription' },
      { member: 'e', reason: 'no-partitions' },
    ]);
    expect(result.warnings.find(({ code }) => code === 'idle-members')).toMatchObject({
      count: 3,
      members: ['c', 'd', 'e'],
    });
  });
});

describe('a member that must be idle', () => {
  const reasons = (input: PlanInput): (string | undefined)[] => {
    const { after, idle } = run(input);
    return after.members.map(({ id }) => idle.find(({ member: idler }) => idler === id)?.reason);
  };

  it('competes with others of the same subscription, in any order, for too few partitions', () => {
    const crowd = [
      member('a', ['t', 'v']),
      member('b', ['v', 't']),
      member('c', ['t', 'v']),
      member('z', ['t', 'v', 'u']),
    ];
    expect(reasons({ assignor: 'sticky', topics: topics({ t: 1, v: 1, u: 9 }), members: crowd })).toEqual([
      undefined,
      undefined,
      'more-members-than-partitions',
      undefined,
    ]);
  });

  it('or belongs to a web of topics that has fewer partitions than members', () => {
    const chain = [member('a', ['t']), member('b', ['t', 'u']), member('c', ['u'])];
    expect(reasons({ assignor: 'sticky', topics: topics({ t: 1, u: 1, alone: 9 }), members: chain })).toContain(
      'more-members-than-partitions',
    );
    const enough = [member('a', ['t', 'u']), member('b', ['u'])];
    expect(reasons({ assignor: 'range', topics: topics({ t: 1, u: 1 }), members: enough })).toEqual([
      undefined,
      'assignor-rule',
    ]);
  });
});

describe('topics that grow', () => {
  it('says which share of keys goes to another partition', () => {
    const result = run({
      assignor: 'range',
      topics: topics({ t: 10, u: 10, v: 0, w: 12 }),
      members: members(1, ['t', 'u', 'v', 'w']),
      changes: [
        { topic: 't', partitions: 12 },
        { topic: 'u', partitions: 20 },
        { topic: 'v', partitions: 3 },
        { topic: 'w', partitions: 8, recreate: true },
      ],
    });
    expect(result.resizedTopics.map(({ topic, keysRemapped }) => [topic, keysRemapped])).toEqual([
      ['t', 1 - 10 / 60],
      ['u', 0.5],
      ['v', 0],
      ['w', 1 - 8 / 24],
    ]);
    expect(result.warnings).toContainEqual(expect.objectContaining({ code: 'keys-remapped', topics: ['t', 'u', 'w'] }));
    expect(result.warnings.find(({ code }) => code === 'keys-remapped')!.message).toContain(
      '83% in t, 50% in u, 67% in w',
    );
  });

  it('agrees with counting hashes one by one', () => {
    for (const [from, to] of [
      [3, 5],
      [4, 6],
      [6, 4],
      [7, 7],
      [1, 9],
    ] as const) {
      const changes = [{ topic: 't', partitions: to, recreate: true }];
      const { resizedTopics } = run({ assignor: 'range', topics: topics({ t: from }), members: [], changes });
      const hashes = Array.from({ length: from * to }, (_, hash) => hash);
      const moved = hashes.filter((hash) => hash % from !== hash % to).length / hashes.length;
      expect(resizedTopics[0]?.keysRemapped ?? 0).toBeCloseTo(moved, 12);
    }
  });
});

describe('weights', () => {
  it('give a skew of their own, before and after', () => {
    const weighted = { topics: [{ name: 't', partitions: 3, weights: [100, 1, 1] }], members: members(2, ['t']) };
    expect(run({ ...weighted, assignor: 'range' }).weightedSkew).toEqual({ before: 100, after: 100 });
    const changes = [{ member: 'c1', weight: 2 }];
    expect(
      run({ topics: topics({ t: 3 }), members: members(2, ['t']), assignor: 'range', changes }).weightedSkew,
    ).toEqual({
      before: 1,
      after: 0,
    });
    expect(run({ topics: topics({ t: 3 }), members: members(2, ['t']), assignor: 'range' }).weightedSkew).toBeNull();
  });
});

describe('topics that are not there', () => {
  it.each([
    { case: 'i', listed: topics({ t: 2 }), unknown: ['ghost'], warned: ['unknown-topic'] },
    { case: 'ii', listed: topics({ t: 2, ghost: 0 }), unknown: [], warned: ['empty-topic'] },
  ])(
    'B-06 ($case) an unknown topic and one without partitions give the same assignment, and are named',
    ({ listed, unknown, warned }) => {
      for (const assignor of ['range', 'roundrobin', 'stand-in']) {
        const result = run({ assignor, topics: listed, members: [member('m', ['t', 'ghost'])] });
        expect(plain(result.target)).toEqual({ m: { t: [0, 1] } });
        expect(result.unknownTopics).toEqual(unknown);
        expect(codes(result)).toEqual(warned);
      }
    },
  );

  it('C-09 shows the skew of each topic, which even totals hide', () => {
    const all = ['T1', 'T2', 'T3'];
    const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
    const input = {
      topics: topics({ T1: 24, T2: 24, T3: 96 }),
      members: [
        member('a', all, { T3: numbers(0, 72) }, 1),
        member('b', all, { T1: numbers(0, 24), T2: numbers(0, 24), T3: numbers(72, 96) }, 1),
      ],
    };
    const perTopic = new Map(Object.entries({ T1: 24, T2: 24, T3: 48 }));
    const stays = run({ ...input, assignor: 'sticky' });
    expect(stays).toMatchObject({ moves: 0, skew: { before: { overall: 0 }, after: { overall: 0, perTopic } } });
    const dealt = run({ ...input, assignor: 'roundrobin' });
    expect(loads(dealt.target)).toEqual([72, 72]);
    expect([...dealt.skew.after.perTopic.values()]).toEqual([0, 0, 0]);
  });

  it('C-23 a subscribed topic that was deleted', () => {
    const listed = topics({ topic01: 1, topic03: 100 });
    const first = run({
      assignor: 'range',
      topics: listed,
      members: [member('consumer', ['topic01', 'topic02', 'topic03'])],
    });
    expect(loads(first.target)).toEqual([101]);
    expect(first.unknownTopics).toEqual(['topic02']);

    const second = run({
      assignor: 'range',
      topics: [],
      members: [member('consumer', ['topic01'], { topic01: [0, 1, 2] }, 1)],
    });
    expect(plain(second.target)).toEqual({ consumer: {} });
    expect(second.warnings).toContainEqual(expect.objectContaining({ code: 'claim-without-partition', count: 3 }));
  });

  it('lists partitions that nobody subscribes to', () => {
    const result = run({ assignor: 'range', topics: topics({ t: 1, alone: 2 }), members: [member('m', ['t'])] });
    expect(result.unowned).toEqual(new Map([['alone', [0, 1]]]));
    expect(codes(result)).toEqual(['topic-without-subscriber']);
  });
});

describe('S-05 previews of odd groups', () => {
  it.each<[string, PlanInput]>([
    ['no members', { assignor: 'range', topics: topics({ t: 3 }), members: [] }],
    ['no topics', { assignor: 'range', topics: [], members: members(2, ['t']) }],
    ['nothing at all', { assignor: 'range', topics: [], members: [] }],
    [
      'the last member leaves',
      { assignor: 'range', topics: topics({ t: 3 }), members: members(1, ['t']), changes: [{ removeMembers: ['c1'] }] },
    ],
    [
      'racks on topics only',
      { assignor: 'range', topics: [{ name: 't', partitions: 1, racks: [['a']] }], members: members(2, ['t']) },
    ],
    [
      'racks on members only',
      { assignor: 'range', topics: topics({ t: 2 }), members: [{ id: 'a', topics: ['t'], rack: 'r' }] },
    ],
    [
      '__proto__ everywhere',
      {
        assignor: 'range',
        topics: [{ name: '__proto__', partitions: 2 }],
        members: [member('__proto__', ['__proto__'])],
      },
    ],
  ])('answers %s', (_, input) => {
    const result = run(input);
    expect(findViolations(result.after, result.target)).toEqual([]);
  });
});

describe('an unknown assignor', () => {
  it('is refused by name', () => {
    const refused = (): unknown => run({ assignor: 'rnage', topics: [], members: [] });
    expect(refused).toThrow(AllotError);
    expect(refused).toThrow(/"rnage"/);
    expect(() =>
      run({ assignor: 'range', topics: [], members: [], changes: [{ addMembers: 0 }, { assignor: [] }] }),
    ).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_ASSIGNOR',
        errors: [expect.objectContaining({ pointer: '/changes/1/assignor' })],
      }),
    );
  });
});
