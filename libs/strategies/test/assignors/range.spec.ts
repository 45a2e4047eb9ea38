import { describe, expect, it } from '@jest/globals';

import { rangeAssignor } from '../../src/assignors/range.js';
import { count, group, sizes, text } from './support/groups.js';

const assign = (...args: Parameters<typeof group>) => text(rangeAssignor.assign(group(...args)).assignment);

describe('range', () => {
  it('cuts 10 partitions for 3 members into 0-3, 4-6, 7-9', () => {
    expect(assign({ t: 10 }, { a: 't', b: 't', c: 't' })).toEqual({
      a: 't-0 t-1 t-2 t-3',
      b: 't-4 t-5 t-6',
      c: 't-7 t-8 t-9',
    });
  });

  it('leaves one of 3 members idle on 2 partitions, and lists it', () => {
    expect(assign({ t: 2 }, { a: 't', b: 't', c: 't' })).toEqual({ a: 't-0', b: 't-1', c: '' });
  });

  it('A-01 divides by the subscribers of the topic, not by the group', () => {
    expect(assign({ t: 2, u: 3 }, { a: 't', b: 'u', c: 'u' })).toEqual({ a: 't-0 t-1', b: 'u-0 u-1', c: 'u-2' });
  });

  it.each([[['M1', 'M2']], [['M3', 'M4']]])('A-02 cuts contiguously, beginning with the same member: %j', (ids) => {
    const [first, second] = ids as [string, string];
    const members = { [first]: 'T1 T2', [second]: 'T2 T1' };
    expect(assign({ T1: 3, T2: 3 }, members)).toEqual({ [first]: 'T1-0 T1-1 T2-0 T2-1', [second]: 'T1-2 T2-2' });
    expect(assign({ T1: 4, T2: 4 }, members)).toEqual({
      [first]: 'T1-0 T1-1 T2-0 T2-1',
      [second]: 'T1-2 T1-3 T2-2 T2-3',
    });
  });

  it('A-04 gives everything to the first members when topics are small', () => {
    expect(assign({ A: 1, B: 1 }, { c1: 'A B', c2: 'A B' })).toEqual({ c1: 'A-0 B-0', c2: '' });

    const small = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`t${i}`, 1]));
    const twelve = sizes(rangeAssignor.assign(group(small, count(12, Object.keys(small).join(' ')))).target);
    expect(Object.values(twelve)).toEqual([30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

    const five = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`t${i}`, 5]));
    const four = sizes(rangeAssignor.assign(group(five, count(4, Object.keys(five).join(' ')))).target);
    expect(Object.values(four)).toEqual([200, 100, 100, 100]);
  });

  it('A-05 four topics, subscriptions in different order', () => {
    expect(assign({ a: 3, b: 4, c: 2, d: 1 }, { consumer1: 'a b c d', consumer2: 'd c b a' })).toEqual({
      consumer1: 'a-0 a-1 b-0 b-1 c-0 d-0',
      consumer2: 'a-2 b-2 b-3 c-1',
    });
  });

  it('A-06 keeps static members where they are when their member ids change', () => {
    const named = (first: string, second: string, third: string) => ({
      [first]: { topics: 'topic1 topic2', instanceId: 'instance1' },
      [second]: { topics: 'topic1 topic2', instanceId: 'instance2' },
      [third]: { topics: 'topic1 topic2', instanceId: 'instance3' },
    });
    const topics = { topic1: 5, topic2: 5 };
    const parts = ['topic1-0 topic1-1 topic2-0 topic2-1', 'topic1-2 topic1-3 topic2-2 topic2-3', 'topic1-4 topic2-4'];
    expect(Object.values(assign(topics, named('a', 'b', 'c')))).toEqual(parts);
    expect(Object.values(assign(topics, named('z', 'b', 'aa')))).toEqual(parts);
  });

  it('puts static members before dynamic ones', () => {
    const members = { a: 't', z: { topics: 't', instanceId: 'i' } };
    expect(assign({ t: 3 }, members)).toEqual({ a: 't-2', z: 't-0 t-1' });
  });

  it('B-06 treats a topic without partitions like an unknown one', () => {
    expect(assign({ t: 2 }, { a: 't ghost' })).toEqual({ a: 't-0 t-1' });
    expect(assign({ t: 2, ghost: 0 }, { a: 't ghost' })).toEqual({ a: 't-0 t-1' });
  });

  it('B-08 serves a topic that only one member knows', () => {
    const topics = { A: 3, B: 3, C: 3, D: 3 };
    expect(assign(topics, { C1: 'A B C', C2: 'B C D' })).toEqual({
      C1: 'A-0 A-1 A-2 B-0 B-1 C-0 C-1',
      C2: 'B-2 C-2 D-0 D-1 D-2',
    });
  });

  it('lets racks decide who gets which partition, never how many', () => {
    const racks = [['r1'], ['r0'], ['r1'], ['r0']];
    const members = { a: { topics: 't', rack: 'r0' }, b: { topics: 't', rack: 'r1' } };
    expect(assign({ t: racks }, members)).toEqual({ a: 't-1 t-3', b: 't-0 t-2' });
    expect(assign({ t: [['r1'], ['r1'], ['r1'], ['r0']] }, members)).toEqual({ a: 't-2 t-3', b: 't-0 t-1' });
  });

  it('keeps equal topics co-partitioned when racks matter', () => {
    const racks = [['r1'], ['r0'], ['r1'], ['r0']];
    const members = { a: { topics: 't u', rack: 'r0' }, b: { topics: 't u', rack: 'r1' } };
    expect(assign({ t: racks, u: racks }, members)).toEqual({ a: 't-1 t-3 u-1 u-3', b: 't-0 t-2 u-0 u-2' });
  });

  it('ignores racks when every partition has a replica in each of them', () => {
    const everywhere = [
      ['r0', 'r1'],
      ['r1', 'r0'],
      ['r0', 'r1'],
      ['r1', 'r0'],
    ];
    const members = { a: { topics: 't', rack: 'r1' }, b: { topics: 't', rack: 'r0' } };
    expect(assign({ t: everywhere }, members)).toEqual({ a: 't-0 t-1', b: 't-2 t-3' });
  });

  it('answers an empty group with nothing and members without topics with empty entries', () => {
    expect(assign({ t: 2 }, {})).toEqual({});
    expect(assign({ t: 2 }, { a: '', b: 'ghost' })).toEqual({ a: '', b: '' });
  });

  it('C-21 (ii) keeps the first entry of a member that is listed twice, and says so', () => {
    const once = group({ t: 2 }, { m: 't', n: 't' });
    const twice = { ...once, members: [...once.members, { id: 'm', topics: [] }] };
    const { assignment, warnings } = rangeAssignor.assign(twice);
    expect(text(assignment)).toEqual({ m: 't-0', n: 't-1' });
    expect(warnings).toEqual([{ code: 'duplicate-member', message: expect.stringContaining('"m"') }]);
  });

  it('takes __proto__ for an ordinary name', () => {
    const spec = {
      topics: [{ name: '__proto__', partitions: 1 }],
      members: [{ id: '__proto__', topics: ['__proto__'] }],
    };
    const { assignment } = rangeAssignor.assign(spec);
    expect(assignment.get('__proto__')?.get('__proto__')).toEqual([0]);
  });
});
