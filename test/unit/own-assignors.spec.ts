import { sameAssignment, type GroupAssignment, type GroupSpec } from '@allot/model';
import type { Assignor } from '@allot/strategies';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadOwnAssignors } from '../../apps/api/src/assignors/load-own-assignors.js';
import { after, anyGroup, propertyRuns, someSteps } from '../../libs/strategies/test/assignors/random-groups.js';

/**
 * What every assignor of one's own must hold, on random groups and through the same process and the same checks as in the
 * service. Without ALLOT_ASSIGNORS it is the example's turn.
 */
const modules = (process.env['ALLOT_ASSIGNORS'] ?? 'examples/assignors/first-come.mjs').split(',');
const loaded = await loadOwnAssignors(modules, 5_000);
afterAll(() => loaded.close());

describe.each(loaded.assignors.map((assignor) => [assignor.name, assignor] as const))('%s', (_, assignor) => {
  it('gives legal answers, the same one to the same group, over joins, departures and growth', () => {
    fc.assert(
      fc.property(anyGroup, someSteps, (first, steps) => {
        let group = first;
        for (const step of [...steps, undefined]) {
          const target = answer(assignor, group);
          expect(same(answer(assignor, group), target)).toBe(true);
          group = after(group, target, step);
        }
      }),
      propertyRuns,
    );
  });

  if (assignor.sticky) {
    it('moves nothing when nothing changes, since it says that it is sticky', () => {
      fc.assert(
        fc.property(anyGroup, someSteps, (first, steps) => {
          let group = first;
          for (const step of steps) group = after(group, answer(assignor, group), step);
          const target = answer(assignor, group);
          expect(same(answer(assignor, after(group, target, undefined)), target)).toBe(true);
        }),
        propertyRuns,
      );
    });
  }
});

/** Throws what is wrong with the answer, which fast-check shows beside the smallest group that brings it about. */
function answer(assignor: Assignor, group: GroupSpec): GroupAssignment {
  return assignor.assign(group).target;
}

function same(a: GroupAssignment, b: GroupAssignment): boolean {
  return a.size === b.size && [...a].every(([member, owned]) => sameAssignment(owned, b.get(member)!));
}
