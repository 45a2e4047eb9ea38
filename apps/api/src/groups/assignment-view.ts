import { inJoinOrder, unownedPartitionsOf, withoutEpochs, type GroupFrame, type GroupMember } from '@allot/coordinator';
import { compareText, filterAssignment, type Assignment, type AssignmentJson } from '@allot/model';
import { showAssignment } from './assignment.contract.js';

export interface AssignmentFilter {
  readonly members?: ReadonlySet<string>;
  readonly topics?: ReadonlySet<string>;
}

export interface AssignmentView {
  readonly revision: number;
  readonly groupEpoch: number;
  readonly assignmentEpoch: number;
  readonly members?: Readonly<Record<string, MemberAssignment>>;
  readonly partitions?: Readonly<Record<string, readonly PartitionOwner[]>>;
  readonly unowned: AssignmentJson;
  readonly idle: readonly string[];
}

interface MemberAssignment {
  readonly current: AssignmentJson;
  readonly target: AssignmentJson;
  /** Present while the member gives partitions up. */
  readonly revoking?: AssignmentJson;
}

export interface PartitionOwner {
  readonly partition: number;
  /** Who may work on it; null: nobody. */
  readonly current: string | null;
  readonly target: string | null;
  /** The epoch at which `current` got it; a write under a smaller epoch is from the past. */
  readonly assignmentEpoch?: number;
  /** Who still has to give it up. */
  readonly revoking?: string;
}

/** Who has what, by member. `idle` are members without anything in the target. */
export function viewByMember(group: GroupFrame, filter: AssignmentFilter): AssignmentView {
  const members = Object.create(null) as Record<string, MemberAssignment>;
  for (const member of selected(group, filter)) {
    const show = (assignment: Assignment) => showAssignment(onlyTopics(assignment, filter));
    members[member.memberId] = {
      current: show(withoutEpochs(member.assigned)),
      target: show(member.target),
      ...(member.pendingRevocation.size > 0 && { revoking: show(withoutEpochs(member.pendingRevocation)) }),
    };
  }
  return { ...frame(group, filter), members };
}

/** Who has what, by topic and partition: every partition of the topics that the group reads. */
export function viewByPartition(group: GroupFrame, filter: AssignmentFilter): AssignmentView {
  const owners = new Map<string, PartitionOwner[]>();
  const of = (topic: string): PartitionOwner[] => {
    let list = owners.get(topic);
    if (list === undefined) owners.set(topic, (list = []));
    return list;
  };
  const set = (topic: string, partition: number, owner: Partial<PartitionOwner>) => {
    const list = of(topic);
    list[partition] = { ...(list[partition] ?? { partition, current: null, target: null }), ...owner };
  };
  for (const [topic, { partitions }] of group.subscribedTopics) for (let p = 0; p < partitions; p++) set(topic, p, {});
  for (const { memberId, assigned, pendingRevocation, target } of group.members.values()) {
    for (const [topic, epochs] of assigned) {
      for (const [p, assignmentEpoch] of epochs) set(topic, p, { current: memberId, assignmentEpoch });
    }
    for (const [topic, epochs] of pendingRevocation)
      for (const p of epochs.keys()) set(topic, p, { revoking: memberId });
    for (const [topic, numbers] of target) for (const p of numbers) set(topic, p, { target: memberId });
  }
  const partitions = Object.create(null) as Record<string, readonly PartitionOwner[]>;
  for (const topic of [...owners.keys()].sort(compareText)) {
    if (filter.topics?.has(topic) === false) continue;
    partitions[topic] = owners.get(topic)!.filter((owner) => owner !== undefined && concerns(owner, filter));
  }
  return { ...frame(group, filter), partitions };
}

function concerns({ current, target, revoking }: PartitionOwner, { members }: AssignmentFilter): boolean {
  if (members === undefined) return true;
  return [current, target, revoking].some((memberId) => typeof memberId === 'string' && members.has(memberId));
}

function selected(group: GroupFrame, { members }: AssignmentFilter): GroupMember[] {
  return inJoinOrder(group).filter(({ memberId }) => members?.has(memberId) ?? true);
}

function onlyTopics(assignment: Assignment, { topics }: AssignmentFilter): Assignment {
  return topics === undefined ? assignment : filterAssignment(assignment, (topic) => topics.has(topic));
}

function frame(group: GroupFrame, filter: AssignmentFilter) {
  const { revision, groupEpoch, assignmentEpoch } = group;
  const unowned = showAssignment(onlyTopics(unownedPartitionsOf(group), filter));
  const idle = selected(group, filter).filter(({ target }) => target.size === 0);
  return { revision, groupEpoch, assignmentEpoch, unowned, idle: idle.map(({ memberId }) => memberId) };
}
