import { describe, expect, it } from '@jest/globals';
import { resolveAssignor, assignorNames } from '@allot/strategies';
import { groupSpecOf } from '../../src/index.js';
import { cancelDrain, checkDrain, drain } from '../../src/consumer/drain.js';
import { GroupBench, json } from '../support/fixtures.js';

function bench(settings = {}, members = ['a', 'b', 'c']) {
  const made = new GroupBench({ t: 6 }, settings);
  for (const id of members) made.join(id);
  return made.settle();
}
const drained = (made: GroupBench, memberId: string) => made.apply(drain(made.group, { memberId }, made.context));
const check = (made: GroupBench, memberId: string) => {
  const { holds, ...rest } = checkDrain(made.group!, made.member(memberId), made.context);
  return { ...rest, holds: json(holds) };
};

describe('a draining member', () => {
  it('gives up by its own heartbeats what others get only then, and stays without anything', () => {
    const made = bench();
    const wouldGo = check(made, 'a').handsOver;
    expect(wouldGo).toEqual([
      { topic: 't', partition: 0, to: 'b' },
      { topic: 't', partition: 1, to: 'b' },
    ]);
    drained(made, 'a');
    expect(made.changes.at(-1)).toMatchObject({
      cause: 'member-draining',
      kind: 'rebalance.started',
      members: [{ memberId: 'a', draining: true, target: new Map() }, { memberId: 'b' }, { memberId: 'c' }],
    });
    made.beat('b', 3, { t: [2, 3] });
    expect(made.assigned('b')).toEqual({ t: [2] });
    expect(check(made, 'a')).toMatchObject({ draining: true, safe: false, holds: { t: [0, 1] }, handsOver: wouldGo });
    made.beat('a', 3, { t: [0, 1] });
    expect(made.revoking('a')).toEqual({ t: [0, 1] });
    expect(check(made, 'a')).toMatchObject({ safe: false, holds: { t: [0, 1] } });
    made.settle();
    expect(check(made, 'a')).toEqual({ draining: true, safe: true, holds: {}, handsOver: [] });
    expect([made.assigned('b'), made.assigned('c')]).toEqual([{ t: [0, 1, 2] }, { t: [3, 4, 5] }]);
    made.setTopics({ t: 9 });
    made.settle();
    expect(made.assigned('a')).toEqual({});
  });

  it.each(assignorNames().filter((name) => resolveAssignor(name).owners !== 'threads'))(
    'is absent from what %s sees, so its partitions are those of a member that left',
    (assignor) => {
      const made = bench({ assignors: [assignor] });
      const leaver = bench({ assignors: [assignor] });
      drained(made, 'b');
      expect(groupSpecOf(made.group!, made.catalog).members.map(({ id }) => id)).toEqual(['a', 'c']);
      leaver.apply(leaver.machine.leave(leaver.group, { memberId: 'b' }, leaver.context));
      for (const id of ['a', 'c']) expect(made.target(id)).toEqual(leaver.target(id));
      expect(made.target('b')).toEqual({});
    },
  );

  it('drains once, and is served again when that is canceled', () => {
    const made = bench();
    drained(made, 'a');
    const { revision } = made.group!;
    drained(made, 'a');
    expect(made.group!.revision).toBe(revision);
    made.apply(cancelDrain(made.group, { memberId: 'a' }, made.context));
    expect(made.changes.at(-1)).toMatchObject({ cause: 'drain-canceled' });
    made.apply(cancelDrain(made.group, { memberId: 'a' }, made.context));
    expect(made.group!.revision).toBe(revision + 1);
    made.settle();
    expect(made.assigned('a')).toEqual({ t: [0, 1] });
  });

  it('hands over whatever the move budget is', () => {
    const made = bench({ moveBudget: 1 }, ['a', 'b']);
    for (let round = 0; round < 3; round++) {
      made.now = made.group!.nextAssignmentAt ?? made.now;
      made.apply(made.machine.lookAtCatalog(made.group!, made.context));
      made.settle();
    }
    drained(made, 'a');
    made.settle();
    expect(made.assigned('b').t).toHaveLength(6);
  });

  it('is only noted while the group is frozen, and what will become of it can be asked', () => {
    const made = bench();
    made.apply(made.machine.putSettings(made.group, made.group!.settings, made.context, true));
    drained(made, 'a');
    made.settle();
    expect(check(made, 'a')).toMatchObject({ draining: true, safe: false, holds: { t: [0, 1] } });
    expect(check(made, 'a').handsOver.map(({ to }) => to)).toEqual(['b', 'b']);
    made.apply(made.machine.putSettings(made.group, made.group!.settings, made.context, false));
    made.settle();
    expect(check(made, 'a')).toMatchObject({ safe: true });
  });

  it('that is the last one leaves its partitions to nobody, and says so before', () => {
    const made = bench({}, ['a']);
    expect(check(made, 'a').handsOver.every(({ to }) => to === null)).toBe(true);
    drained(made, 'a');
    made.settle();
    expect(check(made, 'a')).toMatchObject({ safe: true });
  });

  it('ends its drain with its process: a static successor is served', () => {
    const made = bench({}, ['a']);
    made.join('s1', ['t'], { instanceId: 's' });
    made.settle();
    drained(made, 's1');
    made.settle();
    expect(made.assigned('s1')).toEqual({});
    made.apply(made.machine.leaveTemporarily(made.group, { memberId: 's1' }, made.context));
    made.join('s2', ['t'], { instanceId: 's' });
    made.settle();
    expect(made.assigned('s2').t).toHaveLength(3);
  });

  it('cannot be stopped safely for being idle now, if it is about to get something', () => {
    const made = new GroupBench({ t: 2 });
    made.join('a');
    made.join('b');
    expect(check(made, 'b')).toMatchObject({ draining: false, safe: false, holds: {} });
    const idle = bench({}, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(check(idle, 'g')).toMatchObject({ draining: false, safe: true });
  });
});
