import { describe, expect, it } from '@jest/globals';
import { listAssignors } from '@allot/strategies';
import type { Assignor } from '@allot/strategies';
import { rightSize } from '../src/right-size.js';
import { members, topics } from './support/groups.js';

const counts = (sizes: readonly { members: number }[]): number[] => sizes.map(({ members: count }) => count);

describe('member counts that really help', () => {
  it.each(listAssignors().map(({ name }) => name))(
    'D-13 126 and 10 partitions under %s: every count at which the busiest member drops',
    (assignor) => {
      const result = rightSize({ assignor, topics: topics({ t: 126 }), members: members(1, ['t']) });
      expect(counts(result.sizes)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 21, 26, 32, 42, 63, 126,
      ]);
      expect(result).toMatchObject({
        evaluatedUpTo: 126,
        exhaustive: true,
        now: { members: 1, busiest: 126, enough: 1 },
      });
      const ten = rightSize({ assignor, topics: topics({ t: 10 }), members: [] });
      expect(counts(ten.sizes)).toEqual([1, 2, 3, 4, 5, 10]);
      expect(ten.sizes.map(({ busiest }) => busiest)).toEqual([10, 5, 4, 3, 2, 1]);
      expect(ten.now).toBeUndefined();
    },
  );

  it('D-13 never more members than partitions, unless spares are asked for; and says what would be enough', () => {
    const group = { assignor: 'range', topics: topics({ t: 5 }), members: members(6, ['t']) };
    expect(rightSize(group)).toMatchObject({ evaluatedUpTo: 5, now: { members: 6, busiest: 1, enough: 5 } });
    expect(rightSize(group, 8)).toMatchObject({ evaluatedUpTo: 8, exhaustive: true });
    expect(counts(rightSize(group, 8).sizes)).toEqual([1, 2, 3, 5]);
  });

  it('D-13 asks the real assignor: range cannot spread single-partition topics, roundrobin can', () => {
    const many = topics({ a: 1, b: 1, c: 1, d: 1 });
    const group = { topics: many, members: members(2, ['a', 'b', 'c', 'd']) };
    expect(counts(rightSize({ ...group, assignor: 'range' }).sizes)).toEqual([1]);
    expect(rightSize({ ...group, assignor: 'range' }).now).toEqual({ members: 2, busiest: 4, enough: 1 });
    expect(counts(rightSize({ ...group, assignor: 'roundrobin' }).sizes)).toEqual([1, 2, 4]);
  });

  it('D-13 with one heavy partition only isolation helps', () => {
    const heavy = [{ name: 't', partitions: 4, weights: [100, 0, 0, 0] }];
    expect(rightSize({ assignor: 'range', topics: heavy, members: [] }).sizes).toEqual([
      { members: 1, busiest: 100, idle: 0 },
    ]);
    const mixed = [{ name: 't', partitions: 4, weights: [100, 5, 5, 5] }];
    expect(rightSize({ assignor: 'range', topics: mixed, members: [] }).sizes.map(({ busiest }) => busiest)).toEqual([
      115, 105, 100,
    ]);
  });

  it('leaves topics that nobody subscribes to out of account, however heavy', () => {
    const listed = [...topics({ t: 4 }), { name: 'alone', partitions: 1, weights: [1000] }];
    expect(counts(rightSize({ assignor: 'range', topics: listed, members: members(1, ['t']) }).sizes)).toEqual([
      1, 2, 4,
    ]);
  });

  it('tries no count that cannot help', () => {
    let runs = 0;
    const even: Assignor = {
      name: 'even',
      aliases: [],
      summary: '',
      kafkaVersions: '',
      sticky: false,
      assign: ({ topics: [topic], members: list }) => {
        runs++;
        const target = new Map(
          list.map(({ id }, i) => [
            id,
            new Map([
              ['t', Array.from({ length: topic!.partitions }, (_, p) => p).filter((p) => p % list.length === i)],
            ]),
          ]),
        );
        return { assignment: target, target, warnings: [] };
      },
    };
    const result = rightSize({ assignor: 'even', topics: topics({ t: 400 }), members: [] }, undefined, () => even);
    expect(result.sizes.at(-1)).toEqual({ members: 400, busiest: 1, idle: 0 });
    expect(runs).toBe(result.sizes.length);
  });

  it('refuses a limit that is none', () => {
    expect(() => rightSize({ assignor: 'range', topics: [], members: [] }, 0)).toThrow(/from 1 to/);
  });
});
