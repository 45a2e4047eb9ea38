import { describe, expect, it } from '@jest/globals';
import { assignmentFromJson } from '@allot/model';
import { checkOwnership, consumerGroupState, type GroupSettings } from '../../src/index.js';
import { GroupBench } from '../support/fixtures.js';

const STATIC = { instanceId: 'i' };
const errorOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    const { code, action, retryAfterMs, facts } = error as Record<string, unknown>;
    return { code, action, retryAfterMs, facts };
  }
  throw new Error('It was not refused.');
};

function bench(settings: Partial<GroupSettings> = {}) {
  const made = new GroupBench({ t: 4 }, settings);
  made.join('old', ['t'], STATIC);
  made.join('x');
  return made.settle();
}
const conflicts = ({ changes }: GroupBench) => changes.filter(({ cause }) => cause === 'instance-conflict');

describe('E-14 two live processes with one instance id, oldest-wins', () => {
  it('keeps the newcomer out, and records the conflict with both ids once a session', () => {
    const made = bench();
    const before = made.group!;
    const refusal = { code: 'UNRELEASED_INSTANCE_ID', action: 'retry', retryAfterMs: 5_000 };
    expect(errorOf(() => made.join('new', ['t'], STATIC))).toEqual({
      ...refusal,
      facts: { instanceId: 'i', heldBy: 'old' },
    });
    expect(conflicts(made)).toMatchObject([
      { kind: 'group', details: { instanceId: 'i', heldBy: 'old', claimedBy: 'new', outcome: 'refused' } },
    ]);
    expect(made.group).toEqual({ ...before, revision: before.revision + 1, calm: { conflicts: [['i', made.now]] } });
    for (let i = 0; i < 50; i++) {
      made.now += 100;
      expect(errorOf(() => made.join(`new-${i}`, ['t'], STATIC))).toMatchObject(refusal);
    }
    expect(conflicts(made)).toHaveLength(1);
    made.now += made.settings.sessionTimeoutMs;
    expect(errorOf(() => made.join('new', ['t'], STATIC))).toMatchObject(refusal);
    expect(conflicts(made)).toHaveLength(2);
    expect(made.beat('old', 2, made.assigned('old'))).toMatchObject({ state: 'STABLE' });
  });

  it('tells the newcomer to stop, if the group says so', () => {
    const made = bench({ onInstanceConflict: 'stop' });
    expect(errorOf(() => made.join('new', ['t'], STATIC))).toMatchObject({ action: 'stop', retryAfterMs: undefined });
  });
});

describe('E-14 two live processes with one instance id, newest-wins', () => {
  const taken = (settings: Partial<GroupSettings> = {}) => {
    const made = bench({ staticPolicy: 'newest-wins', ...settings });
    made.join('new', ['t'], STATIC);
    return made;
  };

  it('gives the place to the newcomer without an epoch, and fences the old one for good', () => {
    const made = bench({ staticPolicy: 'newest-wins' });
    const { groupEpoch } = made.group!;
    made.join('new', ['t'], STATIC);
    expect(made.group).toMatchObject({ groupEpoch, assignmentEpoch: groupEpoch });
    expect(conflicts(made)).toMatchObject([{ details: { heldBy: 'old', claimedBy: 'new', outcome: 'taken-over' } }]);
    expect(made.target('new')).toEqual({ t: [0, 1] });
    const fenced = { code: 'FENCED_INSTANCE_ID', action: 'stop', facts: { instanceId: 'i', heldBy: 'new' } };
    expect(errorOf(() => made.beat('old', 2, { t: [0, 1] }))).toMatchObject(fenced);
    expect(errorOf(() => made.beat('old', 2, { t: [0, 1] }, STATIC))).toMatchObject(fenced);
    expect(errorOf(() => made.join('old', ['t'], STATIC))).toMatchObject(fenced);
    expect(errorOf(() => made.join('old'))).toMatchObject(fenced);
  });

  it('never lets both work on a partition: the newcomer gets it when the time of the old one is over', () => {
    const made = taken();
    expect(made.member('new')).toMatchObject({ state: 'UNRELEASED_PARTITIONS', memberEpoch: 2 });
    expect(made.assigned('new')).toEqual({});
    expect(made.member('old')).toMatchObject({ supersededBy: 'new', state: 'UNREVOKED_PARTITIONS' });
    expect(made.revoking('old')).toEqual({ t: [0, 1] });
    const { groupEpoch } = made.group!;
    made.apply(made.machine.fenceOverdue(made.group!, new Set(['old']), made.context));
    expect(made.group!.groupEpoch).toBe(groupEpoch + 1);
    made.settle();
    expect(made.assigned('new')).toEqual({ t: [0, 1] });
    expect(made.member('new').assigned.get('t')!.get(0)).toBe(groupEpoch + 1);
    expect(consumerGroupState(made.group!)).toBe('STABLE');
    expect(errorOf(() => made.beat('old', 2, { t: [0, 1] }))).toMatchObject({ code: 'FENCED_INSTANCE_ID' });
    expect(errorOf(() => made.join('old', ['t'], STATIC))).toMatchObject({ code: 'FENCED_INSTANCE_ID' });
    const claim = { memberId: 'old', memberEpoch: 2, partitions: assignmentFromJson({ t: [0] }) };
    const { reasons } = checkOwnership(made.group!, claim, { leaseUntil: undefined, now: made.now });
    expect(reasons).toMatchObject([{ code: 'FENCED_INSTANCE_ID' }]);
  });

  it('takes it at once from an old one that says it has stopped', () => {
    const made = taken();
    made.apply(made.machine.leave(made.group, { memberId: 'old', instanceId: 'i' }, made.context));
    made.beat('new', 2, {});
    expect(made.assigned('new')).toEqual({ t: [0, 1] });
  });

  it('lets the old one in again when the new one has gone, as told', () => {
    const made = taken({ onInstanceConflict: 'retry' });
    expect(errorOf(() => made.beat('old', 2, { t: [0, 1] }))).toMatchObject({ action: 'retry', retryAfterMs: 5_000 });
    made.apply(made.machine.leave(made.group, { memberId: 'new' }, made.context));
    expect(errorOf(() => made.beat('old', 2, { t: [0, 1] }))).toMatchObject({ code: 'UNKNOWN_MEMBER_ID' });
    made.join('old', ['t'], STATIC);
    made.settle();
    expect(made.assigned('old')).toEqual({ t: [0, 1] });
    expect(made.member('old').supersededBy).toBeUndefined();
  });

  it('does not refuse the old one for it once it has been let in again, whoever comes then', () => {
    const made = taken();
    made.apply(made.machine.leave(made.group, { memberId: 'new' }, made.context));
    made.join('old');
    made.join('newer', ['t'], STATIC);
    made.settle();
    expect(consumerGroupState(made.group!)).toBe('STABLE');
    expect(made.assigned('old')).not.toEqual({});
  });

  it('goes through a chain of newcomers', () => {
    const made = taken();
    made.join('newer', ['t'], STATIC);
    for (const id of ['old', 'new']) {
      expect(errorOf(() => made.beat(id, 2))).toMatchObject({ code: 'FENCED_INSTANCE_ID', facts: { heldBy: 'newer' } });
    }
    made.apply(made.machine.fenceOverdue(made.group!, new Set(['old']), made.context));
    made.settle();
    expect(made.assigned('newer')).toEqual({ t: [0, 1] });
  });

  it('is no conflict when the old one has left temporarily', () => {
    const made = bench({ staticPolicy: 'newest-wins' });
    made.apply(made.machine.leaveTemporarily(made.group, { memberId: 'old' }, made.context));
    made.join('new', ['t'], STATIC);
    expect(made.assigned('new')).toEqual({ t: [0, 1] });
    expect(conflicts(made)).toEqual([]);
  });
});

describe('KAFKA-18188 removal by an operator', () => {
  it('tells the reason, by member id and by instance id', () => {
    const made = bench();
    const context = { ...made.context, origin: { actor: 'ops', reason: 'its host is gone' } };
    made.apply(made.machine.removeInstance(made.group, 'i', context));
    made.apply(made.machine.leave(made.group, { memberId: 'x' }, context));
    for (const change of made.changes.slice(-2)) {
      expect(change).toMatchObject({ cause: 'member-removed', origin: { reason: 'its host is gone' } });
    }
    expect(made.group!.members.size).toBe(0);
    expect(errorOf(() => made.machine.removeInstance(made.group, 'i', context))).toMatchObject({
      code: 'UNKNOWN_MEMBER_ID',
    });
  });

  it('of itself is a leave', () => {
    const made = bench();
    made.apply(made.machine.leave(made.group, { memberId: 'x' }, made.context));
    expect(made.changes.at(-1)).toMatchObject({ cause: 'member-left' });
  });
});
