import { describe, expect, it } from '@jest/globals';
import { compare } from '../src/compare.js';
import { explainPartition } from '../src/explain.js';
import { planFromJson, rightSizeFromJson } from '../src/plan-from-json.js';
import { plan } from '../src/plan.js';
import { rightSize } from '../src/right-size.js';
import { simulationFromJson } from '../src/simulation-from-json.js';
import { simulate } from '../src/simulate.js';
import { faults } from './support/faults.js';
import { members, plain, topics } from './support/groups.js';

const run = (body: object) => plan(planFromJson(body));
const ten = { topics: topics({ t: 10 }), members: members(3, ['t']) };
const pins = [{ topic: 't', partition: 0, member: 'c3' }];

describe('pins of a plan', () => {
  it.each(['range', 'roundrobin', 'sticky', 'cooperative-sticky', 'server-range', 'uniform', 'weighted-sticky'])(
    '%s gives a pinned partition to its member and keeps the counts',
    (assignor) => {
      const [free, pinned] = [run({ ...ten, assignor }), run({ ...ten, assignor, pins })];
      expect(pinned.target.get('c3')!.get('t')).toContain(0);
      const counts = ({ target }: typeof free) => [...target.values()].map((owned) => owned.get('t')!.length);
      expect(counts(pinned)).toEqual(counts(free));
    },
  );

  it('hold before and after the changes, and are the cause of the move', () => {
    const owned = [
      { id: 'c1', topics: ['t'], owned: { t: [0, 1] } },
      { id: 'c2', topics: ['t'], owned: { t: [2, 3] } },
    ];
    const input = { assignor: 'sticky', topics: topics({ t: 4 }), members: owned };
    const result = run({ ...input, pins: [{ topic: 't', partition: 0, member: 'c2' }] });
    expect(plain(result.target)).toEqual({ c1: { t: [1, 3] }, c2: { t: [0, 2] } });
    expect(explainPartition(result, 't', 0)).toMatchObject({
      cause: 'pinned',
      text: 't-0 goes from c1 to c2, to which it is pinned.',
    });
    const computed = run({ ...ten, assignor: 'range', pins, changes: [{ addMembers: 1 }] });
    for (const assignment of [computed.current, computed.target]) expect(assignment.get('c3')!.get('t')).toContain(0);
  });

  it('that cannot be kept are warned of; contradicting ones are refused', () => {
    const gone = run({ ...ten, assignor: 'range', pins, changes: [{ removeMembers: ['c3'] }] });
    expect(gone.warnings.map(({ code }) => code)).toContain('pin-not-kept');
    const twice = [...pins, { ...pins[0]!, member: 'c1' }];
    expect(faults(() => run({ ...ten, assignor: 'range', pins: twice }))).toEqual(['/pins/1']);
  });

  it('change with a change: others from then on, or none', () => {
    const other = [{ topic: 't', partition: 9, member: 'c2' }];
    const given = { ...ten, assignor: 'range', pins };
    const changed = run({ ...given, changes: [{ pins: other }] });
    expect([changed.current.get('c3')!.get('t'), changed.target.get('c2')!.get('t')]).toEqual([
      expect.arrayContaining([0]),
      expect.arrayContaining([9]),
    ]);
    expect(changed.pins).toEqual(other);
    expect(explainPartition(changed, 't', 9)).toMatchObject({ cause: 'pinned' });
    const freed = run({ ...given, changes: [{ pins: [] }] });
    expect(freed.target).toEqual(run({ ...ten, assignor: 'range' }).target);
    const faulty = (change: object) => faults(() => run({ ...given, changes: [{ addMembers: 1 }, change] }));
    expect(faulty({ pins: [...pins, { ...pins[0]!, member: 'c1' }] })).toEqual(['/changes/1/pins/1']);
    expect(faulty({ pins: [{ topic: 't', partition: -1, member: 'c1' }] })).toEqual(['/changes/1/pins/0/partition']);
    const { steps } = simulate(simulationFromJson({ ...given, steps: [{ pins: other }, { pins: [] }] }));
    expect(steps.map(({ moves }) => moves > 0)).toEqual([true, true]);
  });

  it('hold in comparisons, in every size that has the member, and through a simulation', () => {
    const two = { topics: topics({ t: 4 }), members: members(2, ['t']) };
    const all = [0, 1, 2].map((partition) => ({ topic: 't', partition, member: 'c1' }));
    const input = planFromJson({ ...two, assignor: 'range', pins: all });
    const rows = compare(input, ['range', 'roundrobin']);
    expect(rows).toEqual([
      expect.objectContaining({ assignor: 'range', least: 1, most: 3, movesNow: 0, movesOnRemove: 1 }),
      expect.objectContaining({ assignor: 'roundrobin', least: 1, most: 3 }),
    ]);
    const { input: sized, upTo } = rightSizeFromJson({ ...two, assignor: 'range', pins: all, upTo: 4 });
    expect(rightSize(sized, upTo).sizes.map(({ busiest }) => busiest)).toEqual([4, 3]);
    const steps = [{ addMembers: 1 }];
    const simulated = simulate(simulationFromJson({ ...two, assignor: 'range', pins: all, steps }));
    expect(simulated.assignment.get('c1')!.get('t')).toEqual([0, 1, 2]);
  });
});

describe('other rules of a plan', () => {
  it('D-07 weighted-sticky balances load when it is told so', () => {
    const group = {
      assignor: 'weighted-sticky',
      topics: [{ name: 't', partitions: 3, weights: [5, 30, 20] }],
      members: [
        { id: 'e1', topics: ['t'], owned: { t: [0] } },
        { id: 'e2', topics: ['t'], owned: { t: [1, 2] } },
      ],
    };
    expect(run(group).moves).toBe(0);
    expect(plain(run({ ...group, weightedSticky: { balance: 'load' } }).target)).toEqual({
      e1: { t: [0, 1] },
      e2: { t: [2] },
    });
    const cooling = { balance: 'load', coolingDown: [{ topic: 't', partition: 1 }] };
    expect(
      run({ ...group, weightedSticky: cooling })
        .target.get('e2')!
        .get('t'),
    ).toContain(1);
    expect(run({ ...group, weightedSticky: { balance: 'load', moveBudget: 0 } }).moves).toBe(0);
  });

  it('replays a published order of partitions over threads', () => {
    const order = [5, 3, 0, 8, 2, 1, 4, 7, 6, 9].map((partition) => ({ topic: 't1', partition }));
    const group = {
      assignor: 'threads-roundrobin',
      topics: topics({ t1: 10 }),
      members: members(2, ['t1']).map((member) => ({ ...member, streams: 2 })),
    };
    expect(plain(run({ ...group, partitionOrder: order }).target)).toEqual({
      'c1-0': { t1: [2, 5, 6] },
      'c1-1': { t1: [1, 3, 9] },
      'c2-0': { t1: [0, 4] },
      'c2-1': { t1: [7, 8] },
    });
    expect(faults(() => run({ ...group, partitionOrder: order.slice(1) }))).toEqual(['/partitionOrder/9']);
  });

  it('every fault has its pointer', () => {
    expect(
      faults(() =>
        planFromJson({
          ...ten,
          pins: [{ topic: 't', partition: -1, member: '' }, { topic: 't' }, 'c1'],
          weightedSticky: { coolingDown: [{ topic: 't', partition: 'x' }], speed: 1 },
          partitionOrder: [7],
        }),
      ),
    ).toEqual([
      '/pins/0/partition',
      '/pins/0/member',
      '/pins/1/partition',
      '/pins/1/member',
      '/pins/2',
      '/weightedSticky/speed',
      '/weightedSticky/coolingDown/0/partition',
      '/partitionOrder/0',
    ]);
    const told = { assignor: 'weighted-sticky', weightedSticky: { balance: 'lag', moveBudget: '3' } };
    expect(faults(() => run({ ...ten, ...told }))).toEqual(['/weightedSticky/balance', '/weightedSticky/moveBudget']);
  });
});
