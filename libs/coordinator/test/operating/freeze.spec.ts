import { describe, expect, it } from '@jest/globals';
import { consumerGroupState, holdOf, type GroupSettings } from '../../src/index.js';
import { GroupBench, ORIGIN } from '../support/fixtures.js';

const HOUR = 3_600_000;

function bench(settings: Partial<GroupSettings> = {}, members = ['a', 'b']) {
  const made = new GroupBench({ t: 4 }, settings);
  for (const id of members) made.join(id, ['t'], id.startsWith('s') ? { instanceId: `i-${id}` } : {});
  return made.settle();
}

function freeze(made: GroupBench, frozen = true, reason?: string) {
  const context = { ...made.context, origin: { ...ORIGIN, ...(reason !== undefined && { reason }) } };
  return made.apply(made.machine.putSettings(made.group, made.group!.settings, context, frozen));
}

const expire = (made: GroupBench, ...ids: string[]) =>
  made.apply(made.machine.fenceOverdue(made.group!, new Set(ids), made.context));

describe('a frozen group', () => {
  it('gets no target, says why, and gets one at once when it thaws', () => {
    const made = bench();
    freeze(made, true, 'moving the storage');
    expect(made.changes.at(-1)).toMatchObject({ cause: 'frozen', kind: 'group' });
    const before = made.group!.groupEpoch;
    made.join('c');
    expire(made, 'a');
    expect(made.group).toMatchObject({ groupEpoch: before + 2, assignmentEpoch: before });
    expect(consumerGroupState(made.group!)).toBe('ASSIGNING');
    expect(holdOf(made.group!, made.now)).toEqual({
      by: 'frozen',
      reason: 'moving the storage',
      since: made.now,
      targetWaits: true,
    });
    made.settle();
    expect([made.assigned('b'), made.assigned('c')]).toEqual([{ t: [2, 3] }, {}]);
    freeze(made, false);
    expect(made.changes.at(-1)).toMatchObject({ cause: 'unfrozen', rebalance: { target: { movedPartitions: 2 } } });
    made.settle();
    expect(consumerGroupState(made.group!)).toBe('STABLE');
    expect([made.assigned('b'), made.assigned('c')]).toEqual([{ t: [0, 1] }, { t: [2, 3] }]);
    expect(made.group!.calm).toBeUndefined();
  });

  it('is frozen once, whoever asks again, and nothing else thaws it', () => {
    const made = bench();
    freeze(made);
    const { revision } = made.group!;
    freeze(made);
    made.apply(made.machine.putSettings(made.group, made.group!.settings, made.context));
    expect(made.group!.revision).toBe(revision);
    made.apply(made.machine.putSettings(made.group, { ...made.group!.settings, maxSize: 9 }, made.context));
    expect(holdOf(made.group!, made.now)).toMatchObject({ by: 'frozen' });
  });

  it('gives a static member that was fenced its own back under the same instance id, and a dynamic one under its member id', () => {
    const made = bench({}, ['a', 's']);
    freeze(made);
    expire(made, 's', 'a');
    expect(made.group!.members.size).toBe(0);
    made.join('s2', ['t'], { instanceId: 'i-s' });
    expect(made.assigned('s2')).toEqual({ t: [0, 1] });
    made.join('x');
    expect(made.assigned('x')).toEqual({});
    made.join('a');
    expect(made.assigned('a')).toEqual({ t: [2, 3] });
    expire(made, 'a', 's2');
    freeze(made, false);
    made.settle();
    expect(made.assigned('x')).toEqual({ t: [0, 1, 2, 3] });
  });

  it('goes on with the target it has', () => {
    const made = bench({}, ['a']);
    made.join('b');
    freeze(made);
    made.settle();
    expect(consumerGroupState(made.group!)).toBe('STABLE');
    expect(made.assigned('b')).toEqual({ t: [2, 3] });
  });

  it('can be made frozen', () => {
    const made = new GroupBench({ t: 4 });
    made.apply(made.machine.putSettings(undefined, made.settings, made.context, true));
    made.join('a');
    expect(made.member('a')).toMatchObject({ memberEpoch: 0 });
    freeze(made, false);
    made.join('a');
    expect(made.assigned('a')).toEqual({ t: [0, 1, 2, 3] });
  });
});

describe('a maintenance window', () => {
  it('holds a target back, and its end brings it without anybody’s doing', () => {
    const made = bench();
    const until = new Date(made.now + HOUR).toISOString();
    const maintenanceWindows = [{ from: new Date(made.now).toISOString(), until }];
    made.apply(made.machine.putSettings(made.group, { ...made.group!.settings, maintenanceWindows }, made.context));
    expect(made.group!.nextAssignmentAt).toBeUndefined();
    made.join('c');
    expect(made.group).toMatchObject({ groupEpoch: 3, assignmentEpoch: 2, nextAssignmentAt: made.now + HOUR });
    expect(holdOf(made.group!, made.now)).toEqual({
      by: 'maintenance-window',
      until: made.now + HOUR,
      targetWaits: true,
    });
    const { revision } = made.group!;
    made.now += HOUR - 1;
    made.apply(made.machine.lookAtCatalog(made.group!, made.context));
    expect(made.group!.revision).toBe(revision);
    made.now += 1;
    made.apply(made.machine.lookAtCatalog(made.group!, made.context));
    expect(made.changes.at(-1)).toMatchObject({ cause: 'assignment-computed', assignmentEpoch: 3 });
    expect(holdOf(made.group!, made.now)).toBeUndefined();
  });

  it('that is taken away holds nothing back any more', () => {
    const made = bench();
    const window = { days: ['THURSDAY'], from: '00:00', until: '00:00' } as const;
    const settings = made.group!.settings;
    made.apply(made.machine.putSettings(made.group, { ...settings, maintenanceWindows: [window] }, made.context));
    made.join('c');
    expect(made.group).toMatchObject({ groupEpoch: 3, assignmentEpoch: 2 });
    made.apply(made.machine.putSettings(made.group, settings, made.context));
    expect(made.group).toMatchObject({ groupEpoch: 3, assignmentEpoch: 3 });
  });
});

describe('auto-freeze', () => {
  const SIX = ['a', 'b', 'c', 'd', 'e', 'f'];
  const autoFreeze = { share: 0.4, minMembers: 5 };

  it('freezes a group that loses more than the share at once, and keeps the places of those who went', () => {
    const made = bench({ autoFreeze }, SIX);
    expire(made, 'a', 'b', 'c');
    expect(made.changes.at(-1)).toMatchObject({ cause: 'auto-frozen', details: { lost: 3, members: 6 } });
    expect(holdOf(made.group!, made.now)).toMatchObject({ by: 'auto-frozen', targetWaits: true });
    expect(made.group!.assignmentEpoch).toBe(made.group!.groupEpoch - 1);
    made.join('a');
    expect(made.assigned('a')).toEqual({ t: [0] });
    made.join('b');
    expect(holdOf(made.group!, made.now)).toMatchObject({ by: 'auto-frozen' });
    made.join('z');
    expect(made.changes.at(-1)).toMatchObject({ cause: 'auto-freeze-lifted' });
    expect(made.group).toMatchObject({ assignmentEpoch: made.group!.groupEpoch });
    made.settle();
    expect(made.group!.calm).toBeUndefined();
  });

  it('adds up what is lost within a session timeout, not over a day', () => {
    const quick = bench({ autoFreeze }, SIX);
    expire(quick, 'a');
    expect(quick.group).toMatchObject({ assignmentEpoch: quick.group!.groupEpoch });
    quick.now += quick.settings.sessionTimeoutMs - 1;
    expire(quick, 'b', 'c');
    expect(quick.changes.at(-1)).toMatchObject({ cause: 'auto-frozen' });
    const slow = bench({ autoFreeze }, SIX);
    for (const id of ['a', 'b', 'c']) {
      expire(slow, id);
      slow.now += slow.settings.sessionTimeoutMs;
      slow.settle();
    }
    expect(slow.group!.calm?.freeze).toBeUndefined();
  });

  it('does not count who came back, who leaves politely, or a group that is too small', () => {
    const back = bench({ autoFreeze }, SIX);
    expire(back, 'a', 'b');
    back.join('a');
    back.join('b');
    expire(back, 'c', 'd');
    expect(back.group!.calm?.freeze).toBeUndefined();
    const polite = bench({ autoFreeze }, SIX);
    for (const memberId of ['a', 'b', 'c', 'd'])
      polite.apply(polite.machine.leave(polite.group, { memberId }, polite.context));
    expect(polite.group!.calm?.freeze).toBeUndefined();
    const counted = bench({ autoFreeze: { ...autoFreeze, countLeaves: true } }, SIX);
    for (const memberId of ['a', 'b', 'c'])
      counted.apply(counted.machine.leave(counted.group, { memberId }, counted.context));
    expect(counted.changes.at(-1)).toMatchObject({ cause: 'auto-frozen' });
    const small = bench({ autoFreeze }, ['a', 'b', 'c', 'd']);
    expire(small, 'a', 'b', 'c');
    expect(small.group!.calm?.freeze).toBeUndefined();
  });

  it('is lifted by an operator, and does not come back with the next loss', () => {
    const made = bench({ autoFreeze }, SIX);
    expire(made, 'a', 'b', 'c');
    freeze(made, false);
    expect(made.changes.at(-1)).toMatchObject({ cause: 'unfrozen', assignmentEpoch: made.group!.groupEpoch });
    made.settle();
    expire(made, 'd');
    expect(made.group!.calm?.freeze).toBeUndefined();
  });

  it('makes no revision by itself', () => {
    const made = bench({ autoFreeze }, SIX);
    expire(made, 'a');
    made.settle();
    const { revision } = made.group!;
    for (let pass = 0; pass < 100; pass++) {
      made.now += 10_000;
      made.apply(made.machine.lookAtCatalog(made.group!, made.context));
      made.settle();
    }
    expect(made.group!.revision).toBe(revision);
  });
});
