import { describe, expect, it } from '@jest/globals';
import { AllotError, assignmentFromJson } from '@allot/model';
import { resolveAssignor } from '@allot/strategies';
import { importedGroup } from '../src/consumer/imported-group.js';
import { consumerGroupState, DEFAULT_GROUP_LIMITS, unownedPartitionsOf } from '../src/index.js';
import { resolveSettings } from '../src/group-settings.js';
import { GroupBench, json } from './support/fixtures.js';

/** The code of the error that `act` throws. */
function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof AllotError) return error.code;
    throw error;
  }
  return 'none';
}

describe('members of a consumer group', () => {
  it('makes a group by the first join, and only by that', () => {
    const bench = new GroupBench({ t: 1 });
    expect(codeOf(() => bench.beat('a', 3))).toBe('GROUP_ID_NOT_FOUND');
    bench.join('a');
    expect(bench.changes).toMatchObject([{ revision: 1, cause: 'member-joined', kind: 'rebalance.completed' }]);
  });

  it('goes on with the revisions of a deleted group of the same id, with a gap', () => {
    const bench = new GroupBench({ t: 1 });
    const join = { memberId: 'a', memberEpoch: 0, subscription: { topics: ['t'] } };
    const { group } = bench.machine.heartbeat(undefined, join, bench.settings, { ...bench.context, lastRevision: 7 });
    expect(group.revision).toBe(9);
  });

  it('refuses a join that claims partitions, or says nothing of what it reads', () => {
    const bench = new GroupBench({ t: 1 });
    expect(codeOf(() => bench.beat('a', 0, { t: [0] }, { subscription: { topics: ['t'] } }))).toBe('INVALID_REQUEST');
    expect(codeOf(() => bench.beat('a', 0))).toBe('INVALID_REQUEST');
    expect(codeOf(() => bench.join('a', []))).toBe('INVALID_REQUEST');
    expect(bench.group).toBeUndefined();
  });

  it('fences epochs of the future and of the past', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    expect(codeOf(() => bench.beat('a', 2))).toBe('FENCED_MEMBER_EPOCH');
    bench.join('b');
    bench.settle();
    expect(bench.member('a').memberEpoch).toBe(2);
    bench.join('c');
    bench.settle();
    expect(codeOf(() => bench.beat('a', 1, {}))).toBe('FENCED_MEMBER_EPOCH');
    expect(codeOf(() => bench.beat('z', 1))).toBe('UNKNOWN_MEMBER_ID');
  });

  it('takes the epoch before once more when the answer was lost, if nothing else is held', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    bench.beat('a', 1, { t: [0] });
    expect(bench.member('a')).toMatchObject({ memberEpoch: 2, previousMemberEpoch: 1 });
    expect(bench.beat('a', 1, { t: [0] })).toMatchObject({ memberEpoch: 2 });
    expect(codeOf(() => bench.beat('a', 1))).toBe('FENCED_MEMBER_EPOCH');
    expect(codeOf(() => bench.beat('a', 1, { t: [0, 1] }))).toBe('FENCED_MEMBER_EPOCH');
  });

  it.each(['STABLE', 'UNREVOKED_PARTITIONS', 'UNRELEASED_PARTITIONS'] as const)(
    'E-04 lets a known member start over with epoch 0 in state %s',
    (state) => {
      const bench = new GroupBench({ t: 2 });
      bench.join('a');
      bench.join('b');
      const memberId = state === 'UNRELEASED_PARTITIONS' ? 'b' : 'a';
      if (state === 'UNREVOKED_PARTITIONS') bench.beat('a', 1, { t: [0, 1] });
      expect(bench.member(memberId).state).toBe(state);
      bench.join(memberId);
      bench.settle();
      expect(consumerGroupState(bench.group!)).toBe('STABLE');
      expect([bench.assigned('a'), bench.assigned('b')]).toEqual([{ t: [0] }, { t: [1] }]);
    },
  );

  it('frees the partitions of a member that leaves, and gives them out', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    bench.settle();
    bench.apply(bench.machine.leave(bench.group, { memberId: 'a' }, bench.context));
    expect(json(unownedPartitionsOf(bench.group!))).toEqual({ t: [0] });
    bench.settle();
    expect(bench.assigned('b')).toEqual({ t: [0, 1] });
    expect(codeOf(() => bench.machine.leave(bench.group, { memberId: 'a' }, bench.context))).toBe('UNKNOWN_MEMBER_ID');
  });

  it('fences all expired members in one revision', () => {
    const bench = new GroupBench({ t: 3 });
    for (const id of ['a', 'b', 'c']) bench.join(id);
    bench.settle();
    const before = bench.group!.revision;
    bench.apply(bench.machine.fenceOverdue(bench.group!, new Set(['a', 'b']), bench.context));
    expect(bench.group!.revision).toBe(before + 1);
    expect(bench.changes.at(-1)).toMatchObject({
      cause: 'session-expired',
      members: [{ memberId: 'c' }, { memberId: 'a', removed: true }, { memberId: 'b', removed: true }],
    });
    expect(bench.target('c')).toEqual({ t: [0, 1, 2] });
  });

  it('changes nothing when nobody is overdue', () => {
    const bench = new GroupBench({ t: 3 });
    bench.join('a');
    const { group } = bench.machine.fenceOverdue(bench.group!, new Set(), bench.context);
    expect(group).toBe(bench.group);
  });

  it('refuses a member beyond the maximum size', () => {
    const bench = new GroupBench({ t: 3 }, { maxSize: 2 });
    bench.join('a');
    bench.join('b');
    expect(codeOf(() => bench.join('c'))).toBe('GROUP_MAX_SIZE_REACHED');
    expect(bench.join('a').memberId).toBe('a');
  });
});

describe('a large group', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `m${String(i).padStart(3, '0')}`);

  it('gives those who come together one target, after the pause between two', () => {
    const bench = new GroupBench({ t: 100 });
    for (const id of many(50)) bench.join(id);
    expect(bench.group).toMatchObject({ groupEpoch: 50, assignmentEpoch: 50 });
    for (const id of many(60).slice(50)) expect(bench.join(id)).toMatchObject({ memberEpoch: 50, state: 'STABLE' });
    expect(bench.group).toMatchObject({ groupEpoch: 60, assignmentEpoch: 50 });
    expect(consumerGroupState(bench.group!)).toBe('ASSIGNING');
    bench.now += 1_000;
    bench.apply(bench.machine.fenceOverdue(bench.group!, new Set(), bench.context));
    expect(bench.group).toMatchObject({ groupEpoch: 60, assignmentEpoch: 60 });
    expect(bench.changes.at(-1)).toMatchObject({ cause: 'assignment-computed', kind: 'assignment' });
    expect(Object.keys(bench.target('m059'))).toEqual(['t']);
  });

  it('gives every target at once when its interval is 0', () => {
    const bench = new GroupBench({ t: 100 }, { assignmentIntervalMs: 0 });
    for (const id of many(60)) bench.join(id);
    expect(bench.group).toMatchObject({ groupEpoch: 60, assignmentEpoch: 60 });
  });
});

describe('static members of a consumer group', () => {
  const instance = { instanceId: 'i1' };

  it('makes a newcomer wait while the old member holds the instance id', () => {
    const bench = new GroupBench({ t: 1 });
    bench.join('a', ['t'], instance);
    expect(codeOf(() => bench.join('b', ['t'], instance))).toBe('UNRELEASED_INSTANCE_ID');
    expect(codeOf(() => bench.beat('a', 1, {}, { instanceId: 'other' }))).toBe('UNKNOWN_MEMBER_ID');
  });

  it('keeps the place of a member that left temporarily, and gives it to the one that returns', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a', ['t'], instance);
    bench.join('b');
    bench.settle();
    const epoch = bench.group!.groupEpoch;
    bench.apply(bench.machine.leaveTemporarily(bench.group, { memberId: 'a' }, bench.context));
    expect(bench.member('a').memberEpoch).toBe(-2);
    bench.beat('b', bench.member('b').memberEpoch, { t: [1] });
    expect(bench.assigned('b')).toEqual({ t: [1] });
    bench.join('a2', ['t'], instance);
    expect(bench.group!.groupEpoch).toBe(epoch);
    expect(bench.group!.members.has('a')).toBe(false);
    expect(bench.assigned('a2')).toEqual({ t: [0] });
    expect(codeOf(() => bench.beat('b', 2, {}, instance))).toBe('FENCED_INSTANCE_ID');
  });

  it('expires a member that left temporarily and did not return', () => {
    const bench = new GroupBench({ t: 1 });
    bench.join('a', ['t'], instance);
    bench.apply(bench.machine.leaveTemporarily(bench.group, { memberId: 'a' }, bench.context));
    bench.apply(bench.machine.fenceOverdue(bench.group!, new Set(['a']), bench.context));
    expect(consumerGroupState(bench.group!)).toBe('EMPTY');
    expect(bench.join('b', ['t'], instance).state).toBe('STABLE');
  });

  it('lets only static members leave temporarily', () => {
    const bench = new GroupBench({ t: 1 });
    bench.join('a');
    expect(codeOf(() => bench.machine.leaveTemporarily(bench.group, { memberId: 'a' }, bench.context))).toBe(
      'INVALID_REQUEST',
    );
  });
});

describe('subscriptions', () => {
  it('matches a pattern against whole names, of topics that exist and of those to come', () => {
    const bench = new GroupBench({ orders: 1, 'orders-eu': 1, reorders: 1 });
    bench.beat('a', 0, undefined, { subscription: { topics: [], pattern: 'ord.*' } });
    expect(bench.assigned('a')).toEqual({ orders: [0], 'orders-eu': [0] });
    bench.setTopics({ orders: 1, 'orders-eu': 1, reorders: 1, order: 2 });
    bench.apply(bench.machine.lookAtCatalog(bench.group!, bench.context));
    expect(bench.changes.at(-1)).toMatchObject({ cause: 'topic-created', groupEpoch: 2 });
    bench.settle();
    expect(bench.assigned('a')).toEqual({ order: [0, 1], orders: [0], 'orders-eu': [0] });
  });

  it.each([
    ['(', 'an open group'],
    ['(a)\\1', 'a back-reference'],
    ['(?=a)', 'a look-ahead'],
    ['a{1001}', 'a count beyond RE2'],
  ])('refuses the pattern %s: %s', (pattern) => {
    const bench = new GroupBench({ t: 1 });
    const join = () => bench.beat('a', 0, undefined, { subscription: { topics: [], pattern } });
    expect(codeOf(join)).toBe('INVALID_REGULAR_EXPRESSION');
  });

  it('matches in linear time what would backtrack for ever', () => {
    const bench = new GroupBench({ [`${'a'.repeat(240)}b`]: 1 });
    bench.beat('a', 0, undefined, { subscription: { topics: [], pattern: '(a+)+(a+)+$' } });
    expect(bench.assigned('a')).toEqual({});
  });

  it('waits for a topic that does not exist yet', () => {
    const bench = new GroupBench({});
    expect(bench.join('a', ['t'])).toMatchObject({ state: 'STABLE' });
    expect(bench.assigned('a')).toEqual({});
    bench.setTopics({ t: 2 });
    bench.beat('a', 1, {});
    expect(bench.assigned('a')).toEqual({ t: [0, 1] });
    expect(bench.changes.at(-1)).toMatchObject({ cause: 'topic-created' });
  });

  it('E-13 rebalances when a topic grows, and takes a deleted one away', () => {
    const bench = new GroupBench({ t: 1, u: 1 });
    bench.join('a', ['t', 'u']);
    bench.setTopics({ t: 3, u: 1 });
    bench.beat('a', 1, { t: [0], u: [0] });
    expect(bench.changes.at(-1)).toMatchObject({ cause: 'partitions-grown', groupEpoch: 2 });
    expect(bench.assigned('a')).toEqual({ t: [0, 1, 2], u: [0] });
    bench.setTopics({ t: 3 });
    bench.beat('a', 2, { t: [0, 1, 2], u: [0] });
    expect(bench.changes.at(-1)).toMatchObject({ cause: 'topic-deleted' });
    expect(bench.revoking('a')).toEqual({ u: [0] });
    bench.settle();
    expect(bench.assigned('a')).toEqual({ t: [0, 1, 2] });
  });

  it('makes no revision of a catalog change that does not concern the group', () => {
    const bench = new GroupBench({ t: 1 });
    bench.join('a');
    const { revision } = bench.group!;
    bench.setTopics({ t: 1, other: 5 });
    const { group, change } = bench.machine.lookAtCatalog(bench.group!, bench.context);
    expect(change).toBeUndefined();
    expect(group).toMatchObject({ revision, catalogRevision: bench.catalog.revision });
  });

  it('computes a new target when a subscription changes, and not when only its order does', () => {
    const bench = new GroupBench({ t: 1, u: 1 });
    bench.join('a', ['t', 'u']);
    bench.beat('a', 1, { t: [0], u: [0] }, { subscription: { topics: ['u', 't'] } });
    expect(bench.group!.groupEpoch).toBe(1);
    bench.beat('a', 1, { t: [0], u: [0] }, { subscription: { topics: ['u'] } });
    expect(bench.group!.groupEpoch).toBe(2);
    expect(bench.changes.at(-1)).toMatchObject({ cause: 'subscription-changed' });
  });
});

describe('what an operator does to a group', () => {
  it('computes a new target when the assignor changes', () => {
    const bench = new GroupBench({ t: 1, u: 1 });
    bench.join('a', ['t', 'u']);
    bench.join('b', ['t', 'u']);
    bench.settle();
    expect(bench.assigned('a')).toEqual({ t: [0], u: [0] });
    const settings = { ...bench.group!.settings, assignors: ['roundrobin'] };
    bench.apply(bench.machine.putSettings(bench.group, settings, bench.context));
    expect(bench.changes.at(-1)).toMatchObject({ cause: 'assignor-changed', kind: 'rebalance.started' });
    bench.settle();
    expect(bench.assigned('b')).toEqual({ u: [0] });
  });

  it('changes nothing when the settings are the same', () => {
    const bench = new GroupBench({ t: 1 });
    bench.apply(bench.machine.putSettings(undefined, bench.settings, bench.context));
    const { group } = bench.machine.putSettings(bench.group, { ...bench.settings }, bench.context);
    expect(group).toBe(bench.group);
  });

  it('deletes only a group without members', () => {
    const bench = new GroupBench({ t: 1 });
    expect(codeOf(() => bench.machine.checkDeletable(undefined))).toBe('GROUP_ID_NOT_FOUND');
    bench.join('a');
    expect(codeOf(() => bench.machine.checkDeletable(bench.group))).toBe('NON_EMPTY_GROUP');
    bench.apply(bench.machine.leave(bench.group, { memberId: 'a' }, bench.context));
    expect(bench.machine.checkDeletable(bench.group)).toBe(bench.group);
  });

  it('clamps times and tells the effective ones', () => {
    const wish = { sessionTimeoutMs: 1, heartbeatIntervalMs: 60_000, rebalanceTimeoutMs: 1e9 };
    expect(resolveSettings(wish, undefined, DEFAULT_GROUP_LIMITS, (names) => names)).toMatchObject({
      sessionTimeoutMs: 6_000,
      heartbeatIntervalMs: 2_000,
      rebalanceTimeoutMs: 86_400_000,
    });
  });

  it('keeps an imported group as it was seen, and lets nobody join it', () => {
    const bench = new GroupBench({ t: 2 });
    const snapshot = {
      members: [
        { memberId: 'c1', assigned: assignmentFromJson({ t: [0] }) },
        { memberId: 'c2', assigned: new Map() },
      ],
      topics: ['t'],
    };
    bench.apply(importedGroup(undefined, snapshot, bench.settings, bench.context));
    expect(bench.group).toMatchObject({ source: 'imported', revision: 1 });
    expect(bench.assigned('c1')).toEqual({ t: [0] });
    expect(json(unownedPartitionsOf(bench.group!))).toEqual({ t: [1] });
    expect(codeOf(() => bench.join('x'))).toBe('GROUP_READ_ONLY');
    expect(codeOf(() => bench.beat('c1', 1))).toBe('GROUP_READ_ONLY');
    bench.apply(importedGroup(bench.group, snapshot, bench.settings, bench.context));
    expect(bench.group).toMatchObject({ revision: 2, groupEpoch: 2 });
    expect(consumerGroupState(bench.group!)).toBe('STABLE');
    const live = new GroupBench({ t: 1 });
    live.join('a');
    expect(codeOf(() => importedGroup(live.group, snapshot, live.settings, live.context))).toBe('GROUP_IS_LIVE');
  });

  it('passes the strategies what members had, never what they claim', () => {
    const bench = new GroupBench({ t: 3 }, { assignors: ['sticky'] });
    bench.join('a');
    bench.join('b');
    bench.settle();
    const before = [bench.assigned('a'), bench.assigned('b')];
    const seen: unknown[] = [];
    const sticky = resolveAssignor('sticky');
    const spy = {
      ...sticky,
      assign: (group: Parameters<typeof sticky.assign>[0]) => (seen.push(group), sticky.assign(group)),
    };
    const context = { ...bench.context, resolveAssignor: () => spy };
    const join = { memberId: 'c', memberEpoch: 0, subscription: { topics: ['t'] } };
    bench.apply(bench.machine.heartbeat(bench.group, join, bench.settings, context));
    expect(seen).toMatchObject([{ members: [{ id: 'a', generation: 2 }, { id: 'b', generation: 2 }, { id: 'c' }] }]);
    const moved = before.map(
      (assignment, i) => assignment['t']!.length - (bench.target(['a', 'b'][i]!)['t']?.length ?? 0),
    );
    expect(moved.reduce((sum, n) => sum + n, 0)).toBe(1);
  });
});
