import {
  consumerGroupState,
  inJoinOrder,
  unknownTopicsOf,
  unownedPartitionsOf,
  withoutEpochs,
  type ConsumerMember,
  type GroupReading,
  type GroupRef,
  type GroupSummary as Summary,
  type MemberAnswer as Answer,
} from '@allot/coordinator';
import { showAssignment } from './assignment.contract.js';
import type { Group, GroupSummary, Member } from './group.contract.js';
import type { MemberAnswer } from './member.contract.js';

/**
 * A member is told to stop this long before its lease ends, so that the time an answer travels and a clock that runs a little slow do
 * not make it work on what somebody else already has.
 */
export const VALIDITY_MARGIN_MS = 250;

export function showGroup({ groupId }: GroupRef, { group, catalog, leases, createdAt }: GroupReading): Group {
  const { settings, source, revision, groupEpoch, assignmentEpoch, assignorFault } = group;
  const { type, assignors, kafkaVersion, ...times } = settings;
  const members = inJoinOrder(group);
  return {
    groupId,
    type,
    source,
    state: consumerGroupState(group),
    revision,
    groupEpoch,
    assignmentEpoch,
    spec: { assignors: [...assignors], ...(kafkaVersion !== undefined && { kafkaVersion }), ...times },
    members: members.map((member) => showMember(member, leases.get(member.memberId))),
    unowned: showAssignment(unownedPartitionsOf(group)),
    idle: members.filter(({ target }) => target.size === 0).map(({ memberId }) => memberId),
    unknownTopics: [...unknownTopicsOf(members, catalog)],
    ...(assignorFault !== undefined && { assignorFault }),
    createdAt: new Date(createdAt),
  };
}

export function showMember(member: ConsumerMember, leaseUntil: number | undefined): Member {
  const { memberId, instanceId, rackId, clientId, weight, subscription, memberEpoch, state } = member;
  return {
    memberId,
    ...(instanceId !== undefined && { instanceId }),
    ...(rackId !== undefined && { rackId }),
    ...(clientId !== undefined && { clientId }),
    ...(weight !== undefined && { weight }),
    subscription: {
      topics: [...subscription.topics],
      ...(subscription.pattern !== undefined && { pattern: subscription.pattern }),
    },
    memberEpoch,
    state,
    current: showAssignment(withoutEpochs(member.assigned)),
    revoking: showAssignment(withoutEpochs(member.pendingRevocation)),
    target: showAssignment(member.target),
    ...(leaseUntil !== undefined && { validUntil: new Date(leaseUntil - VALIDITY_MARGIN_MS) }),
  };
}

/** A group that was read whole, in the form of a list. */
export function summaryOf({ groupId }: GroupRef, { group, createdAt, updatedAt }: GroupReading): GroupSummary {
  let assignedPartitions = 0;
  for (const { assigned } of group.members.values()) {
    for (const partitions of assigned.values()) assignedPartitions += partitions.size;
  }
  const { source, revision, groupEpoch, assignmentEpoch, assignorFault } = group;
  return {
    groupId,
    type: group.settings.type,
    source,
    state: consumerGroupState(group),
    revision,
    groupEpoch,
    assignmentEpoch,
    memberCount: group.members.size,
    assignedPartitions,
    ...(assignorFault !== undefined && { assignorFault }),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

export function showSummary({ ref, createdAt, updatedAt, ...summary }: Summary): GroupSummary {
  return { groupId: ref.groupId, ...summary, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

/** `validForMs` never exceeds the session: a client counts it from when it sent the request, which was before the lease began. */
export function showAnswer({ assignment, revoking, leaseUntil, now, ...answer }: Answer): MemberAnswer {
  const spanMs = Math.min(leaseUntil - now, answer.sessionTimeoutMs);
  return {
    ...answer,
    ...(assignment !== undefined && { assignment: showAssignment(assignment) }),
    revoking: showAssignment(revoking),
    validUntil: new Date(leaseUntil - VALIDITY_MARGIN_MS),
    validForMs: Math.max(0, Math.floor(spanMs - VALIDITY_MARGIN_MS)),
  };
}
