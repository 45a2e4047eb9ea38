import { describe, expect, it } from '@jest/globals';
import { assignmentFromJson, type AssignmentJson } from '@allot/model';
import { consumerGroupState, leftOutOf } from '../../src/index.js';
import { GroupBench, json } from '../support/fixtures.js';

const choose = (made: GroupBench, memberId: string, assign: AssignmentJson) =>
  made.beat(memberId, 0, undefined, { assign: assignmentFromJson(assign) });
const codeOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  throw new Error('It was not refused.');
};
const leave = (made: GroupBench, memberId: string) =>
  made.apply(made.machine.leave(made.group, { memberId }, made.context));

describe('a member that chooses its partitions itself', () => {
  it('has them at once, keeps them by heartbeats, and causes no rebalance', () => {
    const made = new GroupBench({ t: 2, u: 2 });
    made.join('a');
    made.settle();
    const { groupEpoch } = made.group!;
    expect(choose(made, 'm', { u: [1] })).toMatchObject({ state: 'STABLE', memberEpoch: groupEpoch, manual: true });
    expect(made.assigned('m')).toEqual({ u: [1] });
    expect(made.group).toMatchObject({ groupEpoch, assignmentEpoch: groupEpoch });
    expect(made.changes.at(-1)).toMatchObject({ cause: 'member-joined', kind: 'assignment' });
    expect(made.changes.at(-1)!.rebalance).toBeUndefined();
    made.join('b');
    made.settle();
    expect(made.assigned('m')).toEqual({ u: [1] });
    expect(consumerGroupState(made.group!)).toBe('STABLE');
    made.setTopics({ t: 2, u: 4 });
    made.settle();
    expect(made.group!.groupEpoch).toBe(groupEpoch + 1);
    leave(made, 'm');
    expect(made.group!.groupEpoch).toBe(groupEpoch + 1);
  });

  it('can be the first of a group', () => {
    const made = new GroupBench({ t: 2 });
    expect(choose(made, 'm', { t: [0] })).toMatchObject({ state: 'STABLE', memberEpoch: 1 });
    expect(made.assigned('m')).toEqual({ t: [0] });
  });

  it('may not choose what a subscription covers, what another member has, or what does not exist', () => {
    const made = new GroupBench({ t: 2, u: 2, v: 2 });
    made.join('a', [], { subscription: { topics: [], pattern: '^t' } });
    choose(made, 'm', { u: [1] });
    expect(codeOf(() => choose(made, 'n', { t: [0] }))).toBe('PARTITION_COVERED');
    expect(codeOf(() => choose(made, 'n', { u: [0, 1] }))).toBe('PARTITION_IN_USE');
    expect(codeOf(() => choose(made, 'n', { u: [2] }))).toBe('INVALID_REQUEST');
    expect(codeOf(() => choose(made, 'n', { w: [0] }))).toBe('INVALID_REQUEST');
    expect(codeOf(() => choose(made, 'n', {}))).toBe('INVALID_REQUEST');
    choose(made, 'n', { u: [0], v: [0, 1] });
    expect(made.assigned('n')).toEqual({ u: [0], v: [0, 1] });
  });

  it('keeps what a later subscription covers, which is left out of every target and shown', () => {
    const made = new GroupBench({ t: 2, u: 4 });
    choose(made, 'm', { u: [1] });
    made.join('a', ['u']);
    made.join('b', ['u']);
    made.settle();
    expect([made.assigned('a'), made.assigned('b'), made.assigned('m')]).toEqual([
      { u: [0] },
      { u: [2, 3] },
      { u: [1] },
    ]);
    expect(json(leftOutOf(made.group!))).toEqual({ u: [1] });
    expect(consumerGroupState(made.group!)).toBe('STABLE');
    leave(made, 'm');
    made.settle();
    expect([made.assigned('a'), made.assigned('b')]).toEqual([{ u: [0, 1] }, { u: [2, 3] }]);
    expect(leftOutOf(made.group!).size).toBe(0);
  });

  it('gets at a later epoch what another one let go, so that an old claim to it is refused', () => {
    const made = new GroupBench({ t: 2, u: 2 });
    made.join('a');
    choose(made, 'm', { u: [1] });
    const epochOf = (id: string) => made.member(id).assigned.get('u')!.get(1)!;
    const first = epochOf('m');
    made.apply(made.machine.fenceOverdue(made.group!, new Set(['m']), made.context));
    choose(made, 'n', { u: [0] });
    expect(made.group!.groupEpoch).toBe(first);
    choose(made, 'o', { u: [1] });
    expect(epochOf('o')).toBe(first + 1);
    expect(made.group!.calm).toBeUndefined();
  });

  it('waits for that epoch while the group is frozen', () => {
    const made = new GroupBench({ u: 2 });
    choose(made, 'm', { u: [1] });
    leave(made, 'm');
    made.apply(made.machine.putSettings(made.group, made.group!.settings, made.context, true));
    choose(made, 'n', { u: [1] });
    expect([made.member('n').state, made.assigned('n')]).toEqual(['UNRELEASED_PARTITIONS', {}]);
    made.apply(made.machine.putSettings(made.group, made.group!.settings, made.context, false));
    made.settle();
    expect(made.assigned('n')).toEqual({ u: [1] });
  });

  it('cannot change its mind, subscribe beside, be static or be drained', () => {
    const made = new GroupBench({ t: 2, u: 2 });
    choose(made, 'm', { u: [1] });
    made.join('a');
    made.settle();
    const { memberEpoch } = made.member('m');
    const say = (more: object) => made.beat('m', memberEpoch, { u: [1] }, more);
    expect(codeOf(() => say({ assign: assignmentFromJson({ u: [0] }) }))).toBe('INVALID_REQUEST');
    expect(codeOf(() => say({ subscription: { topics: ['u'] } }))).toBe('INVALID_REQUEST');
    expect(codeOf(() => made.beat('a', 2, undefined, { assign: assignmentFromJson({ u: [0] }) }))).toBe(
      'INVALID_REQUEST',
    );
    const both = { assign: assignmentFromJson({ u: [0] }), subscription: { topics: ['t'] } };
    expect(codeOf(() => made.beat('b', 0, undefined, both))).toBe('INVALID_REQUEST');
    const fixed = { assign: assignmentFromJson({ u: [0] }), instanceId: 'i' };
    expect(codeOf(() => made.beat('b', 0, undefined, fixed))).toBe('INVALID_REQUEST');
    expect(codeOf(() => made.machine.drain(made.group, { memberId: 'm' }, made.context))).toBe('MEMBER_NOT_DRAINABLE');
    const { revision } = made.group!;
    say({ assign: assignmentFromJson({ u: [1] }) });
    expect(made.group!.revision).toBe(revision);
  });
});
