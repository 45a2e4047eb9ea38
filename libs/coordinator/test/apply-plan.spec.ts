import { describe, expect, it } from '@jest/globals';
import { assignmentFromJson, assignmentToJson, type AssignmentJson, type GroupAssignment } from '@allot/model';
import { applyPlan, checkApplicable, type PlannedGroup } from '../src/consumer/apply-plan.js';
import { withoutEpochs, type PlanEffect, type StoredPlan } from '../src/index.js';
import { GroupBench } from './support/fixtures.js';

const EFFECT: PlanEffect = { blockers: [], members: [], removedMembers: [] };

function planned(bench: GroupBench, target: Record<string, AssignmentJson>, more: Partial<PlannedGroup> = {}) {
  const entries = Object.entries(target).map(([id, json]) => [id, assignmentFromJson(json)] as const);
  const whole: GroupAssignment = new Map(entries);
  return { planId: 'p', target: whole, effect: EFFECT, settings: bench.group!.settings, ...more };
}

const targetsOf = (bench: GroupBench) =>
  Object.fromEntries([...bench.group!.members].map(([id, { target }]) => [id, assignmentToJson(target)]));

function settledGroup(): GroupBench {
  const bench = new GroupBench({ t: 4 });
  bench.join('a');
  bench.join('b');
  return bench.settle();
}

describe('applying a plan', () => {
  it('takes a target that no assignor would give, and leaves members alone that it does not change', () => {
    const bench = settledGroup();
    const before = bench.group!;
    bench.apply(applyPlan(before, planned(bench, { a: { t: [0, 1] }, b: { t: [2, 3] } }), bench.context));
    expect(bench.group!.members.get('a')).toBe(before.members.get('a'));
    bench.settle();
    bench
      .apply(applyPlan(bench.group!, planned(bench, { a: { t: [3] }, b: { t: [0, 1, 2] } }), bench.context))
      .settle();
    expect(targetsOf(bench)).toEqual({ a: { t: [3] }, b: { t: [0, 1, 2] } });
    expect(bench.changes.filter(({ cause }) => cause === 'plan-applied').map(({ planId }) => planId)).toEqual([
      'p',
      'p',
    ]);
  });

  it('puts a group right whose assignor fails, or whose target is still to come', () => {
    const bench = settledGroup();
    const failing = {
      ...bench.context,
      resolveAssignor: () =>
        ({
          assign: () => {
            throw new Error('down');
          },
        }) as never,
    };
    bench.apply(bench.machine.leave(bench.group!, { memberId: 'b' }, failing));
    expect(bench.group).toMatchObject({ assignorFault: expect.any(String), groupEpoch: 3, assignmentEpoch: 2 });
    bench.apply(applyPlan(bench.group!, planned(bench, { a: { t: [0, 1, 2, 3] } }), bench.context)).settle();
    expect(bench.group).toMatchObject({ groupEpoch: 4, assignmentEpoch: 4 });
    expect(bench.group).not.toHaveProperty('assignorFault');
    expect(targetsOf(bench)).toEqual({ a: { t: [0, 1, 2, 3] } });
  });

  it('is an operator’s word, which a freeze does not hold back and which does not end it', () => {
    const bench = settledGroup();
    const freeze = { by: 'operator' as const, since: bench.now };
    const group = { ...bench.group!, calm: { freeze } };
    bench.apply(applyPlan(group, planned(bench, { a: { t: [3] }, b: { t: [0, 1, 2] } }), bench.context)).settle();
    expect(bench.group!.calm).toEqual({ freeze });
    for (const { assigned, target } of bench.group!.members.values()) expect(withoutEpochs(assigned)).toEqual(target);
    expect(targetsOf(bench)).toEqual({ a: { t: [3] }, b: { t: [0, 1, 2] } });
  });

  it('forgets what was left to do of an earlier target', () => {
    const bench = settledGroup();
    const deferred = [{ topic: 't', partition: 0, to: 'b' }];
    const group = { ...bench.group!, calm: { deferred } };
    bench.apply(applyPlan(group, planned(bench, { a: { t: [0, 1] }, b: { t: [2, 3] } }), bench.context));
    bench.now += 60_000;
    bench.settle();
    expect(bench.group!.calm?.deferred).toBeUndefined();
    expect(targetsOf(bench)).toEqual({ a: { t: [0, 1] }, b: { t: [2, 3] } });
  });

  it('drains whom it removes, sets weights and the assignor, and has no use for strangers', () => {
    const bench = settledGroup();
    const effect = { ...EFFECT, members: [{ id: 'a', topics: ['t'], weight: 2 }], removedMembers: ['b'] };
    const settings = { ...bench.group!.settings, assignors: ['sticky'] };
    const all = planned(bench, { a: { t: [0, 1, 2, 3] } }, { effect, settings });
    bench.apply(applyPlan(bench.group!, all, bench.context));
    expect(bench.group!.settings.assignors).toEqual(['sticky']);
    expect(bench.member('a')).toMatchObject({ weight: 2 });
    expect(bench.member('b')).toMatchObject({ draining: true, target: new Map() });
    const stranger = planned(bench, { nobody: { t: [0] } });
    expect(() => applyPlan(bench.group!, stranger, bench.context)).toThrow('not in the group');
  });
});

describe('whether a plan may be applied', () => {
  const bench = settledGroup();
  const group = bench.group!;
  const plan: StoredPlan = {
    ...{ id: 'p', ref: { cluster: 'c', groupId: 'g' }, baseRevision: group.revision, inputHash: 'h', status: 'open' },
    ...{ author: 'ann', request: {}, result: {}, effect: EFFECT, createdAt: 0, expiresAt: 1, expired: false },
  };
  const decided = { actor: 'bob', at: 5 };
  const careful = { ...group, settings: { ...group.settings, planApproval: { required: true } } };
  const blocker = { code: 'members-missing', pointer: '/changes/0', message: 'Start it.' };

  it.each<[string, Partial<Parameters<typeof checkApplicable>[0]>, string]>([
    ['was applied', { plan: { ...plan, status: 'applied', applied: { ...decided, revision: 9 } } }, 'PLAN_CLOSED'],
    ['was discarded', { plan: { ...plan, status: 'discarded', discarded: decided } }, 'PLAN_CLOSED'],
    ['is too old', { plan: { ...plan, expired: true } }, 'PLAN_EXPIRED'],
    [
      'asks for the impossible',
      { plan: { ...plan, effect: { ...EFFECT, blockers: [blocker] } } },
      'PLAN_NOT_APPLICABLE',
    ],
    ['is of an earlier release', { plan: { ...plan, effect: undefined } as never }, 'PLAN_NOT_APPLICABLE'],
    ['needs approval', { group: careful }, 'PLAN_NOT_APPROVED'],
    ['is of another revision', { plan: { ...plan, baseRevision: group.revision - 1 } }, 'STALE_PLAN'],
    ['is of other topics', { isInput: false }, 'STALE_PLAN'],
  ])('refuses one that %s', (_, wrong, code) => {
    expect(() => checkApplicable({ plan, group, isInput: true, ...wrong })).toThrow(expect.objectContaining({ code }));
  });

  it('allows an open one, and an approved one where approval is asked for', () => {
    expect(checkApplicable({ plan, group, isInput: true })).toBe(EFFECT);
    const approved = { ...plan, status: 'approved' as const, approved: decided };
    expect(checkApplicable({ plan: approved, group: careful, isInput: true })).toBe(EFFECT);
  });
});
