import type { GroupSpec } from '@allot/model';
import { describe, expect, it } from '@jest/globals';

import { cooperativeStickyAssignor } from '../../src/assignors/cooperative-sticky.js';
import { stickyAssignor } from '../../src/assignors/sticky.js';
import { balanceScore } from '../../src/assignors/sticky/mixed-subscriptions.js';
import { changes, count, group, joined, nextRound, sizes, text, without } from './support/groups.js';

const sticky = (spec: GroupSpec) => stickyAssignor.assign(spec);
const cooperative = (spec: GroupSpec) => cooperativeStickyAssignor.assign(spec);
const target = (spec: GroupSpec) => text(sticky(spec).target);
/** What the cooperative rule hands out in this round. */
const round = (spec: GroupSpec) => text(cooperative(spec).assignment);

/** All orders of a list. */
function permutations<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]];
  return list.flatMap((first, i) => permutations(list.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

describe('sticky', () => {
  it('spreads the partitions of a member that left, and moves nothing else', () => {
    const owned = { a: [0, 1, 2, 3], b: [4, 5, 6] };
    const spec = group(
      { t: 10 },
      {
        a: { topics: 't', owned: { t: owned.a }, generation: 1 },
        b: { topics: 't', owned: { t: owned.b }, generation: 1 },
      },
    );
    expect(target(spec)).toEqual({ a: 't-0 t-1 t-2 t-3 t-7', b: 't-4 t-5 t-6 t-8 t-9' });
  });

  it('leaves one of 3 members idle on 2 partitions, and lists it', () => {
    expect(target(group({ t: 2 }, count(3, 't')))).toEqual({ c0: 't-0', c1: 't-1', c2: '' });
  });

  it('B-06 treats a topic without partitions like an unknown one', () => {
    expect(target(group({ t: 2 }, { a: 't ghost' }))).toEqual({ a: 't-0 t-1' });
    expect(target(group({ t: 2, ghost: 0 }, { a: 't ghost' }))).toEqual({ a: 't-0 t-1' });
  });

  it('B-07 is even where round robin leaves a member idle', () => {
    const topics = { topic1: 2, topic2: 1, topic3: 2, topic4: 1, topic5: 2 };
    const all = Object.keys(topics).join(' ');
    const some = 'topic1 topic3 topic5';
    const members = { consumer1: all, consumer2: some, consumer3: some, consumer4: all };
    expect(Object.values(sizes(sticky(group(topics, members)).target))).toEqual([2, 2, 2, 2]);
  });

  it('C-01 a member at the minimum is full once enough members have the maximum', () => {
    const spec = group(
      { topic: 4 },
      {
        c1: { topics: 'topic', owned: { topic: [0, 1] }, generation: 1 },
        c2: { topics: 'topic', owned: { topic: [2] }, generation: 1 },
        c3: 'topic',
      },
    );
    const right = { c1: 'topic-0 topic-1', c2: 'topic-2', c3: 'topic-3' };
    expect(target(spec)).toEqual(right);
    expect(round(spec)).toEqual(right);
  });

  it.each([[9], [undefined]])('C-03 a stale claim loses: generation 10 against %p', (generation) => {
    const owned = { topic: [0, 2], topic2: [1] };
    const topics = 'topic topic2';
    const spec = group(
      { topic: 3, topic2: 3 },
      {
        c1: { topics, owned, generation: 10 },
        c2: { topics, owned, ...(generation === undefined ? {} : { generation }) },
      },
    );
    const right = { c1: 'topic-0 topic-2 topic2-1', c2: 'topic-1 topic2-0 topic2-2' };
    expect(target(spec)).toEqual(right);
    expect(round(spec)).toEqual(right);
  });

  it('C-04 the newest claim to each partition counts, not the newest generation of the group', () => {
    const topics = 'topic topic2 topic3';
    const spec = group(
      { topic: 3, topic2: 3, topic3: 3 },
      {
        c1: { topics, owned: { topic: [0], topic2: [0], topic3: [0] }, generation: 10 },
        c2: { topics, owned: { topic: [1], topic2: [1], topic3: [1] }, generation: 9 },
        c3: { topics, owned: { topic2: [1], topic3: [0, 2] }, generation: 8 },
      },
    );
    const right = {
      c1: 'topic-0 topic2-0 topic3-0',
      c2: 'topic-1 topic2-1 topic3-1',
      c3: 'topic-2 topic2-2 topic3-2',
    };
    expect(target(spec)).toEqual(right);
    expect(round(spec)).toEqual(right);
  });

  it('C-06 conflict on some of the partitions', () => {
    const topics = 'topic topic2';
    const spec = group(
      { topic: 3, topic2: 3 },
      {
        c1: { topics, owned: { topic: [0, 1], topic2: [1] }, generation: 10 },
        c2: { topics, owned: { topic: [0], topic2: [1, 2] }, generation: 8 },
      },
    );
    const right = { c1: 'topic-0 topic-1 topic2-1', c2: 'topic-2 topic2-0 topic2-2' };
    expect(target(spec)).toEqual(right);
    expect(round(spec)).toEqual(right);
  });

  describe('C-07 a member that missed a generation comes back', () => {
    const A = { topics: 'topic', owned: { topic: [0, 3] }, generation: 1 };
    const B = { topics: 'topic', owned: { topic: [0, 1, 4] }, generation: 2 };
    const C = { topics: 'topic', owned: { topic: [2, 3, 5] }, generation: 2 };
    const aloneB = { topics: 'topic', owned: { topic: [0, 1, 2, 3, 4, 5] }, generation: 2 };
    const staleC = { topics: 'topic', owned: { topic: [2, 5] }, generation: 1 };

    // The report's answer restores three pairs, 0+3, 1+4 and 2+5. Kafka 3.9 to 4.1 look at older generations
    // only when subscriptions differ, and take partitions in order, so that another move may come first.
    it('an older owner gets its partitions back when subscriptions differ', () => {
      const topics = { topic: 6, other: 1 };
      expect(target(group(topics, { A, B: aloneB, C: staleC, D: 'other' }))).toEqual({
        A: 'topic-0 topic-3',
        B: 'topic-4 topic-5',
        C: 'topic-1 topic-2',
        D: 'other-0',
      });
      expect(target(group(topics, { A, B, C, D: 'other' }))).toEqual({
        A: 'topic-0 topic-2',
        B: 'topic-1 topic-4',
        C: 'topic-3 topic-5',
        D: 'other-0',
      });
    });

    it('equal subscriptions forget older generations, but stay even', () => {
      expect(target(group({ topic: 6 }, { A, B, C }))).toEqual({
        A: 'topic-4 topic-5',
        B: 'topic-0 topic-1',
        C: 'topic-2 topic-3',
      });
      expect(target(group({ topic: 6 }, { A, B: aloneB, C: staleC }))).toEqual({
        A: 'topic-2 topic-4',
        B: 'topic-0 topic-1',
        C: 'topic-3 topic-5',
      });
    });

    it('and its interrupted ownership is named', () => {
      const { warnings } = sticky(group({ topic: 6 }, { A, B, C }));
      expect(warnings).toEqual([{ code: 'stale-claim', message: expect.stringMatching(/"A".*generation 1.*is 2/) }]);
    });
  });

  it('C-08 three claimants in every order of generations', () => {
    for (const [g1, g2, g3] of permutations([1, 2, 3])) {
      const spec = group(
        { topic: 6, topic1: 1 },
        {
          c1: { topics: 'topic', owned: { topic: [0, 2] }, generation: g1! },
          c2: { topics: 'topic', owned: { topic: [1, 2, 3] }, generation: g2! },
          c3: { topics: 'topic', owned: { topic: [2, 4, 5] }, generation: g3! },
          c4: { topics: 'topic1', owned: { topic1: [0] }, generation: 2 },
        },
      );
      const answer = target(spec);
      expect(Object.values(answer).join(' ').split(' ').sort()).toEqual([
        ...Array.from({ length: 6 }, (_, p) => `topic-${p}`),
        'topic1-0',
      ]);
      expect(sizes(sticky(spec).target)).toEqual({ c1: 2, c2: 2, c3: 2, c4: 1 });
      expect(answer['c4']).toBe('topic1-0');
    }
  });

  it('C-08 500 members on two halves of 100 topics of 200 partitions stay within their halves and stay put', () => {
    const names = Array.from({ length: 100 }, (_, i) => `topic-${i}`);
    const halves = [names.slice(0, 50).join(' '), names.slice(50).join(' ')] as const;
    const spec = group(
      Object.fromEntries(names.map((name) => [name, 200])),
      Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`c${i}`, halves[i % 4 === 0 ? 0 : 1]!])),
    );
    const first = sticky(spec).target;
    expect(new Set(Object.values(sizes(first)))).toEqual(new Set([80, 26, 27]));
    expect(changes(first, sticky(nextRound(spec, first, 1)).target)).toEqual({});
  });

  it('C-09 every topic is spread when members come and go', () => {
    const spec = (ids: string[]) =>
      group({ topic1: 12, topic2: 12 }, Object.fromEntries(ids.map((id) => [id, 'topic1 topic2'])));
    const perTopic = (answer: Record<string, string>) =>
      Object.values(answer).map((line) => [line.match(/topic1-/g)?.length, line.match(/topic2-/g)?.length]);

    const one = sticky(spec(['c1'])).target;
    expect(perTopic(text(one))).toEqual([[12, 12]]);
    const two = sticky(joined(nextRound(spec(['c1']), one, 1), { c2: 'topic1 topic2' })).target;
    expect(perTopic(text(two))).toEqual(Array(2).fill([6, 6]));
    const more = { c3: 'topic1 topic2', c4: 'topic1 topic2' };
    const four = sticky(joined(nextRound(spec(['c1', 'c2']), two, 2), more)).target;
    expect(perTopic(text(four))).toEqual(Array(4).fill([3, 3]));
    const last = without(nextRound(spec(['c1', 'c2', 'c3', 'c4']), four, 3), 'c1', 'c2');
    expect(perTopic(text(sticky(last).target))).toEqual(Array(2).fill([6, 6]));
    expect(sizes(cooperative(last).assignment)).toEqual({ c3: 12, c4: 12 });
  });

  it('C-11 partitions taken for the sake of racks are withheld for a round', () => {
    const spec = group(
      { topic: [['r0'], ['r1'], ['r0'], ['r1']] },
      {
        c0: { topics: 'topic', rack: 'r0', owned: { topic: [0, 1] }, generation: 1 },
        c1: { topics: 'topic', rack: 'r1', owned: { topic: [2, 3] }, generation: 1 },
      },
    );
    const first = cooperative(spec);
    expect(text(first.target)).toEqual({ c0: 'topic-0 topic-2', c1: 'topic-1 topic-3' });
    expect(text(first.assignment)).toEqual({ c0: 'topic-0', c1: 'topic-3' });
    const second = cooperative(nextRound(spec, first.assignment, 2));
    expect(text(second.assignment)).toEqual(text(first.target));
  });

  it('C-12 only what a joining member needs moves, and only what it had when it leaves', () => {
    const spec = group(
      { topic: 10 },
      {
        c1: { topics: 'topic', owned: { topic: [1, 3, 5, 7, 9] }, generation: 1 },
        c2: { topics: 'topic', owned: { topic: [0, 2, 4, 6, 8] }, generation: 1 },
        c3: 'topic',
      },
    );
    const withThree = sticky(spec).target;
    expect(text(withThree)).toEqual({
      c1: 'topic-1 topic-3 topic-5 topic-7',
      c2: 'topic-0 topic-2 topic-4',
      c3: 'topic-6 topic-8 topic-9',
    });
    expect(round(spec)['c3']).toBe('');
    const left = sticky(without(nextRound(spec, withThree, 2), 'c3')).target;
    expect(changes(withThree, left)).toEqual({ 'topic-6': 'c3 -> c1', 'topic-8': 'c3 -> c2', 'topic-9': 'c3 -> c2' });
  });

  it('C-14 more members than partitions, whoever comes first', () => {
    const all = [
      ...Array.from({ length: 10 }, (_, i) => [`client-states-${i}`, 'states'] as const),
      ...Array.from({ length: 15 }, (_, i) => [`client-activities-${i}`, 'activities'] as const),
    ];
    // Three orders of joining: as listed, backwards, and interleaved (7 and 25 have no common divisor).
    for (const order of [all, all.toReversed(), all.map((_, i) => all[(i * 7) % 25]!)]) {
      let spec = group({ states: 5, activities: 3 }, {});
      for (const [generation, [id, topic]] of order.entries()) {
        spec = joined(spec, { [id]: topic });
        spec = nextRound(spec, sticky(spec).target, generation + 1);
      }
      const counts = Object.values(sizes(sticky(spec).target));
      expect([counts.filter((n) => n === 1).length, counts.filter((n) => n === 0).length]).toEqual([8, 17]);
    }
  });

  it('C-15 the balance score is a sum over all pairs of members that take part', () => {
    expect(balanceScore(Int32Array.of(5, 1, 1), new Uint8Array(3))).toBe(8);
    expect(balanceScore(Int32Array.of(5, 1, 1, 9), Uint8Array.of(0, 0, 0, 1))).toBe(8);
  });

  it('C-17 a stale claim whose newer owner no longer subscribes', () => {
    const spec = group(
      { t: 1, u: 1 },
      { a: { topics: 't', owned: { t: [0] }, generation: 1 }, b: { topics: 'u', owned: { t: [0] }, generation: 2 } },
    );
    expect(target(spec)).toEqual({ a: 't-0', b: 'u-0' });
  });

  it('C-18 giving a partition back keeps the books', () => {
    const spec = group(
      { t: 3, u: 0 },
      {
        a: { topics: 't', owned: { t: [0] }, generation: 1 },
        b: { topics: 't', owned: { t: [0, 1, 2] }, generation: 2 },
        c: 't u',
      },
    );
    expect(target(spec)).toEqual({ a: 't-0', b: 't-2', c: 't-1' });
    // a claims t-0 itself, so Kafka lets it have t-0 at once; only what c has never claimed waits.
    expect(round(spec)).toEqual({ a: 't-0', b: 't-2', c: '' });
  });

  it('C-20 a stale claim does not hide a move', () => {
    const spec = group(
      { t: 3 },
      {
        a: { topics: 't', owned: { t: [0] }, generation: 1 },
        b: { topics: 't', owned: { t: [0, 1, 2] }, generation: 2 },
      },
    );
    // Kafka moves t-2, the highest number, where other clients move t-0; either way it waits for b.
    const first = cooperative(spec);
    expect(text(first.assignment)).toEqual({ a: '', b: 't-0 t-1' });
    const second = cooperative(nextRound(spec, first.assignment, 3));
    expect(text(second.assignment)).toEqual({ a: 't-2', b: 't-0 t-1' });
  });

  it('C-21 (i) ignores claims to partitions that cannot be, and says so', () => {
    const honest = group({ t: 2 }, { a: 't', b: 't' });
    const owned = new Map([['t', [-1, 7]]]);
    const spec = { ...honest, members: [{ ...honest.members[0]!, owned, generation: 1 }, honest.members[1]!] };
    expect(target(spec)).toEqual(target(honest));
    expect(sticky(spec).warnings.map(({ code }) => code)).toEqual([
      'unknown-owned-partition',
      'unknown-owned-partition',
    ]);
  });

  it('C-21 (ii) keeps the first entry of a member that is listed twice', () => {
    const once = group({ t: 2 }, { m: 't', n: 't' });
    const { target: answer, warnings } = sticky({ ...once, members: [...once.members, { id: 'm', topics: [] }] });
    expect(text(answer)).toEqual({ m: 't-0', n: 't-1' });
    expect(warnings.map(({ code }) => code)).toEqual(['duplicate-member']);
  });

  it('C-23 a subscribed topic was deleted', () => {
    const first = group({ topic01: 1, topic03: 100 }, { consumer: 'topic01 topic02 topic03' });
    expect(sizes(sticky(first).target)).toEqual({ consumer: 101 });
    const gone = group({}, { consumer: { topics: 'topic01', owned: { topic01: [0, 1, 2] }, generation: 1 } });
    expect(target(gone)).toEqual({ consumer: '' });
    expect(round(gone)).toEqual({ consumer: '' });
  });

  it('C-24 remembers nothing from one group to the next', () => {
    const x = group({ t: 4 }, { a: { topics: 't', owned: { t: [3, 2] }, generation: 9 }, b: 't' });
    const y = group({ t: 4 }, { a: 't', b: 't' });
    const fresh = target(y);
    expect(target(x)).not.toEqual(fresh);
    expect(target(y)).toEqual(fresh);
  });

  it('prefers a member in a rack of the partition, but not at the price of balance', () => {
    const members = { a: { topics: 't', rack: 'r0' }, b: { topics: 't', rack: 'r1' } };
    expect(target(group({ t: [['r1'], ['r0'], ['r1'], ['r0']] }, members))).toEqual({ a: 't-1 t-3', b: 't-0 t-2' });
    expect(target(group({ t: [['r0'], ['r0'], ['r0'], ['r1']] }, members))).toEqual({ a: 't-0 t-1', b: 't-2 t-3' });
  });

  it('warns where Kafka hands a partition to a member that does not subscribe', () => {
    // b, walked first, has no subscription; Kafka takes the first one that is not empty for everybody's.
    const spec = group({ t: 2 }, { c1: '', c2: 't' });
    const { target: answer, warnings } = sticky(spec);
    expect(text(answer)).toEqual({ c1: 't-0', c2: 't-1' });
    expect(warnings).toEqual([{ code: 'assigned-to-non-subscriber', message: expect.stringMatching(/"t".*"c1"/) }]);
  });

  it('warns where a former owner without subscription gets its partition back', () => {
    const spec = group(
      { t: 6, u: 2 },
      {
        a: { topics: 't', owned: { t: [0, 1, 2, 3, 4, 5] }, generation: 2 },
        b: { topics: 'u', owned: { t: [0] }, generation: 1 },
        c: 't u',
        d: 'u',
      },
    );
    const { target: answer, warnings } = sticky(spec);
    expect(text(answer)['b']).toContain('t-0');
    expect(warnings.map(({ code }) => code)).toEqual(['stale-claim', 'assigned-to-non-subscriber']);
  });

  it('says so where Kafka fails, and goes on without the claim that it fails on', () => {
    const spec = group(
      { t: 6, u: 1 },
      {
        a: { topics: 't', owned: { t: [0, 1, 2, 3, 4, 5] }, generation: 2 },
        b: { topics: 'u', owned: { t: [0] }, generation: 1 },
        c: 't',
      },
    );
    const { target: answer, warnings } = sticky(spec);
    expect(sizes(answer)).toEqual({ a: 3, b: 1, c: 3 });
    expect(warnings.map(({ code }) => code)).toEqual(['stale-claim', 'kafka-fails']);
  });
});
