import type { GroupAssignment, GroupSpec } from '@allot/model';
import {
  assignmentFromJson,
  assignmentToJson,
  countPartitions,
  diffByPartition,
  findViolations,
  sameAssignment,
} from '@allot/model';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { emptyTarget, brokerUniform, replay } from '../../../../test/conformance/broker-uniform.js';
import type { BrokerTarget } from '../../../../test/conformance/broker-uniform.js';
import { resolveAssignor } from '../../src/assignors/registry.js';
import { uniformAssignor } from '../../src/assignors/uniform.js';
import { after, anyGroup, loads, propertyRuns, snapshot, someGroup, someSteps, spread } from './random-groups.js';

function topics(counts: Record<string, number>): GroupSpec['topics'] {
  return Object.entries(counts).map(([name, partitions]) => ({ name, partitions }));
}

function assign(group: GroupSpec, kafkaVersion?: string): GroupAssignment {
  return uniformAssignor.assign(group, kafkaVersion === undefined ? {} : { kafkaVersion }).assignment;
}

function json(assignment: GroupAssignment): Record<string, unknown> {
  return Object.fromEntries([...assignment].map(([id, owned]) => [id, { ...assignmentToJson(owned) }]));
}

describe('uniform', () => {
  it.each(['4.0', '4.1'])('B-07 balances where round-robin leaves a member idle (%s)', (version) => {
    const all = ['topic1', 'topic2', 'topic3', 'topic4', 'topic5'];
    const some = ['topic1', 'topic3', 'topic5'];
    const group: GroupSpec = {
      topics: topics({ topic1: 2, topic2: 1, topic3: 2, topic4: 1, topic5: 2 }),
      members: [
        { id: 'consumer1', topics: all },
        { id: 'consumer2', topics: some },
        { id: 'consumer3', topics: some },
        { id: 'consumer4', topics: all },
      ],
    };
    expect(loads(assign(group, version))).toEqual([2, 2, 2, 2]);
  });

  it('C-12 moves only what a third member needs', () => {
    const group: GroupSpec = {
      topics: topics({ topic: 10 }),
      members: [
        { id: 'c1', topics: ['topic'], owned: assignmentFromJson({ topic: [1, 3, 5, 7, 9] }) },
        { id: 'c2', topics: ['topic'], owned: assignmentFromJson({ topic: [0, 2, 4, 6, 8] }) },
        { id: 'c3', topics: ['topic'] },
      ],
    };
    const joined = assign(group);
    const before = new Map(group.members.map(({ id, owned }) => [id, owned ?? new Map<string, number[]>()]));
    expect(loads(joined).sort()).toEqual([3, 3, 4]);
    expect(diffByPartition(before, joined)).toHaveLength(3);
    expect(countPartitions(joined.get('c3')!)).toBe(3);

    const left = assign(after(group, joined, { kind: 'leave', place: 2 }));
    for (const id of ['c1', 'c2'])
      for (const partition of joined.get(id)!.get('topic')!) expect(left.get(id)!.get('topic')).toContain(partition);
  });

  it('C-21 ignores a claim on a partition that cannot exist, and the second entry of a member', () => {
    const hostile: GroupSpec = {
      topics: topics({ t: 2 }),
      members: [
        { id: 'm', topics: ['t'], owned: new Map([['t', [-1, 7]]]) },
        { id: 'm', topics: ['t'] },
      ],
    };
    const { assignment, warnings } = uniformAssignor.assign(hostile);
    expect(json(assignment)).toEqual({ m: { t: [0, 1] } });
    expect(warnings.map(({ code }) => code)).toEqual([
      'duplicate-member',
      'unknown-owned-partition',
      'unknown-owned-partition',
    ]);
  });

  it('gives a partition that two members claim to one of them, and says so', () => {
    const owned = assignmentFromJson({ t: [0] });
    const { assignment, warnings } = uniformAssignor.assign({
      topics: topics({ t: 2 }),
      members: [
        { id: 'a', topics: ['t'], owned },
        { id: 'b', topics: ['t'], owned },
      ],
    });
    expect(json(assignment)).toEqual({ a: { t: [0] }, b: { t: [1] } });
    expect(warnings.map(({ code }) => code)).toEqual(['conflicting-claim']);
  });

  it('C-23 keeps a member whose topic is gone, with nothing', () => {
    const owned = assignmentFromJson({ topic01: [0, 1, 2] });
    expect(json(assign({ topics: [], members: [{ id: 'c', topics: ['topic01'], owned }] }))).toEqual({ c: {} });
    const some: GroupSpec = {
      topics: topics({ topic01: 1, topic03: 100 }),
      members: [{ id: 'c', topics: ['topic01', 'topic02', 'topic03'] }],
    };
    expect(loads(assign(some))).toEqual([101]);
  });

  it('C-24 remembers nothing from one call to the next', () => {
    const group = (owned: number[]): GroupSpec => ({
      topics: topics({ t: 4 }),
      members: [
        { id: 'a', topics: ['t'], owned: assignmentFromJson({ t: owned }) },
        { id: 'b', topics: ['t'] },
      ],
    });
    const fresh = json(assign(group([])));
    assign(group([2, 3]));
    expect(json(assign(group([])))).toEqual(fresh);
  });

  it('C-25 a member without a subscription is present and idle', () => {
    const members = [
      { id: 'A', topics: ['topic1'] },
      { id: 'B', topics: [] },
    ];
    expect(json(assign({ topics: topics({ topic1: 3 }), members }))).toEqual({ A: { topic1: [0, 1, 2] }, B: {} });
  });

  it.each(['4.0', '4.1'])('C-27 the rest keep theirs and share what a removed member had (%s)', (version) => {
    const subscription = ['topic1', 'topic2'];
    const group: GroupSpec = {
      topics: topics({ topic1: 3, topic2: 3 }),
      members: [
        { id: 'A', topics: subscription, owned: assignmentFromJson({ topic1: [0], topic2: [0] }) },
        { id: 'B', topics: subscription, owned: assignmentFromJson({ topic1: [1], topic2: [1] }) },
      ],
    };
    const result = assign(group, version);
    expect(loads(result)).toEqual([3, 3]);
    expect(json(result)).toEqual({
      A: { topic1: expect.arrayContaining([0]), topic2: expect.arrayContaining([0]) },
      B: { topic1: expect.arrayContaining([1]), topic2: expect.arrayContaining([1]) },
    });
    expect(findViolations(group, result)).toEqual([]);
  });

  it('C-28 uncommon subscriptions: bounded, balanced per topic, and nothing moves without need', () => {
    const names = Array.from({ length: 50 }, (_, i) => `topic-${i}`);
    const members = Array.from({ length: 800 }, (_, i) => ({
      id: `member-${i}`,
      topics: i % 100 === 7 ? names.slice(i % 40, (i % 40) + 3) : names,
    }));
    const group: GroupSpec = { topics: names.map((name) => ({ name, partitions: 800 })), members };
    const first = assign(group);
    expect(findViolations(group, first)).toEqual([]);
    expect(spread(loads(first))).toBeLessThanOrEqual(1);

    const grown = after(group, first, { kind: 'join', id: 'member-new' });
    const second = assign(grown);
    expect(spread(loads(second))).toBeLessThanOrEqual(1);
    const moves = diffByPartition(first, second);
    expect(moves).toHaveLength(countPartitions(second.get('member-new')!));
    expect(json(assign(after(grown, second, undefined)))).toEqual(json(second));
  });

  it('C-28 a million partitions, 2,000 members, some with three of the 500 topics: complete, nearly even and settled', () => {
    const names = Array.from({ length: 500 }, (_, i) => `topic-${i}`);
    const members = Array.from({ length: 2000 }, (_, i) => ({
      id: `member-${i}`,
      topics: i % 200 === 7 ? names.slice(i % 400, (i % 400) + 3) : names,
    }));
    const group: GroupSpec = { topics: names.map((name) => ({ name, partitions: 2000 })), members };
    const first = assign(group);
    const owners = new Map(names.map((name) => [name, new Uint8Array(2000)]));
    for (const owned of first.values())
      for (const [name, partitions] of owned) for (const partition of partitions) owners.get(name)![partition]!++;
    expect([...owners.values()].every((counts) => counts.every((count) => count === 1))).toBe(true);
    // Kafka's rule moves partitions between two subscribers, never along a chain of them, so a difference of two can remain.
    expect(spread(loads(first))).toBeLessThanOrEqual(2);
    const second = assign(after(group, first, undefined));
    expect(members.filter(({ id }) => !sameAssignment(first.get(id)!, second.get(id)!))).toEqual([]);
  });

  it('10 partitions and 5 members: two each', () => {
    const members = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, topics: ['t'] }));
    expect(loads(assign({ topics: topics({ t: 10 }), members }))).toEqual([2, 2, 2, 2, 2]);
  });

  it('answers to its other names', () => {
    expect(resolveAssignor('server-uniform')).toBe(uniformAssignor);
    expect(resolveAssignor('org.apache.kafka.coordinator.group.assignor.UniformAssignor')).toBe(uniformAssignor);
  });

  it('refuses a topic id that is none, and one that two topics share', () => {
    const members = [{ id: 'a', topics: ['t', 'u'] }];
    const id = 'ge0eL0IGB546FMaLSugMzQ';
    expect(() => assign({ topics: [{ name: 't', partitions: 1, id: 'short' }], members })).toThrow('topic id');
    const twice = ['t', 'u'].map((name) => ({ name, id, partitions: 1 }));
    expect(() => assign({ topics: twice, members })).toThrow('"t" and "u" have the same id');
  });
});

describe('uniform by Kafka version', () => {
  /** c3, c1, c2 is the order in which Java walks these ids; c1 has the larger share. */
  const balanced: GroupSpec = {
    topics: topics({ t: 4 }),
    members: [
      { id: 'c1', topics: ['t'], owned: assignmentFromJson({ t: [0, 1] }) },
      { id: 'c2', topics: ['t'], owned: assignmentFromJson({ t: [2] }) },
      { id: 'c3', topics: ['t'], owned: assignmentFromJson({ t: [3] }) },
    ],
  };

  it.each(['4.0', '4.0.0'])(
    '%s moves a balanced group when the larger share is not where the walk starts',
    (version) => {
      expect(json(assign(balanced, version))).toEqual({ c1: { t: [0] }, c2: { t: [2] }, c3: { t: [1, 3] } });
    },
  );

  it.each(['4.0.1', '4.1', '4.1.0', '4.4', '5.0', undefined])('%s leaves a balanced group alone', (version) => {
    expect(json(assign(balanced, version))).toEqual({ c1: { t: [0, 1] }, c2: { t: [2] }, c3: { t: [3] } });
  });

  it.each(['3.9', '3.8.0', '2', 'newest', '4.1 '])('refuses "%s", saying which versions are known', (version) => {
    expect(() => assign(balanced, version)).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_KAFKA_VERSION',
        message: expect.stringContaining('4.0 and later'),
      }),
    );
  });
});

describe('uniform on random groups', () => {
  it.each(['4.0', '4.1'])('%s is legal at every step of a life, and changes no input', (version) => {
    fc.assert(
      fc.property(anyGroup, someSteps, (start, steps) => {
        let group = start;
        for (const step of [undefined, ...steps]) {
          const before = snapshot(group);
          const result = assign(group, version);
          expect(findViolations(group, result)).toEqual([]);
          expect(snapshot(group)).toBe(before);
          group = after(group, result, step);
        }
      }),
      propertyRuns,
    );
  });

  it.each(['4.0', '4.1'])('%s balances equal subscriptions to within one', (version) => {
    fc.assert(
      fc.property(someGroup(true), someSteps, (start, steps) => {
        let group = start;
        for (const step of [undefined, ...steps]) {
          const result = assign(group, version);
          expect(spread(loads(result))).toBeLessThanOrEqual(1);
          group = after(group, result, step);
        }
      }),
      propertyRuns,
    );
  });

  it('balances mixed subscriptions: nobody can give to a subscriber that has two fewer', () => {
    fc.assert(
      fc.property(someGroup(false), (group) => {
        const result = assign(group);
        for (const giver of group.members) {
          for (const taker of group.members) {
            const gives = taker.topics.some((topic) => result.get(giver.id)!.has(topic));
            const gain = countPartitions(result.get(giver.id)!) - countPartitions(result.get(taker.id)!);
            if (gives) expect(gain).toBeLessThanOrEqual(1);
          }
        }
      }),
      propertyRuns,
    );
  });

  it('moves nothing when it runs again (4.1)', () => {
    fc.assert(
      fc.property(anyGroup, (group) => {
        const result = assign(group);
        expect(json(assign(after(group, result, undefined)))).toEqual(json(result));
      }),
      propertyRuns,
    );
  });

  it('does not depend on the order in which topics are listed', () => {
    fc.assert(
      fc.property(anyGroup, (group) => {
        const reversed = { ...group, topics: [...group.topics].reverse() };
        expect(json(assign(reversed))).toEqual(json(assign(group)));
      }),
      propertyRuns,
    );
  });

  it.each(['4.0', '4.1'])('%s answers as the rule does when it is told step by step on Java maps', (version) => {
    fc.assert(
      fc.property(anyGroup, someSteps, (start, steps) => {
        let group = start;
        let targets = new Map<string, BrokerTarget>();
        for (const step of [undefined, ...steps]) {
          const nameOf = new Map(group.topics.map(({ id, name }) => [id!, name]));
          targets = new Map(group.members.map(({ id }) => [id, replay(targets.get(id) ?? emptyTarget())]));
          const members = group.members.map((member) => ({
            ...member,
            owned: new Map(
              targets
                .get(member.id)!
                .entries()
                .map(({ key, value }) => [nameOf.get(key)!, value.keys()]),
            ),
          }));
          const answer = uniformAssignor.assign(
            { topics: group.topics, members },
            { kafkaVersion: version, ownedOrder: 'given' },
          ).assignment;

          targets = tell(group, targets, version);
          const told = new Map(
            [...targets].map(([id, target]) => [
              id,
              new Map(target.entries().map(({ key, value }) => [nameOf.get(key)!, value.keys().sort((a, b) => a - b)])),
            ]),
          );
          expect(json(answer)).toEqual(json(told));
          group = after(group, answer, step);
        }
      }),
      propertyRuns,
    );
  });
});

function tell(
  group: GroupSpec,
  targets: ReadonlyMap<string, BrokerTarget>,
  version: string,
): Map<string, BrokerTarget> {
  const idOf = new Map(group.topics.map(({ name, id }) => [name, id!]));
  const subscriptions = new Set(group.members.map((member) => JSON.stringify([...new Set(member.topics)].sort())));
  const members = group.members.map(({ id, topics: names }) => ({
    id,
    topics: names.flatMap((name) => idOf.get(name) ?? []),
    target: targets.get(id)!,
  }));
  const all = group.topics.map(({ id, partitions }) => ({ id: id!, partitions }));
  return brokerUniform(all, members, subscriptions.size <= 1, version !== '4.0');
}
