import type { GroupSnapshot, SnapshotMember } from '@allot/coordinator';
import { importedAssignor, type ImportedGroup } from '@allot/interop';
import { type Assignment, assignmentFromJson, assignmentToJson, unionAssignment } from '@allot/model';
import type { Assignor } from '@allot/strategies';
import { LIMITS } from '../config/limits.js';
import { complainAboutName } from '../validation/rules.js';
import type { ImportedGroupReport } from './import.contract.js';

/** What a group in the text becomes: a snapshot, or nothing, for a reason. */
export type GroupDecision =
  | { readonly groupId: string; readonly snapshot: GroupSnapshot }
  | { readonly groupId: string | undefined; readonly reason: string };

export function decideGroup(group: ImportedGroup, findAssignor: (name: string) => Assignor | undefined): GroupDecision {
  const { groupId, members, partitions } = group;
  const skip = (reason: string): GroupDecision => ({ groupId, reason });
  if (groupId === undefined)
    return skip('The text does not name it: send its id as `groupId`, or as ?group= beside text.');
  const unusable = complaintAbout(groupId);
  if (unusable !== undefined) return skip(`Its id ${unusable}.`);
  if (members.length === 0 && partitions.length === 0)
    return skip('Nothing in the text says who is in it or what it reads.');
  for (const { memberId, assignment } of members) {
    const complaint = complaintAbout(memberId);
    if (complaint !== undefined) return skip(`The member id ${JSON.stringify(memberId.slice(0, 60))} ${complaint}.`);
    if (assignment === undefined) {
      return skip(`The text does not say what member ${memberId} owns: paste the offsets view (--describe) as well.`);
    }
  }
  // A name that is not known here may be that of the group's own class; the snapshot does without.
  const named = importedAssignor(group);
  const assignor = named === undefined ? undefined : findAssignor(named)?.name;
  const topics = [...new Set(partitions.map(({ topic }) => topic))];
  return {
    groupId,
    snapshot: { members: members.map(snapshotOf), topics, ...(assignor === undefined ? {} : { assignor }) },
  };
}

function snapshotOf({
  memberId,
  clientId,
  instanceId,
  assignment,
  targetAssignment,
}: ImportedGroup['members'][number]) {
  return {
    memberId,
    assigned: assignment!,
    ...(clientId === undefined ? {} : { clientId }),
    ...(instanceId === undefined ? {} : { instanceId }),
    ...(targetAssignment === undefined ? {} : { target: targetAssignment }),
  } satisfies SnapshotMember;
}

/** The figures of the report. */
export function describeGroup({ groupId, state, unstable, members, partitions }: ImportedGroup) {
  const owned = members.map(({ memberId, assignment }) => ({ memberId, size: sizeOf(assignment) }));
  const unowned = partitions.filter(({ memberId }) => memberId === undefined);
  const byTopic = unowned.reduce<Assignment>(
    (sum, { topic, partition }) => unionAssignment(sum, new Map([[topic, [partition]]])),
    assignmentFromJson({}),
  );
  return {
    ...(groupId === undefined ? {} : { groupId }),
    state,
    unstable,
    members: members.length,
    assignedPartitions: owned.reduce((sum, { size = 0 }) => sum + size, 0),
    idle: owned.filter(({ size }) => size === 0).map(({ memberId }) => memberId),
    unowned: assignmentToJson(byTopic),
  } satisfies Omit<ImportedGroupReport, 'outcome'>;
}

function sizeOf(assignment: Assignment | undefined): number | undefined {
  return assignment && [...assignment.values()].reduce((sum, numbers) => sum + numbers.length, 0);
}

function complaintAbout(id: string): string | undefined {
  return id.length > LIMITS.nameLength ? `is longer than ${LIMITS.nameLength} characters` : complainAboutName(id);
}
