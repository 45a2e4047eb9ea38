import { describe, expect, it } from '@jest/globals';
import { checkReassignment } from '../../src/placement/reassignment-check.js';
import type { ReassignmentEntry } from '../../src/placement/reassignment.js';
import { movesOf, rollbackOf, targetReplicas } from '../../src/placement/reassignment.js';
import { reassignmentSteps } from '../../src/placement/reassignment-steps.js';

const at = (topic: string, partition: number, replicas: number[]) => ({ topic, partition, replicas });

describe('checkReassignment', () => {
  const cluster = {
    brokers: [1, 2, 3, 4],
    topics: new Map([
      ['foo', 2],
      ['__proto__', 1],
    ]),
  };
  const faults = (...entries: ReassignmentEntry[]) => {
    try {
      checkReassignment(entries, cluster);
      return [];
    } catch (error) {
      return (error as { errors: { pointer: string; detail: string }[] }).errors;
    }
  };

  it('G-06 accepts log_dirs that are absent, all "any", or absolute paths', () => {
    expect(faults(at('foo', 0, [1, 2]), at('__proto__', 0, [3]))).toEqual([]);
    expect(faults({ ...at('foo', 0, [1, 2]), logDirs: ['any', 'any'] })).toEqual([]);
    expect(faults({ ...at('foo', 0, [1, 2]), logDirs: ['/var/a', '/var/b'] })).toEqual([]);
  });

  it.each<[string, ReassignmentEntry[], string, RegExp]>([
    ['the same partition twice', [at('foo', 0, [1]), at('foo', 0, [2])], '/partitions/1', /foo-0 is listed twice/],
    ['the same broker twice', [at('foo', 0, [1, 2, 1])], '/partitions/0/replicas/2', /lists broker 1 twice/],
    ['no replicas', [at('foo', 0, [])], '/partitions/0/replicas', /has no replicas/],
    ['an unknown topic', [at('bar', 0, [1])], '/partitions/0/topic', /no topic bar/],
    ['an unknown partition', [at('foo', 2, [1])], '/partitions/0/partition', /no partition 2: it has 2/],
    ['a negative partition', [at('foo', -1, [1])], '/partitions/0/partition', /no partition -1/],
    ['an unknown broker', [at('foo', 0, [1, 9])], '/partitions/0/replicas/1', /no broker 9/],
    [
      'log_dirs of another length',
      [{ ...at('foo', 0, [1, 2]), logDirs: ['any'] }],
      '/partitions/0/log_dirs',
      /2 replicas but 1 log_dirs/,
    ],
    [
      'a relative path',
      [{ ...at('foo', 0, [1, 2]), logDirs: ['any', 'data'] }],
      '/partitions/0/log_dirs/1',
      /"data" is neither "any" nor an absolute path/,
    ],
  ])('G-06 refuses %s', (_, entries, pointer, detail) => {
    expect(faults(...entries)).toEqual([{ pointer, detail: expect.stringMatching(detail) }]);
  });

  it('G-06 refuses an empty list, and names all faults at once', () => {
    expect(() => checkReassignment([], cluster)).toThrow(/names no partitions/);
    expect(faults(at('bar', 0, [9, 9]))).toHaveLength(3);
    expect(() => checkReassignment([at('bar', 0, [9, 9])], cluster)).toThrow(/no topic bar\. \(and 2 more\)/);
  });
});

describe('movesOf', () => {
  const running = [
    { ...at('foo', 0, [1, 2, 3, 4]), adding: [4], removing: [3] },
    { ...at('foo', 1, [4, 5, 6, 7, 8]), adding: [7, 8], removing: [4, 5] },
    { ...at('foo', 2, [1, 2, 3, 4]), adding: [3, 4], removing: [1, 2] },
  ];
  const moves = (...proposed: ReassignmentEntry[]) =>
    Object.fromEntries(
      movesOf(running, proposed, [at('bar', 0, [2, 3, 4])]).map(({ topic, partition, sources, destinations }) => [
        `${topic}-${partition}`,
        [sources, destinations],
      ]),
    );

  it('G-08 a proposal overrides a running reassignment', () => {
    expect(moves(at('foo', 0, [1, 2, 5]), at('foo', 2, [3, 4]), at('bar', 0, [1, 2, 3]))).toEqual({
      'bar-0': [[2, 3, 4], [1]],
      'foo-0': [[1, 2, 3], [5]],
      'foo-1': [
        [4, 5, 6],
        [7, 8],
      ],
      'foo-2': [
        [1, 2],
        [3, 4],
      ],
    });
  });

  it.each([
    [
      [5, 6],
      [5, 6],
    ],
    [[3], [3]],
    [
      [3, 4, 5, 6],
      [3, 4, 5, 6],
    ],
  ])('G-08 of the same running state, proposed %p is copied to %p', (proposed, destinations) => {
    expect(moves(at('foo', 2, proposed))['foo-2']).toEqual([[1, 2], destinations]);
  });

  it('G-08 refuses a partition of which nothing is known', () => {
    expect(() => moves(at('baz', 0, [1]))).toThrow(/Nothing is known of baz-0/);
  });

  it('G-13 replicas in flight do not count towards the replication factor', () => {
    const inFlight = { ...at('p', 0, [1, 2, 3, 4, 5, 6, 7]), adding: [5, 6, 7], removing: [1, 2, 3] };
    expect(targetReplicas(inFlight)).toEqual([4, 5, 6, 7]);
    expect(targetReplicas({ ...at('p', 0, [3, 1, 2]), adding: [], removing: [] })).toEqual([3, 1, 2]);
  });
});

describe('rollbackOf', () => {
  const before = [at('a', 0, [1, 2]), at('a', 1, [2, 3]), at('b', 0, [3, 1])];

  it('restores exactly the partitions that change, a changed order included', () => {
    expect(rollbackOf(before, [at('b', 0, [1, 3]), at('a', 0, [1, 2]), at('a', 1, [2, 4])])).toEqual([
      at('a', 1, [2, 3]),
      at('b', 0, [3, 1]),
    ]);
  });

  it('refuses a partition that was not there', () => {
    expect(() => rollbackOf(before, [at('c', 0, [1])])).toThrow(/c-0 cannot be rolled back/);
  });
});

describe('reassignmentSteps', () => {
  const nine = Array.from({ length: 18 }, (_, i) =>
    at(
      't',
      i,
      [0, 1, 2].map((r) => 10000 + ((i + r) % 9)),
    ),
  );
  const three = Array.from({ length: 18 }, (_, i) =>
    at(
      't',
      i,
      [0, 1, 2].map((r) => 10000 + ((i + r) % 3)),
    ),
  );
  const holders = (layout: readonly ReassignmentEntry[]) => new Set(layout.flatMap(({ replicas }) => replicas));

  it.each([
    [
      3,
      [
        [10008, 10007, 10006],
        [10005, 10004, 10003],
      ],
    ],
    [
      4,
      [
        [10008, 10007, 10006, 10005],
        [10004, 10003],
      ],
    ],
    [1, [[10008], [10007], [10006], [10005], [10004], [10003]]],
  ])('G-16 %i brokers a step: the highest ids first, the last step is the final layout', (size, emptied) => {
    const steps = reassignmentSteps(nine, three, size);
    expect(steps.map((step) => step.emptied)).toEqual(emptied);
    expect(steps.at(-1)!.layout).toEqual(three);
    const gone: number[] = [];
    let layout: readonly ReassignmentEntry[] = nine;
    for (const step of steps) {
      gone.push(...step.emptied);
      expect(gone.filter((broker) => holders(step.layout).has(broker))).toEqual([]);
      // A step changes what it lists, nothing else, and every list keeps its length.
      const changed = new Map(step.partitions.map((entry) => [entry.partition, entry.replicas]));
      expect(step.layout.map((entry) => entry.replicas)).toEqual(
        layout.map((entry) => changed.get(entry.partition) ?? entry.replicas),
      );
      for (const { replicas } of step.layout) expect(new Set(replicas).size).toBe(3);
      layout = step.layout;
    }
  });

  it('G-16 no change is no step, whatever the order of partitions; a change that empties no broker is one', () => {
    expect(reassignmentSteps(nine, [...nine].reverse(), 3)).toEqual([]);
    const swapped = [at('t', 0, [2, 1])];
    expect(reassignmentSteps([at('t', 0, [1, 2])], swapped, 3)).toEqual([
      { emptied: [], partitions: swapped, layout: swapped },
    ]);
    expect(reassignmentSteps([...nine].reverse(), three, 3)).toEqual(reassignmentSteps(nine, three, 3));
  });

  it('G-16 follows a change of the replication factor', () => {
    const [step, last] = reassignmentSteps([at('t', 0, [1, 8, 9])], [at('t', 0, [1])], 1);
    expect(step!.layout).toEqual([at('t', 0, [1, 8])]);
    expect(last!.layout).toEqual([at('t', 0, [1])]);
    expect(reassignmentSteps([at('t', 0, [9])], [at('t', 0, [1, 2])], 1).map(({ layout }) => layout)).toEqual([
      [at('t', 0, [1, 2])],
    ]);
  });

  it('refuses layouts of different partitions and steps of no broker', () => {
    expect(() => reassignmentSteps(nine, three.slice(1), 3)).toThrow(/the same partitions/);
    expect(() => reassignmentSteps(nine, three, 0)).toThrow(/from 1 up/);
  });
});
