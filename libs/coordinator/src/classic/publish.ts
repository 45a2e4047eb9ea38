import {
  EMPTY_ASSIGNMENT,
  filterAssignment,
  holds,
  sameAssignment,
  subtractAssignment,
  type Assignment,
  type GroupAssignment,
} from '@allot/model';
import {
  addOwned,
  indexHolders,
  mergeOwned,
  sameOwned,
  splitOwned,
  withoutEpochs,
  type HolderIndex,
} from '../consumer/owned-partitions.js';
import type { ChangeCause } from '../history.js';
import type { ClassicDraft } from './classic-draft.js';
import type { ClassicMember } from './classic-group.js';

/**
 * Gives a generation its assignment and makes it stable. A member keeps what it has and shall have; what it has and shall not have it must
 * give up; and of the rest it gets what nobody else holds. So a cooperative member never receives a partition before the one
 * that works on it has joined again without it (KIP-429, by the ownership table instead of by the members' claims), and no member gets
 * what a silent static member may still be working on.
 */
export function publish(
  draft: ClassicDraft,
  target: GroupAssignment,
  cause: ChangeCause,
  userData: ReadonlyMap<string, string | undefined> = new Map(),
): void {
  draft.because(cause);
  const { group, context } = draft;
  const holderOf = indexHolders(group);
  let unsynced = false;
  for (const member of group.members.values()) {
    const wanted = target.get(member.memberId) ?? EMPTY_ASSIGNMENT;
    const inGeneration = member.memberEpoch === group.groupEpoch;
    const next = assigned(member, wanted, { generation: group.groupEpoch, holderOf });
    const data = userData.get(member.memberId);
    const { userData: _before, rebalanceDeadline: _deadline, ...rest } = next;
    const isTold = next.assigned.size > 0 && (inGeneration || next.assigned !== member.assigned);
    draft.setMember({
      ...rest,
      ...(isTold && { grantedRevision: draft.nextRevision }),
      ...(data !== undefined && { userData: data }),
      ...(inGeneration && next.pendingRevocation.size > 0 && { rebalanceDeadline: deadlineOf(member, context.now) }),
    });
    if (inGeneration && member.state === 'JOINED') unsynced = true;
  }
  draft.set({
    phase: 'STABLE',
    assignmentEpoch: group.groupEpoch,
    timer: unsynced ? group.timer : undefined,
    assignorFault: undefined,
  });
}

function assigned(
  member: ClassicMember,
  target: Assignment,
  { generation, holderOf }: { readonly generation: number; readonly holderOf: HolderIndex },
): ClassicMember {
  const inTarget = (topic: string, partition: number) => holds(target, topic, partition);
  const { kept, rest: revoke } = splitOwned(member.assigned, inTarget);
  const { kept: takenBack, rest: stillRevoking } = splitOwned(member.pendingRevocation, inTarget);
  const mine = mergeOwned(kept, takenBack);
  const wanted = subtractAssignment(target, withoutEpochs(mine));
  const free = filterAssignment(wanted, (topic, partition) => holderOf(topic, partition) === undefined);
  const now = addOwned(mine, free, generation);
  const pending = mergeOwned(stillRevoking, revoke);
  return {
    ...member,
    target: sameAssignment(target, member.target) ? member.target : target,
    assigned: sameOwned(now, member.assigned) ? member.assigned : now,
    pendingRevocation: sameOwned(pending, member.pendingRevocation) ? member.pendingRevocation : pending,
  };
}

/** Until when a member must have given up what it shall: never before the time that it was promised is over. */
function deadlineOf({ rebalanceTimeoutMs, sessionTimeoutMs }: ClassicMember, now: number): number {
  return now + Math.max(rebalanceTimeoutMs, sessionTimeoutMs);
}
