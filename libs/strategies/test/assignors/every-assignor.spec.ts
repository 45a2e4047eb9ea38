import type { GroupSpec } from '@allot/model';
import { findViolations } from '@allot/model';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { listAssignors } from '../../src/assignors/registry.js';
import { threadGroup } from '../../src/assignors/threads.js';
import { loads, propertyRuns, snapshot, someGroup } from './random-groups.js';

function group(ids: readonly string[], partitions: number): GroupSpec {
  return { topics: [{ name: 't', partitions }], members: ids.map((id) => ({ id, topics: ['t'] })) };
}

describe.each(listAssignors().map((assignor) => [assignor.name, assignor] as const))('%s', (_, assignor) => {
  it('gives five members two of ten partitions each', () => {
    expect(loads(assignor.assign(group(['a', 'b', 'c', 'd', 'e'], 10)).assignment)).toEqual([2, 2, 2, 2, 2]);
  });

  it('gives one of three members nothing of two partitions, and lists it', () => {
    const { assignment } = assignor.assign(group(['a', 'b', 'c'], 2));
    expect(loads(assignment).sort()).toEqual([0, 1, 1]);
    expect(assignment.size).toBe(3);
  });

  it('answers an empty group, and members without topics', () => {
    expect(assignor.assign({ topics: [], members: [] }).assignment.size).toBe(0);
    expect(loads(assignor.assign({ topics: [], members: [{ id: 'a', topics: ['ghost'] }] }).assignment)).toEqual([0]);
  });

  it('is legal for equal subscriptions, changes no input, and answers the same again', () => {
    fc.assert(
      fc.property(someGroup(true), (spec) => {
        const before = snapshot(spec);
        const { target } = assignor.assign(spec);
        expect(findViolations(assignor.owners === 'threads' ? threadGroup(spec) : spec, target)).toEqual([]);
        expect(snapshot(spec)).toBe(before);
        expect([...assignor.assign(spec).target]).toEqual([...target]);
      }),
      propertyRuns,
    );
  });
});
