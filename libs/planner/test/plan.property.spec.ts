import { describe, expect, it } from '@jest/globals';
import { countPartitions, findViolations } from '@allot/model';
import type { GroupAssignment, GroupSpec, MemberSpec, OwnerChange, TopicSpec } from '@allot/model';
import { findAssignor, listAssignors } from '@allot/strategies';
import type { Assignor } from '@allot/strategies';
import fc from 'fast-check';
import type { Change } from '../src/change.js';
import { plan } from '../src/plan.js';
import type { PlanInput } from '../src/plan-types.js';
import { planToJson } from '../src/plan-to-json.js';
import { plain } from './support/groups.js';
import { stickyStandIn } from './support/sticky-stand-in.js';

const runs = { numRuns: Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 150) };
const resolve = (name: string): Assignor | undefined => (name === 'stand-in' ? stickyStandIn : findAssignor(name));
// The first-generation rules refuse groups of unequal subscriptions, which is theirs to test.
const assignors = [...listAssignors().map(({ name }) => name), 'stand-in'].filter(
  (name) => !name.startsWith('threads-'),
);

const topicNames = ['orders', 'payments', 't', '__proto__', 'ghost'];
const racks = ['a', 'b', 'c'];

const topic: fc.Arbitrary<TopicSpec> = fc
  .record({ name: fc.constantFrom(...topicNames.slice(0, 4)), partitions: fc.nat(12), racked: fc.boolean() })
  .chain(({ name, partitions, racked }) =>
    racked
      ? fc
          .array(fc.subarray(racks), { minLength: partitions, maxLength: partitions })
          .map((replicas) => ({ name, partitions, racks: replicas }))
      : fc.constant({ name, partitions }),
  );

const owned = fc
  .dictionary(fc.constantFrom(...topicNames), fc.uniqueArray(fc.integer({ min: -1, max: 13 }), { maxLength: 5 }))
  .map((json) => new Map(Object.entries(json).map(([name, list]) => [name, list.sort((a, b) => a - b)])));

const member = (claims: boolean): fc.Arbitrary<MemberSpec> =>
  fc
    .record({
      id: fc.oneof(
        fc.nat(20).map((n) => `c${n}`),
        fc.constantFrom('__proto__', 'constructor'),
      ),
      topics: fc.subarray(topicNames),
      rack: fc.option(fc.constantFrom(...racks)),
      owned: claims ? fc.option(owned) : fc.constant(null),
      generation: claims ? fc.option(fc.integer({ min: -1, max: 3 })) : fc.constant(null),
    })
    .map(({ id, topics, ...rest }) => ({
      id,
      topics,
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
    }));

const group = (claims: boolean): fc.Arbitrary<GroupSpec> =>
  fc.record({
    topics: fc.uniqueArray(topic, { maxLength: 4, selector: ({ name }) => name }),
    members: fc.uniqueArray(member(claims), { maxLength: 8, selector: ({ id }) => id }),
  });

/** Equal subscriptions, for what only holds there. */
const plainGroup: fc.Arbitrary<GroupSpec> = group(false).map(({ topics, members }) => ({
  topics: topics.map(({ name, partitions }) => ({ name, partitions })),
  members: members.map(({ id }) => ({ id, topics: topicNames })),
}));

const changesFor = ({ topics, members }: GroupSpec): fc.Arbitrary<Change[]> => {
  const kinds: fc.Arbitrary<Change>[] = [
    fc.nat(3).map((addMembers) => ({ addMembers })),
    fc.constantFrom(...assignors).map((assignor) => ({ assignor })),
    fc.constant({ addTopic: { name: 'added', partitions: 3 } }),
  ];
  if (members.length > 0) {
    const id = fc.constantFrom(...members.map((m) => m.id));
    kinds.push(id.map((m) => ({ removeMembers: [m] })));
    kinds.push(fc.tuple(id, fc.subarray(topicNames)).map(([m, names]) => ({ member: m, topics: names })));
  }
  for (const { name, partitions } of topics) {
    kinds.push(fc.nat(4).map((more) => ({ topic: name, partitions: partitions + more })));
    kinds.push(fc.nat(4).map((count) => ({ topic: name, partitions: count, recreate: true })));
    kinds.push(fc.constant({ removeTopic: name }));
  }
  // One change of a kind, and none on a member or topic that another one removes: each list can be applied in every order.
  const key = (change: Change): string => {
    if ('removeMembers' in change && Array.isArray(change.removeMembers)) return `member ${change.removeMembers[0]}`;
    if ('member' in change) return `member ${change.member}`;
    if ('topic' in change) return `topic ${change.topic}`;
    if ('removeTopic' in change) return `topic ${change.removeTopic}`;
    return Object.keys(change)[0]!;
  };
  return fc.uniqueArray(fc.oneof(...kinds), { maxLength: 5, selector: key });
};

const input = (claims: boolean): fc.Arbitrary<PlanInput> =>
  group(claims).chain((spec) =>
    fc
      .record({ assignor: fc.constantFrom(...assignors), changes: changesFor(spec) })
      .map((rest) => ({ ...spec, ...rest })),
  );

function apply(current: GroupAssignment, diff: readonly OwnerChange[], ids: Iterable<string>): GroupAssignment {
  const owners = new Map<string, string>();
  for (const [id, assignment] of current) {
    for (const [name, list] of assignment) for (const n of list) owners.set(JSON.stringify([name, n]), id);
  }
  for (const { topic: name, partition, from, to } of diff) {
    const key = JSON.stringify([name, partition]);
    expect(owners.get(key) ?? null).toBe(from);
    if (to === null) owners.delete(key);
    else owners.set(key, to);
  }
  const result = new Map([...ids].map((id) => [id, new Map<string, number[]>()]));
  for (const [key, id] of owners) {
    const [name, partition] = JSON.parse(key) as [string, number];
    const list = result.get(id)!.get(name) ?? [];
    result.get(id)!.set(
      name,
      [...list, partition].sort((a, b) => a - b),
    );
  }
  return result;
}

/** Everything in it, Maps included, frozen: a write throws. */
function freeze<T>(value: T): T {
  if (value instanceof Map) {
    for (const entry of value.values()) freeze(entry);
    const refuse = (): never => {
      throw new Error('the input was changed');
    };
    Object.assign(value, { set: refuse, delete: refuse, clear: refuse });
  } else if (typeof value === 'object' && value !== null) {
    for (const entry of Object.values(value)) freeze(entry);
  }
  return Object.freeze(value);
}

describe('every plan, on claims or without', () => {
  it('S-05 never throws on legal input, does not change it, and adds up', () => {
    fc.assert(
      fc.property(fc.boolean().chain(input), (given) => {
        const result = plan(freeze(given), resolve);
        const ids = result.after.members.map(({ id }) => id);
        expect([...result.target.keys()].sort()).toEqual([...ids].sort());
        expect(apply(result.current, result.diff, new Set([...result.current.keys(), ...ids]))).toEqual(
          new Map([...result.current.keys(), ...ids].map((id) => [id, result.target.get(id) ?? new Map()])),
        );

        const assigned = [...result.target.values()].reduce((sum, owned) => sum + countPartitions(owned), 0);
        const existing = result.after.topics.reduce((sum, { partitions }) => sum + partitions, 0);
        expect(assigned + countPartitions(result.unowned)).toBe(existing);
        expect(result.moves).toBe(result.diff.filter(({ from, to }) => from !== null && to !== null).length);
        expect(result.forcedMoves).toBeLessThanOrEqual(result.moves);
        expect(result.idle.map(({ member: id }) => id)).toEqual(
          ids.filter((id) => countPartitions(result.target.get(id)!) === 0),
        );
        expect(result.disruption.consumer.partitionsPaused).toBeLessThanOrEqual(
          result.disruption.eager.partitionsPaused,
        );
        // A stale claim on a topic that its member left can win under Kafka's sticky rules; everything else is never wrong.
        const wrong = findViolations(result.after, result.target).filter(({ kind }) => kind !== 'not-subscribed');
        expect(wrong).toEqual([]);
        expect(JSON.parse(JSON.stringify(planToJson(result)))).toMatchObject({ stats: { moves: result.moves } });
      }),
      runs,
    );
  });

  it('gives the same answer twice', () => {
    fc.assert(
      fc.property(input(true), (given) => {
        expect(plan(given, resolve)).toEqual(plan(structuredClone(given), resolve));
      }),
      runs,
    );
  });
});

describe('a group that owns what a sticky assignor computed', () => {
  const sticky = assignors.filter((name) => resolve(name)!.sticky);

  it('stays as it is when nothing changes, also when the no-op is a change', () => {
    fc.assert(
      fc.property(plainGroup, fc.constantFrom(...sticky), (spec, assignor) => {
        expect(plan({ ...spec, assignor }, resolve).diff).toEqual([]);
        expect(plan({ ...spec, assignor, changes: [{ addMembers: 0 }] }, resolve).diff).toEqual([]);
      }),
      runs,
    );
  });

  it('moves only towards new members, and only from those that leave', () => {
    fc.assert(
      fc.property(plainGroup, fc.constantFrom(...sticky), fc.integer({ min: 1, max: 3 }), (spec, assignor, count) => {
        const more = plan({ ...spec, assignor, changes: [{ addMembers: count }] }, resolve);
        expect(more.diff.filter(({ from, to }) => from !== null && !more.addedMembers.includes(to!))).toEqual([]);
        if (spec.members.length <= count) return;
        const fewer = plan({ ...spec, assignor, changes: [{ removeMembers: count }] }, resolve);
        expect(fewer.diff.filter(({ from }) => !fewer.removedMembers.includes(from!))).toEqual([]);
        expect(fewer.forcedMoves).toBe(fewer.moves);
      }),
      runs,
    );
  });
});

describe('the order of unrelated changes', () => {
  it('does not matter', () => {
    fc.assert(
      fc.property(
        input(true).chain((given) =>
          fc
            .shuffledSubarray([...given.changes!], {
              minLength: given.changes!.length,
              maxLength: given.changes!.length,
            })
            // New members subscribe as most do, which a change of subscription or of topics may alter: give theirs.
            .map((shuffled) => [given, shuffled] as const),
        ),
        ([given, shuffled]) => {
          const named = (changes: readonly Change[]): Change[] =>
            changes.map((change) => ('addMembers' in change ? { ...change, topics: ['orders', 't'] } : change));
          const one = plan({ ...given, changes: named(given.changes!) }, resolve);
          const other = plan({ ...given, changes: named(shuffled) }, resolve);
          expect(plain(other.current)).toEqual(plain(one.current));
          expect(other.after.members).toEqual(one.after.members);
          expect(other.diff).toEqual(one.diff);
        },
      ),
      runs,
    );
  });
});

/** What really happens to a group, written down without the planner: members go and come, topics grow, and the claims are taken up. */
const event = fc.record({
  leave: fc.nat(9),
  join: fc.nat(2),
  grow: fc.nat(5),
  rejoinUnder: fc.constantFrom(...assignors),
});

describe('G-17 preview equals reality', () => {
  it('a plan predicts what the group gets when its changes really happen, step by step', () => {
    fc.assert(
      fc.property(plainGroup, fc.array(event, { maxLength: 4 }), (spec, events) => {
        let [topics, members, generation] = [[...spec.topics], [...spec.members], 0];
        for (const { leave, join, grow, rejoinUnder } of events) {
          const leaver = members[leave]?.id;
          const names = Array.from({ length: join }, (_, i) => `joined-${generation}-${i}`);
          const preview = plan(
            {
              topics,
              members,
              assignor: rejoinUnder,
              changes: [
                { removeMembers: leaver === undefined ? [] : [leaver] },
                { addMembers: names.map((id) => ({ id, topics: topicNames })) },
                ...topics.map(({ name, partitions }) => ({ topic: name, partitions: partitions + grow })),
              ],
            },
            resolve,
          );
          const claimed = members.some(({ owned }) => owned !== undefined && owned.size > 0);

          topics = topics.map(({ name, partitions }) => ({ name, partitions: partitions + grow }));
          members = members.filter(({ id }) => id !== leaver).concat(names.map((id) => ({ id, topics: topicNames })));
          const { target } = resolve(rejoinUnder)!.assign({ topics, members });
          if (claimed) expect(plain(preview.target)).toEqual(plain(target));
          expect(findViolations({ topics, members }, preview.target)).toEqual([]);

          generation++;
          members = members.map((m) => ({ ...m, owned: preview.target.get(m.id)!, generation }));
        }
      }),
      runs,
    );
  });
});
