import { AllotError, EMPTY_ASSIGNMENT } from '@allot/model';
import { reliesUntil, remember } from './calm.js';
import { LEFT_TEMPORARILY, type ConsumerGroup, type ConsumerMember } from './consumer-group.js';
import { mergeOwned, NO_PARTITIONS } from './owned-partitions.js';
import type { GroupDraft } from './step.js';

/** A static member that is not there under this id any more is remembered so long; who comes later is a new process. */
const MOST_FENCED = 100;

export function memberByInstance(group: ConsumerGroup, instanceId: string): ConsumerMember | undefined {
  for (const member of group.members.values()) if (member.instanceId === instanceId) return member;
  return undefined;
}

/**
 * A static member that left temporarily comes back under a new id and takes its old place, without a new epoch. A member that was to
 * be drained has ended with that, and its successor is served again.
 */
export function returnStaticMember(draft: GroupDraft, old: ConsumerMember, memberId: string): ConsumerMember {
  draft.because('member-returned');
  return succeed(draft, old, memberId, { assigned: old.assigned });
}

/**
 * What a newcomer under an instance id in use comes to. With `oldest-wins` (KIP-848) it is refused until the holder has left or its
 * session has ended. With `newest-wins` it takes the place of the holder, which is refused everything from now on. Nobody knows
 * whether that one has stopped, so it keeps what it has until its time is over or it leaves, as every member may rely on; the newcomer
 * then gets it from there.
 *
 * Either way the conflict goes into the history, with both ids (E-14): a refusal at most once a session timeout and instance id, since
 * newcomers try again and again.
 */
export function contestInstance(
  draft: GroupDraft,
  holder: ConsumerMember,
  memberId: string,
  now: number,
): { readonly member: ConsumerMember } | { readonly refusal: AllotError; readonly recorded: boolean } {
  const { settings, calm } = draft.group;
  const instanceId = holder.instanceId!;
  const newestWins = settings.staticPolicy === 'newest-wins';
  const outcome = newestWins ? 'taken-over' : 'refused';
  draft.because('instance-conflict', { instanceId, heldBy: holder.memberId, claimedBy: memberId, outcome });
  if (newestWins) return { member: supersede(draft, holder, memberId, now) };
  const lately = (calm?.conflicts ?? []).filter(([, at]) => at + settings.sessionTimeoutMs > now);
  const recorded = !lately.some(([name]) => name === instanceId);
  if (recorded) draft.setCalm(remember(calm, { conflicts: [...lately, [instanceId, now]] }));
  return { refusal: unreleasedInstance(draft.group, holder), recorded };
}

function supersede(draft: GroupDraft, holder: ConsumerMember, memberId: string, now: number): ConsumerMember {
  const { instanceId, target, rebalanceDeadline, draining, ...rest } = holder;
  const relies = reliesUntil(draft.group, now);
  const member = succeed(draft, holder, memberId, { assigned: NO_PARTITIONS });
  const pendingRevocation = mergeOwned(holder.assigned, holder.pendingRevocation);
  if (pendingRevocation.size > 0) {
    draft.setMember({
      ...rest,
      supersededBy: memberId,
      subscription: { topics: [] },
      state: 'UNREVOKED_PARTITIONS',
      assigned: NO_PARTITIONS,
      pendingRevocation,
      target: EMPTY_ASSIGNMENT,
      // It hears nothing of this, and may go by its last answer for a session.
      rebalanceDeadline: rebalanceDeadline ?? Math.max(now + holder.rebalanceTimeoutMs, relies),
    });
  }
  const { calm } = draft.group;
  const others = (calm?.fenced ?? []).filter(([id]) => id !== holder.memberId && id !== memberId);
  const fenced = [...others, [holder.memberId, instanceId!] as const].slice(-MOST_FENCED);
  draft.setCalm(remember(calm, { fenced }));
  return member;
}

/** The successor of a static member, in its place: target, order, and the moves that are still to come. */
function succeed(
  draft: GroupDraft,
  old: ConsumerMember,
  memberId: string,
  { assigned }: Pick<ConsumerMember, 'assigned'>,
): ConsumerMember {
  const { draining, rebalanceDeadline, grantedRevision, ...rest } = old;
  draft.removeMember(old.memberId, 'replaced');
  if (draining) draft.bump();
  const { calm } = draft.group;
  if (calm?.deferred?.some(({ to }) => to === old.memberId)) {
    const deferred = calm.deferred.map((move) => (move.to === old.memberId ? { ...move, to: memberId } : move));
    draft.setCalm(remember(calm, { deferred }));
  }
  return {
    ...rest,
    ...(assigned === old.assigned && grantedRevision !== undefined && { grantedRevision }),
    memberId,
    memberEpoch: 0,
    previousMemberEpoch: 0,
    state: 'STABLE',
    assigned,
    pendingRevocation: NO_PARTITIONS,
  };
}

/**
 * Refuses a process that lost its instance id to another one, as long as that one is there.
 * @throws AllotError FENCED_INSTANCE_ID
 */
export function refuseFenced(group: ConsumerGroup, memberId: string): void {
  const holder = successorOf(group, memberId);
  if (holder !== undefined) throw fencedInstance(group, holder);
}

/** Who joins again after the process that pushed it out has gone is a member like any other. */
export function forgive(draft: GroupDraft, memberId: string): void {
  const { calm } = draft.group;
  if (calm?.fenced?.some(([id]) => id === memberId) !== true) return;
  draft.setCalm(remember(calm, { fenced: calm.fenced.filter(([id]) => id !== memberId) }));
}

/** Whether another process has the instance id that this one had. */
export function hasLostInstance(group: ConsumerGroup, memberId: string): boolean {
  return successorOf(group, memberId) !== undefined;
}

function successorOf(group: ConsumerGroup, memberId: string): ConsumerMember | undefined {
  const successor = group.members.get(group.members.get(memberId)?.supersededBy ?? '');
  const lost = group.calm?.fenced?.find(([id]) => id === memberId);
  const holder = successor?.instanceId !== undefined ? successor : lost && memberByInstance(group, lost[1]);
  return holder?.memberId === memberId ? undefined : holder;
}

/** @throws AllotError FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID when the instance id is not the member's. */
export function checkInstance(
  group: ConsumerGroup,
  member: Pick<ConsumerMember, 'memberId' | 'instanceId'>,
  instanceId: string | undefined,
): void {
  if (instanceId === undefined || instanceId === member.instanceId) return;
  const holder = memberByInstance(group, instanceId);
  if (holder !== undefined) throw fencedInstance(group, holder);
  throw new AllotError('UNKNOWN_MEMBER_ID', `No member has the instance id ${instanceId}. Join again.`, {
    action: 'rejoin',
  });
}

function fencedInstance({ settings }: ConsumerGroup, holder: ConsumerMember): AllotError {
  const { instanceId } = holder;
  const { onInstanceConflict = 'stop', heartbeatIntervalMs } = settings;
  const message = `The instance id ${instanceId} belongs to member ${holder.memberId} now. Drop all partitions at once`;
  const facts = { instanceId, heldBy: holder.memberId };
  return onInstanceConflict === 'stop'
    ? new AllotError('FENCED_INSTANCE_ID', `${message} and stop this process.`, { action: 'stop', facts })
    : new AllotError('FENCED_INSTANCE_ID', `${message} and join again later.`, {
        action: 'retry',
        retryAfterMs: heartbeatIntervalMs,
        facts,
      });
}

function unreleasedInstance({ settings }: ConsumerGroup, holder: ConsumerMember): AllotError {
  const { onInstanceConflict: action = 'retry', heartbeatIntervalMs } = settings;
  return new AllotError(
    'UNRELEASED_INSTANCE_ID',
    `The instance id ${holder.instanceId} is in use by member ${holder.memberId}. It is free again when that member leaves or its session ends.`,
    {
      action,
      ...(action === 'retry' && { retryAfterMs: heartbeatIntervalMs }),
      facts: { instanceId: holder.instanceId, heldBy: holder.memberId },
    },
  );
}

/** Whether the member is expected back. */
export function isAway({ memberEpoch }: ConsumerMember): boolean {
  return memberEpoch === LEFT_TEMPORARILY;
}
