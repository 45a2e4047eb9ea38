import { describe, expect, it } from '@jest/globals';
import { groupSpecOf } from '@allot/coordinator';
import type { Assignment } from '@allot/model';
import { assignorNames } from '@allot/strategies';
import fc from 'fast-check';
import { GroupBench } from '../../coordinator/test/support/fixtures.js';
import type { Change } from '../src/change.js';
import { plan } from '../src/plan.js';

const runs = { numRuns: Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 100) };
const TOPICS = ['t', 'u', 'v'];
// Threads are a thing of the first generation, which the coordinator does not serve.
const ASSIGNORS = assignorNames().filter((name) => !name.startsWith('threads-'));

/** The same event twice: as a change of a plan, and as what happens to the group. */
interface Event {
  readonly change: Change;
  happen(bench: GroupBench): void;
}

const subscription = fc.subarray(TOPICS, { minLength: 1 });
const counts = fc.record({ t: fc.integer({ min: 1, max: 9 }), u: fc.integer({ min: 1, max: 9 }), v: fc.nat(4) });

/** Topics with ids as Kafka writes them, which its broker's assignors read. */
function setTopics(bench: GroupBench, partitions: Record<string, number>): void {
  const topics = Object.entries(partitions).map(
    ([name, n]) => [name, { name, id: name.padEnd(22, 'A'), partitions: n }] as const,
  );
  bench.catalog = { revision: bench.catalog.revision + 1, topics: new Map(topics) };
}

function eventOn(bench: GroupBench): fc.Arbitrary<Event> {
  const ids = [...bench.group!.members.keys()];
  const join = subscription.map((topics): Event => ({
    change: { addMembers: [{ id: 'newcomer', topics }] },
    happen: (group) => void group.join('newcomer', topics),
  }));
  const leave = fc.constantFrom(...ids).map((id): Event => ({
    change: { removeMembers: [id] },
    happen: (group) => void group.apply(group.machine.leave(group.group!, { memberId: id }, group.context)),
  }));
  const resubscribe = fc.tuple(fc.constantFrom(...ids), subscription).map(([id, topics]): Event => ({
    change: { member: id, topics },
    happen: (group) => void group.beat(id, group.member(id).memberEpoch, undefined, { subscription: { topics } }),
  }));
  const grow = fc.tuple(fc.constantFrom(...TOPICS), fc.integer({ min: 1, max: 5 })).map(([topic, more]): Event => {
    const partitions = (bench.catalog.topics.get(topic)?.partitions ?? 0) + more;
    return {
      change: { topic, partitions },
      happen: (group) => {
        const now = [...group.catalog.topics.values()].map(({ name, partitions: n }) => [name, n] as const);
        setTopics(group, { ...Object.fromEntries(now), [topic]: partitions });
        group.beat(ids[0]!, group.member(ids[0]!).memberEpoch);
      },
    };
  });
  return ids.length > 1 ? fc.oneof(join, leave, resubscribe, grow) : fc.oneof(join, resubscribe, grow);
}

describe('G-17 a preview on a live group', () => {
  it('is the target that the coordinator computes when the change happens', () => {
    fc.assert(
      fc.property(
        fc
          .record({
            assignor: fc.constantFrom(...ASSIGNORS),
            topics: counts,
            members: fc.array(subscription, { minLength: 1, maxLength: 5 }),
          })
          .map(({ assignor, topics, members }) => {
            const bench = new GroupBench({}, { assignors: [assignor] });
            setTopics(bench, topics);
            for (const [i, subscribed] of members.entries()) bench.join(`m${i}`, subscribed);
            return { assignor, bench: bench.settle() };
          })
          .chain(({ assignor, bench }) => eventOn(bench).map((event) => ({ assignor, bench, event }))),
        ({ assignor, bench, event }) => {
          const topics = [...bench.catalog.topics.values()];
          const { members } = groupSpecOf(bench.group!, bench.catalog);
          const preview = plan({ topics, members, assignor, live: true, changes: [event.change] });

          event.happen(bench);
          bench.settle();
          const targets = [...bench.group!.members.values()].map(({ memberId, target }): [string, Assignment] => [
            memberId,
            target,
          ]);
          expect(bench.group!.assignorFault).toBeUndefined();
          expect(sorted(new Map(targets))).toEqual(sorted(preview.target));
        },
      ),
      runs,
    );
  });
});

/** Topic order inside an assignment means nothing. */
function sorted(group: ReadonlyMap<string, Assignment>): unknown {
  return new Map([...group].map(([id, owned]) => [id, Object.fromEntries(owned)]));
}
