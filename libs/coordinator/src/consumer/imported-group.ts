import { AllotError, EMPTY_ASSIGNMENT, type Assignment } from '@allot/model';
import type { GroupSettings } from '../group-settings.js';
import { describeChange } from './change.js';
import type { ConsumerGroup, ConsumerMember } from './consumer-group.js';
import { newConsumerGroup } from './membership.js';
import { addOwned, NO_PARTITIONS } from './owned-partitions.js';
import type { StepContext, Transition } from './step.js';
import { existingTopics } from './subscriptions.js';

/** A group as it was seen in Kafka. */
export interface GroupSnapshot {
  readonly members: readonly SnapshotMember[];
  /** Topics that the group reads although no member owns a part of them. */
  readonly topics: readonly string[];
  readonly assignor?: string;
}

export interface SnapshotMember {
  readonly memberId: string;
  readonly instanceId?: string;
  readonly rackId?: string;
  readonly clientId?: string;
  readonly assigned: Assignment;
  /** What the group was heading for, where Kafka said so; the assignment itself when absent. */
  readonly target?: Assignment;
}

/**
 * The picture of a group that lives in Kafka: members at the group's epoch with what they had. Kafka's tools do not print subscriptions; every
 * member counts as a subscriber of all topics of the group, which is what nearly every group is.
 * @throws AllotError GROUP_IS_LIVE when a live group has this id.
 */
export function importedGroup(
  group: ConsumerGroup | undefined,
  snapshot: GroupSnapshot,
  defaults: GroupSettings,
  context: StepContext,
): Transition {
  if (group?.source === 'live') {
    throw new AllotError(
      'GROUP_IS_LIVE',
      'A live group has this id; an import would take its members’ partitions away.',
      {
        action: 'fix-request',
      },
    );
  }
  const settings = snapshot.assignor === undefined ? defaults : { ...defaults, assignors: [snapshot.assignor] };
  const topics = topicsOf(snapshot);
  const base = group ?? newConsumerGroup(settings, context.catalog.revision, context.lastRevision);
  const epoch = base.groupEpoch + 1;
  const members = new Map(membersOf(snapshot, topics, settings, epoch).map((member) => [member.memberId, member]));
  const imported: ConsumerGroup = {
    ...base,
    settings,
    source: 'imported',
    revision: base.revision + 1,
    groupEpoch: epoch,
    assignmentEpoch: epoch,
    catalogRevision: context.catalog.revision,
    subscribedTopics: existingTopics(topics, context.catalog),
    members,
    nextJoinOrder: members.size + 1,
  };
  const { now, origin } = context;
  return { group: imported, change: describeChange(group, imported, { cause: 'group-imported', origin, now }) };
}

/** Topics of the snapshot by first mention. */
function topicsOf({ topics, members }: GroupSnapshot): readonly string[] {
  const names = new Set(topics);
  for (const { assigned } of members) for (const topic of assigned.keys()) names.add(topic);
  return [...names];
}

function membersOf(
  snapshot: GroupSnapshot,
  topics: readonly string[],
  settings: GroupSettings,
  epoch: number,
): ConsumerMember[] {
  const subscription = { topics };
  return snapshot.members.map(({ memberId, instanceId, rackId, clientId, assigned, target }, position) => ({
    memberId,
    ...(instanceId !== undefined && { instanceId }),
    ...(rackId !== undefined && { rackId }),
    ...(clientId !== undefined && { clientId }),
    subscription,
    rebalanceTimeoutMs: settings.rebalanceTimeoutMs,
    memberEpoch: epoch,
    previousMemberEpoch: epoch,
    state: 'STABLE',
    assigned: addOwned(NO_PARTITIONS, assigned, epoch),
    pendingRevocation: NO_PARTITIONS,
    target: target ?? (assigned.size === 0 ? EMPTY_ASSIGNMENT : assigned),
    joinOrder: position + 1,
  }));
}
