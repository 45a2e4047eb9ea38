import type { GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import { assignmentFromJson } from '@allot/model';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { cooperativeStickyAssignor } from '../../src/assignors/cooperative-sticky.js';
import { stickyAssignor } from '../../src/assignors/sticky.js';
import { propertyRuns } from './random-groups.js';
import { plainSticky } from './reference/plain-sticky.js';
import { text } from './support/groups.js';
import { readVectors, groupOf } from './support/vectors.js';

const names = ['t', 'orders', 'clicks', 'audit-log', 'u', '__proto__'];
const ids = ['c1', 'c2', 'c3', 'AaAa', 'BBBB', 'AaBB', 'consumer-1-7ad2c261', 'consumer-2-ef509c7e', 'm', 'Z'];

const someRack = fc.constantFrom('r0', 'r1', 'r2');
const someTopic = (name: string): fc.Arbitrary<TopicSpec> =>
  fc
    .tuple(fc.nat(9), fc.boolean())
    .chain(([partitions, racked]) =>
      racked
        ? fc
            .array(fc.uniqueArray(someRack, { maxLength: 2 }), { minLength: partitions, maxLength: partitions })
            .map((racks) => ({ name, partitions, racks }))
        : fc.constant({ name, partitions }),
    );

const someOwned = fc
  .dictionary(fc.constantFrom(...names), fc.uniqueArray(fc.nat(9), { maxLength: 5 }), { maxKeys: 4 })
  .map((owned) => assignmentFromJson(owned));

/** Consumers do not repeat a topic, but nothing stops a request from doing so, and Kafka counts it twice. */
const repeating = fc.array(fc.constantFrom(...names), { maxLength: 5 });

const someMember = (id: string): fc.Arbitrary<MemberSpec> =>
  fc.record(
    {
      id: fc.constant(id),
      topics: fc.oneof({ weight: 2, arbitrary: fc.constant(names.slice(0, 3)) }, fc.subarray(names), repeating),
      rack: fc.oneof(someRack, fc.constant('')),
      owned: someOwned,
      generation: fc.integer({ min: -1, max: 3 }),
    },
    { requiredKeys: ['id', 'topics'] },
  );

/** Groups as no healthy cluster has them: everybody claims what it likes, from any generation. */
const wildGroup: fc.Arbitrary<GroupSpec> = fc.record({
  topics: fc.subarray(names, { minLength: 1 }).chain((list) => fc.tuple(...list.map(someTopic))),
  members: fc.shuffledSubarray(ids, { minLength: 1 }).chain((list) => fc.tuple(...list.map(someMember))),
});

function plain(spec: GroupSpec, cooperative: boolean): Record<string, string> {
  const { target, withheld } = plainSticky(spec);
  const lines = [...target].map(([id, partitions]): [string, string] => {
    const shown = partitions
      .filter((tp) => !cooperative || !withheld.has(tp))
      .map((tp) => tp.replace(/:(\d+)$/, '-$1'));
    return [id, shown.sort().join(' ')];
  });
  return Object.fromEntries(lines);
}

const sorted = (answer: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(answer).map(([id, line]) => [id, line.split(' ').sort().join(' ')]));

describe('the plain telling of the sticky rule', () => {
  it('gives the answers of the quick one for groups with any claims', () => {
    fc.assert(
      fc.property(wildGroup, (spec) => {
        expect(sorted(text(stickyAssignor.assign(spec).assignment))).toEqual(plain(spec, false));
        expect(sorted(text(cooperativeStickyAssignor.assign(spec).assignment))).toEqual(plain(spec, true));
      }),
      { numRuns: propertyRuns.numRuns * 4 },
    );
  });

  it.each([['sticky'], ['cooperative-sticky']])('gives the answers of the quick one for the vectors of %s', (name) => {
    for (const vector of readVectors(name)) {
      const spec = groupOf(vector);
      expect(sorted(text(stickyAssignor.assign(spec).target))).toEqual(plain(spec, false));
    }
  });
});
