import type { AuditEntry } from '@allot/coordinator';
import type { AssignmentJson } from '@allot/model';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  FlagField,
  IntField,
  ListField,
  ObjectField,
  SafeIntField,
  TextField,
  TextListField,
  TimeField,
} from '../contracts/fields.js';
import { AssignmentField } from '../groups/assignment.contract.js';
import { type ListKind, pageOf, PageQuery } from '../paging/page.js';
import { OwnerChange } from '../plans/plan.contract.js';
import { Absent, Name, Pattern, QueryFlag, QueryInteger } from '../validation/rules.js';
import { LIMITS } from '../config/limits.js';

/** The rebalance that ended with a revision. */
export class RebalanceEnd {
  @SafeIntField('The revision that began it.', { example: 7 })
  revision!: number;

  @SafeIntField('From its beginning to its end, in ms.', { example: 412 })
  durationMs!: number;

  @TextListField('Members that the others waited for: it ended with their heartbeat. Empty when it ended as it began.')
  late!: readonly string[];
}

/** One revision of a group: who did what, when and why. */
export class Change {
  @TextField('Id of the group.', { example: 'checkout' })
  groupId!: string;

  @SafeIntField('Revision of the group.', { example: 7 })
  revision!: number;

  @TimeField('When it was committed, by the clock of the database.')
  at!: Date;

  @TextField(
    'The most telling thing it did: group, member, assignment, rebalance.started, rebalance.completed. More may come.',
  )
  kind!: string;

  @TextField('Why. More values may come.', { example: 'member-joined' })
  cause!: string;

  @TextField('Who.', { example: 'anonymous' })
  actor!: string;

  @TextField('The reason that was given.', { optional: true })
  reason?: string;

  @TextField('The request.', { optional: true })
  requestId?: string;

  @TextField('The stored plan that was applied.', { optional: true })
  planId?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean'] },
    description: 'What else belongs to the cause, such as the ids of an instance conflict.',
  } as never)
  details?: Readonly<Record<string, string | number | boolean>>;

  @TextField('The state of the group from then on. More values may come.', { example: 'STABLE' })
  state!: string;

  @IntField('Epoch of the group.', { example: 3 })
  groupEpoch!: number;

  @IntField('Epoch of its target.', { example: 3 })
  assignmentEpoch!: number;

  @TextListField('Members that are new.')
  added!: readonly string[];

  @TextListField('Members that are gone.')
  removed!: readonly string[];

  @IntField('Members for which something changed, new and gone ones included.', { example: 2 })
  membersChanged!: number;

  @FlagField('Whether a rebalance began.')
  begins!: boolean;

  @IntField('Partitions that a new target moves from one member to another; absent without one.', { optional: true })
  movedPartitions?: number;

  @IntField("The busiest member's partitions minus the least busy one's, in the target before.", { optional: true })
  skewBefore?: number;

  @IntField('The same in the new target.', { optional: true })
  skewAfter?: number;

  @ObjectField(() => RebalanceEnd, 'The rebalance that ended.', { optional: true })
  ended?: RebalanceEnd;

  @TextField('Its place in the feed that it was read from: `after` goes on behind it.', { optional: true })
  cursor?: string;
}

export class ChangePage extends pageOf(Change) {}

/** Newest first; the key is the revision. */
export const REVISIONS: ListKind<AuditEntry, number> = {
  kind: 'revisions',
  keyType: 'number',
  keyOf: ({ change }) => change.revision,
};

export class RevisionsQuery extends PageQuery {
  @ApiPropertyOptional({
    type: 'boolean',
    default: false,
    description: 'Only revisions that gave the group a new target.',
  })
  @Absent()
  @QueryFlag()
  targetsOnly?: boolean;
}

const WAIT = '^\\d{1,5}(ms|s)$';

export class FeedQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.pageSize,
    default: LIMITS.defaultPageSize,
    description: 'Most changes in the answer.',
  })
  @Absent()
  @QueryInteger(1, LIMITS.pageSize)
  pageSize?: number;

  @ApiPropertyOptional({
    type: 'string',
    description:
      'The `cursor` of an earlier answer or change: only what is newer. Of one group a revision. `newest`: only what happens from now on. ' +
      'Absent: everything that is kept.',
  })
  @Absent()
  @Name(100)
  after?: string;

  @ApiPropertyOptional({
    type: 'string',
    pattern: WAIT,
    description: 'When there is nothing newer, wait so long for it, as in 30s or 500ms, at most 60s.',
  })
  @Absent()
  @Pattern(new RegExp(WAIT), 'must be a time such as 30s or 500ms')
  wait?: string;
}

/** What happened after a cursor, oldest first. */
export class ChangeFeedPage {
  @ListField(() => Change, 'Changes, oldest first.')
  items!: readonly Change[];

  @TextField('Where to go on: `after` of the next request. It is there even when nothing is newer.')
  cursor!: string;
}

/** A member as of a revision. */
export class PastMember {
  @TextField('Id of the member.')
  memberId!: string;

  @TextField('Id of a static member.', { optional: true })
  instanceId?: string;

  @IntField('The epoch that it had reached; -2: left temporarily.', { min: -2 })
  memberEpoch!: number;

  @TextField('How far it was. More values may come.', { example: 'STABLE' })
  state!: string;

  @AssignmentField('What it could work on.')
  current!: AssignmentJson;

  @AssignmentField('What it had been told to give up and had not yet given up.')
  revoking!: AssignmentJson;

  @AssignmentField('Where the group wanted it to be.')
  target!: AssignmentJson;
}

/** A group as a revision left it. */
export class Revision {
  @TextField('Id of the group.', { example: 'checkout' })
  groupId!: string;

  @SafeIntField('The revision.', { example: 7 })
  revision!: number;

  @TimeField('When it was committed.')
  at!: Date;

  @TextField('Why. More values may come.', { example: 'member-joined' })
  cause!: string;

  @TextField('Who.', { example: 'anonymous' })
  actor!: string;

  @TextField('The reason that was given.', { optional: true })
  reason?: string;

  @TextField('The stored plan that was applied.', { optional: true })
  planId?: string;

  @TextField('The state of the group. More values may come.', { example: 'STABLE' })
  state!: string;

  @IntField('Epoch of the group.', { example: 3 })
  groupEpoch!: number;

  @IntField('Epoch of its target.', { example: 3 })
  assignmentEpoch!: number;

  @ListField(() => PastMember, 'Its members.')
  members!: readonly PastMember[];
}

/** What one member gained and lost. */
export class MemberDifference {
  @TextField('Id of the member.')
  memberId!: string;

  @AssignmentField('What it has in the second revision alone.')
  gained!: AssignmentJson;

  @AssignmentField('What it has in the first revision alone.')
  lost!: AssignmentJson;
}

/** The same difference in both orientations. */
export class AssignmentDifference {
  @ListField(() => OwnerChange, 'By topic and partition: who had it, who has it.')
  partitions!: readonly OwnerChange[];

  @ListField(() => MemberDifference, 'By member.')
  members!: readonly MemberDifference[];
}

/** How two revisions of a group differ, and how it came about. */
export class RevisionDifference {
  @SafeIntField('The first revision.', { example: 7 })
  from!: number;

  @SafeIntField('The second revision; it may be the older one.', { example: 9 })
  to!: number;

  @ObjectField(() => AssignmentDifference, 'Of the targets.')
  target!: AssignmentDifference;

  @ObjectField(() => AssignmentDifference, 'Of what members could work on.')
  current!: AssignmentDifference;

  @ApiProperty({ type: () => [Change], description: 'What happened between the two, oldest first.' })
  changes!: readonly Change[];

  @SafeIntField('Changes between the two that are not listed, because there are too many.', { optional: true })
  moreChanges?: number;
}
