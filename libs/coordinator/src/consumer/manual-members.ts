import {
  AllotError,
  assignmentFromJson,
  countPartitions,
  filterAssignment,
  holds,
  intersectAssignment,
  invalidRequest,
  sameAssignment,
  unionAssignment,
  EMPTY_ASSIGNMENT,
  type Assignment,
  type FieldError,
  type GroupAssignment,
} from '@allot/model';
import type { Catalog } from '../catalog/catalog.js';
import { isServed, type ConsumerGroup, type ConsumerMember } from './consumer-group.js';
import type { MemberDescription } from './membership.js';
import { indexHolders } from './owned-partitions.js';
import { resolveSubscription } from './subscriptions.js';

/**
 * Manual members choose their partitions themselves (a consumer's `assign`). They hold a lease like everybody, and no rebalance is for
 * their sake. A partition has one owner, so they may choose what no subscription of the group covers and nobody holds; what they have
 * chosen stays theirs when a subscription comes to cover it, and is left out of every target until they leave.
 */

/** What manual members of the group have chosen. */
export function manualPartitionsOf({ members }: Pick<ConsumerGroup, 'members'>): Assignment {
  let chosen = EMPTY_ASSIGNMENT;
  for (const { manual, target } of members.values()) if (manual) chosen = unionAssignment(chosen, target);
  return chosen;
}

/** An assignor's answer without what manual members have chosen. */
export function withoutManual(group: ConsumerGroup, answer: GroupAssignment): GroupAssignment {
  const chosen = manualPartitionsOf(group);
  if (chosen.size === 0) return answer;
  const free = (topic: string, partition: number) => !holds(chosen, topic, partition);
  return new Map([...answer].map(([memberId, assignment]) => [memberId, filterAssignment(assignment, free)]));
}

/** What subscriptions of the group cover and no target gives out, since manual members have it. */
export function leftOutOf(group: Pick<ConsumerGroup, 'members' | 'subscribedTopics'>): Assignment {
  return filterAssignment(manualPartitionsOf(group), (topic, partition) => {
    return partition < (group.subscribedTopics.get(topic)?.partitions ?? 0);
  });
}

/** Whether a subscriber of the group could have some of the partitions. */
export function isCoveredBySubscription({ members }: ConsumerGroup, chosen: Assignment, catalog: Catalog): boolean {
  return [...members.values()].some((member) => coveredOf(member, chosen, catalog).size > 0);
}

function coveredOf(member: ConsumerMember, chosen: Assignment, catalog: Catalog): Assignment {
  if (member.manual || member.supersededBy !== undefined) return EMPTY_ASSIGNMENT;
  const names = new Set(resolveSubscription(member.subscription, catalog));
  return filterAssignment(chosen, (topic) => names.has(topic));
}

/**
 * Refuses a choice that could not be had without taking something from somebody.
 * @throws AllotError INVALID_REQUEST for what does not exist, PARTITION_COVERED, PARTITION_IN_USE.
 */
export function checkManualChoice(group: ConsumerGroup, chosen: Assignment, catalog: Catalog): void {
  checkExists(chosen, catalog);
  for (const member of group.members.values()) {
    if (!isServed(member) && member.draining === undefined) continue;
    const covered = coveredOf(member, chosen, catalog);
    if (covered.size === 0) continue;
    throw new AllotError(
      'PARTITION_COVERED',
      `Member ${member.memberId} subscribes to ${[...covered.keys()].join(', ')}, so the group gives those partitions out. ` +
        'Choose partitions of other topics, or use another group.',
      { action: 'fix-request', facts: { memberId: member.memberId }, errors: [pointTo([...covered.keys()][0]!)] },
    );
  }
  const holderOf = indexHolders(group);
  const others = manualPartitionsOf(group);
  for (const [topic, partitions] of chosen) {
    for (const partition of partitions) {
      const holder = holderOf(topic, partition);
      if (holder === undefined && !holds(others, topic, partition)) continue;
      throw new AllotError(
        'PARTITION_IN_USE',
        `${topic}-${partition} is held by ${holder ?? 'another manual member'}. It is free when that member has left, or its session has ended.`,
        {
          action: 'retry',
          retryAfterMs: group.settings.heartbeatIntervalMs,
          facts: { ...(holder && { heldBy: holder }) },
        },
      );
    }
  }
}

function checkExists(chosen: Assignment, catalog: Catalog): void {
  const errors: FieldError[] = [];
  if (countPartitions(chosen) === 0) errors.push({ pointer: '/assign', detail: 'must name at least one partition' });
  for (const [topic, partitions] of chosen) {
    const count = catalog.topics.get(topic)?.partitions;
    if (count === undefined) errors.push({ ...pointTo(topic), detail: 'is no topic of the cluster' });
    else if (partitions.some((partition) => partition >= count)) {
      errors.push({ ...pointTo(topic), detail: `has the partitions 0 to ${count - 1}` });
    }
  }
  if (errors.length > 0) throw invalidRequest('A manual member names partitions that exist.', errors);
}

function pointTo(topic: string): FieldError {
  return {
    pointer: `/assign/${topic.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    detail: 'is covered by a subscription',
  };
}

/** What the newcomer chooses itself, if it does. */
export function choiceOf({ assign, subscription, instanceId }: MemberDescription): Assignment | undefined {
  if (assign === undefined) return undefined;
  if (subscription !== undefined) {
    throw invalidRequest('A member either subscribes or chooses its partitions itself.', [
      { pointer: '/assign', detail: 'must be absent beside a subscription' },
    ]);
  }
  if (instanceId === undefined) return assign;
  throw invalidRequest('A member that chooses its partitions itself has no place in the group to come back to.', [
    { pointer: '/instanceId', detail: 'must be absent beside assign' },
  ]);
}

/** No epoch can belong to two holders of a partition, so one that was let go since the target needs a new epoch. */
export function wasReleased({ calm }: ConsumerGroup, chosen: Assignment): boolean {
  return calm?.released !== undefined && intersectAssignment(assignmentFromJson(calm.released), chosen).size > 0;
}

/** @throws AllotError INVALID_REQUEST when the member says anything else of it than when it joined. */
export function refuseOtherChoice(
  { manual, target }: ConsumerMember,
  { subscription, assign }: MemberDescription,
): void {
  const same = manual ? subscription === undefined : assign === undefined;
  if (same && (assign === undefined || sameAssignment(assign, target))) return;
  const pointer = manual && assign === undefined ? '/subscription' : '/assign';
  throw invalidRequest('What a member chose itself, and that it did, cannot change. Leave, and join again.', [
    { pointer, detail: 'differs from what the member joined with' },
  ]);
}
