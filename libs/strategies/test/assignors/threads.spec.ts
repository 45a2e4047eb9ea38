import type { AllotError, GroupAssignment, GroupSpec, MemberSpec } from '@allot/model';
import { assignmentToJson, findViolations } from '@allot/model';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { resolveAssignor } from '../../src/assignors/registry.js';
import { threadsRangeAssignor } from '../../src/assignors/threads-range.js';
import { threadsRoundRobinAssignor } from '../../src/assignors/threads-round-robin.js';
import { threadGroup } from '../../src/assignors/threads.js';
import { javaStringHashCode } from '../../src/hashing/java-hash-map.js';
import { loads, propertyRuns, someTopics, spread } from './random-groups.js';

function json(assignment: GroupAssignment): Record<string, unknown> {
  return Object.fromEntries([...assignment].map(([id, owned]) => [id, { ...assignmentToJson(owned) }]));
}

function group(topics: Record<string, number>, streams: Record<string, MemberSpec['streams']>): GroupSpec {
  const names = Object.keys(topics);
  return {
    topics: names.map((name) => ({ name, partitions: topics[name]! })),
    members: Object.entries(streams).map(([id, count]) => ({ id, topics: names, streams: count! })),
  };
}

function refusal(spec: GroupSpec): AllotError {
  try {
    threadsRoundRobinAssignor.assign(spec);
  } catch (error) {
    return error as AllotError;
  }
  throw new Error('it was not refused');
}

describe('threads-range', () => {
  it('cuts 10 partitions for c1-0, c2-0, c2-1 into 0-3, 4-6, 7-9', () => {
    expect(json(threadsRangeAssignor.assign(group({ t1: 10 }, { c1: 1, c2: 2 })).assignment)).toEqual({
      'c1-0': { t1: [0, 1, 2, 3] },
      'c2-0': { t1: [4, 5, 6] },
      'c2-1': { t1: [7, 8, 9] },
    });
  });

  it('cuts 11 into 0-3, 4-7, 8-10', () => {
    expect(json(threadsRangeAssignor.assign(group({ t1: 11 }, { c1: 1, c2: 2 })).assignment)).toEqual({
      'c1-0': { t1: [0, 1, 2, 3] },
      'c2-0': { t1: [4, 5, 6, 7] },
      'c2-1': { t1: [8, 9, 10] },
    });
  });

  it('gives c1-0 eight partitions of two topics of 10', () => {
    expect(json(threadsRangeAssignor.assign(group({ t1: 10, t2: 10 }, { c1: 1, c2: 2 })).assignment)).toEqual({
      'c1-0': { t1: [0, 1, 2, 3], t2: [0, 1, 2, 3] },
      'c2-0': { t1: [4, 5, 6], t2: [4, 5, 6] },
      'c2-1': { t1: [7, 8, 9], t2: [7, 8, 9] },
    });
  });

  it('gives five partitions and two consumers of two threads 2, 1, 1, 1', () => {
    expect(json(threadsRangeAssignor.assign(group({ t: 5 }, { C1: 2, C2: 2 })).assignment)).toEqual({
      'C1-0': { t: [0, 1] },
      'C1-1': { t: [2] },
      'C2-0': { t: [3] },
      'C2-1': { t: [4] },
    });
  });

  it('orders threads by their ids as text and shows those that stay idle', () => {
    const { assignment } = threadsRangeAssignor.assign(group({ t: 3 }, { c: 12 }));
    expect(assignment.size).toBe(12);
    expect(assignment.get('c-0')!.get('t')).toEqual([0]);
    expect(assignment.get('c-1')!.get('t')).toEqual([1]);
    expect(assignment.get('c-10')!.get('t')).toEqual([2]);
    expect(assignment.get('c-2')!.size).toBe(0);
  });

  it('counts streams by topic', () => {
    const streams = new Map([
      ['t', 2],
      ['u', 1],
    ]);
    expect(json(threadsRangeAssignor.assign(group({ t: 4, u: 4 }, { a: streams, b: 1 })).assignment)).toEqual({
      'a-0': { t: [0, 1], u: [0, 1] },
      'a-1': { t: [2] },
      'b-0': { t: [3], u: [2, 3] },
    });
  });

  it.each([0, -1, 1.5, Number.NaN, 1e9])('refuses %d streams', (streams) => {
    expect(() => threadsRangeAssignor.assign(group({ t: 1 }, { a: streams }))).toThrow('Member "a"');
    expect(() => threadsRangeAssignor.assign(group({}, { a: streams }))).toThrow('Member "a"');
    expect(() => threadsRangeAssignor.assign(group({ t: 1 }, { a: new Map([['t', streams]]) }))).toThrow('topic "t"');
  });

  it.each(['0.7', '2.0', '4.0'])('refuses Kafka version %s, which had no such consumers', (kafkaVersion) => {
    expect(() => threadsRangeAssignor.assign(group({ t: 1 }, { a: 1 }), { kafkaVersion })).toThrow('0.8 to 1.1');
  });

  it('is legal for the threads and balanced within each topic', () => {
    const someStreams = fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined });
    fc.assert(
      fc.property(someTopics, fc.array(someStreams, { minLength: 1, maxLength: 5 }), (topics, streams) => {
        const names = topics.map(({ name }) => name);
        const members = streams.map((count, i) => ({
          id: `c${i}`,
          topics: names.slice(i % 2),
          ...(count === undefined ? {} : { streams: count }),
        }));
        const { assignment } = threadsRangeAssignor.assign({ topics, members });
        const threads = threadGroup({ topics, members });
        expect(findViolations(threads, assignment)).toEqual([]);
        for (const name of names) {
          const counts = threads.members
            .filter((thread) => thread.topics.includes(name))
            .map(({ id }) => assignment.get(id)!.get(name)?.length ?? 0);
          if (counts.length > 0) expect(spread(counts)).toBeLessThanOrEqual(1);
        }
      }),
      propertyRuns,
    );
  });
});

describe('threads-roundrobin', () => {
  it('deals out partitions in a published order: {5,2,6}, {3,1,9}, {0,4}, {8,7}', () => {
    const partitionOrder = [5, 3, 0, 8, 2, 1, 4, 7, 6, 9].map((partition) => ({ topic: 't1', partition }));
    const { assignment } = threadsRoundRobinAssignor.assign(group({ t1: 10 }, { c1: 2, c2: 2 }), { partitionOrder });
    expect(json(assignment)).toEqual({
      'c1-0': { t1: [2, 5, 6] },
      'c1-1': { t1: [1, 3, 9] },
      'c2-0': { t1: [0, 4] },
      'c2-1': { t1: [7, 8] },
    });
  });

  it.each([
    ['1.1', (topic: string, partition: number) => `${topic}-${partition}`],
    ['0.8.2', (topic: string, partition: number) => `[${topic},${partition}]`],
  ])('orders partitions by the hash code of their name as Kafka %s prints it', (kafkaVersion, print) => {
    const topics = { orders: 12, 'Payments.v1': 11, t: 1 };
    const expected = Object.entries(topics)
      .flatMap(([topic, count]) => Array.from({ length: count }, (_, partition) => ({ topic, partition })))
      .sort(
        (a, b) => javaStringHashCode(print(a.topic, a.partition)) - javaStringHashCode(print(b.topic, b.partition)),
      );
    const { assignment } = threadsRoundRobinAssignor.assign(group(topics, { a: 2, b: 3 }), { kafkaVersion });
    const owners = expected.map(
      ({ topic, partition }) => [...assignment].find(([, owned]) => owned.get(topic)?.includes(partition))![0],
    );
    const threads = ['a-0', 'a-1', 'b-0', 'b-1', 'b-2'];
    expect(owners).toEqual(expected.map((_, turn) => threads[turn % threads.length]));
  });

  it('takes the newest printed form when no version is asked for', () => {
    const spec = group({ 'a-b': 120, 'a-c': 30 }, { a: 3 });
    const newest = json(threadsRoundRobinAssignor.assign(spec).assignment);
    expect(json(threadsRoundRobinAssignor.assign(spec, { kafkaVersion: '1.0' }).assignment)).toEqual(newest);
    expect(json(threadsRoundRobinAssignor.assign(spec, { kafkaVersion: '0.9' }).assignment)).not.toEqual(newest);
  });

  it('refuses a consumer with different streams by topic, and names it', () => {
    const uneven = new Map([
      ['t', 2],
      ['u', 1],
    ]);
    const error = refusal(group({ t: 2, u: 2 }, { good: 2, bad: uneven }));
    expect(error.code).toBe('INVALID_REQUEST');
    expect(error.message).toContain('"bad" (t: 2, u: 1)');
    expect(error.message).not.toContain('good');
    expect(error.errors).toEqual([{ pointer: '/members/1/streams', detail: 't: 2, u: 1' }]);
  });

  it('refuses consumers that subscribe to other topics than most, and names them', () => {
    const even = group({ t: 2, u: 2 }, { a: 1, b: 1, c: 1 });
    const members = even.members.map((member) => (member.id === 'b' ? { ...member, topics: ['u'] } : member));
    const error = refusal({ ...even, members });
    expect(error.message).toContain('"b" (u)');
    expect(error.message).not.toContain('"a"');
    expect(error.errors).toEqual([{ pointer: '/members/1/topics', detail: 'u' }]);
  });

  it.each([
    ['twice', [0, 1, 1], '/partitionOrder/2'],
    ['unknown', [0, 1, 3], '/partitionOrder/2'],
    ['missing', [0, 1], '/partitionOrder/2'],
  ])('refuses an order in which a partition is %s', (_, numbers, pointer) => {
    const partitionOrder = numbers.map((partition) => ({ topic: 't', partition }));
    expect(() => threadsRoundRobinAssignor.assign(group({ t: 3 }, { a: 1 }), { partitionOrder })).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }),
    );
  });

  it('is legal for the threads and balanced over all topics', () => {
    fc.assert(
      fc.property(
        someTopics,
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
        (topics, streams) => {
          const names = topics.map(({ name }) => name);
          const spec = { topics, members: streams.map((count, i) => ({ id: `c${i}`, topics: names, streams: count })) };
          const { assignment } = threadsRoundRobinAssignor.assign(spec);
          expect(findViolations(threadGroup(spec), assignment)).toEqual([]);
          expect(spread(loads(assignment))).toBeLessThanOrEqual(1);
        },
      ),
      propertyRuns,
    );
  });

  it('assigns nothing to an empty group', () => {
    expect(threadsRoundRobinAssignor.assign({ topics: [], members: [] }).assignment.size).toBe(0);
  });
});

it('the first-generation assignors answer to their class names', () => {
  expect(resolveAssignor('kafka.consumer.RangeAssignor')).toBe(threadsRangeAssignor);
  expect(resolveAssignor('kafka.consumer.RoundRobinAssignor')).toBe(threadsRoundRobinAssignor);
});
