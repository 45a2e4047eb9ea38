import {
  groupState,
  inJoinOrder,
  isClassic,
  unknownTopicsOf,
  unownedPartitionsOf,
  validUntilOf,
  withoutEpochs,
  type Group as StoredGroup,
  type GroupFrame,
  type GroupMember,
  type GroupReading,
  type GroupRef,
  type GroupSummary as Summary,
  type MemberAnswer as Answer,
  type OwnershipVerdict,
  type StreamRenewal,
} from '@allot/coordinator';
import { EMPTY_ASSIGNMENT, unionAssignment } from '@allot/model';
import { showAssignment } from './assignment.contract.js';
import type { Group, GroupSummary, Member } from './group.contract.js';
import type { LeaseAnswer } from '../streams/lease.contract.js';
import type { MemberAnswer } from './member.contract.js';
import type { OwnershipAnswer } from './ownership.contract.js';

/**
 * A member is told to stop this long before its lease ends, so that the time an answer travels and a clock that runs a little slow do
 * not make it work on what somebody else already has.
 */
export const VALIDITY_MARGIN_MS = 250;

export function showGroup({ groupId }: GroupRef, { group, catalog, leases, createdAt }: GroupReading): Group {
  const { settings, source, revision, groupEpoch, assignmentEpoch, assignorFault } = group;
  const { type, assignors, kafkaVersion, ...times } = settings;
  const members = inJoinOrder<GroupMember>(group);
  return {
    groupId,
    type,
    source,
    state: groupState(group),
    revision,
    groupEpoch,
    assignmentEpoch,
    ...classicFacts(group),
    spec: { assignors: [...assignors], ...(kafkaVersion !== undefined && { kafkaVersion }), ...times },
    members: members.map((member) => showMember(group, member, leases.get(member.memberId))),
    unowned: showAssignment(unownedPartitionsOf(group)),
    idle: members.filter(({ target }) => target.size === 0).map(({ memberId }) => memberId),
    unknownTopics: [...unknownTopicsOf(members, catalog)],
    ...(assignorFault !== undefined && { assignorFault }),
    createdAt: new Date(createdAt),
  };
}

/** What only a classic group has. */
function classicFacts(group: StoredGroup): Pick<Group, 'generation' | 'protocol' | 'leader'> {
  if (!isClassic(group)) return {};
  const { groupEpoch: generation, protocol, leader } = group;
  return { generation, ...(protocol !== undefined && { protocol }), ...(leader !== undefined && { leader }) };
}

export function showMember(group: StoredGroup, member: GroupMember, leaseUntil: number | undefined): Member {
  const { memberId, instanceId, rackId, clientId, weight, subscription, memberEpoch, state } = member;
  const validUntil = validUntilOf(group, memberId, leaseUntil);
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
    ...(validUntil !== undefined && showValidity(validUntil)),
  };
}

/** A group that was read whole, in the form of a list. */
export function summaryOf({ groupId }: GroupRef, { group, createdAt, updatedAt }: GroupReading): GroupSummary {
  let assignedPartitions = 0;
  for (const { assigned } of (group as GroupFrame).members.values()) {
    for (const partitions of assigned.values()) assignedPartitions += partitions.size;
  }
  const { source, revision, groupEpoch, assignmentEpoch, assignorFault } = group;
  return {
    groupId,
    type: group.settings.type,
    source,
    state: groupState(group),
    revision,
    groupEpoch,
    assignmentEpoch,
    ...classicFacts(group),
    memberCount: group.members.size,
    assignedPartitions,
    ...(assignorFault !== undefined && { assignorFault }),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

export function showSummary({ ref, createdAt, updatedAt, ...summary }: Summary): GroupSummary {
  const generation = summary.type === 'classic' && { generation: summary.groupEpoch };
  return {
    groupId: ref.groupId,
    ...summary,
    ...generation,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

export function showAnswer({ assignment, revoking, validUntil, now, ...answer }: Answer): MemberAnswer {
  return {
    ...answer,
    ...(assignment !== undefined && { assignment: showAssignment(assignment) }),
    revoking: showAssignment(revoking),
    ...showValidity(validUntil),
    validForMs: validForMs(validUntil, now, answer.sessionTimeoutMs),
  };
}

/** Where a listening member stands, and how long its session lasts now. */
export function showRenewal({
  leaseUntil,
  rebalanceDeadline,
  now,
  sessionTimeoutMs,
  ...rest
}: StreamRenewal): LeaseAnswer {
  const validUntil = Math.min(leaseUntil, rebalanceDeadline ?? Infinity);
  return { ...rest, ...showValidity(validUntil), validForMs: validForMs(validUntil, now, sessionTimeoutMs) };
}

function showValidity(validUntil: number): { validUntil: Date } {
  return { validUntil: new Date(validUntil - VALIDITY_MARGIN_MS) };
}

/**
 * How long the client may go on, counted from when it sent the request. That was before `now`, and before the lease began, so it
 * never is more than a session.
 */
function validForMs(validUntil: number, now: number, mostMs = Infinity): number {
  return Math.max(0, Math.floor(Math.min(validUntil - now, mostMs) - VALIDITY_MARGIN_MS));
}

export function showVerdict({
  reasons,
  memberEpoch,
  validUntil,
  now,
}: OwnershipVerdict & { now: number }): OwnershipAnswer {
  return {
    valid: reasons.length === 0,
    fenced: showAssignment(reasons.reduce((all, { partitions }) => unionAssignment(all, partitions), EMPTY_ASSIGNMENT)),
    reasons: reasons.map(({ code, partitions }) => ({ code, partitions: showAssignment(partitions) })),
    ...(memberEpoch !== undefined && { memberEpoch }),
    ...(validUntil !== undefined && { ...showValidity(validUntil), validForMs: validForMs(validUntil, now) }),
  };
}
