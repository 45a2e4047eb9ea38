import type { Assignment, GroupAssignment, GroupSpec, MemberSpec } from '@allot/model';
import { assignmentFromJson, assignmentToJson, countPartitions, diffByPartition, findViolations } from '@allot/model';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { WeightedStickyOptions } from '../../src/assignors/weighted-sticky/options.js';
import { weightedStickyAssignor } from '../../src/assignors/weighted-sticky/weighted-sticky.js';
import { after, anyGroup, loads, propertyRuns, snapshot, someGroup, someSteps, spread } from './random-groups.js';

function assign(group: GroupSpec, weightedSticky: WeightedStickyOptions = {}): GroupAssignment {
  return weightedStickyAssignor.assign(group, { weightedSticky }).assignment;
}

function json(assignment: GroupAssignment): Record<string, unknown> {
  return Object.fromEntries([...assignment].map(([id, owned]) => [id, { ...assignmentToJson(owned) }]));
}

/** One topic "t"; what each member owns is a list of partitions. */
function group(owned: Record<string, number[]>, partitions: number, weights?: readonly number[]): GroupSpec {
  return {
    topics: [{ name: 't', partitions, ...(weights === undefined ? {} : { weights }) }],
    members: Object.entries(owned).map(([id, numbers]) => ({
      id,
      topics: ['t'],
      owned: assignmentFromJson({ t: numbers }),
    })),
  };
}

function before({ members }: GroupSpec): GroupAssignment {
  return new Map(members.map(({ id, owned = new Map() }) => [id, owned as Assignment]));
}

/** Changes of owner, not counting partitions that had none. */
function moves(spec: GroupSpec, result: GroupAssignment): number {
  return diffByPartition(before(spec), result).filter(({ from }) => from !== null).length;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** Members with the loads of their partitions, as D-07 writes them. */
function loaded(members: Record<string, number[]>): { spec: GroupSpec; loadOf: (result: GroupAssignment) => number[] } {
  const weights = Object.values(members).flat();
  let next = 0;
  const owned = Object.fromEntries(
    Object.entries(members).map(([id, list]) => [id, list.map(() => next++)] as [string, number[]]),
  );
  return {
    spec: group(owned, weights.length, weights),
    loadOf: (result) =>
      [...result.values()].map((own) => (own.get('t') ?? []).reduce((sum, partition) => sum + weights[partition]!, 0)),
  };
}

describe('weighted-sticky, even counts first', () => {
  it('D-01 makes room for a balanced result: 8, 8, 0 becomes 6, 5, 5', () => {
    const spec = group({ w0: range(0, 8), w1: range(8, 16), w2: [] }, 16);
    const result = assign(spec);
    expect(loads(result).sort()).toEqual([5, 5, 6]);
    expect(moves(spec, result)).toBe(5);
  });

  it('D-01 counts what has no owner before it takes anything away', () => {
    const spec = group({ w0: range(0, 4), w1: [] }, 8);
    const result = assign(spec);
    expect(json(result)).toEqual({ w0: { t: [0, 1, 2, 3] }, w1: { t: [4, 5, 6, 7] } });
  });

  it('D-01 ends at 6, 5, 5 when a third member joins after a plan for two', () => {
    const two = assign(group({ w0: range(0, 16), w1: [] }, 16));
    const three = assign({
      topics: [{ name: 't', partitions: 16 }],
      members: [...two]
        .map(([id, owned]) => ({ id, topics: ['t'], owned }))
        .concat([{ id: 'w2', topics: ['t'], owned: new Map() }]),
    });
    expect(loads(two)).toEqual([8, 8]);
    expect(loads(three).sort()).toEqual([5, 5, 6]);
  });

  it('D-03 spreads lost work over all who return', () => {
    const gone = assign(group({ w0: range(0, 4), w1: range(4, 8) }, 16));
    expect(loads(gone)).toEqual([8, 8]);
    const members: MemberSpec[] = [...gone].map(([id, owned]) => ({ id, topics: ['t'], owned }));
    const back = assign({
      topics: [{ name: 't', partitions: 16 }],
      members: [...members, { id: 'w2', topics: ['t'] }, { id: 'w3', topics: ['t'] }],
    });
    expect(loads(back)).toEqual([4, 4, 4, 4]);
  });

  it('D-05 count first, lag second', () => {
    expect(json(assign(group({ c0: [], c1: [] }, 3, [100_000, 50_000, 60_000])))).toEqual({
      c0: { t: [0] },
      c1: { t: [1, 2] },
    });
  });

  it('D-06 spreads partitions without any lag', () => {
    const zero = new Array<number>(6).fill(0);
    expect(loads(assign(group({ a: [], b: [], c: [] }, 6, zero)))).toEqual([2, 2, 2]);
    expect(loads(assign(group({ a: [], b: [], c: [] }, 6, zero), { balance: 'load' }))).toEqual([2, 2, 2]);
  });

  it('D-10 gives 256 shards to 41 members as ten 7 and thirty-one 6', () => {
    const sizes = loads(assign(group(Object.fromEntries(range(0, 41).map((i) => [`w${i}`, []])), 256)));
    expect(sizes.filter((size) => size === 7)).toHaveLength(10);
    expect(sizes.filter((size) => size === 6)).toHaveLength(31);
  });

  it('D-11 fills a new member in one plan: six moves, 7, 7, 7, 7, 6, 6', () => {
    const owned = Object.fromEntries(range(0, 5).map((i) => [`w${i}`, range(8 * i, 8 * i + 8)]));
    const spec = group({ ...owned, w5: [] }, 40);
    const result = assign(spec);
    expect(loads(result).sort()).toEqual([6, 6, 7, 7, 7, 7]);
    expect(moves(spec, result)).toBe(6);
    expect(countPartitions(result.get('w5')!)).toBe(6);
  });

  it('gives a member of three times the capacity three times the partitions', () => {
    const members: MemberSpec[] = [
      { id: 'big', topics: ['t'], weight: 3 },
      { id: 'small', topics: ['t'] },
    ];
    expect(loads(assign({ topics: [{ name: 't', partitions: 12 }], members }))).toEqual([9, 3]);
  });

  it('leaves counts alone that are no further apart than maxSkew', () => {
    const spec = group({ a: range(0, 6), b: range(6, 9) }, 9);
    expect(moves(spec, assign(spec, { maxSkew: 3 }))).toBe(0);
    expect(loads(assign(spec, { maxSkew: 2 }))).toEqual([5, 4]);
    expect(loads(assign(spec))).toEqual([5, 4]);
  });

  it('moves no more than the budget, and says that more would help', () => {
    const spec = group({ w0: range(0, 8), w1: range(8, 16), w2: [] }, 16);
    const { assignment, warnings } = weightedStickyAssignor.assign(spec, { weightedSticky: { moveBudget: 2 } });
    expect(moves(spec, assignment)).toBe(2);
    expect(loads(assignment)).toEqual([7, 7, 2]);
    expect(warnings.map(({ code }) => code)).toEqual(['move-budget-spent']);
    expect(moves(spec, assign(spec, { moveBudget: 0 }))).toBe(0);
  });

  it('places what has no owner whatever the budget is', () => {
    expect(loads(assign(group({ a: [0, 1], b: [] }, 4), { moveBudget: 0 }))).toEqual([2, 2]);
  });

  it('leaves cooling partitions where they are, unless their owner is gone', () => {
    const coolingDown = [0, 1, 2].map((partition) => ({ topic: 't', partition }));
    const spec = group({ a: [0, 1, 2, 3], b: [] }, 4);
    expect(json(assign(spec, { coolingDown }))).toEqual({ a: { t: [0, 1, 2] }, b: { t: [3] } });
    expect(loads(assign(group({ b: [], c: [] }, 4), { coolingDown }))).toEqual([2, 2]);
  });

  it('takes from a member what brings its load closest to its share', () => {
    const spec = group({ a: [0, 1, 2, 3], b: [] }, 4, [70, 10, 10, 10]);
    const result = assign(spec);
    expect(loads(result)).toEqual([2, 2]);
    expect(json(result)).toEqual({ a: { t: [0, 1] }, b: { t: [2, 3] } });
  });

  it('believes the newer of two claims', () => {
    const spec: GroupSpec = {
      topics: [{ name: 't', partitions: 2 }],
      members: [
        { id: 'a', topics: ['t'], owned: assignmentFromJson({ t: [0] }), generation: 3 },
        { id: 'b', topics: ['t'], owned: assignmentFromJson({ t: [0] }), generation: 4 },
      ],
    };
    expect(json(assign(spec))).toEqual({ a: { t: [1] }, b: { t: [0] } });
  });
});

describe('weighted-sticky, even load first', () => {
  it.each([
    ['moves the hottest partition to the cold one', { e1: [5], e2: [30, 20] }, [35, 20]],
    ['moves nothing when the cold one would become the hot one', { e1: [10], e2: [100] }, [10, 100]],
    ['moves nothing below the threshold', { e1: [10], e2: [15] }, [10, 15]],
    ['moves nothing that has no load', { e1: [0, 0], e2: [0] }, [0, 0]],
    ['fills an empty member', { e1: [15, 15, 40], e2: [15, 15], e3: [], e4: [40] }, [30, 30, 40, 40]],
    [
      'stops when the hottest cannot be relieved',
      { e1: [5, 5], e2: [5, 2], e3: [25, 25], e4: [15, 15] },
      [10, 32, 25, 30],
    ],
  ] as [string, Record<string, number[]>, number[]][])('D-07 %s', (_, members, expected) => {
    const { spec, loadOf } = loaded(members);
    const result = assign(spec, { balance: 'load' });
    expect(loadOf(result)).toEqual(expected);
    expect(moves(spec, result)).toBe(spread(expected) === spread(loadOf(before(spec))) ? 0 : 1);
  });

  it('D-07 moves nothing of a topic whose load is not known', () => {
    const spec: GroupSpec = {
      topics: [
        { name: 'known', partitions: 1, weights: [1] },
        { name: 'unknown', partitions: 3 },
      ],
      members: [
        { id: 'a', topics: ['known', 'unknown'], owned: assignmentFromJson({ known: [0], unknown: [0, 1, 2] }) },
        { id: 'b', topics: ['known', 'unknown'] },
      ],
    };
    const { assignment, warnings } = weightedStickyAssignor.assign(spec, { weightedSticky: { balance: 'load' } });
    expect(moves(spec, assignment)).toBe(0);
    expect(warnings.map(({ code }) => code)).toEqual(['unknown-load']);
  });

  it('D-09 moves nothing for a gain below the absolute hysteresis', () => {
    const { spec } = loaded({ w1: [0.5, 0.5, 0], w2: [0.6, 0.5, 0], w3: [0.9, 0] });
    const jitter: WeightedStickyOptions = { balance: 'load', relativeHysteresis: 1.1, absoluteHysteresis: 1 };
    expect(moves(spec, assign(spec, jitter))).toBe(0);
    const { spec: uneven } = loaded({ w1: [9, 9, 0], w2: [0.6, 0], w3: [0.9, 0] });
    expect(moves(uneven, assign(uneven, jitter))).toBe(1);
  });

  it('keeps to the budget and to the cooldown', () => {
    const { spec, loadOf } = loaded({ e1: [10, 10, 10, 10], e2: [], e3: [] });
    expect(loadOf(assign(spec, { balance: 'load' }))).toEqual([20, 10, 10]);
    expect(loadOf(assign(spec, { balance: 'load', moveBudget: 1 }))).toEqual([30, 10, 0]);
    const coolingDown = [0, 1, 2, 3].map((partition) => ({ topic: 't', partition }));
    expect(moves(spec, assign(spec, { balance: 'load', coolingDown }))).toBe(0);
  });

  it('does not let counts drift apart by more than maxSkew', () => {
    const { spec, loadOf } = loaded({ a: [9, 9], b: [1, 1, 1] });
    expect(loadOf(assign(spec, { balance: 'load' }))).toEqual([9, 12]);
    expect(loadOf(assign(spec, { balance: 'load', maxSkew: 2 }))).toEqual([18, 3]);
  });

  it('places new partitions in proportion to capacity', () => {
    const spec: GroupSpec = {
      topics: [{ name: 't', partitions: 4, weights: [30, 20, 10, 0] }],
      members: [
        { id: 'big', topics: ['t'], weight: 5 },
        { id: 'small', topics: ['t'], weight: 1 },
      ],
    };
    expect(json(assign(spec, { balance: 'load' }))).toEqual({ big: { t: [0, 1, 3] }, small: { t: [2] } });
  });
});

describe('weighted-sticky on wrong input', () => {
  it.each([
    [{ balance: 'lag' }, '/weightedSticky/balance'],
    [{ maxSkew: 0 }, '/weightedSticky/maxSkew'],
    [{ moveBudget: 1.5 }, '/weightedSticky/moveBudget'],
    [{ moveBudget: -1 }, '/weightedSticky/moveBudget'],
    [{ relativeHysteresis: 0.5 }, '/weightedSticky/relativeHysteresis'],
    [{ absoluteHysteresis: Number.NaN }, '/weightedSticky/absoluteHysteresis'],
  ] as [WeightedStickyOptions, string][])('refuses %j', (options, pointer) => {
    expect(() => assign(group({ a: [] }, 1), options)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', errors: [expect.objectContaining({ pointer })] }),
    );
  });

  it('refuses a capacity that is none, weights that do not fit, and a cooling partition that does not exist', () => {
    const members = [{ id: 'a', topics: ['t'], weight: 0 }];
    expect(() => assign({ topics: [{ name: 't', partitions: 1 }], members })).toThrow('"a" has the weight 0');
    expect(() => assign(group({ a: [] }, 2, [1]))).toThrow('2 weights');
    expect(() => assign(group({ a: [] }, 2, [1, -1]))).toThrow('2 weights');
    expect(() => assign(group({ a: [] }, 1), { coolingDown: [{ topic: 't', partition: 1 }] })).toThrow('t-1');
  });
});

describe('weighted-sticky on random groups', () => {
  it.each(['count', 'load'] as const)('balance %s is legal at every step of a life and changes no input', (balance) => {
    fc.assert(
      fc.property(anyGroup, someSteps, (start, steps) => {
        let spec = start;
        for (const step of [undefined, ...steps]) {
          const text = snapshot(spec);
          const result = assign(spec, { balance });
          expect(findViolations(spec, result)).toEqual([]);
          expect(snapshot(spec)).toBe(text);
          expect(moves(after(spec, result, undefined), assign(after(spec, result, undefined), { balance }))).toBe(0);
          spec = after(spec, result, step);
        }
      }),
      propertyRuns,
    );
  });

  it('does not depend on the order of members and topics', () => {
    fc.assert(
      fc.property(anyGroup, fc.constantFrom('count', 'load'), (spec, balance) => {
        const reversed = { topics: [...spec.topics].reverse(), members: [...spec.members].reverse() };
        const options = { balance } as WeightedStickyOptions;
        expect(json(assign(reversed, options))).toEqual(json(assign(spec, options)));
      }),
      propertyRuns,
    );
  });

  it('R3 with equal subscriptions moves exactly as many as it must', () => {
    fc.assert(
      fc.property(someGroup(true), someSteps, (start, steps) => {
        let spec = start;
        for (const step of [undefined, ...steps]) {
          const result = assign(spec);
          expect(spread(loads(result))).toBeLessThanOrEqual(1);
          expect(moves(spec, result)).toBe(fewestMovesOfEqual(spec));
          spec = after(spec, result, step);
        }
      }),
      propertyRuns,
    );
  });

  it('R3 with mixed subscriptions is as even as can be, and moves exactly as many as that takes', () => {
    fc.assert(
      fc.property(smallMixedGroup, (spec) => {
        const result = assign(spec);
        const best = bestByTrial(spec);
        expect(unevenness(spec, loads(result))).toBeCloseTo(best.unevenness, 9);
        expect(moves(spec, result)).toBe(best.moves);
      }),
      { numRuns: propertyRuns.numRuns * 2 },
    );
  });
});

/** The members that own most keep one more. */
function fewestMovesOfEqual(spec: GroupSpec): number {
  const total = spec.topics.reduce((sum, { partitions }) => sum + partitions, 0);
  const quota = Math.floor(total / spec.members.length);
  const owned = loads(before(spec)).sort((a, b) => b - a);
  return owned.reduce(
    (sum, count, place) => sum + Math.max(0, count - quota - (place < total % owned.length ? 1 : 0)),
    0,
  );
}

const smallMixedGroup: fc.Arbitrary<GroupSpec> = fc
  .record({
    counts: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 3 }),
    masks: fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 2, maxLength: 4 }),
    owners: fc.array(fc.nat(4), { minLength: 9, maxLength: 9 }),
    weights: fc.oneof(
      fc.constant([1, 1, 1, 1]),
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 4, maxLength: 4 }),
    ),
  })
  .map(({ counts, masks, owners, weights }) => {
    const topics = counts.map((partitions, i) => ({ name: `t${i}`, partitions }));
    let next = 0;
    const ownerOf = topics.map(({ partitions }) => Array.from({ length: partitions }, () => owners[next++]!));
    const members = masks.map((mask, place) => {
      const subscribed = topics.filter((_, i) => (mask >> i) & 1);
      const owned = new Map<string, number[]>();
      topics.forEach((topic, i) => {
        const mine = ownerOf[i]!.flatMap((owner, partition) => (owner === place ? [partition] : []));
        if (mine.length > 0 && subscribed.includes(topic)) owned.set(topic.name, mine);
      });
      return { id: `m${place}`, topics: subscribed.map(({ name }) => name), owned, weight: weights[place]! };
    });
    return { topics, members };
  });

/** The sum of squares, each in proportion to the member's capacity. */
function unevenness({ members }: GroupSpec, counts: readonly number[]): number {
  return counts.reduce((sum, count, place) => sum + (count * count) / members[place]!.weight!, 0);
}

/** Tries every assignment there is. */
function bestByTrial(spec: GroupSpec): { unevenness: number; moves: number } {
  const partitions = spec.topics.flatMap(({ name, partitions: count }) =>
    range(0, count).map((partition) => ({
      takers: range(0, spec.members.length).filter((place) => spec.members[place]!.topics.includes(name)),
      owner: spec.members.findIndex(({ owned }) => owned!.get(name)?.includes(partition) ?? false),
    })),
  );
  const counts = spec.members.map(() => 0);
  let best = { unevenness: Infinity, moves: Infinity };
  const tryFrom = (place: number, moved: number): void => {
    if (place === partitions.length) {
      const found = { unevenness: unevenness(spec, counts), moves: moved };
      const gain = best.unevenness - found.unevenness;
      if (gain > 1e-9 || (gain > -1e-9 && moved < best.moves)) best = found;
      return;
    }
    const { takers, owner } = partitions[place]!;
    if (takers.length === 0) tryFrom(place + 1, moved);
    for (const taker of takers) {
      counts[taker]!++;
      tryFrom(place + 1, moved + (owner !== -1 && owner !== taker ? 1 : 0));
      counts[taker]!--;
    }
  };
  tryFrom(0, 0);
  return best;
}
