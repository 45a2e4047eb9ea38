import type { AuditEntry, GroupRevision, RevisionMember } from '@allot/coordinator';
import { diffByMember, diffByPartition, type Assignment } from '@allot/model';
import { showAssignment } from '../groups/assignment.contract.js';
import type { AssignmentDifference, Change, Revision } from './history.contract.js';

export function showEntry({ ref, change, added, removed, members, ended }: AuditEntry, cursor?: string): Change {
  const { revision, at, kind, cause, origin, planId, details } = change;
  const { state, groupEpoch, assignmentEpoch, rebalance } = change;
  return {
    groupId: ref.groupId,
    ...{ revision, at: new Date(at), kind, cause, ...origin },
    ...(planId !== undefined && { planId }),
    ...(details !== undefined && { details }),
    ...{ state, groupEpoch, assignmentEpoch, added, removed, membersChanged: members },
    begins: rebalance?.begins === true,
    ...rebalance?.target,
    ...(ended !== undefined && { ended }),
    ...(cursor !== undefined && { cursor }),
  };
}

export function showRevision(groupId: string, { change, members }: GroupRevision): Revision {
  const { revision, at, cause, origin, planId, state, groupEpoch, assignmentEpoch } = change;
  const { actor, reason } = origin;
  return {
    ...{ groupId, revision, at: new Date(at), cause, actor },
    ...(reason !== undefined && { reason }),
    ...(planId !== undefined && { planId }),
    ...{ state, groupEpoch, assignmentEpoch },
    members: [...members.values()].map(({ current, revoking, target, ...member }) => ({
      ...member,
      current: showAssignment(current),
      revoking: showAssignment(revoking),
      target: showAssignment(target),
    })),
  };
}

export function showDifference(
  from: GroupRevision,
  to: GroupRevision,
  of: (member: RevisionMember) => Assignment,
): AssignmentDifference {
  const assignmentOf = ({ members }: GroupRevision) => new Map([...members].map(([id, member]) => [id, of(member)]));
  const partitions = diffByPartition(assignmentOf(from), assignmentOf(to));
  const members = [...diffByMember(partitions)].map(([memberId, { gained, lost }]) => ({
    memberId,
    gained: showAssignment(gained),
    lost: showAssignment(lost),
  }));
  return { partitions, members };
}
