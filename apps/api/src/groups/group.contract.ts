import type { AssignmentJson } from '@allot/model';
import type { GroupSummary as Summary } from '@allot/coordinator';
import { InputType, ObjectType } from '@nestjs/graphql';
import {
  FlagField,
  IntField,
  ListField,
  NumberField,
  ObjectField,
  SafeIntField,
  TextField,
  TextListField,
  TimeField,
} from '../contracts/fields.js';
import { connectionOf } from '../paging/connection.js';
import { type ListKind, pageOf } from '../paging/page.js';
import { Flag } from '../validation/rules.js';
import { AssignmentField } from './assignment.contract.js';
import {
  AutoFreeze,
  CONFLICT_ACTIONS,
  Hold,
  MaintenanceWindow,
  Pin,
  STATIC_POLICIES,
  TopicPartition,
  WeightedSticky,
} from './settings.contract.js';

export const GROUP_TYPES = ['consumer', 'classic'] as const;
export const ASSIGNED_BY = ['leader', 'service'] as const;
const STATES = ['EMPTY', 'ASSIGNING', 'RECONCILING', 'STABLE', 'PREPARING_REBALANCE', 'COMPLETING_REBALANCE'] as const;
const MEMBER_STATES = [
  'STABLE',
  'UNREVOKED_PARTITIONS',
  'UNRELEASED_PARTITIONS',
  'JOINING',
  'JOINED',
  'SYNCED',
] as const;

@ObjectType({ description: 'Who must agree before a plan is applied.' })
@InputType('PlanApprovalInput')
export class PlanApproval {
  @FlagField('Whether somebody other than its author must approve a plan first.', { example: true })
  @Flag()
  required!: boolean;
}

@ObjectType({ description: 'What an operator set of a group; times in milliseconds.' })
export class GroupSpec {
  @TextListField('Assignors in order of preference; the first decides.', { example: ['range'] })
  assignors!: string[];

  @TextField('Kafka version whose assignor rule is used; the newest when absent.', { optional: true, example: '4.0' })
  kafkaVersion?: string;

  @IntField('A member that is silent for longer is fenced.', { example: 45_000 })
  sessionTimeoutMs!: number;

  @IntField('What members are told to keep between heartbeats.', { example: 5_000 })
  heartbeatIntervalMs!: number;

  @IntField('How long a member may take to give partitions up.', { example: 300_000 })
  rebalanceTimeoutMs!: number;

  @IntField('Most members the group takes.', { example: 1_000 })
  maxSize!: number;

  @IntField('Shortest time between two targets, in groups of 50 members and more.', { example: 1_000 })
  assignmentIntervalMs!: number;

  @IntField('From how many members on there is a shortest time between two targets; 50 when absent.', {
    optional: true,
  })
  assignmentIntervalFromMembers?: number;

  @IntField('How long a group that was empty waits for more members; absent: not at all.', { optional: true })
  initialDelayMs?: number;

  @TextField('Of a classic group: who computes the assignment of a generation; the leader when absent.', {
    optional: true,
    enum: ASSIGNED_BY,
  })
  assignedBy?: string;

  @IntField('The most partitions that one target takes from members that could keep them; absent: any number.', {
    optional: true,
  })
  moveBudget?: number;

  @ListField(() => Pin, 'Partitions that go to certain members, whatever the assignor.', { optional: true })
  pins?: readonly Pin[];

  @ObjectField(() => WeightedSticky, 'What weighted-sticky is told.', { optional: true })
  weightedSticky?: WeightedSticky;

  @ListField(() => TopicPartition, 'In which threads-roundrobin deals partitions out; read by plans.', {
    optional: true,
  })
  partitionOrder?: readonly TopicPartition[];

  @FlagField('Whether an operator froze the group: it gets no new target. `hold` of the group says more.')
  frozen!: boolean;

  @ListField(() => MaintenanceWindow, 'Times without new targets.', { optional: true })
  maintenanceWindows?: readonly MaintenanceWindow[];

  @ObjectField(() => AutoFreeze, 'When the group freezes itself; absent: never.', { optional: true })
  autoFreeze?: AutoFreeze;

  @TextField('Who wins when a second process joins under an instance id in use; oldest-wins when absent.', {
    optional: true,
    enum: STATIC_POLICIES,
  })
  staticPolicy?: string;

  @TextField('What the process that lost an instance id is told to do.', { optional: true, enum: CONFLICT_ACTIONS })
  onInstanceConflict?: string;

  @ObjectField(() => PlanApproval, 'Who must agree before a plan is applied; absent: nobody.', { optional: true })
  planApproval?: PlanApproval;
}

@ObjectType({ description: 'What a member reads.' })
export class MemberSubscription {
  @TextListField('Topic names as the member listed them.', { example: ['orders'] })
  topics!: string[];

  @TextField('RE2 pattern, matched against whole names of existing and future topics.', { optional: true })
  pattern?: string;
}

@ObjectType({ description: 'A member of a group, with what it has and what it shall have side by side.' })
export class Member {
  @TextField('Id of the member.', { example: 'b1c7e2c4-6a4e-4bb0-9d0a-1f1f0c2e7a11' })
  memberId!: string;

  @TextField('Id of a static member (group.instance.id).', { optional: true })
  instanceId?: string;

  @TextField('Rack of the member (client.rack).', { optional: true })
  rackId?: string;

  @TextField('What the client calls itself.', { optional: true })
  clientId?: string;

  @NumberField('Relative capacity; read by weighted assignors alone.', { optional: true })
  weight?: number;

  @ObjectField(() => MemberSubscription, 'What the member reads.')
  subscription!: MemberSubscription;

  @IntField('The epoch that the member has reached; -2: left temporarily.', { min: -2, example: 1 })
  memberEpoch!: number;

  @TextField('How far the member is. More values may come.', { enum: MEMBER_STATES, example: 'STABLE' })
  state!: string;

  @FlagField('An operator wants it to end: it gets nothing more and hands over what it has.', { optional: true })
  draining?: boolean;

  @TextField('The member that has taken its instance id over. It keeps what it has until its time is over.', {
    optional: true,
  })
  supersededBy?: string;

  @FlagField('It chose its partitions itself, and no rebalance is for its sake.', { optional: true })
  manual?: boolean;

  @AssignmentField('What the member may work on.')
  current!: AssignmentJson;

  @AssignmentField('What the member was told to give up and has not yet reported to have dropped.')
  revoking!: AssignmentJson;

  @AssignmentField('Where the group wants the member to be.')
  target!: AssignmentJson;

  @TimeField('Until when the member may work without another heartbeat; absent in imported groups.', { optional: true })
  validUntil?: Date;
}

/** A group as REST answers it whole; GraphQL has `GroupSummary` and gets the rest field by field. */
export class Group {
  @TextField('Id of the group.', { example: 'checkout' })
  groupId!: string;

  @TextField('Type of the group.', { enum: GROUP_TYPES, example: 'consumer' })
  type!: string;

  @TextField('live: served here. imported: a picture of a group in Kafka, to read and to plan on.', {
    enum: ['live', 'imported'],
    example: 'live',
  })
  source!: string;

  @TextField('Derived from members and epochs. More values may come.', { enum: STATES, example: 'STABLE' })
  state!: string;

  @SafeIntField('Rises with every change; the ETag.', { example: 7 })
  revision!: number;

  @IntField('Rises when a new target is needed.', { example: 3 })
  groupEpoch!: number;

  @IntField('The group epoch for which the target was computed.', { example: 3 })
  assignmentEpoch!: number;

  @IntField('Classic groups: the generation, which is the group epoch as well.', { optional: true, example: 3 })
  generation?: number;

  @TextField('Classic groups: the assignor that the members agreed on.', { optional: true, example: 'range' })
  protocol?: string;

  @TextField('Classic groups: id of the member that leads.', { optional: true })
  leader?: string;

  @ObjectField(() => GroupSpec, 'What was asked for.')
  spec!: GroupSpec;

  @ListField(() => Member, 'Members in the order in which they joined.')
  members!: Member[];

  @AssignmentField('Partitions that nobody may work on right now.')
  unowned!: AssignmentJson;

  @TextListField('Members without any partition in the target.')
  idle!: string[];

  @TextListField('Topics that members subscribe to and the cluster does not have.')
  unknownTopics!: string[];

  @TextField('Why the assignor gave no valid target for the group epoch.', { optional: true })
  assignorFault?: string;

  @ObjectField(() => Hold, 'What keeps the group from a new target; absent: nothing.', { optional: true })
  hold?: Hold;

  @IntField('Moves that the move budget leaves to further targets; absent: none.', { optional: true })
  deferredMoves?: number;

  @AssignmentField('Partitions that subscriptions cover and no target gives out, since manual members have them.', {
    optional: true,
  })
  leftOut?: AssignmentJson;

  @TimeField('When the group was made.')
  createdAt!: Date;
}

@ObjectType('Group', { description: 'A group.' })
export class GroupSummary {
  @TextField('Id of the group.', { example: 'checkout' })
  groupId!: string;

  @TextField('Type of the group.', { enum: GROUP_TYPES, example: 'consumer' })
  type!: string;

  @TextField('live or imported.', { enum: ['live', 'imported'], example: 'live' })
  source!: string;

  @TextField('Derived from members and epochs. More values may come.', { enum: STATES, example: 'STABLE' })
  state!: string;

  @SafeIntField('Rises with every change; the ETag.', { example: 7 })
  revision!: number;

  @IntField('Rises when a new target is needed.', { example: 3 })
  groupEpoch!: number;

  @IntField('The group epoch for which the target was computed.', { example: 3 })
  assignmentEpoch!: number;

  @IntField('Classic groups: the generation, which is the group epoch as well.', { optional: true, example: 3 })
  generation?: number;

  @TextField('Classic groups: the assignor that the members agreed on.', { optional: true, example: 'range' })
  protocol?: string;

  @TextField('Classic groups: id of the member that leads.', { optional: true })
  leader?: string;

  @IntField('Number of members.', { example: 3 })
  memberCount!: number;

  @IntField('Partitions that members may work on.', { example: 10 })
  assignedPartitions!: number;

  @TextField('Why the assignor gave no valid target.', { optional: true })
  assignorFault?: string;

  @TimeField('When the group was made.')
  createdAt!: Date;

  @TimeField('When it last changed.')
  updatedAt!: Date;
}

export class GroupPage extends pageOf(GroupSummary) {}

@ObjectType()
export class GroupConnection extends connectionOf('Group', () => GroupSummary) {}

export const GROUPS: ListKind<Summary, string> = {
  kind: 'groups',
  keyType: 'string',
  keyOf: ({ ref }) => ref.groupId,
};
