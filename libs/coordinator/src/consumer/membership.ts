import { AllotError, EMPTY_ASSIGNMENT, invalidRequest } from '@allot/model';
import type { Assignment } from '@allot/model';
import { emptyGroup } from '../empty-group.js';
import type { GroupSettings } from '../group-settings.js';
import { LEFT_TEMPORARILY, type ConsumerGroup, type ConsumerMember, type Subscription } from './consumer-group.js';
import { checkManualChoice, choiceOf, refuseOtherChoice, wasReleased } from './manual-members.js';
import { isCoveredBy, NO_PARTITIONS } from './owned-partitions.js';
import {
  checkInstance,
  contestInstance,
  forgive,
  isAway,
  memberByInstance,
  refuseFenced,
  returnStaticMember,
} from './static-members.js';
import { GroupDraft, type StepContext, type Transition } from './step.js';
import { checkSubscription, sameSubscription } from './subscriptions.js';

/** What a member says of itself when it joins, and may say again later. */
export interface MemberDescription {
  readonly subscription?: Subscription;
  /** In place of a subscription: the partitions that the member chooses itself. Cannot change later. */
  readonly assign?: Assignment;
  readonly instanceId?: string;
  readonly rackId?: string;
  readonly clientId?: string;
  readonly weight?: number;
  readonly rebalanceTimeoutMs?: number;
}

export interface HeartbeatCommand extends MemberDescription {
  readonly memberId: string;
  /** 0 joins or rejoins, a positive number is the epoch the member has reached. */
  readonly memberEpoch: number;
  /** What the member holds; undefined means unknown, never nothing. */
  readonly owned?: Assignment;
  /**
   * The revision of the last answer that the member had when it sent this, 0 for none. A heartbeat that arrives late, after another one has brought
   * the member a partition, is known by it: its `owned` cannot tell whether that partition was dropped. Undefined: taken as current.
   */
  readonly revision?: number;
}

/** A group without members; see `emptyGroup`. */
export function newConsumerGroup(settings: GroupSettings, catalogRevision: number, lastRevision = 0): ConsumerGroup {
  return emptyGroup(settings, catalogRevision, lastRevision);
}

/**
 * A heartbeat of a member, joining included (GroupMetadataManager.consumerGroupHeartbeat). Epoch 0 joins, or lets a known member
 * start over holding nothing (KAFKA-19233); the group is made by the first join, from `defaults`.
 *
 * @throws AllotError GROUP_ID_NOT_FOUND, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH, FENCED_INSTANCE_ID, UNRELEASED_INSTANCE_ID,
 * GROUP_MAX_SIZE_REACHED, GROUP_READ_ONLY, INVALID_REGULAR_EXPRESSION, PARTITION_COVERED, PARTITION_IN_USE, INVALID_REQUEST.
 */
export function heartbeat(
  group: ConsumerGroup | undefined,
  command: HeartbeatCommand,
  defaults: GroupSettings,
  context: StepContext,
): Transition {
  if (command.memberEpoch === 0) return join(group, command, defaults, context);
  if (group === undefined) throw groupNotFound();
  refuseImported(group);
  const known = knownMember(group, command);
  checkEpoch(known, command);
  const draft = new GroupDraft(group, group, context);
  describeMember(draft, known, command);
  const { memberId, revision } = command;
  return draft.settle({ memberId, revision, owned: isOutdated(known, command) ? undefined : command.owned });
}

function join(
  group: ConsumerGroup | undefined,
  command: HeartbeatCommand,
  defaults: GroupSettings,
  context: StepContext,
): Transition {
  if (command.owned !== undefined && command.owned.size > 0) {
    throw invalidRequest('A member that joins with epoch 0 owns nothing; drop every partition first.', [
      { pointer: '/owned', detail: 'must be absent or empty when memberEpoch is 0' },
    ]);
  }
  if (group !== undefined) {
    refuseImported(group);
    refuseFenced(group, command.memberId);
  }
  const base = group ?? newConsumerGroup(defaults, context.catalog.revision, context.lastRevision);
  const draft = new GroupDraft(group, base, context);
  const known = membersPlace(draft, command.memberId);
  const holder = command.instanceId === undefined ? undefined : memberByInstance(draft.group, command.instanceId);
  if (known !== undefined) {
    checkInstance(base, known, command.instanceId);
    draft.because('member-rejoined');
    describeMember(draft, isAway(known) ? { ...known, memberEpoch: 0, previousMemberEpoch: 0 } : known, command);
  } else if (holder !== undefined && isAway(holder)) {
    describeMember(draft, returnStaticMember(draft, holder, command.memberId), command);
  } else if (holder !== undefined) {
    const contest = contestInstance(draft, holder, command.memberId, context.now);
    if ('refusal' in contest) {
      if (group === undefined || !contest.recorded) throw contest.refusal;
      return { ...draft.settle(), refusal: contest.refusal };
    }
    describeMember(draft, contest.member, command);
  } else {
    addMember(draft, command, context);
  }
  const late = known !== undefined && isOutdated(known, command);
  const { memberId, revision = 0 } = command;
  return draft.settle({ memberId, revision, owned: late ? undefined : EMPTY_ASSIGNMENT });
}

/** The member of that id, unless it lost its place and the one that took it has gone since: then it begins anew. */
function membersPlace(draft: GroupDraft, memberId: string): ConsumerMember | undefined {
  forgive(draft, memberId);
  const known = draft.group.members.get(memberId);
  if (known?.supersededBy === undefined) return known;
  draft.removeMember(memberId, 'replaced');
  return undefined;
}

function addMember(draft: GroupDraft, command: HeartbeatCommand, { catalog }: StepContext): void {
  const { group } = draft;
  const { maxSize, rebalanceTimeoutMs } = group.settings;
  if (group.members.size >= maxSize) {
    throw new AllotError(
      'GROUP_MAX_SIZE_REACHED',
      `The group has ${group.members.size} members, its maximum. Raise maxSize, or join another group.`,
      { action: 'stop', facts: { maxSize } },
    );
  }
  const manual = choiceOf(command);
  if (manual !== undefined) checkManualChoice(group, manual, catalog);
  else if (command.subscription === undefined) throw missingSubscription();
  draft.because('member-joined');
  draft.setMember({
    memberId: command.memberId,
    ...(command.instanceId !== undefined && { instanceId: command.instanceId }),
    ...(command.rackId !== undefined && { rackId: command.rackId }),
    ...(command.clientId !== undefined && { clientId: command.clientId }),
    ...(command.weight !== undefined && { weight: command.weight }),
    ...(manual !== undefined && { manual: true }),
    subscription: manual === undefined ? checkSubscription(command.subscription!) : { topics: [] },
    rebalanceTimeoutMs: command.rebalanceTimeoutMs ?? rebalanceTimeoutMs,
    memberEpoch: 0,
    previousMemberEpoch: 0,
    state: 'STABLE',
    assigned: NO_PARTITIONS,
    pendingRevocation: NO_PARTITIONS,
    target: manual ?? draft.takeBack(command) ?? EMPTY_ASSIGNMENT,
    joinOrder: group.nextJoinOrder,
  });
  if (manual === undefined || group.groupEpoch === 0 || wasReleased(group, manual)) draft.bump();
}

/** Takes over what the member says of itself; a changed subscription needs a new target. */
function describeMember(draft: GroupDraft, member: ConsumerMember, description: MemberDescription): void {
  const { subscription, rackId, clientId, weight, rebalanceTimeoutMs } = description;
  let next = member;
  refuseOtherChoice(member, description);
  if (subscription !== undefined) {
    const checked = checkSubscription(subscription);
    if (!sameSubscription(checked, member.subscription)) {
      next = { ...next, subscription: checked };
      draft.because('subscription-changed');
      draft.bump();
    }
  }
  if (rackId !== undefined && rackId !== member.rackId) next = { ...next, rackId };
  if (clientId !== undefined && clientId !== member.clientId) next = { ...next, clientId };
  if (weight !== undefined && weight !== member.weight) next = { ...next, weight };
  if (rebalanceTimeoutMs !== undefined && rebalanceTimeoutMs !== member.rebalanceTimeoutMs) {
    next = { ...next, rebalanceTimeoutMs };
  }
  draft.setMember(next);
}

/** Whether what a member says of itself, its subscription aside, is what the group knows of it. */
export function isAsDescribed(member: ConsumerMember | undefined, description: MemberDescription): boolean {
  const fields = ['instanceId', 'rackId', 'clientId', 'weight', 'rebalanceTimeoutMs'] as const;
  if (member === undefined || description.assign !== undefined) return false;
  return fields.every((field) => description[field] === undefined || description[field] === member[field]);
}

/**
 * A draft of a live group, and the member of it that a command speaks of. One that lost its instance id has nothing to say but that it
 * has stopped (`superseded`).
 */
export function draftOf(
  group: ConsumerGroup | undefined,
  command: { readonly memberId: string; readonly instanceId?: string },
  context: StepContext,
  { superseded = false }: { readonly superseded?: boolean } = {},
): { readonly draft: GroupDraft; readonly member: ConsumerMember } {
  if (group === undefined) throw groupNotFound();
  refuseImported(group);
  const draft = new GroupDraft(group, group, context);
  const present = group.members.get(command.memberId);
  if (superseded && present?.supersededBy !== undefined) return { draft, member: present };
  return { draft, member: knownMember(group, command) };
}

/**
 * A member leaves for good (epoch -1), or is removed by an operator, who gives a reason; its partitions are free at once.
 * @throws AllotError GROUP_ID_NOT_FOUND, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, GROUP_READ_ONLY.
 */
export function leave(
  group: ConsumerGroup | undefined,
  command: { readonly memberId: string; readonly instanceId?: string },
  context: StepContext,
): Transition {
  const { draft, member } = draftOf(group, command, context, { superseded: true });
  draft.because(context.origin.reason === undefined ? 'member-left' : 'member-removed');
  draft.removeMember(member.memberId, 'left');
  return draft.settle();
}

/**
 * An operator removes the static member that has an instance id, whatever its member id.
 * @throws AllotError GROUP_ID_NOT_FOUND, UNKNOWN_MEMBER_ID, GROUP_READ_ONLY.
 */
export function removeInstance(group: ConsumerGroup | undefined, instanceId: string, context: StepContext): Transition {
  if (group === undefined) throw groupNotFound();
  refuseImported(group);
  const member = memberByInstance(group, instanceId);
  if (member === undefined) {
    throw new AllotError('UNKNOWN_MEMBER_ID', `No member has the instance id ${instanceId}.`, { action: 'refresh' });
  }
  const draft = new GroupDraft(group, group, context);
  draft.because('member-removed');
  draft.removeMember(member.memberId, 'left');
  return draft.settle();
}

/**
 * A static member leaves and will return (epoch -2): it keeps its place, and its session goes on running.
 * @throws AllotError as `leave`; INVALID_REQUEST when the member is not static.
 */
export function leaveTemporarily(
  group: ConsumerGroup | undefined,
  command: { readonly memberId: string; readonly instanceId?: string },
  context: StepContext,
): Transition {
  const { draft, member } = draftOf(group, command, context);
  if (member.instanceId === undefined) {
    throw invalidRequest('Only a static member (one with an instanceId) can leave temporarily; leave with epoch -1.');
  }
  draft.because('member-left-temporarily');
  const { rebalanceDeadline, ...rest } = member;
  draft.setMember({
    ...rest,
    memberEpoch: LEFT_TEMPORARILY,
    previousMemberEpoch: LEFT_TEMPORARILY,
    state: 'STABLE',
    pendingRevocation: NO_PARTITIONS,
  });
  return draft.settle();
}

/**
 * Fences every member whose session ended (`expired`, decided by the database's clock) or whose rebalance timer ran out; their
 * partitions become free and the others get a new target. One revision for all of them.
 */
export function fenceOverdue(group: ConsumerGroup, expired: ReadonlySet<string>, context: StepContext): Transition {
  const draft = new GroupDraft(group, group, context);
  for (const member of group.members.values()) {
    const { memberId, rebalanceDeadline } = member;
    if (expired.has(memberId)) draft.because('session-expired');
    else if (rebalanceDeadline !== undefined && rebalanceDeadline <= context.now) draft.because('rebalance-timeout');
    else continue;
    draft.removeMember(memberId, expired.has(memberId) ? 'vanished' : 'left');
  }
  return draft.settle();
}

/** @throws AllotError FENCED_INSTANCE_ID before UNKNOWN_MEMBER_ID: who joined again would push out the one that has its instance id. */
function knownMember(
  group: ConsumerGroup,
  { memberId, instanceId }: { readonly memberId: string; readonly instanceId?: string },
): ConsumerMember {
  const member = group.members.get(memberId);
  refuseFenced(group, memberId);
  if (member?.supersededBy === undefined) checkInstance(group, member ?? { memberId }, instanceId);
  if (member === undefined || member.supersededBy !== undefined) {
    throw new AllotError(
      'UNKNOWN_MEMBER_ID',
      `The group has no member ${memberId}: it left, or its session ended. Drop all partitions and join again.`,
      { action: 'rejoin' },
    );
  }
  return member;
}

/** Whether the member was told of something to work on after it sent this. */
function isOutdated({ grantedRevision = 0 }: ConsumerMember, { revision = Infinity }: HeartbeatCommand): boolean {
  return revision < grantedRevision;
}

/** The epoch must be the member's, or the one before with nothing held that is not assigned: then the last answer was lost. */
function checkEpoch(member: ConsumerMember, { memberEpoch, owned }: HeartbeatCommand): void {
  if (memberEpoch === member.memberEpoch) return;
  const answerWasLost =
    memberEpoch === member.previousMemberEpoch && owned !== undefined && isCoveredBy(owned, member.assigned);
  if (answerWasLost && member.memberEpoch > 0) return;
  throw new AllotError(
    'FENCED_MEMBER_EPOCH',
    `The member's epoch is ${member.memberEpoch}, not ${memberEpoch}. Drop all partitions without committing and join again with epoch 0.`,
    { action: 'rejoin', facts: { memberEpoch: member.memberEpoch } },
  );
}

/** An imported group is a picture of one that lives in Kafka. */
export function refuseImported(group: ConsumerGroup): void {
  if (group.source !== 'imported') return;
  throw new AllotError(
    'GROUP_READ_ONLY',
    'This group was imported from Kafka: it can be read and planned on, not joined. Delete it first, or use another group id.',
    { action: 'fix-request' },
  );
}

export function groupNotFound(): AllotError {
  return new AllotError('GROUP_ID_NOT_FOUND', 'There is no such group. Join with epoch 0, or create it.', {
    action: 'rejoin',
  });
}

export function memberIdInUse({ memberId, memberEpoch }: ConsumerMember): AllotError {
  return new AllotError(
    'MEMBER_ID_IN_USE',
    `Member ${memberId} is alive in this group. Join without a memberId to get one of your own; if this is the same worker starting over, send its heartbeat with memberEpoch 0.`,
    { action: 'fix-request', facts: { memberEpoch } },
  );
}

function missingSubscription(): AllotError {
  return invalidRequest('A member that joins needs a subscription.', [
    { pointer: '/subscription', detail: 'is missing' },
  ]);
}
