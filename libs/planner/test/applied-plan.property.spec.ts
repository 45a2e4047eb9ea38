import { describe, expect, it } from '@jest/globals';
import { assignOptionsOf, groupSpecOf, withoutEpochs } from '@allot/coordinator';
import type { Assignment, GroupAssignment } from '@allot/model';
import { assignorNames, findAssignor } from '@allot/strategies';
import fc from 'fast-check';
import { applyPlan } from '../../coordinator/src/consumer/apply-plan.js';
import { GroupBench } from '../../coordinator/test/support/fixtures.js';
import type { Change } from '../src/change.js';
import { effectOf } from '../src/effect.js';
import { plan } from '../src/plan.js';

const runs = { numRuns: Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 100) };
const TOPICS = ['t', 'u', 'v'];
// Threads are a thing of the first generation, which the coordinator does not serve.
const ASSIGNORS = assignorNames().filter((name) => !name.startsWith('threads-'));

const world = fc.record({
  assignor: fc.constantFrom(...ASSIGNORS),
  topics: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 3 }),
  members: fc.array(fc.subarray(TOPICS, { minLength: 1 }), { minLength: 2, maxLength: 6 }),
  /** The group may still be on its way to an earlier target. */
  settled: fc.boolean(),
  next: fc.constantFrom(...ASSIGNORS),
  removed: fc.option(fc.nat(5), { nil: undefined }),
  weight: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function benchOf({ assignor, topics, members, settled }: World): GroupBench {
  const bench = new GroupBench({}, { assignors: [assignor] });
  const named = TOPICS.map((name, i) => [name, { name, id: name.padEnd(22, 'A'), partitions: topics[i]! }] as const);
  bench.catalog = { revision: bench.catalog.revision + 1, topics: new Map(named) };
  for (const [i, subscribed] of members.entries()) bench.join(`m${i}`, subscribed);
  return settled ? bench.settle() : bench;
}

function changesOf({ assignor, members, next, removed, weight }: World): Change[] {
  const changes: Change[] = next === assignor ? [] : [{ assignor: next }];
  if (removed !== undefined) changes.push({ removeMembers: [`m${removed % members.length}`] });
  const other = removed === undefined ? 0 : (removed + 1) % members.length;
  if (weight !== undefined) changes.push({ member: `m${other}`, weight });
  return changes;
}

describe('G-17 an applied plan', () => {
  it('is what the assignor says, and heartbeats reach exactly it and then move nothing more', () => {
    fc.assert(
      fc.property(world, (given) => {
        const bench = benchOf(given);
        const base = bench.group!;
        const { topics, members } = groupSpecOf(base, bench.catalog);
        const changes = changesOf(given);
        const options = assignOptionsOf(base, bench.now);
        const result = plan({ topics, members, assignor: [given.assignor], ...options, live: true, changes });
        const effect = effectOf(changes, result, 'live');
        expect(effect.blockers).toEqual([]);

        const { assignors = base.settings.assignors } = effect;
        const settings = { ...base.settings, assignors };
        const planned = { planId: 'p', target: result.target, effect, settings };
        bench.apply(applyPlan(base, planned, { ...bench.context, origin: { actor: 'operator' } }));
        const applied = bench.group!;
        expect(applied).toMatchObject({ revision: base.revision + 1, groupEpoch: base.groupEpoch + 1 });
        expect(applied.assignmentEpoch).toBe(applied.groupEpoch);
        expect(bench.changes.at(-1)).toMatchObject({ cause: 'plan-applied', planId: 'p', revision: applied.revision });
        expect(sorted(targetsOf(bench))).toEqual(sorted(expectedOf(result.target, effect.removedMembers)));

        bench.settle();
        const settled = bench.group!;
        expect(settled.groupEpoch).toBe(applied.groupEpoch);
        expect(sorted(targetsOf(bench))).toEqual(sorted(expectedOf(result.target, effect.removedMembers)));
        for (const { assigned, target, state } of settled.members.values()) {
          expect([state, Object.fromEntries(withoutEpochs(assigned))]).toEqual(['STABLE', Object.fromEntries(target)]);
        }
        for (const { memberId, memberEpoch, assigned } of settled.members.values()) {
          bench.beat(memberId, memberEpoch, Object.fromEntries(withoutEpochs(assigned)));
        }
        expect(bench.group!.revision).toBe(settled.revision);

        // The same assignor, asked as the running group would ask it.
        const spec = { topics: result.after.topics, members: result.after.members };
        expect(sorted(findAssignor(result.assignor)!.assign(spec, options).target)).toEqual(sorted(result.target));
      }),
      runs,
    );
  });

  it('is not undone when the members that it removes leave', () => {
    fc.assert(
      fc.property(world, fc.constantFrom('range', 'uniform', 'sticky', 'cooperative-sticky'), (given, assignor) => {
        const whole = {
          ...given,
          assignor,
          next: assignor,
          settled: true,
          removed: given.removed ?? 0,
          weight: undefined,
        };
        const bench = benchOf({ ...whole, members: given.members.map(() => TOPICS) });
        const { topics, members } = groupSpecOf(bench.group!, bench.catalog);
        const changes = changesOf(whole);
        const result = plan({ topics, members, assignor, live: true, changes });
        const effect = effectOf(changes, result, 'live');
        const planned = { planId: 'p', target: result.target, effect, settings: bench.group!.settings };
        bench.apply(applyPlan(bench.group!, planned, bench.context)).settle();
        const [removed] = effect.removedMembers;
        bench.apply(bench.machine.leave(bench.group!, { memberId: removed! }, bench.context)).settle();
        expect(sorted(targetsOf(bench))).toEqual(sorted(result.target));
      }),
      runs,
    );
  });
});

function targetsOf(bench: GroupBench): GroupAssignment {
  return new Map([...bench.group!.members.values()].map(({ memberId, target }) => [memberId, target]));
}

function expectedOf(target: GroupAssignment, removed: readonly string[]): GroupAssignment {
  return new Map([...target, ...removed.map((id): [string, Assignment] => [id, new Map()])]);
}

/** Topic order inside an assignment means nothing. */
function sorted(group: GroupAssignment): unknown {
  return new Map([...group].sort().map(([id, owned]) => [id, Object.fromEntries(owned)]));
}
