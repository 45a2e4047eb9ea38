import { describe, expect, it } from '@jest/globals';
import { assignmentFromJson } from '../src/assignment.js';
import type { AssignmentJson, GroupAssignment } from '../src/assignment.js';
import type { GroupSpec } from '../src/group-spec.js';
import { findViolations } from '../src/invariants.js';
import {
  diffByMember,
  diffByPartition,
  idleMembers,
  rackLocality,
  skewOf,
  summarizeLoads,
  unownedPartitions,
  weightedSkew,
} from '../src/statistics.js';
import { indexSubscriptions } from '../src/subscriptions.js';

function assignment(json: Record<string, AssignmentJson>): GroupAssignment {
  return new Map(Object.entries(json).map(([id, owned]) => [id, assignmentFromJson(owned)]));
}

const group: GroupSpec = {
  topics: [
    { name: 't', partitions: 4 },
    { name: 'u', partitions: 1 },
    { name: 'empty', partitions: 0 },
    { name: 'alone', partitions: 2 },
  ],
  members: [
    { id: 'a', topics: ['t', 'u'] },
    { id: 'b', topics: ['t', 'ghost', 't'] },
    { id: 'c', topics: ['u', 'empty'] },
  ],
};
const legal = assignment({ a: { t: [0, 1, 2] }, b: { t: [3] }, c: { u: [0] } });

describe('skew', () => {
  it('is the busiest minus the least busy member, per topic among its subscribers', () => {
    expect(skewOf(group, legal)).toEqual({
      overall: 2,
      perTopic: new Map([
        ['t', 2],
        ['u', 1],
        ['empty', 0],
      ]),
    });
  });

  it('counts members without anything and members without an entry as zero', () => {
    expect(skewOf(group, assignment({ a: { t: [0, 1, 2, 3], u: [0] } })).overall).toBe(5);
    expect(skewOf({ topics: [], members: [] }, new Map())).toEqual({ overall: 0, perTopic: new Map() });
  });

  it('includes a holder that does not subscribe', () => {
    expect(skewOf(group, assignment({ c: { alone: [0, 1] } })).perTopic.get('alone')).toBe(0);
    expect(skewOf(group, assignment({ c: { t: [0, 1] } })).perTopic.get('t')).toBe(2);
  });
});

describe('loads', () => {
  it('D-14 summarizes the spread of a distribution: 4096 shards on 9 nodes by a planner', () => {
    expect(summarizeLoads([456, 455, 455, 455, 455, 455, 455, 455, 455])).toMatchObject({
      partitions: 4096,
      least: 455,
      most: 456,
    });
    expect(summarizeLoads([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({
      members: 8,
      partitions: 40,
      least: 2,
      most: 9,
      mean: 5,
      standardDeviation: 2,
    });
    expect(summarizeLoads([])).toEqual({ members: 0, partitions: 0, least: 0, most: 0, mean: 0, standardDeviation: 0 });
  });
});

describe('idle members and unowned partitions', () => {
  it('are listed in order', () => {
    expect(idleMembers(group, assignment({ b: { t: [0] } }))).toEqual(['a', 'c']);
    expect(unownedPartitions(group.topics, assignment({ a: { t: [1], ghost: [7] } }))).toEqual(
      new Map([
        ['alone', [0, 1]],
        ['t', [0, 2, 3]],
        ['u', [0]],
      ]),
    );
  });
});

describe('weighted skew', () => {
  const weighted: GroupSpec = {
    topics: [
      { name: 't', partitions: 3, weights: [100, 10, 0] },
      { name: 'u', partitions: 1 },
    ],
    members: [
      { id: 'a', topics: ['t', 'u'], weight: 2 },
      { id: 'b', topics: ['t', 'u'] },
    ],
  };

  it('divides what partitions weigh by what a member can do', () => {
    expect(weightedSkew(weighted, assignment({ a: { t: [0] }, b: { t: [1, 2], u: [0] } }))).toBe(50 - 11);
    expect(weightedSkew({ ...weighted, members: [] }, new Map())).toBe(0);
  });

  it('is nothing of its own where nothing is weighted', () => {
    expect(weightedSkew(group, legal)).toBeUndefined();
  });
});

describe('rack locality', () => {
  it('counts only what is known on both sides', () => {
    const racked: GroupSpec = {
      topics: [
        { name: 't', partitions: 3, racks: [['a', 'b'], ['b'], []] },
        { name: 'u', partitions: 1 },
      ],
      members: [
        { id: 'm', topics: ['t', 'u'], rack: 'a' },
        { id: 'n', topics: ['t'] },
      ],
    };
    expect(rackLocality(racked, assignment({ m: { t: [0, 1, 2], u: [0] } }))).toEqual({ known: 2, local: 1 });
    expect(rackLocality(racked, assignment({ n: { t: [0, 1, 2] } }))).toEqual({ known: 0, local: 0 });
    expect(rackLocality(group, legal)).toEqual({ known: 0, local: 0 });
  });
});

describe('diff', () => {
  it('is by topic and number, with null for nobody', () => {
    const next = assignment({ a: { t: [0, 3], u: [0] }, b: { t: [1] }, d: { v: [10, 2] } });
    expect(diffByPartition(legal, next)).toEqual([
      { topic: 't', partition: 1, from: 'a', to: 'b' },
      { topic: 't', partition: 2, from: 'a', to: null },
      { topic: 't', partition: 3, from: 'b', to: 'a' },
      { topic: 'u', partition: 0, from: 'c', to: 'a' },
      { topic: 'v', partition: 2, from: null, to: 'd' },
      { topic: 'v', partition: 10, from: null, to: 'd' },
    ]);
    expect(diffByMember(diffByPartition(legal, next))).toEqual(
      new Map([
        [
          'a',
          {
            gained: new Map([
              ['t', [3]],
              ['u', [0]],
            ]),
            lost: new Map([['t', [1, 2]]]),
          },
        ],
        ['b', { gained: new Map([['t', [1]]]), lost: new Map([['t', [3]]]) }],
        ['c', { gained: new Map(), lost: new Map([['u', [0]]]) }],
        ['d', { gained: new Map([['v', [2, 10]]]), lost: new Map() }],
      ]),
    );
    expect(diffByPartition(legal, legal)).toEqual([]);
  });

  it('takes claims of any number', () => {
    expect(diffByPartition(assignment({ a: { t: [2 ** 31 - 1] } }), new Map())).toHaveLength(1);
  });
});

describe('violations', () => {
  it('are none for a legal assignment', () => {
    expect(findViolations(group, legal)).toEqual([]);
  });

  it('are all found', () => {
    const wrong: GroupAssignment = new Map([
      ['a', new Map([['t', [1, 0]]])],
      [
        'b',
        new Map([
          ['u', [0]],
          ['t', [1, 9]],
          ['ghost', [0]],
        ]),
      ],
      ['x', new Map()],
    ]);
    expect(findViolations(group, wrong)).toEqual([
      { kind: 'unsorted', member: 'a', topic: 't' },
      { kind: 'not-subscribed', member: 'b', topic: 'u', partition: 0 },
      { kind: 'two-owners', members: ['a', 'b'], topic: 't', partition: 1 },
      { kind: 'unknown-partition', member: 'b', topic: 't', partition: 9 },
      { kind: 'unknown-partition', member: 'b', topic: 'ghost', partition: 0 },
      { kind: 'missing-member', member: 'c' },
      { kind: 'unknown-member', member: 'x' },
      { kind: 'unassigned', topic: 't', partition: 2 },
      { kind: 'unassigned', topic: 't', partition: 3 },
    ]);
  });

  it('leave out missing partitions where a round need not be complete', () => {
    expect(findViolations(group, assignment({ a: {}, b: {}, c: {} }), { complete: false })).toEqual([]);
  });
});

describe('the index of subscriptions', () => {
  it('resolves names once, without repeats', () => {
    const { byMember, subscribers } = indexSubscriptions(group);
    expect(byMember.map((list) => [...list])).toEqual([[0, 1], [0], [1, 2]]);
    expect([...subscribers]).toEqual([2, 2, 1, 0]);
  });

  it('shares equal lists, alternating ones too, and forgets the oldest when there are many', () => {
    const lists = [['t'], ['u'], ['t'], ['u'], ...Array.from({ length: 10 }, (_, i) => ['t', `ghost${i}`]), ['t']];
    const { byMember } = indexSubscriptions({ ...group, members: lists.map((topics, i) => ({ id: `m${i}`, topics })) });
    expect(byMember[2]).toBe(byMember[0]);
    expect(byMember[3]).toBe(byMember[1]);
    expect([...byMember.at(-1)!]).toEqual([0]);
  });

  it('refuses a topic that is listed twice', () => {
    expect(() => indexSubscriptions({ topics: [group.topics[0]!, group.topics[0]!], members: [] })).toThrow(
      /listed twice/,
    );
  });
});
