import type { GroupChange, GroupReading, GroupRef, MemberChange as ToldMember } from '@allot/coordinator';
import { createUnionType, ObjectType } from '@nestjs/graphql';
import {
  FlagField,
  IntField,
  ListField,
  ObjectField,
  SafeIntField,
  TextField,
  TimeField,
} from '../contracts/fields.js';
import { showAssignment, listAssignment, TopicPartitions } from './assignment.contract.js';
import { GroupSummary } from './group.contract.js';
import { nodeOf, type GroupNode } from './group-node.js';

@ObjectType({ description: 'What a revision changed of one member; what is null did not change.' })
export class MemberDiff {
  @TextField('Id of the member.')
  memberId!: string;

  @FlagField('The member is no longer in the group.')
  removed!: boolean;

  @IntField('The epoch that the member has reached.', { min: -2, optional: true })
  memberEpoch?: number;

  @TextField('How far the member is.', { optional: true })
  state?: string;

  @ListField(() => TopicPartitions, 'What the member may work on.', { optional: true })
  current?: TopicPartitions[];

  @ListField(() => TopicPartitions, 'What it has still to give up.', { optional: true })
  revoking?: TopicPartitions[];

  @ListField(() => TopicPartitions, 'Where the group wants it to be.', { optional: true })
  target?: TopicPartitions[];
}

@ObjectType({ description: 'One revision of a group: everything that changed, and why.' })
export class GroupRevision {
  @SafeIntField('The revision.', { example: 7 })
  revision!: number;

  @TimeField('When it was committed.')
  at!: Date;

  @TextField('group, member, assignment, rebalance.started or rebalance.completed. More values may come.')
  kind!: string;

  @TextField('Why. More values may come.', { example: 'member-joined' })
  cause!: string;

  @TextField('Who asked for it.')
  actor!: string;

  @TextField('The reason that was given.', { optional: true })
  reason?: string;

  @TextField('The request that asked for it.', { optional: true })
  requestId?: string;

  @TextField('State of the group after it.')
  state!: string;

  @IntField('Epoch of the group.')
  groupEpoch!: number;

  @IntField('Epoch of the target.')
  assignmentEpoch!: number;

  @ListField(() => MemberDiff, 'What changed, member by member.')
  members!: MemberDiff[];

  @TextField('Id of the group.')
  groupId!: string;

  /** Which cluster; GraphQL asks for the group by it. */
  cluster!: string;
}

@ObjectType({
  description: 'The whole group as it is at a revision: the first event, and whenever changes were missed.',
})
export class GroupSnapshot {
  @SafeIntField('The revision.', { example: 7 })
  revision!: number;

  @TextField(
    'START: nothing was seen before. COMPACTED: what came after `sinceRevision` is no longer kept. BEHIND: the client was too slow, or ' +
      'the group is another one by now. More values may come.',
    { enum: ['START', 'COMPACTED', 'BEHIND'] },
  )
  because!: string;

  @ObjectField(() => GroupSummary, 'The group at this revision.')
  group!: GroupNode;
}

@ObjectType({ description: 'The group was deleted; the subscription ends.' })
export class GroupDeleted {
  @SafeIntField('The last revision that was seen.')
  revision!: number;

  @TextField('Id of the group.')
  groupId!: string;
}

export type GroupEventNode = (GroupRevision | GroupSnapshot | GroupDeleted) & {
  readonly __typename: 'GroupRevision' | 'GroupSnapshot' | 'GroupDeleted';
};

export const GroupEvent = createUnionType({
  name: 'GroupEvent',
  description: 'What a subscription to a group tells. Every event carries the revision after which to resume.',
  types: () => [GroupRevision, GroupSnapshot, GroupDeleted] as const,
  resolveType: ({ __typename }: GroupEventNode) => __typename,
});

export function showRevision(ref: GroupRef, { at, origin, members, ...change }: GroupChange): GroupRevision {
  return { ...change, ...ref, at: new Date(at), ...origin, members: members.map(showDiff) };
}

export function showSnapshot(ref: GroupRef, reading: GroupReading, because: string): GroupSnapshot {
  return { revision: reading.group.revision, because, group: nodeOf(ref, reading) };
}

function showDiff({ current, revoking, target, removed, ...member }: ToldMember): MemberDiff {
  return {
    ...member,
    removed: removed === true,
    ...(current !== undefined && { current: listAssignment(showAssignment(current)) }),
    ...(revoking !== undefined && { revoking: listAssignment(showAssignment(revoking)) }),
    ...(target !== undefined && { target: listAssignment(showAssignment(target)) }),
  };
}
