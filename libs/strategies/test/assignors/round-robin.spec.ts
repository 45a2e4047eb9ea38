import { describe, expect, it } from '@jest/globals';

import { roundRobinAssignor } from '../../src/assignors/round-robin.js';
import { count, group, sizes, text } from './support/groups.js';

const assign = (...args: Parameters<typeof group>) => text(roundRobinAssignor.assign(group(...args)).assignment);

describe('roundrobin', () => {
  it('deals 10 partitions to 3 members as 0 3 6 9, 1 4 7, 2 5 8', () => {
    expect(assign({ t: 10 }, { a: 't', b: 't', c: 't' })).toEqual({
      a: 't-0 t-3 t-6 t-9',
      b: 't-1 t-4 t-7',
      c: 't-2 t-5 t-8',
    });
  });

  it('A-04 is even where range is not', () => {
    expect(assign({ A: 1, B: 1 }, { c1: 'A B', c2: 'A B' })).toEqual({ c1: 'A-0', c2: 'B-0' });
    const small = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`t${i}`, 1]));
    const twelve = sizes(roundRobinAssignor.assign(group(small, count(12, Object.keys(small).join(' ')))).target);
    expect(Object.values(twelve).sort()).toEqual([2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
    const five = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`t${i}`, 5]));
    const four = sizes(roundRobinAssignor.assign(group(five, count(4, Object.keys(five).join(' ')))).target);
    expect(Object.values(four)).toEqual([125, 125, 125, 125]);
  });

  it('A-05 four topics, subscriptions in different order', () => {
    expect(assign({ a: 3, b: 4, c: 2, d: 1 }, { consumer1: 'a b c d', consumer2: 'd c b a' })).toEqual({
      consumer1: 'a-0 a-2 b-1 b-3 c-1',
      consumer2: 'a-1 b-0 b-2 c-0 d-0',
    });
  });

  it('B-01 serves every topic and only its subscribers', () => {
    const members = { 'group-1-1': 'A', 'group-1-2': 'B', 'group-1-3': 'A', 'group-1-0': 'B' };
    expect(assign({ A: 2, B: 2 }, members)).toEqual({
      'group-1-0': 'B-0',
      'group-1-1': 'A-0',
      'group-1-2': 'B-1',
      'group-1-3': 'A-1',
    });
    expect(assign({ 'topic-a': 1, 'topic-b': 1 }, { 'client-id-1': 'topic-a', 'client-id-2': 'topic-b' })).toEqual({
      'client-id-1': 'topic-a-0',
      'client-id-2': 'topic-b-0',
    });
  });

  it('B-02 wraps the turn at the group, not at the subscribers', () => {
    expect(assign({ A: 6, B: 4, C: 2 }, { m1: 'A', m2: 'A', m3: 'B', m4: 'B C' })).toEqual({
      m1: 'A-0 A-2 A-4',
      m2: 'A-1 A-3 A-5',
      m3: 'B-0 B-2',
      m4: 'B-1 B-3 C-0 C-1',
    });
    const many = { ...count(5, 'A'), z: 'B' };
    expect(sizes(roundRobinAssignor.assign(group({ A: 45, B: 1 }, many)).target)).toEqual({
      ...{ c0: 9, c1: 9, c2: 9, c3: 9, c4: 9 },
      z: 1,
    });
  });

  it('B-04 goes on with the turn from topic to topic', () => {
    const topics = 'T1 T2 TT2';
    expect(assign({ T1: 1, T2: 1, TT2: 1 }, { M: topics, M2: topics, M3: topics })).toEqual({
      M: 'T1-0',
      M2: 'T2-0',
      M3: 'TT2-0',
    });
    expect(assign({ t0: 4, t1: 1, t2: 1 }, count(3, 't0 t1 t2'))).toEqual({
      c0: 't0-0 t0-3',
      c1: 't0-1 t1-0',
      c2: 't0-2 t2-0',
    });
  });

  it('B-06 treats a topic without partitions like an unknown one', () => {
    expect(assign({ t: 2 }, { a: 't ghost' })).toEqual({ a: 't-0 t-1' });
    expect(assign({ t: 2, ghost: 0 }, { a: 't ghost' })).toEqual({ a: 't-0 t-1' });
  });

  it('B-07 leaves a member idle when subscriptions differ: its known weak spot', () => {
    const topics = { topic1: 2, topic2: 1, topic3: 2, topic4: 1, topic5: 2 };
    const all = Object.keys(topics).join(' ');
    const members = {
      consumer1: all,
      consumer2: 'topic1 topic3 topic5',
      consumer3: 'topic1 topic3 topic5',
      consumer4: all,
    };
    expect(sizes(roundRobinAssignor.assign(group(topics, members)).target)).toEqual({
      consumer1: 3,
      consumer2: 3,
      consumer3: 0,
      consumer4: 2,
    });
  });

  it('B-08 serves a topic that only one member knows', () => {
    const { C1, C2 } = sizes(
      roundRobinAssignor.assign(group({ A: 3, B: 3, C: 3, D: 3 }, { C1: 'A B C', C2: 'B C D' })).target,
    ) as { C1: number; C2: number };
    expect([C1, C2]).toEqual([6, 6]);
  });

  it('C-09 spreads every topic where sticky may leave one member most of a topic', () => {
    const [c1, c2] = [...roundRobinAssignor.assign(group({ T1: 24, T2: 24, T3: 96 }, count(2, 'T1 T2 T3'))).target];
    for (const [, owned] of [c1!, c2!]) expect([...owned.values()].map(({ length }) => length)).toEqual([12, 12, 48]);
  });

  it('puts static members before dynamic ones and ignores racks', () => {
    const members = { a: { topics: 't', rack: 'r0' }, z: { topics: 't', instanceId: 'i', rack: 'r1' } };
    expect(assign({ t: [['r0'], ['r1'], ['r1']] }, members)).toEqual({ a: 't-1', z: 't-0 t-2' });
  });

  it('answers an empty group with nothing and members without topics with empty entries', () => {
    expect(assign({ t: 2 }, {})).toEqual({});
    expect(assign({ t: 2 }, { a: '', b: 't' })).toEqual({ a: '', b: 't-0 t-1' });
  });
});
