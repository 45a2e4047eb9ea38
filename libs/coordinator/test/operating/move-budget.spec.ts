import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assignmentFromJson, sameAssignment, type AssignmentJson, type GroupAssignment } from '@allot/model';
import { continueMoves, limitMoves, movesBetween } from '../../src/consumer/move-budget.js';
import { GroupBench, json } from '../support/fixtures.js';

const read = (members: Record<string, AssignmentJson>): GroupAssignment =>
  new Map(Object.entries(members).map(([id, assignment]) => [id, assignmentFromJson(assignment)]));
const show = (target: GroupAssignment) =>
  Object.fromEntries([...target].map(([id, assignment]) => [id, json(assignment)]));

describe('the move budget', () => {
  it('takes no more from members that could keep it, and serves first who has least, by who has most', () => {
    const before = read({ a: { t: [0, 1, 2, 3, 4] }, b: { t: [5, 6, 7] }, c: {}, d: {} });
    const answer = read({ a: { t: [0, 1] }, b: { t: [5, 6] }, c: { t: [2, 7] }, d: { t: [3, 4] } });
    const { target, deferred } = limitMoves(before, answer, 2);
    expect(show(target)).toEqual({ a: { t: [0, 1, 4] }, b: { t: [5, 6, 7] }, c: { t: [2] }, d: { t: [3] } });
    expect(deferred.map(({ partition, from, to }) => [partition, from, to])).toEqual([
      [7, 'b', 'c'],
      [4, 'a', 'd'],
    ]);
  });

  it('never holds back what nobody has any more', () => {
    const answer = read({ a: { t: [0, 1, 2, 3] }, b: { t: [4, 5, 6, 7] } });
    expect(limitMoves(read({ a: { t: [0] }, b: {} }), answer, 1)).toEqual({ target: answer, deferred: [] });
  });

  it('comes to exactly the answer, in as few targets as the budget allows, each complete', () => {
    const owners = fc.array(fc.integer({ min: -1, max: 4 }), { minLength: 1, maxLength: 30 });
    const wanted = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 30, maxLength: 30 });
    fc.assert(
      fc.property(owners, wanted, fc.integer({ min: 1, max: 6 }), (had, want, budget) => {
        const of = (owner: (p: number) => number) => {
          const lists = [0, 1, 2, 3, 4].map((member) => had.flatMap((_, p) => (owner(p) === member ? [p] : [])));
          return read(Object.fromEntries(lists.map((list, member) => [`m${member}`, { t: list }])));
        };
        const answer = of((p) => want[p]!);
        let target = of((p) => had[p]!);
        const moves = movesBetween(target, answer).length;
        let next = limitMoves(target, answer, budget);
        let rounds = 1;
        for (; ; rounds++) {
          expect(movesBetween(target, next.target).length).toBeLessThanOrEqual(budget);
          const all = [...next.target.values()].flatMap((assignment) => assignment.get('t') ?? []);
          expect(all.sort((a, b) => a - b)).toEqual(had.map((_, p) => p));
          target = next.target;
          if (next.deferred.length === 0) break;
          next = continueMoves(target, next.deferred, budget);
        }
        expect(rounds).toBe(Math.max(1, Math.ceil(moves / budget)));
        for (const [id, assignment] of answer) expect(sameAssignment(target.get(id)!, assignment)).toBe(true);
      }),
    );
  });
});

describe('a group with a move budget', () => {
  const grown = (settings = {}) => {
    const bench = new GroupBench({ t: 8 }, { moveBudget: 2, assignors: ['sticky'], ...settings });
    bench.join('a');
    bench.settle();
    bench.join('b');
    return bench.settle();
  };
  const round = (bench: GroupBench) => {
    bench.now = bench.group!.nextAssignmentAt!;
    bench.apply(bench.machine.lookAtCatalog(bench.group!, bench.context));
    return bench.settle();
  };

  it('gets there in further targets, each with a cause of its own, and then rests', () => {
    const bench = grown();
    expect(bench.target('b').t).toHaveLength(2);
    expect(bench.group!.calm!.deferred).toHaveLength(2);
    const epoch = bench.group!.groupEpoch;
    const begun = bench.changes.length;
    round(bench);
    expect(bench.group).toMatchObject({ groupEpoch: epoch + 1, assignmentEpoch: epoch + 1 });
    expect(bench.changes[begun]).toMatchObject({ cause: 'moves-continued', details: { left: 0 } });
    expect(bench.assigned('b').t).toHaveLength(4);
    expect(bench.group!.calm).toBeUndefined();
    const { revision } = bench.group!;
    for (let pass = 0; pass < 100; pass++) {
      bench.now += 60_000;
      bench.apply(bench.machine.lookAtCatalog(bench.group!, bench.context));
    }
    expect(bench.group!.revision).toBe(revision);
  });

  it('waits with the next moves until those before are done', () => {
    const bench = new GroupBench({ t: 8 }, { moveBudget: 2 });
    bench.join('a');
    bench.join('b');
    bench.now += 3_600_000;
    bench.apply(bench.machine.lookAtCatalog(bench.group!, bench.context));
    expect(bench.group).toMatchObject({ groupEpoch: 2 });
    expect(bench.group!.nextAssignmentAt).toBeUndefined();
  });

  it('hands out at once what a member leaves behind, and begins anew with whoever is there', () => {
    const bench = grown();
    bench.apply(bench.machine.leave(bench.group, { memberId: 'a' }, bench.context));
    bench.settle();
    expect(bench.assigned('b').t).toHaveLength(8);
    expect(bench.group!.calm).toBeUndefined();
  });

  it('gives the rest to a static member under its new id', () => {
    const bench = new GroupBench({ t: 8 }, { moveBudget: 2, assignors: ['sticky'] });
    bench.join('a');
    bench.settle();
    bench.join('b1', ['t'], { instanceId: 'b' });
    bench.settle();
    bench.apply(bench.machine.leaveTemporarily(bench.group, { memberId: 'b1' }, bench.context));
    bench.join('b2', ['t'], { instanceId: 'b' });
    bench.settle();
    round(bench);
    expect(bench.assigned('b2').t).toHaveLength(4);
  });

  it('pauses while the group is frozen', () => {
    const bench = grown();
    const frozen = bench.machine.putSettings(bench.group, bench.group!.settings, bench.context, true);
    bench.apply(frozen);
    bench.now += 60_000;
    bench.apply(bench.machine.lookAtCatalog(bench.group!, bench.context));
    expect(bench.target('b').t).toHaveLength(2);
    bench.apply(bench.machine.putSettings(bench.group, bench.group!.settings, bench.context, false));
    bench.settle();
    if (bench.group!.nextAssignmentAt !== undefined) round(bench);
    expect(bench.assigned('b').t).toHaveLength(4);
  });
});
