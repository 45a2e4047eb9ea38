import {
  groupState,
  holdOf,
  inJoinOrder,
  isClassic,
  leftOutOf,
  unknownTopicsOf,
  unownedPartitionsOf,
  validUntilOf,
  withoutEpochs,
  type ConsumerGroup,
  type DrainCheck,
  type Group as StoredGroup,
  type GroupFrame,
  type GroupMember,
  type GroupReading,
  type GroupRef,
  type GroupSummary as Summary,
  type Hold as StoredHold,
  type MemberAnswer as Answer,
  type MemberStanding,
  type OwnershipVerdict,
  type StreamRenewal,
} from '@allot/coordinator';
import { EMPTY_ASSIGNMENT, unionAssignment } from '@allot/model';
import { showAssignment } from './assignment.contract.js';
import type { Group, GroupSummary, Member } from './group.contract.js';
import type { LeaseAnswer } from '../streams/lease.contract.js';
import type { DrainAnswer } from './drain.contract.js';
import type { MemberAnswer } from './member.contract.js';
import type { OwnershipAnswer } from './ownership.contract.js';
import type { Hold } from './settings.contract.js';

/**
 * A member is told to stop this long before its lease ends, so that the time an answer travels and a clock that runs a little slow do
 * not make it work on what somebody else already has.
 */
export const VALIDITY_MARGIN_MS = 250;

export function showGroup({ groupId }: GroupRef, { group, catalog, leases, createdAt, now }: GroupReading): Group {
  const { settings, source, revision, groupEpoch, assignmentEpoch, assignorFault } = group;
  const { type, assignors, ...others } = settings;
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
    spec: { assignors: [...assignors], ...others, frozen: freezeOf(group)?.by === 'operator' },
    members: members.map((member) => showMember(group, member, leases.get(member.memberId))),
    unowned: showAssignment(unownedPartitionsOf(group)),
    idle: members.filter(({ target }) => target.size === 0).map(({ memberId }) => memberId),
    unknownTopics: [...unknownTopicsOf(members, catalog)],
    ...(assignorFault !== undefined && { assignorFault }),
    ...(!isClassic(group) && calmFacts(group, now)),
    createdAt: new Date(createdAt),
  };
}

function freezeOf(group: StoredGroup) {
  return isClassic(group) ? undefined : group.calm?.freeze;
}

/** What keeps a group of type consumer from its target, or parts of it. */
function calmFacts(group: ConsumerGroup, now: number): Pick<Group, 'hold' | 'deferredMoves' | 'leftOut'> {
  const hold = holdOf(group, now);
  const leftOut = leftOutOf(group);
  const deferredMoves = group.calm?.deferred?.length;
  return {
    ...(hold !== undefined && { hold: showHold(hold) }),
    ...(deferredMoves !== undefined && { deferredMoves }),
    ...(leftOut.size > 0 && { leftOut: showAssignment(leftOut) }),
  };
}

function showHold({ since, until, ...hold }: StoredHold): Hold {
  return {
    ...hold,
    ...(since !== undefined && { since: new Date(since) }),
    ...(until !== undefined && { until: new Date(until) }),
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
  const { draining, supersededBy, manual }: MemberStanding = member;
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
    ...(draining && { draining }),
    ...(supersededBy !== undefined && { supersededBy }),
    ...(manual && { manual }),
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

export function showDrain({ holds, handsOver, ...check }: DrainCheck): DrainAnswer {
  return { ...check, holds: showAssignment(holds), handsOver: [...handsOver] };
}

export function showAnswer({ assignment, revoking, validUntil, now, unknownTopics, ...answer }: Answer): MemberAnswer {
  return {
    ...answer,
    ...(unknownTopics !== undefined && { unknownTopics: [...unknownTopics] }),
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

/**
 * How long a member may go on, in both forms. A request that has waited here for `waitedMs` was sent at least that long ago, and the client counts from
 * then.
 */
export function showSpan(
  { validUntil, now, sessionTimeoutMs }: Pick<Answer, 'validUntil' | 'now' | 'sessionTimeoutMs'>,
  waitedMs: number,
): { validUntil: Date; validForMs: number } {
  const rest = validForMs(validUntil, now, sessionTimeoutMs);
  return { ...showValidity(validUntil), validForMs: rest === 0 ? 0 : rest + Math.floor(waitedMs) };
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
