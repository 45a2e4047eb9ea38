import { AllotError, holds, invalidRequest, EMPTY_ASSIGNMENT, type Assignment } from '@allot/model';
import type { Subscription } from '../consumer/consumer-group.js';
import { NO_PARTITIONS, splitOwned } from '../consumer/owned-partitions.js';
import type { StepContext } from '../consumer/step.js';
import type { ResolveAssignor } from '../consumer/target.js';
import { checkSubscription, sameSubscription } from '../consumer/subscriptions.js';
import { clampRebalanceTimeout, type GroupLimits, type GroupSettings } from '../group-settings.js';
import { ANSWER, ClassicDraft, refuse, type ClassicStep, type Outcome } from './classic-draft.js';
import type { ClassicGroup, ClassicMember, MemberProtocol } from './classic-group.js';
import { groupFull, memberIdRequired, unknownMember, unreleasedInstance } from './errors.js';
import {
  instanceConflict,
  knownMember,
  memberByInstance,
  newClassicGroup,
  refuseDead,
  type MemberRef,
} from './membership.js';
import { outcomeOfJoin } from './parked.js';
import { checkProtocols, electProtocol } from './protocol-vote.js';
import { rebalanceOrComplete } from './rebalance.js';

/** A new member that is parked is removed after this long, so that clients that died while they waited do not pile up. */
export const NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000;

export interface JoinCommand {
  /** Absent: the first request of a member, which gets an id. */
  readonly memberId?: string;
  readonly instanceId?: string;
  readonly clientId?: string;
  readonly rackId?: string;
  readonly weight?: number;
  readonly subscription: Subscription;
  /** In order of preference; the group's assignors when empty. */
  readonly protocols: readonly MemberProtocol[];
  readonly sessionTimeoutMs?: number;
  readonly rebalanceTimeoutMs?: number;
  /** Absent: whether all of its protocols are cooperative, as Kafka's consumer decides it. */
  readonly cooperative?: boolean;
  /** What the member holds; absent: unknown. */
  readonly owned?: Assignment;
  /** The generation in which it was given that. */
  readonly generation?: number;
  /** The id that a new member gets. It never repeats. */
  readonly newMemberId: string;
}

export interface JoinStep extends ClassicStep {
  /** The member that the request speaks of from now on. */
  readonly ref: MemberRef;
  /** The leader of a group that goes on as it is: it need not assign anything. */
  readonly skipAssignment?: true;
}

const COOPERATIVE_PROTOCOLS: ReadonlySet<string> = new Set(['cooperative-sticky']);

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
  if (group === undefined && memberId !== undefined) throw unknownMember(memberId);
  const base = group ?? newClassicGroup(defaults, context.catalog.revision, context.lastRevision);
  refuseDead(base);
  const description = describe(command, base.settings, limits, context.resolveAssignor);
  const draft = new ClassicDraft(group, base, context);
  draft.lookAtCatalog();
  const ref = { memberId: memberId ?? newMemberId, ...(instanceId !== undefined && { instanceId }) };
  if (!hasRoomFor(draft.group, memberId)) return evict(draft, ref);
  if (memberId === undefined) return joinFirst(draft, command, description, ref);
  if (draft.group.pending.some((pending) => pending.memberId === memberId)) {
    if (instanceId !== undefined) throw pendingIsDynamic();
    draft.forgetPending(memberId);
    return addMember(draft, description, ref);
  }
  const conflict = instanceConflict(draft.group, ref, context);
  if (conflict !== undefined) return { ...conflict, ref };
  return joinAgain(draft, knownMember(draft.group, ref), description, ref);
}

/** What a member said of itself, in its normal form. */
type Description = Omit<
  ClassicMember,
  | 'memberId'
  | 'instanceId'
  | 'state'
  | 'isNew'
  | 'memberEpoch'
  | 'assigned'
  | 'pendingRevocation'
  | 'target'
  | 'joinOrder'
> & { readonly owned: Assignment | undefined };

function describe(
  command: JoinCommand,
  settings: GroupSettings,
  limits: GroupLimits,
  resolve: ResolveAssignor,
): Description {
  const { clientId, rackId, weight, owned, generation = -1 } = command;
  const { minSessionTimeoutMs: least, maxSessionTimeoutMs: most } = limits;
  const sessionTimeoutMs = command.sessionTimeoutMs ?? settings.sessionTimeoutMs;
  if (sessionTimeoutMs < least || sessionTimeoutMs > most) {
    const detail = `must be from ${least} to ${most}`;
    throw new AllotError('INVALID_SESSION_TIMEOUT', `The session timeout ${detail} ms, not ${sessionTimeoutMs}.`, {
      action: 'fix-request',
      errors: [{ pointer: '/sessionTimeoutMs', detail }],
    });
  }
  const wanted = command.protocols.length > 0 ? command.protocols : settings.assignors.map((name) => ({ name }));
  const named = wanted.map(({ name, ...rest }) => ({ name: wireName(name, settings, resolve), ...rest }));
  return {
    ...(clientId !== undefined && { clientId }),
    ...(rackId !== undefined && { rackId }),
    ...(weight !== undefined && { weight }),
    subscription: checkSubscription(command.subscription),
    sessionTimeoutMs,
    rebalanceTimeoutMs: clampRebalanceTimeout(command.rebalanceTimeoutMs ?? settings.rebalanceTimeoutMs, limits),
    protocols: named,
    cooperative: command.cooperative ?? named.every(({ name }) => COOPERATIVE_PROTOCOLS.has(name)),
    ...(owned !== undefined && { claim: { owned, generation } }),
    owned,
  };
}

/**
 * The name under which members agree on an assignor. The leader may have one that is not known here.
 * @throws AllotError UNSUPPORTED_ASSIGNOR when the service is to run it.
 */
function wireName(name: string, { assignedBy }: GroupSettings, resolve: ResolveAssignor): string {
  try {
    return resolve(name).name;
  } catch (error) {
    if (assignedBy === 'service') throw error;
    return name;
  }
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

/** Whoever finds the group full is let go of. */
function evict(draft: ClassicDraft, ref: MemberRef): JoinStep {
  const known = draft.group.members.has(ref.memberId);
  draft.because('group-full');
  draft.forgetPending(ref.memberId);
  if (known) {
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
  if (draft.group.pending.length >= draft.group.settings.maxSize) return evict(draft, ref);
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
  return told(draft, ref);
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
    return told(draft, ref);
  }
  draft.because(causeOf(member, description, leads && phase === 'STABLE' && same));
  draft.setMember(joining(member, description, draft.context.now));
  rebalanceOrComplete(draft, 'member-rejoined');
  return told(draft, ref);
}

function causeOf(member: ClassicMember, description: Description, leads: boolean) {
  if (leads) return 'leader-rejoined';
  if (!sameSubscription(member.subscription, description.subscription)) return 'subscription-changed';
  return releases(member, description) ? 'partitions-revoked' : 'member-rejoined';
}

/** The member, waiting for the next generation: an eager one holds nothing any more, a cooperative one what it says. */
function joining(member: ClassicMember, description: Description, now: number): ClassicMember {
  const { claim, rackId, clientId, weight, rebalanceDeadline, ...rest } = member;
  const { owned, ...fields } = description;
  return {
    ...rest,
    ...fields,
    ...released(member, description),
    ...parked(member, now),
  };
}

function parked({ isNew }: ClassicMember, now: number): Pick<ClassicMember, 'state' | 'rebalanceDeadline'> {
  return { state: 'JOINING', ...(isNew === true && { rebalanceDeadline: now + NEW_MEMBER_JOIN_TIMEOUT_MS }) };
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

/** What a member still holds when it joins. Absent `owned` is unknown, never nothing. */
function released(
  { assigned, pendingRevocation }: ClassicMember,
  { cooperative, owned }: Description,
): Pick<ClassicMember, 'assigned' | 'pendingRevocation'> {
  if (!cooperative) return { assigned: NO_PARTITIONS, pendingRevocation: NO_PARTITIONS };
  if (owned === undefined) return { assigned, pendingRevocation };
  const reported = (topic: string, partition: number) => holds(owned, topic, partition);
  return {
    assigned: splitOwned(assigned, reported).kept,
    pendingRevocation: splitOwned(pendingRevocation, reported).kept,
  };
}

/** Whether a join frees partitions that others may wait for. An eager member that finds the group as it left it keeps what it has. */
function releases(member: ClassicMember, description: Description): boolean {
  const { assigned, pendingRevocation } = released(member, description);
  const keepsAll = !description.cooperative || sizeOf(assigned) === sizeOf(member.assigned);
  return !keepsAll || sizeOf(pendingRevocation) < sizeOf(member.pendingRevocation);
}

function sizeOf(owned: ClassicMember['assigned']): number {
  let size = 0;
  for (const partitions of owned.values()) size += partitions.size;
  return size;
}

/** Whether a member says of itself what the group knows (ClassicGroupMember.matches). */
function isAsDescribed(member: ClassicMember, description: Description): boolean {
  return (
    member.cooperative === description.cooperative &&
    member.rackId === description.rackId &&
    member.weight === description.weight &&
    sameProtocols(member.protocols, description.protocols) &&
    sameSubscription(member.subscription, description.subscription) &&
    !releases(member, description)
  );
}

function sameProtocols(a: readonly MemberProtocol[], b: readonly MemberProtocol[]): boolean {
  return (
    a.length === b.length && a.every(({ name, userData }, i) => name === b[i]!.name && userData === b[i]!.userData)
  );
}

/**
 * A static member has started anew (KIP-345): it takes the place of its former self, lead and assignment included. A stable group
 * goes on as it is when that changes neither its assignor nor what the member reads; else, and always when the leader may just be computing
 * for the former id (E-05), there is a rebalance. Whoever still asks under the old id is fenced.
 */
function replaceStaticMember(
  draft: ClassicDraft,
  old: ClassicMember,
  description: Description,
  ref: MemberRef,
): JoinStep {
  const { group, context } = draft;
  const { settings, leader, phase, groupEpoch } = group;
  const instanceId = old.instanceId!;
  if (settings.staticPolicy === 'oldest-wins') {
    throw unreleasedInstance(instanceId, old.memberId, settings.heartbeatIntervalMs);
  }
  checkProtocols(
    [...group.members.values()].filter((other) => other !== old),
    description.protocols,
  );
  draft.because('static-member-replaced');
  const { owned, ...fields } = description;
  const { claim, conflictsWith, rackId, clientId, weight, rebalanceDeadline, ...inherited } = old;
  const heir: ClassicMember = { ...inherited, ...fields, ...ref, pendingRevocation: NO_PARTITIONS };
  draft.removeMember(old.memberId);
  draft.setMember(heir);
  if (leader === old.memberId) draft.set({ leader: heir.memberId });
  const goesOn =
    phase === 'STABLE' &&
    electProtocol(draft.group.members.values(), draft.group.members.get(draft.group.leader!)!) === group.protocol &&
    sameSubscription(old.subscription, heir.subscription) &&
    old.pendingRevocation.size === 0;
  if (goesOn) {
    if (heir.memberEpoch !== groupEpoch) draft.setMember({ ...heir, memberEpoch: groupEpoch, state: 'SYNCED' });
    draft.renew(heir.memberId);
    const isLeader = draft.group.leader === heir.memberId;
    const step: JoinStep = { transition: draft.finish(), outcome: ANSWER, ref };
    return isLeader ? { ...step, skipAssignment: true } : step;
  }
  // A process that has just started holds nothing, unless it says so.
  const held = owned === undefined ? NO_PARTITIONS : released(heir, description).assigned;
  draft.setMember({ ...heir, ...parked(heir, context.now), assigned: held });
  rebalanceOrComplete(draft, 'static-member-replaced');
  return told(draft, ref);
}

function told(draft: ClassicDraft, ref: MemberRef): JoinStep {
  draft.renew(ref.memberId);
  const outcome: Outcome = outcomeOfJoin(draft.group, ref);
  return { transition: draft.finish(), outcome, ref };
}

function pendingIsDynamic(): AllotError {
  return invalidRequest(
    'This member id was given to a member without an instance id. Join with the id alone, or with the instance id alone.',
    [{ pointer: '/instanceId', detail: 'cannot be added with this memberId' }],
  );
}
