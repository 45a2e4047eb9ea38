import { AllotError, EMPTY_ASSIGNMENT, invalidRequest, type Assignment } from '@allot/model';
import type { GroupSettings } from '../group-settings.js';
import { LEFT_TEMPORARILY, type ConsumerGroup, type ConsumerMember, type Subscription } from './consumer-group.js';
import { isCoveredBy, NO_PARTITIONS } from './owned-partitions.js';
import { GroupDraft, type StepContext, type Transition } from './step.js';
import { checkSubscription, sameSubscription } from './subscriptions.js';

/** What a member says of itself when it joins, and may say again later. */
export interface MemberDescription {
  readonly subscription?: Subscription;
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

/**
 * A group without members, as the first join or an operator makes it. `lastRevision` is where the revisions of an earlier group
 * of this id ended: they go on with a gap, so that nobody who knows an old one can take a new one for it or for the next.
 */
export function newConsumerGroup(settings: GroupSettings, catalogRevision: number, lastRevision = 0): ConsumerGroup {
  return {
    settings,
    source: 'live',
    revision: lastRevision === 0 ? 0 : lastRevision + 1,
    groupEpoch: 0,
    assignmentEpoch: 0,
    catalogRevision,
    subscribedTopics: new Map(),
    members: new Map(),
    nextJoinOrder: 1,
  };
}

/**
 * A heartbeat of a member, joining included (GroupMetadataManager.consumerGroupHeartbeat). Epoch 0 joins, or lets a known member
 * start over holding nothing (KAFKA-19233); the group is made by the first join, from `defaults`.
 *
 * @throws AllotError GROUP_ID_NOT_FOUND, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH, FENCED_INSTANCE_ID, UNRELEASED_INSTANCE_ID,
 * GROUP_MAX_SIZE_REACHED, GROUP_READ_ONLY, INVALID_REGULAR_EXPRESSION, INVALID_REQUEST.
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
  const known = knownMember(group, command.memberId);
  checkInstance(group, known, command.instanceId);
  checkEpoch(known, command);
  const draft = new GroupDraft(group, group, context);
  describeMember(draft, known, command);
  return draft.settle({ memberId: known.memberId, owned: isOutdated(known, command) ? undefined : command.owned });
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
  if (group !== undefined) refuseImported(group);
  const base = group ?? newConsumerGroup(defaults, context.catalog.revision, context.lastRevision);
  const draft = new GroupDraft(group, base, context);
  const known = base.members.get(command.memberId);
  const holder = command.instanceId === undefined ? undefined : memberByInstance(base, command.instanceId);
  if (known !== undefined) {
    if (command.instanceId !== undefined) checkInstance(base, known, command.instanceId);
    draft.because('member-rejoined');
    const epoch = known.memberEpoch === LEFT_TEMPORARILY ? { memberEpoch: 0, previousMemberEpoch: 0 } : {};
    describeMember(draft, { ...known, ...epoch }, command);
  } else if (holder !== undefined) {
    returnStaticMember(draft, holder, command);
  } else {
    addMember(draft, command);
  }
  const late = known !== undefined && isOutdated(known, command);
  return draft.settle({ memberId: command.memberId, owned: late ? undefined : EMPTY_ASSIGNMENT });
}

function addMember(draft: GroupDraft, command: HeartbeatCommand): void {
  const { group } = draft;
  const { maxSize, rebalanceTimeoutMs } = group.settings;
  if (group.members.size >= maxSize) {
    throw new AllotError(
      'GROUP_MAX_SIZE_REACHED',
      `The group has ${group.members.size} members, its maximum. Raise maxSize, or join another group.`,
      { action: 'stop', facts: { maxSize } },
    );
  }
  if (command.subscription === undefined) throw checkMissingSubscription();
  draft.because('member-joined');
  draft.setMember({
    memberId: command.memberId,
    ...(command.instanceId !== undefined && { instanceId: command.instanceId }),
    ...(command.rackId !== undefined && { rackId: command.rackId }),
    ...(command.clientId !== undefined && { clientId: command.clientId }),
    ...(command.weight !== undefined && { weight: command.weight }),
    subscription: checkSubscription(command.subscription),
    rebalanceTimeoutMs: command.rebalanceTimeoutMs ?? rebalanceTimeoutMs,
    memberEpoch: 0,
    previousMemberEpoch: 0,
    state: 'STABLE',
    assigned: NO_PARTITIONS,
    pendingRevocation: NO_PARTITIONS,
    target: EMPTY_ASSIGNMENT,
    joinOrder: group.nextJoinOrder,
  });
  draft.bump();
}

/** A static member that left temporarily comes back under a new id and takes its old place, without a new epoch. */
function returnStaticMember(draft: GroupDraft, old: ConsumerMember, command: HeartbeatCommand): void {
  if (old.memberEpoch !== LEFT_TEMPORARILY) {
    throw new AllotError(
      'UNRELEASED_INSTANCE_ID',
      `The instance id ${command.instanceId} is in use by member ${old.memberId}. It is free again when that member leaves or its session ends.`,
      { action: 'retry', retryAfterMs: draft.group.settings.heartbeatIntervalMs, facts: { heldBy: old.memberId } },
    );
  }
  draft.because('member-returned');
  draft.removeMember(old.memberId);
  describeMember(draft, { ...old, memberId: command.memberId, memberEpoch: 0, previousMemberEpoch: 0 }, command);
}

/** Takes over what the member says of itself; a changed subscription needs a new target. */
function describeMember(draft: GroupDraft, member: ConsumerMember, description: MemberDescription): void {
  const { subscription, rackId, clientId, weight, rebalanceTimeoutMs } = description;
  let next = member;
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
  if (member === undefined) return false;
  return fields.every((field) => description[field] === undefined || description[field] === member[field]);
}

/** A draft of a live group, and the member of it that a command speaks of. */
function draftOf(
  group: ConsumerGroup | undefined,
  { memberId, instanceId }: { readonly memberId: string; readonly instanceId?: string },
  context: StepContext,
): { readonly draft: GroupDraft; readonly member: ConsumerMember } {
  if (group === undefined) throw groupNotFound();
  refuseImported(group);
  const member = knownMember(group, memberId);
  checkInstance(group, member, instanceId);
  return { draft: new GroupDraft(group, group, context), member };
}

/**
 * A member leaves for good (epoch -1); its partitions are free at once. Also what happens to a member that is fenced.
 * @throws AllotError GROUP_ID_NOT_FOUND, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, GROUP_READ_ONLY.
 */
export function leave(
  group: ConsumerGroup | undefined,
  command: { readonly memberId: string; readonly instanceId?: string },
  context: StepContext,
): Transition {
  const { draft, member } = draftOf(group, command, context);
  draft.because('member-left');
  draft.removeMember(member.memberId);
  draft.bump();
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
    draft.removeMember(memberId);
    draft.bump();
  }
  return draft.settle();
}

function knownMember(group: ConsumerGroup, memberId: string): ConsumerMember {
  const member = group.members.get(memberId);
  if (member === undefined) {
    throw new AllotError(
      'UNKNOWN_MEMBER_ID',
      `The group has no member ${memberId}: it left, or its session ended. Drop all partitions and join again.`,
      { action: 'rejoin' },
    );
  }
  return member;
}

function memberByInstance(group: ConsumerGroup, instanceId: string): ConsumerMember | undefined {
  for (const member of group.members.values()) if (member.instanceId === instanceId) return member;
  return undefined;
}

function checkInstance(group: ConsumerGroup, member: ConsumerMember, instanceId: string | undefined): void {
  if (instanceId === undefined || instanceId === member.instanceId) return;
  const holder = memberByInstance(group, instanceId);
  if (holder === undefined) {
    throw new AllotError('UNKNOWN_MEMBER_ID', `No member has the instance id ${instanceId}. Join again.`, {
      action: 'rejoin',
    });
  }
  throw new AllotError(
    'FENCED_INSTANCE_ID',
    `The instance id ${instanceId} belongs to member ${holder.memberId} now. Stop this process.`,
    { action: 'stop', facts: { heldBy: holder.memberId } },
  );
}

/** Whether the member received something after it sent this. */
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

function checkMissingSubscription(): AllotError {
  return invalidRequest('A member that joins needs a subscription.', [
    { pointer: '/subscription', detail: 'is missing' },
  ]);
}
