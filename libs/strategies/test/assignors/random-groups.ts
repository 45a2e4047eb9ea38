import type { GroupAssignment, GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import { countPartitions } from '@allot/model';
import fc from 'fast-check';

/** Property runs: few in the unit suite, more with ALLOT_PROPERTY_RUNS. */
export const propertyRuns = { numRuns: Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 100) };

const topicNames = ['orders', '__proto__', 'payments.v1', 't', 'clicks', 'audit', 'constructor', 'zz'];
const memberIds = ['c1', 'c2', 'c3', '__proto__', 'rdkafka-1', 'consumer-9', '組', 'a', 'b', 'Z'];

const topicId = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => Buffer.from(bytes).toString('base64url'));

export const someTopics: fc.Arbitrary<TopicSpec[]> = fc.uniqueArray(
  fc.record({ name: fc.constantFrom(...topicNames), id: topicId, partitions: fc.integer({ min: 1, max: 12 }) }),
  { minLength: 1, maxLength: 6, selector: ({ name }) => name },
);

/** A first group: nobody owns anything. */
export function someGroup(equalSubscriptions: boolean): fc.Arbitrary<GroupSpec> {
  return someTopics.chain((topics) => {
    const names = topics.map(({ name }) => name);
    const subscription = equalSubscriptions ? fc.constant(names) : fc.subarray([...names, 'ghost'], { minLength: 0 });
    const member: fc.Arbitrary<MemberSpec> = fc
      .record({ id: fc.constantFrom(...memberIds), topics: subscription, isStatic: fc.boolean() })
      .map(({ id, topics: subscribed, isStatic }) => ({
        id,
        topics: subscribed,
        ...(isStatic ? { instanceId: `i-${id}` } : {}),
      }));
    return fc
      .uniqueArray(member, { minLength: 1, maxLength: 9, selector: ({ id }) => id })
      .map((members) => ({ topics, members }));
  });
}

export const anyGroup = fc.boolean().chain(someGroup);

/** Something that happens to a group between two rounds. */
export type Step =
  | { readonly kind: 'leave'; readonly place: number }
  | { readonly kind: 'join'; readonly id: string }
  | { readonly kind: 'grow'; readonly place: number; readonly by: number };

export const someSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('leave' as const), place: fc.nat(20) }),
    fc.record({ kind: fc.constant('join' as const), id: fc.stringMatching(/^n[0-9a-f]{1,3}$/) }),
    fc.record({ kind: fc.constant('grow' as const), place: fc.nat(20), by: fc.integer({ min: 1, max: 3 }) }),
  ),
  { maxLength: 6 },
);

/** The group after a step, its members owning what they were given. A new member subscribes to what the first one does. */
export function after(group: GroupSpec, given: GroupAssignment, step: Step | undefined): GroupSpec {
  let members: MemberSpec[] = group.members.map((member) => ({ ...member, owned: given.get(member.id)! }));
  let topics = group.topics;
  if (step?.kind === 'leave' && members.length > 1) members.splice(step.place % members.length, 1);
  if (step?.kind === 'join' && members.every(({ id }) => id !== step.id))
    members = [...members, { id: step.id, topics: members[0]!.topics }];
  if (step?.kind === 'grow')
    topics = topics.map((topic, place) =>
      place === step.place % topics.length ? { ...topic, partitions: topic.partitions + step.by } : topic,
    );
  return { topics, members };
}

export function loads(assignment: GroupAssignment): number[] {
  return [...assignment.values()].map(countPartitions);
}

export function spread(numbers: readonly number[]): number {
  return Math.max(...numbers) - Math.min(...numbers);
}

/** A group written as text, so that a test can see that nobody has changed it. */
export function snapshot(group: GroupSpec): string {
  return JSON.stringify(group, (_, value: unknown) => (value instanceof Map ? [...value] : value));
}
