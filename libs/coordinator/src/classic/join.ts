import { EMPTY_ASSIGNMENT, invalidRequest, type AllotError } from '@allot/model';
import { NO_PARTITIONS } from '../consumer/owned-partitions.js';
import type { StepContext } from '../consumer/step.js';
import { sameSubscription } from '../consumer/subscriptions.js';
import type { GroupLimits, GroupSettings } from '../group-settings.js';
import { ClassicDraft, refuse } from './classic-draft.js';
import type { ClassicGroup, ClassicMember } from './classic-group.js';
import { groupFull, memberIdRequired, unknownMember } from './errors.js';
import { toldOfJoin, type JoinStep } from './join-step.js';
import { describeJoin, isAsDescribed, releases, type Description, type JoinCommand } from './member-description.js';
import { joining, NEW_MEMBER_JOIN_TIMEOUT_MS } from './joining-member.js';
import {
  instanceConflict,
  knownMember,
  memberByInstance,
  newClassicGroup,
  refuseDead,
  type MemberRef,
} from './membership.js';
import { checkProtocols } from './protocol-vote.js';
import { rebalanceOrComplete } from './rebalance.js';
import { replaceStaticMember } from './static-member.js';

/**
 * A member joins, or joins again (GroupMetadataManager.classicGroupJoin). The group is made by the first join, from `defaults`.
 *
 * @throws AllotError COORDINATOR_NOT_AVAILABLE, UNKNOWN_MEMBER_ID, UNRELEASED_INSTANCE_ID, INCONSISTENT_GROUP_PROTOCOL,
 * INVALID_SESSION_TIMEOUT, INVALID_REQUEST, INVALID_REGULAR_EXPRESSION; the others are outcomes.
 */
export function join(
  group: ClassicGroup | undefined,
  command: JoinCommand,
  { defaults, limits }: { readonly defaults: GroupSettings; readonly limits: GroupLimits },
  context: StepContext,
): JoinStep {
  const { memberId, instanceId, newMemberId } = command;
  const ref = { memberId: memberId ?? newMemberId, ...(instanceId !== undefined && { instanceId }) };
  if (memberId !== undefined) {
    if (group === undefined) throw unknownMember(memberId);
    const conflict = instanceConflict(group, ref, context);
    if (conflict !== undefined) return { ...conflict, ref };
  }
  const base = group ?? newClassicGroup(defaults, context.catalog.revision, context.lastRevision);
  refuseDead(base);
  const description = describeJoin(command, base.settings, limits, context.resolveAssignor);
  const draft = new ClassicDraft(group, base, context);
  draft.lookAtCatalog();
  if (!hasRoomFor(draft.group, memberId)) return evict(draft, description, ref);
  if (memberId === undefined) return joinFirst(draft, command, description, ref);
  if (draft.group.pending.some((pending) => pending.memberId === memberId)) {
    if (instanceId !== undefined) throw pendingIsDynamic();
    draft.forgetPending(memberId);
    return addMember(draft, description, ref);
  }
  return joinAgain(draft, knownMember(draft.group, ref), description, ref);
}

/**
 * Whether a joining member has a place (acceptJoiningMember). While the group waits for its members to join again, those that have
 * count, so a smaller limit keeps out those that come last; else all members count.
 */
function hasRoomFor({ phase, members, settings }: ClassicGroup, memberId: string | undefined): boolean {
  const known = memberId === undefined ? undefined : members.get(memberId);
  if (phase === 'EMPTY') return true;
  if (phase !== 'PREPARING_REBALANCE') return known !== undefined || members.size < settings.maxSize;
  if (known?.state === 'JOINING') return true;
  let awaiting = 0;
  for (const { state } of members.values()) if (state === 'JOINING') awaiting++;
  return awaiting < settings.maxSize;
}

/**
 * Whoever finds the group full is let go of. A cooperative member that still holds partitions is not: should this answer be lost it would go on
 * working on them. It has not joined, and is dropped for that when it may be.
 */
function evict(draft: ClassicDraft, { cooperative }: Description, ref: MemberRef): JoinStep {
  const known = draft.group.members.get(ref.memberId);
  const mayWork = cooperative && known !== undefined && known.assigned.size + known.pendingRevocation.size > 0;
  draft.because('group-full');
  draft.forgetPending(ref.memberId);
  if (known !== undefined && !mayWork) {
    draft.removeMember(ref.memberId);
    rebalanceOrComplete(draft, 'group-full');
  }
  return { transition: draft.finish(), outcome: refuse(groupFull(draft.group.settings.maxSize)), ref };
}

/** The first request of a process. A static one is known by its instance id; another is given an id to come back with. */
function joinFirst(draft: ClassicDraft, command: JoinCommand, description: Description, ref: MemberRef): JoinStep {
  const { instanceId } = command;
  const holder = instanceId === undefined ? undefined : memberByInstance(draft.group, instanceId);
  if (holder !== undefined) return replaceStaticMember(draft, holder, description, ref);
  checkProtocols(draft.group.members.values(), description.protocols);
  if (instanceId !== undefined) return addMember(draft, description, ref);
  // As many as there may be members; without it, clients that never come back would pile up for a session.
  if (draft.group.pending.length >= draft.group.settings.maxSize) return evict(draft, description, ref);
  draft.because('member-id-given');
  const pending = { memberId: ref.memberId, expiresAt: draft.context.now + description.sessionTimeoutMs };
  draft.set({ pending: [...draft.group.pending, pending] });
  return { transition: draft.finish(), outcome: refuse(memberIdRequired(ref.memberId)), ref };
}

function addMember(draft: ClassicDraft, { owned, ...description }: Description, ref: MemberRef): JoinStep {
  const { group, context } = draft;
  checkProtocols(group.members.values(), description.protocols);
  draft.because('member-joined');
  draft.setMember({
    ...ref,
    ...description,
    state: 'JOINING',
    isNew: true,
    memberEpoch: 0,
    assigned: NO_PARTITIONS,
    pendingRevocation: NO_PARTITIONS,
    target: EMPTY_ASSIGNMENT,
    rebalanceDeadline: context.now + NEW_MEMBER_JOIN_TIMEOUT_MS,
    joinOrder: group.nextJoinOrder,
  });
  // The first to join leads.
  if (group.leader === undefined) draft.set({ leader: ref.memberId });
  if (group.timer?.kind === 'initial-delay') draft.set({ timer: { ...group.timer, memberAdded: true } });
  rebalanceOrComplete(draft, 'member-joined');
  return toldOfJoin(draft, ref);
}

/** A member of the group joins again: the state decides whether that begins a rebalance. */
function joinAgain(draft: ClassicDraft, member: ClassicMember, description: Description, ref: MemberRef): JoinStep {
  checkProtocols(
    [...draft.group.members.values()].filter((other) => other !== member),
    description.protocols,
  );
  const { phase, leader } = draft.group;
  const same = isAsDescribed(member, description);
  const leads = leader === member.memberId;
  const isCurrent = same && (phase === 'COMPLETING_REBALANCE' || (phase === 'STABLE' && !leads));
  if (isCurrent || isRepeated(member, description, draft.context.now)) {
    draft.renew(member.memberId);
    return toldOfJoin(draft, ref);
  }
  draft.because(causeOf(member, description, leads && phase === 'STABLE' && same));
  draft.setMember(joining(member, description, draft.context.now));
  rebalanceOrComplete(draft, 'member-rejoined');
  return toldOfJoin(draft, ref);
}

function causeOf(member: ClassicMember, description: Description, leads: boolean) {
  if (leads) return 'leader-rejoined';
  if (!sameSubscription(member.subscription, description.subscription)) return 'subscription-changed';
  return releases(member, description) ? 'partitions-revoked' : 'member-rejoined';
}

/** Whether a request is that of a member that waits already, sent again: it says nothing new, and is not worth a revision. */
function isRepeated(member: ClassicMember, description: Description, now: number): boolean {
  const { state, rebalanceDeadline = Infinity } = member;
  return (
    state === 'JOINING' &&
    isAsDescribed(member, description) &&
    rebalanceDeadline - now > NEW_MEMBER_JOIN_TIMEOUT_MS / 2
  );
}

function pendingIsDynamic(): AllotError {
  return invalidRequest(
    'This member id was given to a member without an instance id. Join with the id alone, or with the instance id alone.',
    [{ pointer: '/instanceId', detail: 'cannot be added with this memberId' }],
  );
}
