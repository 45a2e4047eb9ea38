import { AllotError, EMPTY_ASSIGNMENT, filterAssignment, findViolations, sameAssignment } from '@allot/model';
import type { Assignment, GroupAssignment, GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import type { Assignor } from '@allot/strategies';
import type { Catalog } from '../catalog/catalog.js';
import type { ConsumerGroup, ConsumerMember } from './consumer-group.js';
import type { GroupSettings } from '../group-settings.js';
import { resolveSubscription } from './subscriptions.js';

/** Finds an assignor by its wire name or alias; throws UNSUPPORTED_ASSIGNOR for an unknown one. */
export type ResolveAssignor = (name: string) => Assignor;

/**
 * Refuses an assignor that could never give a group of members its target: one that answers by threads, or one without a rule for
 * the Kafka version.
 * @throws AllotError UNSUPPORTED_ASSIGNOR, UNSUPPORTED_KAFKA_VERSION
 */
export function checkAssignor({ assignors, kafkaVersion }: GroupSettings, resolve: ResolveAssignor): void {
  const assignor = resolve(assignors[0]!);
  if (assignor.owners === 'threads') {
    throw new AllotError(
      'UNSUPPORTED_ASSIGNOR',
      `The assignor ${assignor.name} gives partitions to threads, and groups have members. It can be used in plans.`,
      { action: 'fix-request', errors: [{ pointer: '/assignor', detail: 'must give partitions to members' }] },
    );
  }
  if (kafkaVersion === undefined) return;
  try {
    assignor.assign({ topics: [], members: [] }, { kafkaVersion });
  } catch (error) {
    // Whatever else an assignor cannot do with an empty group does not matter here.
    if (error instanceof AllotError && error.code === 'UNSUPPORTED_KAFKA_VERSION') throw error;
  }
}

/**
 * The group as an assignor sees it. What a member "owns" is its part of the target before, as Kafka's broker passes it on:
 * claims of the members themselves play no part, so a stale one can never win a partition.
 */
export function groupSpecOf(group: ConsumerGroup, catalog: Catalog): GroupSpec {
  const topics: TopicSpec[] = [];
  for (const name of group.subscribedTopics.keys()) {
    const topic = catalog.topics.get(name);
    if (topic !== undefined) topics.push(topic);
  }
  const members = inJoinOrder(group).map((member) => memberSpecOf(member, group.assignmentEpoch, catalog));
  return { topics, members };
}

function memberSpecOf(member: ConsumerMember, generation: number, catalog: Catalog): MemberSpec {
  const topics = resolveSubscription(member.subscription, catalog);
  const subscribed = new Set(topics);
  const owned = filterAssignment(member.target, (topic, partition) => {
    return subscribed.has(topic) && partition < (catalog.topics.get(topic)?.partitions ?? 0);
  });
  return {
    id: member.memberId,
    topics,
    ...(member.instanceId !== undefined && { instanceId: member.instanceId }),
    ...(member.rackId !== undefined && { rack: member.rackId }),
    ...(member.weight !== undefined && { weight: member.weight }),
    ...(owned.size > 0 && { owned, generation }),
  };
}

/** Members in the order in which they joined; that is the order in which an assignor meets them. */
export function inJoinOrder(group: ConsumerGroup): ConsumerMember[] {
  return [...group.members.values()].sort((a, b) => a.joinOrder - b.joinOrder);
}

/**
 * Computes the target of the group's epoch. An assignor that throws or whose answer is not legal changes nothing: the old target
 * stays, `assignorFault` says why, and the group stays behind its epoch (ASSIGNING) until a later computation succeeds.
 */
export function computeTarget(
  group: ConsumerGroup,
  catalog: Catalog,
  resolve: ResolveAssignor,
  now: number,
): ConsumerGroup {
  const answer = runAssignor(group, catalog, resolve);
  const later = now + group.settings.assignmentIntervalMs;
  if (typeof answer === 'string') return { ...group, assignorFault: answer, nextAssignmentAt: later };
  const members = new Map<string, ConsumerMember>();
  for (const [memberId, member] of group.members) {
    const target = answer.get(memberId) ?? EMPTY_ASSIGNMENT;
    members.set(memberId, sameAssignment(target, member.target) ? member : { ...member, target });
  }
  const { assignorFault, nextAssignmentAt, ...rest } = group;
  const calm = group.members.size >= CALM_FROM_MEMBERS && { nextAssignmentAt: later };
  return { ...rest, members, assignmentEpoch: group.groupEpoch, ...calm };
}

/**
 * Small groups get every target at once. In larger ones many members tend to come and go together, and a target a second
 * (KIP-1263) settles sooner than one for each of them.
 */
export const CALM_FROM_MEMBERS = 50;

/** Whether the group needs a target and may have it now. */
export function isTargetDue(
  { groupEpoch, assignmentEpoch, nextAssignmentAt = 0 }: ConsumerGroup,
  now: number,
): boolean {
  return groupEpoch > assignmentEpoch && now >= nextAssignmentAt;
}

/** The assignor's complete answer, or the reason why there is none. */
function runAssignor(group: ConsumerGroup, catalog: Catalog, resolve: ResolveAssignor): GroupAssignment | string {
  const { assignors, kafkaVersion } = group.settings;
  const name = assignors[0]!;
  const spec = groupSpecOf(group, catalog);
  try {
    const { target } = resolve(name).assign(spec, kafkaVersion === undefined ? {} : { kafkaVersion });
    const [violation] = findViolations(spec, target);
    return violation === undefined
      ? target
      : `The assignor ${name} gave an illegal answer: ${JSON.stringify(violation)}.`;
  } catch (error) {
    const why =
      error instanceof AllotError
        ? error.message
        : `${(error as Error)?.name ?? 'error'}: ${String((error as Error)?.message ?? error)}`;
    return `The assignor ${name} failed: ${why}`;
  }
}

/** Partitions of the subscribed topics that nobody holds, assigned or yet to be revoked. */
export function unownedPartitionsOf(group: ConsumerGroup): Assignment {
  const held = new Map<string, Set<number>>();
  for (const member of group.members.values()) {
    for (const owned of [member.assigned, member.pendingRevocation]) {
      for (const [topic, partitions] of owned) {
        let set = held.get(topic);
        if (set === undefined) held.set(topic, (set = new Set()));
        for (const partition of partitions.keys()) set.add(partition);
      }
    }
  }
  const unowned = new Map<string, readonly number[]>();
  for (const [topic, { partitions }] of group.subscribedTopics) {
    const free: number[] = [];
    for (let partition = 0; partition < partitions; partition++)
      if (!held.get(topic)?.has(partition)) free.push(partition);
    if (free.length > 0) unowned.set(topic, free);
  }
  return unowned;
}
