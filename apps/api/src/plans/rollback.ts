import { groupSpecOf, type Catalog, type Group, type GroupRevision, type RevisionMember } from '@allot/coordinator';
import {
  assignmentToJson,
  countPartitions,
  filterAssignment,
  type AssignmentJson,
  type GroupSpec,
  type MemberSpec,
} from '@allot/model';

/** As much of an earlier target as there still is, to be filled up by the assignor. */
export interface Rollback {
  readonly revision: number;
  /** Member -> assignment. */
  readonly kept: Readonly<Record<string, AssignmentJson>>;
  readonly warnings: readonly RollbackWarning[];
}

export interface RollbackWarning {
  readonly code: 'rollback-members-gone' | 'rollback-partitions-gone' | 'rollback-filled-up';
  readonly severity: 'warning';
  readonly message: string;
  readonly count: number;
  readonly members?: readonly string[];
}

/**
 * What of a revision's target its members can have again: they are still there (a static one under whichever id), subscribe to
 * the topic, and the partition exists. The warnings say what is missing, and what that revision did not have.
 */
export function restrictToPresent(
  { change, members }: GroupRevision,
  { group, catalog }: { readonly group: Group; readonly catalog: Catalog },
): Rollback {
  const spec = groupSpecOf(group, catalog);
  const counts = new Map(spec.topics.map(({ name, partitions }) => [name, partitions]));
  const find = finder(spec);
  const kept = Object.create(null) as Record<string, AssignmentJson>;
  const gone: string[] = [];
  let [lost, restored, homeless] = [0, 0, 0];
  for (const past of members.values()) {
    const wanted = countPartitions(past.target);
    const present = find(past);
    if (present === undefined) {
      if (wanted > 0) gone.push(past.memberId);
      homeless += wanted;
      continue;
    }
    const subscribed = new Set(present.topics);
    const again = filterAssignment(past.target, (topic, partition) => {
      return subscribed.has(topic) && partition < (counts.get(topic) ?? 0);
    });
    if (again.size > 0) kept[present.id] = assignmentToJson(again);
    restored += countPartitions(again);
    lost += wanted - countPartitions(again);
  }
  const all = spec.topics.reduce((sum, { partitions }) => sum + partitions, 0);
  const { revision } = change;
  return { revision, kept, warnings: warningsOf({ revision, gone, homeless, lost, filled: all - restored }) };
}

function finder({ members }: GroupSpec): (past: RevisionMember) => MemberSpec | undefined {
  const byId = new Map(members.map((member) => [member.id, member]));
  const byInstance = new Map(members.flatMap((member) => (member.instanceId ? [[member.instanceId, member]] : [])));
  return ({ memberId, instanceId }) => byId.get(memberId) ?? (instanceId ? byInstance.get(instanceId) : undefined);
}

interface Missing {
  readonly revision: number;
  readonly gone: readonly string[];
  readonly homeless: number;
  readonly lost: number;
  readonly filled: number;
}

function warningsOf({ revision, gone, homeless, lost, filled }: Missing): RollbackWarning[] {
  const severity = 'warning' as const;
  const warnings: RollbackWarning[] = [];
  if (gone.length > 0) {
    const message = `Of revision ${revision} these members are gone, and their ${homeless} partitions go to others: ${gone.slice(0, 5).join(', ')}${gone.length > 5 ? ` and ${gone.length - 5} more` : ''}.`;
    warnings.push({ code: 'rollback-members-gone', severity, message, count: gone.length, members: gone });
  }
  if (lost > 0) {
    const message = `${lost} partitions of revision ${revision} do not exist any more, or their members no longer subscribe to the topic.`;
    warnings.push({ code: 'rollback-partitions-gone', severity, message, count: lost });
  }
  if (filled > 0) {
    const message = `${filled} partitions have no member of revision ${revision} to go back to; the assignor gives them out.`;
    warnings.push({ code: 'rollback-filled-up', severity, message, count: filled });
  }
  return warnings;
}
