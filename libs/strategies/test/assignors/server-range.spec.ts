import type { GroupSpec } from '@allot/model';
import { assignmentToJson, findViolations } from '@allot/model';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { serverRangeAssignor } from '../../src/assignors/server-range.js';
import { anyGroup, propertyRuns, snapshot, spread } from './random-groups.js';

function topics(counts: Record<string, number>): GroupSpec['topics'] {
  return Object.entries(counts).map(([name, partitions]) => ({ name, partitions }));
}

function answer(group: GroupSpec): Record<string, unknown> {
  return Object.fromEntries(
    [...serverRangeAssignor.assign(group).assignment].map(([id, owned]) => [id, { ...assignmentToJson(owned) }]),
  );
}

describe('server-range', () => {
  it('A-01 divides by the subscribers of the topic', () => {
    const members = [
      { id: 'a', topics: ['t'] },
      { id: 'b', topics: ['u'] },
      { id: 'c', topics: ['u'] },
    ];
    expect(answer({ topics: topics({ t: 2, u: 3 }), members })).toEqual({
      a: { t: [0, 1] },
      b: { u: [0, 1] },
      c: { u: [2] },
    });
  });

  it.each([
    ['M1', 'M2'],
    ['M3', 'M4'],
  ])('A-02 is contiguous and starts with the same member for every topic (%s, %s)', (first, second) => {
    const members = [first, second].map((id) => ({ id, topics: ['T1', 'T2'] }));
    expect(answer({ topics: topics({ T1: 3, T2: 3 }), members })).toEqual({
      [first]: { T1: [0, 1], T2: [0, 1] },
      [second]: { T1: [2], T2: [2] },
    });
    expect(answer({ topics: topics({ T1: 4, T2: 4 }), members })).toEqual({
      [first]: { T1: [0, 1], T2: [0, 1] },
      [second]: { T1: [2, 3], T2: [2, 3] },
    });
  });

  it('A-06 gives a static member that comes back with another id what it had', () => {
    const group = (idOfA: string): GroupSpec => ({
      topics: topics({ topic: 3 }),
      members: [
        { id: idOfA, instanceId: 'instanceA', topics: ['topic'] },
        { id: 'B', instanceId: 'instanceB', topics: ['topic'] },
      ],
    });
    expect(answer(group('A'))).toEqual({ A: { topic: [0, 1] }, B: { topic: [2] } });
    expect(answer(group('Z-A1'))).toEqual({ 'Z-A1': { topic: [0, 1] }, B: { topic: [2] } });
  });

  it('places static members before dynamic ones', () => {
    const members = [
      { id: 'a', topics: ['t'] },
      { id: 'b', topics: ['t'] },
      { id: 'z', instanceId: 'i', topics: ['t'] },
    ];
    expect(answer({ topics: topics({ t: 3 }), members })).toEqual({ z: { t: [0] }, a: { t: [1] }, b: { t: [2] } });
  });

  it('B-08 serves the topic that only one member knows', () => {
    const members = [
      { id: 'C1', topics: ['A', 'B', 'C'] },
      { id: 'C2', topics: ['B', 'C', 'D'] },
    ];
    expect(answer({ topics: topics({ A: 3, B: 3, C: 3, D: 3 }), members })).toEqual({
      C1: { A: [0, 1, 2], B: [0, 1], C: [0, 1] },
      C2: { B: [2], C: [2], D: [0, 1, 2] },
    });
  });

  it('cuts 10 partitions for 3 members into 0-3, 4-6 and 7-9', () => {
    const members = ['m1', 'm2', 'm3'].map((id) => ({ id, topics: ['t'] }));
    expect(answer({ topics: topics({ t: 10 }), members })).toEqual({
      m1: { t: [0, 1, 2, 3] },
      m2: { t: [4, 5, 6] },
      m3: { t: [7, 8, 9] },
    });
  });

  it.each(['3.8', '0.11', '4', 'four', ''])('refuses Kafka version "%s", which has no such rule', (kafkaVersion) => {
    expect(() => serverRangeAssignor.assign({ topics: [], members: [] }, { kafkaVersion })).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_KAFKA_VERSION',
        message: expect.stringContaining('3.9 and later'),
      }),
    );
  });

  it.each(['3.9', '4.0', '4.0.1', '4.1', '4.4.0', '4.10', '5.0-rc1'])('knows Kafka version %s', (kafkaVersion) => {
    expect(serverRangeAssignor.assign({ topics: [], members: [] }, { kafkaVersion }).assignment.size).toBe(0);
  });

  it('is legal, balanced within each topic, and does not depend on any order', () => {
    fc.assert(
      fc.property(anyGroup, fc.infiniteStream(fc.nat()), (group, numbers) => {
        const before = snapshot(group);
        const { assignment } = serverRangeAssignor.assign(group);
        expect(findViolations(group, assignment)).toEqual([]);
        for (const { name } of group.topics) {
          const subscribers = group.members.filter((member) => member.topics.includes(name));
          if (subscribers.length === 0) continue;
          const counts = subscribers.map(({ id }) => assignment.get(id)!.get(name)?.length ?? 0);
          expect(spread(counts)).toBeLessThanOrEqual(1);
        }
        const shuffle = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => ({ item, key: numbers.next().value as number }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item);
        const shuffled: GroupSpec = {
          topics: shuffle(group.topics),
          members: shuffle(group.members).map((member) => ({ ...member, topics: shuffle(member.topics) })),
        };
        expect(new Map(serverRangeAssignor.assign(shuffled).assignment)).toEqual(new Map(assignment));
        expect(snapshot(group)).toBe(before);
      }),
      propertyRuns,
    );
  });
});
