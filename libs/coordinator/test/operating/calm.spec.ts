import { describe, expect, it } from '@jest/globals';
import type { Catalog, GroupSettings } from '../../src/index.js';
import { checkLimits, DEFAULT_GROUP_LIMITS, resolveSettings } from '../../src/group-settings.js';
import { catalogOf, GroupBench } from '../support/fixtures.js';

const targets = ({ changes }: GroupBench) => changes.filter(({ rebalance }) => rebalance?.target !== undefined);

describe('S-11 a calm group', () => {
  it('makes no revision by being looked at a thousand times', () => {
    const made = new GroupBench({ t: 4 }, { moveBudget: 1, autoFreeze: { share: 0.5, minMembers: 1 } });
    made.join('a');
    made.settle();
    const { revision } = made.group!;
    for (let pass = 0; pass < 1_000; pass++) {
      made.now += 500;
      made.apply(made.machine.lookAtCatalog(made.group!, made.context));
      made.apply(made.machine.fenceOverdue(made.group!, new Set(), made.context));
    }
    expect(made.group).toMatchObject({ revision, groupEpoch: 1 });
  });

  it.each([
    [{ assignmentIntervalFromMembers: 0 }, 2],
    [{ initialDelayMs: 3_000 }, 1],
    [{}, 50],
  ] as [Partial<GroupSettings>, number][])('gives 200 joins within a second few targets, with %j', (settings, most) => {
    const made = new GroupBench({ t: 400 }, settings);
    for (let i = 0; i < 200; i++) {
      made.join(`m${i}`);
      made.now += 5;
    }
    made.now = made.group!.nextAssignmentAt ?? made.now;
    made.apply(made.machine.lookAtCatalog(made.group!, made.context));
    expect(targets(made).length).toBeLessThanOrEqual(most + 1);
    expect(made.group).toMatchObject({ groupEpoch: 200, assignmentEpoch: 200 });
    made.settle();
    expect(made.assigned('m199').t).toHaveLength(2);
  });

  it('has one timer, which a target in between takes along', () => {
    const made = new GroupBench({ t: 4 }, { initialDelayMs: 3_000 });
    made.join('a');
    const first = made.group!.nextAssignmentAt!;
    expect(first).toBe(made.now + 3_000);
    made.now += 1_000;
    made.join('b');
    expect(made.group!.nextAssignmentAt).toBe(first);
    made.now = first;
    made.apply(made.machine.lookAtCatalog(made.group!, made.context));
    expect(made.group!.nextAssignmentAt).toBeUndefined();
    expect(targets(made)).toHaveLength(1);
    for (const memberId of ['a', 'b']) made.apply(made.machine.leave(made.group, { memberId }, made.context));
    made.join('c');
    expect(made.group!.nextAssignmentAt).toBe(made.now + 3_000);
  });
});

describe('what happens to the topics of a group', () => {
  const racked = (racks: readonly (readonly string[])[] | undefined, revision: number): Catalog => ({
    revision,
    topics: new Map([['t', { name: 't', id: 'id-of-t', partitions: 2, ...(racks !== undefined && { racks }) }]]),
  });
  const R = [['r0'], ['r1']];

  it('E-12 is nothing when a broker goes away and returns, and a new target when a replica moves', () => {
    const made = new GroupBench({ t: 2 }, { assignors: ['range'] });
    made.catalog = racked(R, 1);
    made.join('a', ['t'], { rackId: 'r1' });
    made.join('b', ['t'], { rackId: 'r0' });
    made.settle();
    const { groupEpoch, revision } = made.group!;
    made.catalog = racked(undefined, 2);
    made.apply(made.machine.lookAtCatalog(made.group!, made.context));
    made.catalog = racked(R, 3);
    made.apply(made.machine.lookAtCatalog(made.group!, made.context));
    expect(made.group).toMatchObject({ groupEpoch, revision, catalogRevision: 3 });
    made.catalog = racked([['r1'], ['r0']], 4);
    made.apply(made.machine.lookAtCatalog(made.group!, made.context));
    expect(made.group!.groupEpoch).toBe(groupEpoch + 1);
    expect(made.changes.at(-1)).toMatchObject({ cause: 'racks-changed' });
  });

  it('E-12 is nothing for a group whose members have no racks', () => {
    const made = new GroupBench({ t: 2 });
    made.catalog = racked(R, 1);
    made.join('a');
    const { revision } = made.group!;
    made.catalog = racked([['r1'], ['r0']], 2);
    made.apply(made.machine.lookAtCatalog(made.group!, made.context));
    expect(made.group!.revision).toBe(revision);
  });

  it('E-13 is measured against the counts of the target: a topic that comes after a join gives it one', () => {
    const made = new GroupBench({ u: 1 });
    made.join('a', ['t']);
    expect(made.assigned('a')).toEqual({});
    made.setTopics({ u: 1, t: 1 });
    made.beat('a', 1, {});
    expect(made.changes.at(-1)).toMatchObject({ cause: 'topic-created', groupEpoch: 2 });
    expect(made.assigned('a')).toEqual({ t: [0] });
    made.setTopics({ u: 1, t: 3 });
    made.beat('a', 2, { t: [0] });
    expect(made.changes.at(-1)).toMatchObject({ cause: 'partitions-grown', groupEpoch: 3, assignmentEpoch: 3 });
    expect(made.assigned('a')).toEqual({ t: [0, 1, 2] });
  });

  it('E-13 is seen by a join as well, whoever looks first', () => {
    const made = new GroupBench({ t: 1 });
    made.join('a');
    made.setTopics({ t: 3 });
    made.join('b');
    made.settle();
    expect([made.assigned('a'), made.assigned('b')]).toEqual([{ t: [0, 1] }, { t: [2] }]);
    const { revision } = made.group!;
    made.apply(made.machine.lookAtCatalog(made.group!, made.context));
    expect(made.group!.revision).toBe(revision);
  });
});

describe('weighted-sticky in a running group', () => {
  const loaded = (weights: readonly number[], revision: number): Catalog => {
    const catalog = catalogOf({ t: weights.length }, revision);
    return { revision, topics: new Map([['t', { ...catalog.topics.get('t')!, weights }]]) };
  };
  const group = (weights: readonly number[], weightedSticky: GroupSettings['weightedSticky'] = {}) => {
    const made = new GroupBench({ t: weights.length }, { assignors: ['weighted-sticky'], weightedSticky });
    made.catalog = loaded(weights, 1);
    made.join('c0');
    made.join('c1');
    return made.settle();
  };
  const again = (made: GroupBench, weights: readonly number[]) => {
    made.catalog = loaded(weights, made.catalog.revision + 1);
    const { settings } = made.group!;
    const pins = settings.pins === undefined ? [{ topic: 't', partition: 0, member: 'nobody' }] : undefined;
    const { pins: _, ...rest } = settings;
    made.apply(made.machine.putSettings(made.group, { ...rest, ...(pins && { pins }) }, made.context));
    return made.settle();
  };

  it('D-05 gives out by count first, by lag second', () => {
    const made = group([100_000, 50_000, 60_000]);
    const owned = [made.assigned('c0').t, made.assigned('c1').t].sort((a, b) => a!.length - b!.length);
    expect(owned.map((list) => list!.length)).toEqual([1, 2]);
  });

  it('D-06 spreads partitions without any lag', () => {
    const made = group([0, 0, 0, 0, 0, 0]);
    expect([made.assigned('c0').t!.length, made.assigned('c1').t!.length]).toEqual([3, 3]);
  });

  it('D-07, D-09 moves nothing below the hysteresis, and does above it', () => {
    const settings = { balance: 'load', relativeHysteresis: 2, absoluteHysteresis: 10 } as const;
    const made = group([10, 10, 10, 10], settings);
    const before = made.assigned('c0');
    again(made, [11, 9, 10, 10]);
    expect(made.assigned('c0')).toEqual(before);
    const mine = before.t!;
    again(
      made,
      [0, 1, 2, 3].map((p) => (mine.includes(p) ? 100 : 1)),
    );
    expect(made.assigned('c0')).not.toEqual(before);
  });

  it('D-09 leaves a partition alone that moved lately, by the clock of the database', () => {
    const settings = { balance: 'load', cooldownMs: 60_000 } as const;
    const made = group([10, 10, 10, 10], settings);
    made.now += 60_000;
    const mine = made.assigned('c0').t!;
    again(
      made,
      [0, 1, 2, 3].map((p) => (mine.includes(p) ? 100 : 1)),
    );
    const moved = mine.filter((p) => !made.assigned('c0').t!.includes(p));
    expect(moved).toHaveLength(1);
    expect(made.group!.calm!.recentMoves).toContainEqual({ topic: 't', partition: moved[0], at: made.now });
    const heavy = [0, 1, 2, 3].map((p) => (p === moved[0] ? 1_000 : 1));
    again(made, heavy);
    expect(made.assigned('c1').t).toContain(moved[0]);
    const light = made.assigned('c0');
    made.now += 59_000;
    again(made, heavy);
    expect(made.assigned('c1').t).toContain(moved[0]);
    expect(light).toBeDefined();
  });
});

describe('S-09 session timeouts', () => {
  it('outlast three heartbeats, and the time to write each down', () => {
    const limits = { ...DEFAULT_GROUP_LIMITS, persistIntervalMs: 500 };
    const wish = { sessionTimeoutMs: 9_000, heartbeatIntervalMs: 5_000 };
    expect(resolveSettings(wish, undefined, limits, (names) => names).heartbeatIntervalMs).toBe(2_500);
    expect(resolveSettings(wish, undefined, DEFAULT_GROUP_LIMITS, (names) => names).heartbeatIntervalMs).toBe(3_000);
  });

  it('that could not are refused at the start', () => {
    const limits = { ...DEFAULT_GROUP_LIMITS, minHeartbeatIntervalMs: 100, persistIntervalMs: 400 };
    expect(() => checkLimits({ ...limits, minSessionTimeoutMs: 1_499 })).toThrow('at least 1500 ms');
    expect(() => checkLimits({ ...limits, minSessionTimeoutMs: 1_500 })).not.toThrow();
  });
});
