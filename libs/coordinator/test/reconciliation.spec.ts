import { describe, expect, it } from '@jest/globals';
import { assignmentFromJson } from '@allot/model';
import { addOwned, indexHolders, NO_PARTITIONS } from '../src/consumer/owned-partitions.js';
import { reconcile } from '../src/consumer/reconcile.js';
import { consumerGroupState, type ConsumerMember } from '../src/index.js';
import { GroupBench } from './support/fixtures.js';

describe('reconciliation of a consumer group', () => {
  it('gives a lone member everything at once', () => {
    const bench = new GroupBench({ t: 3 });
    const member = bench.join('a');
    expect(member).toMatchObject({ memberEpoch: 1, state: 'STABLE' });
    expect(bench.assigned('a')).toEqual({ t: [0, 1, 2] });
    expect(consumerGroupState(bench.group!)).toBe('STABLE');
  });

  it('E-02 withholds a partition until its old owner has reported to have dropped it', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    expect(bench.join('b')).toMatchObject({ state: 'UNRELEASED_PARTITIONS', memberEpoch: 2 });
    expect(bench.assigned('b')).toEqual({});
    expect(bench.beat('a', 1, { t: [0, 1] })).toMatchObject({ state: 'UNREVOKED_PARTITIONS', memberEpoch: 1 });
    expect(bench.revoking('a')).toEqual({ t: [1] });
    bench.beat('b', 2, {});
    expect(bench.assigned('b')).toEqual({});
    expect(bench.beat('a', 1, { t: [0] })).toMatchObject({ state: 'STABLE', memberEpoch: 2 });
    expect(bench.beat('b', 2, {})).toMatchObject({ state: 'STABLE', memberEpoch: 2 });
    expect(bench.assigned('b')).toEqual({ t: [1] });
  });

  it('takes an absent list of owned partitions as unknown, never as nothing', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    bench.beat('a', 1);
    expect(bench.beat('a', 1)).toMatchObject({ state: 'UNREVOKED_PARTITIONS', memberEpoch: 1 });
    expect(bench.revoking('a')).toEqual({ t: [1] });
  });

  it('frees at once what a member reports not to hold any more', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    expect(bench.beat('a', 1, { t: [0] })).toMatchObject({ state: 'STABLE', memberEpoch: 2 });
    bench.beat('b', 2, {});
    expect(bench.assigned('b')).toEqual({ t: [1] });
  });

  it('E-01 gives a partition back to the member that is still revoking it, at the new epoch', () => {
    // KAFKA-16147: the owner's epoch was dropped with the pending revocation, and another member could take the partition.
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    bench.beat('a', 1, { t: [0, 1] });
    bench.beat('b', 2, {});
    bench.apply(leaveOf(bench, 'b'));
    expect(bench.beat('a', 1, { t: [0] })).toMatchObject({ state: 'STABLE', memberEpoch: 3 });
    expect(bench.assigned('a')).toEqual({ t: [0, 1] });
    expect(bench.member('a').assigned.get('t')?.get(1)).toBe(3);
    expect(indexHolders(bench.group!)('t', 1)).toBe('a');
  });

  it('E-01 refuses a state in which two members hold one partition', () => {
    const bench = new GroupBench({ t: 1 });
    const a = bench.join('a');
    const stolen: ConsumerMember = { ...a, memberId: 'b' };
    const broken = { ...bench.group!, members: new Map(bench.group!.members).set('b', stolen) };
    expect(() => indexHolders(broken)).toThrow('t-0 is held by a and b');
  });

  it('KAFKA-19449: a partition in its own pending revocation is not held by another', () => {
    const member: ConsumerMember = {
      memberId: 'a',
      subscription: { topics: ['t'] },
      rebalanceTimeoutMs: 1_000,
      memberEpoch: 10,
      previousMemberEpoch: 9,
      state: 'UNREVOKED_PARTITIONS',
      assigned: NO_PARTITIONS,
      pendingRevocation: addOwned(NO_PARTITIONS, assignmentFromJson({ t: [0] }), 9),
      target: assignmentFromJson({ t: [0] }),
      joinOrder: 1,
    };
    const next = reconcile(member, {
      assignmentEpoch: 11,
      owned: new Map(),
      isSubscribed: () => true,
      holderOf: () => 'a',
      now: 0,
      reliesUntil: 0,
    });
    expect(next).toMatchObject({ state: 'STABLE', memberEpoch: 11, previousMemberEpoch: 10 });
    expect(next.assigned).toEqual(addOwned(NO_PARTITIONS, assignmentFromJson({ t: [0] }), 11));
  });

  it('KAFKA-19974: a member leaves UNREVOKED at the epoch of the target, never at one of its own', () => {
    const bench = new GroupBench({ t: 4 });
    bench.join('a');
    bench.join('b');
    bench.beat('a', 1, { t: [0, 1, 2, 3] });
    bench.join('c');
    const a = bench.beat('a', 1, { t: [0, 1] });
    expect(a.memberEpoch).toBe(bench.group!.assignmentEpoch);
    for (const member of bench.group!.members.values()) {
      for (const epoch of member.assigned.get('t')?.values() ?? []) expect(epoch).toBeLessThanOrEqual(3);
    }
  });

  it('KAFKA-19431: revokes a topic at once when its member no longer subscribes, even without a new target', () => {
    const bench = new GroupBench({ t: 1, u: 1 }, { assignors: ['range'] });
    bench.join('a', ['t', 'u']);
    const faulty = { ...bench.context, resolveAssignor: () => raise('out of order') };
    const { heartbeat } = bench.machine;
    const subscription = { topics: ['t'] };
    bench.apply(heartbeat(bench.group, { memberId: 'a', memberEpoch: 1, subscription }, bench.settings, faulty));
    expect(bench.group).toMatchObject({ groupEpoch: 2, assignmentEpoch: 1 });
    expect(bench.group!.assignorFault).toContain('out of order');
    expect(bench.revoking('a')).toEqual({ u: [0] });
    expect(bench.assigned('a')).toEqual({ t: [0] });
    expect(consumerGroupState(bench.group!)).toBe('ASSIGNING');
    // After a pause the next heartbeat computes again, with an assignor that works.
    bench.beat('a', 1, { t: [0] });
    expect(bench.group).toMatchObject({ assignmentEpoch: 1 });
    bench.now += bench.settings.assignmentIntervalMs;
    bench.beat('a', 1, { t: [0] });
    expect(bench.group).toMatchObject({ assignmentEpoch: 2 });
    expect(bench.group!.assignorFault).toBeUndefined();
    expect(bench.member('a')).toMatchObject({ state: 'STABLE', memberEpoch: 2 });
  });

  it('S-11 makes one revision of a fault, however often it comes again, and asks ever more rarely', () => {
    const bench = new GroupBench({ t: 1 });
    bench.join('a');
    const failing = () => ({ ...bench.context, resolveAssignor: () => raise('out of order') });
    const settings = { ...bench.group!.settings, assignors: ['roundrobin'] };
    bench.apply(bench.machine.putSettings(bench.group, settings, failing()));
    const { revision } = bench.group!;
    const pauses: number[] = [];
    for (let i = 0; i < 10; i++) {
      pauses.push(bench.group!.nextAssignmentAt! - bench.now);
      bench.now = bench.group!.nextAssignmentAt!;
      bench.apply(bench.machine.fenceOverdue(bench.group!, new Set(), failing()));
    }
    expect(pauses).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(bench.group).toMatchObject({ revision, groupEpoch: 2, assignmentEpoch: 1 });
    bench.now = bench.group!.nextAssignmentAt!;
    bench.beat('a', 1, { t: [0] });
    expect(bench.group).toMatchObject({ revision: revision + 1, assignmentEpoch: 2 });
  });

  it('keeps the old target when an assignor gives an illegal answer, and says why', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    const target = new Map([
      ['a', assignmentFromJson({ t: [0, 1] })],
      ['b', assignmentFromJson({ t: [1] })],
    ]);
    const assign = () => ({ assignment: target, target, warnings: [] });
    const thief = { name: 'thief', aliases: [], summary: '', kafkaVersions: '', sticky: false, assign };
    const context = { ...bench.context, resolveAssignor: () => thief };
    const join = { memberId: 'b', memberEpoch: 0, subscription: { topics: ['t'] } };
    bench.apply(bench.machine.heartbeat(bench.group, join, bench.settings, context));
    expect(bench.group!.assignorFault).toContain('two-owners');
    expect(bench.target('a')).toEqual({ t: [0, 1] });
    expect(bench.assigned('b')).toEqual({});
  });

  it('starts the rebalance timer once, and fences the member that lets it pass', () => {
    const bench = new GroupBench({ t: 2 }, { sessionTimeoutMs: 4_000 });
    bench.join('a', ['t'], { rebalanceTimeoutMs: 5_000 });
    bench.join('b');
    bench.beat('a', 1, { t: [0, 1] });
    expect(bench.member('a').rebalanceDeadline).toBe(bench.now + 5_000);
    bench.now += 3_000;
    bench.beat('a', 1, { t: [0, 1] });
    expect(bench.member('a').rebalanceDeadline).toBe(bench.now + 2_000);
    bench.now += 2_000;
    bench.apply(bench.machine.fenceOverdue(bench.group!, new Set(), bench.context));
    expect(bench.group!.members.has('a')).toBe(false);
    expect(bench.changes.at(-1)).toMatchObject({ cause: 'rebalance-timeout' });
    bench.beat('b', 2, {});
    expect(bench.assigned('b')).toEqual({ t: [0, 1] });
  });

  it('never ends the rebalance timer before a session is over: the answer that tells of it may be lost', () => {
    const bench = new GroupBench({ t: 2 }, { sessionTimeoutMs: 6_000 });
    bench.join('a', ['t'], { rebalanceTimeoutMs: 2_000 });
    bench.join('b');
    bench.beat('a', 1, { t: [0, 1] });
    expect(bench.member('a').rebalanceDeadline).toBe(bench.now + 6_000);
  });

  it('never ends the rebalance timer before a session of the time before sessions were made shorter', () => {
    const bench = new GroupBench({ t: 2 }, { sessionTimeoutMs: 30_000 });
    bench.join('a', ['t'], { rebalanceTimeoutMs: 2_000 });
    const settings = { ...bench.group!.settings, sessionTimeoutMs: 6_000 };
    bench.apply(bench.machine.putSettings(bench.group, settings, bench.context));
    const until = bench.now + 30_000;
    bench.now += 1_000;
    bench.join('b');
    bench.beat('a', 1, { t: [0, 1] });
    expect(bench.member('a').rebalanceDeadline).toBe(until);
  });

  it('cancels the rebalance timer when the member has given up what it had to', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    bench.beat('a', 1, { t: [0, 1] });
    bench.beat('a', 1, { t: [0] });
    expect(bench.member('a').rebalanceDeadline).toBeUndefined();
  });
});

function leaveOf(bench: GroupBench, memberId: string) {
  return bench.machine.leave(bench.group, { memberId }, bench.context);
}

function raise(message: string): never {
  throw new Error(message);
}

describe('a heartbeat that arrives after a later one', () => {
  /** `b` received t-1 by its second heartbeat; then `aa` joined and is to have it. */
  function overtaken() {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    const { revision } = bench.group!;
    bench.beat('a', 1, { t: [0, 1] });
    bench.beat('a', 1, { t: [0] });
    bench.beat('b', 2, {}, { revision });
    expect(bench.assigned('b')).toEqual({ t: [1] });
    const told = bench.group!.revision;
    bench.join('aa');
    expect(bench.target('aa')).toEqual({ t: [1] });
    return { bench, revision, told };
  }

  it('S-09 does not free what its member has received since', () => {
    const { bench, revision, told } = overtaken();
    expect(bench.beat('b', 2, {}, { revision })).toMatchObject({ state: 'UNREVOKED_PARTITIONS', memberEpoch: 2 });
    bench.beat('aa', 3, {});
    expect(bench.assigned('aa')).toEqual({});
    bench.beat('b', 2, { t: [1] }, { revision: told });
    bench.beat('b', 2, {}, { revision });
    expect(bench.revoking('b')).toEqual({ t: [1] });
    expect(bench.beat('b', 2, {}, { revision: bench.group!.revision })).toMatchObject({ memberEpoch: 3 });
    bench.beat('aa', 3, {});
    expect(bench.assigned('aa')).toEqual({ t: [1] });
  });

  it('S-09 does not free anything as a join either', () => {
    const { bench, told } = overtaken();
    bench.join('b', ['t'], { revision: 0 });
    expect(bench.revoking('b')).toEqual({ t: [1] });
    bench.join('b', ['t'], { revision: 0 });
    expect(bench.revoking('b')).toEqual({ t: [1] });
    bench.beat('b', 2, {}, { revision: told });
    expect(bench.revoking('b')).toEqual({});
  });

  it('S-09 does not free what its member had let go of and is told again', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    const { revision } = bench.group!;
    // Its time was over and it let go of everything; one such report is late, the other brings it everything back.
    bench.beat('a', 1, {}, { revision });
    expect(bench.member('a').grantedRevision).toBe(revision + 1);
    bench.join('b');
    expect(bench.beat('a', 1, {}, { revision })).toMatchObject({ state: 'UNREVOKED_PARTITIONS' });
    bench.beat('b', 2, {});
    expect(bench.assigned('b')).toEqual({});
    bench.beat('a', 1, { t: [0] }, { revision: bench.group!.revision });
    bench.beat('b', 2, {});
    expect(bench.assigned('b')).toEqual({ t: [1] });
  });

  it('makes no revision of a member that starts over with nothing, as long as there is no target for it', () => {
    const bench = new GroupBench({ t: 1 });
    const faulty = { ...bench.context, resolveAssignor: () => raise('out of order') };
    const join = { memberId: 'a', memberEpoch: 0, subscription: { topics: ['t'] } };
    for (let i = 0; i < 3; i++) bench.apply(bench.machine.heartbeat(bench.group, join, bench.settings, faulty));
    expect(bench.group!.revision).toBe(1);
  });

  it('S-09 is told again when the answer that gave it something was lost', () => {
    const { bench, revision } = overtaken();
    bench.apply(bench.machine.leave(bench.group, { memberId: 'aa' }, bench.context));
    bench.settle();
    expect(bench.beat('b', bench.member('b').memberEpoch, {}, { revision }).state).toBe('STABLE');
    expect(bench.assigned('b')).toEqual({ t: [1] });
  });
});
