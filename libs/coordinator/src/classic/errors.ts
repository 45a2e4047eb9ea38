import { AllotError } from '@allot/model';
import type { GroupSettings } from '../group-settings.js';

export function unknownMember(memberId: string): AllotError {
  return new AllotError(
    'UNKNOWN_MEMBER_ID',
    `The group has no member ${memberId}: it left, or its time was over. Drop all partitions and join again without a member id.`,
    { action: 'rejoin' },
  );
}

export function unknownInstance(instanceId: string): AllotError {
  return new AllotError('UNKNOWN_MEMBER_ID', `No member has the instance id ${instanceId}. Join again.`, {
    action: 'rejoin',
  });
}

/** What the older of two processes with one instance id is told; the group says whether to stop or to try again. */
export function fencedInstance(instanceId: string, heldBy: string, { onInstanceConflict }: GroupSettings): AllotError {
  const action = onInstanceConflict ?? 'stop';
  return new AllotError(
    'FENCED_INSTANCE_ID',
    `The instance id ${instanceId} belongs to member ${heldBy} now: another process has joined under it. ` +
      (action === 'stop'
        ? 'Stop this process.'
        : 'Drop all partitions; join again if this process shall have it back.'),
    { action, facts: { heldBy } },
  );
}

export function unreleasedInstance(instanceId: string, heldBy: string, retryAfterMs: number): AllotError {
  return new AllotError(
    'UNRELEASED_INSTANCE_ID',
    `The instance id ${instanceId} is in use by member ${heldBy}. It is free again when that member leaves or its session ends.`,
    { action: 'retry', retryAfterMs, facts: { heldBy } },
  );
}

export function illegalGeneration(claimed: number, generation: number): AllotError {
  return new AllotError(
    'ILLEGAL_GENERATION',
    `The group is in generation ${generation}, not ${claimed}. Drop all partitions and join again.`,
    { action: 'rejoin', facts: { generation } },
  );
}

/** `revision`: of the group. Who joins again with it has said what it holds since. */
export function rebalanceInProgress(revision: number): AllotError {
  return new AllotError('REBALANCE_IN_PROGRESS', 'The group is rebalancing. Join again.', {
    action: 'rejoin',
    facts: { revision },
  });
}

export function coordinatorNotAvailable(): AllotError {
  return new AllotError('COORDINATOR_NOT_AVAILABLE', 'The group is gone. Join again, which makes it anew.', {
    action: 'rejoin',
  });
}

/** KIP-394. */
export function memberIdRequired(memberId: string): AllotError {
  return new AllotError('MEMBER_ID_REQUIRED', `Your member id is ${memberId}. Send the same request again with it.`, {
    action: 'rejoin',
    facts: { memberId },
  });
}

export function groupFull(maxSize: number): AllotError {
  return new AllotError(
    'GROUP_MAX_SIZE_REACHED',
    `The group takes ${maxSize} members and has no place for another. Raise maxSize, or join another group.`,
    { action: 'stop', facts: { maxSize } },
  );
}
