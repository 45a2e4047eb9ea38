import { EMPTY_ASSIGNMENT, invalidRequest, type AllotError } from '@allot/model';
import { NO_PARTITIONS } from '../consumer/owned-partitions.js';
import type { StepContext } from '../consumer/step.js';
import { sameSubscription } from '../consumer/subscriptions.js';
import type { GroupLimits, GroupSettings } from '../group-settings.js';
import { ClassicDraft, refuse } from './classic-draft.js';
import type { ClassicGroup, ClassicMember } from './classic-group.js';
import { fencedInstance, groupFull, memberIdRequired, unknownMember } from './errors.js';
import { toldOfJoin, type JoinStep } from './join-step.js';
import {
  believable,
  describeJoin,
  isAsDescribed,
  released,
  releases,
  type Description,
  type JoinCommand,
} from './member-description.js';
import { joining, NEW_MEMBER_JOIN_TIMEOUT_MS } from './joining-member.js';
import {
  instanceConflict,
  knownMember,
  memberByInstance,
  newClassicGroup,
  refuseDead,
  type MemberRef,
} from './membership.js';
import { outcomeOfJoin } from './parked.js';
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
  const said = describeJoin(command, base.settings, limits, context.resolveAssignor);
  const draft = new ClassicDraft(group, base, context);
  draft.lookAtCatalog();
  const known = draft.group.members.get(ref.memberId);
  if (known !== undefined && isLate(known, said)) return toldAsItIs(draft, ref);
  const description = known === undefined ? said : believable(known, said);
  if (!hasRoomFor(draft.group, known)) return evict(draft, description, ref);
  if (memberId === undefined && (known === undefined || instanceId === undefined)) {
    return joinFirst(draft, command, description, ref);
  }
  if (draft.group.pending.some((pending) => pending.memberId === ref.memberId)) {
    if (instanceId !== undefined) throw pendingIsDynamic();
    draft.forgetPending(ref.memberId);
    return addMember(draft, description, ref);
  }
  return joinAgain(draft, knownMember(draft.group, ref), description, { ref, isFirst: memberId === undefined });
}

/**
 * Whether a joining member has a place (acceptJoiningMember). While the group waits for its members to join again, those that have
 * count, so a smaller limit keeps out those that come last; else all members count.
 */
function hasRoomFor({ phase, members, settings }: ClassicGroup, known: ClassicMember | undefined): boolean {
  if (phase === 'EMPTY') return true;
  if (phase !== 'PREPARING_REBALANCE') return known !== undefined || members.size < settings.maxSize;
  if (known?.state === 'JOINING') return true;
  let awaiting = 0;
  for (const { state } of members.values()) if (state === 'JOINING') awaiting++;
  return awaiting < settings.maxSize;
}

/**
 * Whoever finds the group full is let go of. A member that may still hold partitions is not: should this answer be lost it would go on
 * working on them. It has not joined, and is dropped for that when it may be.
 */
function evict(draft: ClassicDraft, description: Description, ref: MemberRef): JoinStep {
  const known = draft.group.members.get(ref.memberId);
  const mayWork = known !== undefined && mayHold(known, description);
  draft.because('group-full');
  draft.forgetPending(ref.memberId);
  if (known !== undefined && !mayWork) {
    draft.removeMember(ref.memberId);
    rebalanceOrComplete(draft, 'group-full');
  }
  return { transition: draft.finish(), outcome: refuse(groupFull(draft.group.settings.maxSize)), ref };
}

function mayHold(member: ClassicMember, description: Description): boolean {
  const { assigned, pendingRevocation } = released(member, description);
  return assigned.size + pendingRevocation.size > 0;
}

/** Whether the member has said other things since it sent this: a request that was given up and arrives late, which changes nothing. */
function isLate({ saidAtRevision = 0 }: ClassicMember, description: Description): boolean {
  return (description.saidAtRevision ?? Infinity) < saidAtRevision;
}

function toldAsItIs(draft: ClassicDraft, ref: MemberRef): JoinStep {
  return { transition: draft.finish(), outcome: outcomeOfJoin(draft.group, ref), ref };
}

/** The first request of a process. A static one is known by its instance id; another is given an id to come back with. */
function joinFirst(draft: ClassicDraft, command: JoinCommand, description: Description, ref: MemberRef): JoinStep {
  const { instanceId } = command;
  const { members, pending } = draft.group;
  const holder = instanceId === undefined ? undefined : memberByInstance(draft.group, instanceId);
  if (holder?.formerIds?.includes(ref.memberId) === true) {
    throw fencedInstance(holder.instanceId!, holder.memberId, draft.group.settings);
  }
  if (holder !== undefined) return replaceStaticMember(draft, holder, description, ref);
  checkProtocols(draft.group.members.values(), description.protocols);
  if (instanceId !== undefined) return addMember(draft, description, ref);
  // The same request again.
  if (members.has(ref.memberId) || pending.some(({ memberId }) => memberId === ref.memberId)) {
    return { transition: draft.finish(), outcome: refuse(memberIdRequired(ref.memberId)), ref };
  }
  // As many as there may be members; without it, clients that never come back would pile up for a session.
  if (pending.length >= draft.group.settings.maxSize) return evict(draft, description, ref);
  draft.because('member-id-given');
  const expiresAt = draft.context.now + description.sessionTimeoutMs;
  draft.set({ pending: [...pending, { memberId: ref.memberId, expiresAt }] });
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

/**
 * A member of the group joins again: the state decides whether that begins a rebalance. `isFirst`: it is the first request of a static
 * member's process once more, whose answer was lost.
 */
function joinAgain(
  draft: ClassicDraft,
  member: ClassicMember,
  description: Description,
  { ref, isFirst }: { readonly ref: MemberRef; readonly isFirst: boolean },
): JoinStep {
  checkProtocols(
    [...draft.group.members.values()].filter((other) => other !== member),
    description.protocols,
  );
  const { phase, leader } = draft.group;
  const same = isAsDescribed(member, description);
  const leads = leader === member.memberId;
  const isCurrent = same && (phase === 'COMPLETING_REBALANCE' || (phase === 'STABLE' && (isFirst || !leads)));
  if (isCurrent || isRepeated(member, description, draft.context.now)) {
    if (phase === 'STABLE') noteTold(draft, member, description);
    const step = toldOfJoin(draft, ref);
    return phase === 'STABLE' && leads ? { ...step, skipAssignment: true } : step;
  }
  draft.because(causeOf(member, description, leads && phase === 'STABLE' && same));
  draft.setMember(joining(member, description, draft.context.now));
  rebalanceOrComplete(draft, 'member-rejoined');
  return toldOfJoin(draft, ref);
}

/** A member that says to hold nothing, and finds its assignment as it left it, is told of that anew: the same said earlier does not count. */
function noteTold(
  draft: ClassicDraft,
  member: ClassicMember,
  { cooperative, owned, saidAtRevision }: Description,
): void {
  const isNews = !cooperative && owned !== undefined && saidAtRevision !== undefined && member.assigned.size > 0;
  if (!isNews) return;
  draft.because('member-rejoined');
  draft.setMember({ ...member, grantedRevision: draft.nextRevision });
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
