import type { GroupAssignment, GroupSpec } from '@allot/model';
import { assignmentFromJson, assignmentToJson, findViolations } from '@allot/model';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Pin } from '../../src/assignors/pins.js';
import { withPins } from '../../src/assignors/pins.js';
import { listAssignors, resolveAssignor } from '../../src/assignors/registry.js';
import { after, anyGroup, loads, propertyRuns, snapshot, someGroup } from './random-groups.js';

function json(assignment: GroupAssignment): Record<string, unknown> {
  return Object.fromEntries([...assignment].map(([id, owned]) => [id, { ...assignmentToJson(owned) }]));
}

function group(ids: readonly string[], partitions: number): GroupSpec {
  return { topics: [{ name: 't', partitions }], members: ids.map((id) => ({ id, topics: ['t'] })) };
}

function pin(partition: number, member: string, topic = 't'): Pin {
  return { topic, partition, member };
}

function assign(name: string, spec: GroupSpec, pins: readonly Pin[]): GroupAssignment {
  return withPins(resolveAssignor(name), pins).assign(spec).assignment;
}

const memberAssignors = listAssignors().filter(({ owners }) => owners === undefined);

describe('withPins', () => {
  it('gives a pinned partition to its member, which gives one back', () => {
    expect(json(assign('range', group(['a', 'b', 'c'], 9), [pin(8, 'a')]))).toEqual({
      a: { t: [0, 1, 8] },
      b: { t: [3, 4, 5] },
      c: { t: [2, 6, 7] },
    });
  });

  it('keeps the rest as even as it can when a member has more pins than its share', () => {
    const pins = [3, 4, 5, 6, 7].map((partition) => pin(partition, 'a'));
    for (const { name } of memberAssignors)
      expect([name, loads(assign(name, group(['a', 'b', 'c'], 9), pins))]).toEqual([name, [5, 2, 2]]);
  });

  it('repays who lost a partition for nothing', () => {
    const spec: GroupSpec = {
      topics: [
        { name: 't', partitions: 1 },
        { name: 'u', partitions: 6 },
      ],
      members: [
        { id: 'a', topics: ['t', 'u'] },
        { id: 'b', topics: ['t'] },
        { id: 'c', topics: ['u'] },
      ],
    };
    const pinned = assign('range', spec, [pin(0, 'b')]);
    expect(json(pinned)).toEqual({ a: { u: [0, 1, 2] }, b: { t: [0] }, c: { u: [3, 4, 5] } });
  });

  it('finds a static member by its instance id', () => {
    const spec = group(['b'], 2);
    const members = [...spec.members, { id: 'a-7f', instanceId: 'a', topics: ['t'] }];
    expect(json(assign('roundrobin', { ...spec, members }, [pin(0, 'b'), pin(1, 'a')]))).toEqual({
      b: { t: [0] },
      'a-7f': { t: [1] },
    });
  });

  it.each([
    [pin(0, 'gone'), 'no such member'],
    [pin(7, 'a'), 'no such partition'],
    [pin(-1, 'a'), 'no such partition'],
    [pin(0, 'a', 'u'), 'does not subscribe'],
  ])('warns of a pin that cannot be kept: %j', (wanted, why) => {
    const { assignment, warnings } = withPins(resolveAssignor('range'), [wanted]).assign(group(['a', 'b'], 2));
    expect(json(assignment)).toEqual({ a: { t: [0] }, b: { t: [1] } });
    expect(warnings).toEqual([{ code: 'pin-not-kept', message: expect.stringContaining(why) }]);
  });

  it('refuses a partition that is pinned to two members', () => {
    expect(() => withPins(resolveAssignor('range'), [pin(0, 'a'), pin(0, 'b')])).toThrow('both "a" and "b"');
    expect(withPins(resolveAssignor('range'), [pin(0, 'a'), pin(0, 'a')]).name).toBe('range');
  });

  it('pins to threads where threads own partitions', () => {
    const spec: GroupSpec = { ...group([], 4), members: [{ id: 'c', topics: ['t'], streams: 2 }] };
    expect(json(assign('threads-range', spec, [pin(0, 'c-1')]))).toEqual({
      'c-0': { t: [1, 3] },
      'c-1': { t: [0, 2] },
    });
  });

  it('cooperative-sticky hands a pinned partition out once its owner has given it up', () => {
    const member = (id: string, owned: number[]) => ({
      id,
      topics: ['t'],
      owned: assignmentFromJson({ t: owned }),
      generation: 1,
    });
    const pinned = withPins(resolveAssignor('cooperative-sticky'), [pin(0, 'b')]);
    const topics = [{ name: 't', partitions: 4 }];
    const first = pinned.assign({ topics, members: [member('a', [0, 1]), member('b', [2, 3])] });
    expect(json(first.target)).toEqual({ a: { t: [1, 3] }, b: { t: [0, 2] } });
    expect(json(first.assignment)).toEqual({ a: { t: [1] }, b: { t: [2] } });
    const second = pinned.assign({ topics, members: [member('a', [1]), member('b', [2])] });
    expect(json(second.target)['b']).toEqual({ t: [0, 2] });
    expect(second.assignment).toEqual(second.target);
  });

  it('weighted-sticky balances loads around a heavy pin', () => {
    const spec: GroupSpec = {
      topics: [{ name: 't', partitions: 5, weights: [40, 10, 10, 10, 10] }],
      members: ['a', 'b'].map((id) => ({ id, topics: ['t'] })),
    };
    const pinned = withPins(resolveAssignor('weighted-sticky'), [pin(0, 'b')]);
    expect(json(pinned.assign(spec, { weightedSticky: { balance: 'load' } }).assignment)).toEqual({
      a: { t: [1, 2, 3, 4] },
      b: { t: [0] },
    });
  });
});

describe.each(memberAssignors.map((assignor) => [assignor.name, assignor] as const))('withPins(%s)', (_, assignor) => {
  it('keeps every pin, stays legal and changes no input', () => {
    fc.assert(
      fc.property(anyGroup, fc.array(fc.tuple(fc.nat(9), fc.nat(9), fc.nat(11)), { maxLength: 5 }), (spec, places) => {
        // Kafka's sticky assignors may overlook that a member subscribes to nothing.
        fc.pre(spec.members.every((member) => member.topics.length > 0));
        const pins = distinct(
          places.map(([member, topic, partition]) => {
            const { name, partitions } = spec.topics[topic % spec.topics.length]!;
            return pin(partition % partitions, spec.members[member % spec.members.length]!.id, name);
          }),
        );
        const before = snapshot(spec);
        const { target } = withPins(assignor, pins).assign(spec);
        expect(findViolations(spec, target)).toEqual([]);
        expect(snapshot(spec)).toBe(before);
        for (const { topic, partition, member } of pins) {
          const isSubscribed = spec.members.find(({ id }) => id === member)!.topics.includes(topic);
          if (isSubscribed) expect(target.get(member)!.get(topic)).toContain(partition);
        }
      }),
      propertyRuns,
    );
  });

  it('keeps the numbers of partitions with equal subscriptions and one pin, and settles', () => {
    fc.assert(
      fc.property(someGroup(true), fc.nat(9), fc.nat(11), (spec, place, number) => {
        const { name, partitions } = spec.topics[0]!;
        const pins = [pin(number % partitions, spec.members[place % spec.members.length]!.id, name)];
        const first = withPins(assignor, pins).assign(spec).target;
        const unpinned = assignor.assign(spec).target;
        const receives = loads(unpinned)[place % spec.members.length]!;
        if (receives > 0) expect(loads(first).sort()).toEqual(loads(unpinned).sort());
        const again = after(spec, first, undefined);
        const members = again.members.map((member) => ({ ...member, generation: 1 }));
        expect(json(withPins(assignor, pins).assign({ ...again, members }).target)).toEqual(json(first));
      }),
      propertyRuns,
    );
  });
});

function distinct(pins: readonly Pin[]): Pin[] {
  return [...new Map(pins.map((wanted) => [`${wanted.partition} ${wanted.topic}`, wanted])).values()];
}
