import type { PlanJson } from '@allot/planner';
import type { StoredPlan } from '@allot/coordinator';
import { HideField, ObjectType } from '@nestjs/graphql';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import {
  FlagField,
  IntField,
  ListField,
  ObjectField,
  SafeIntField,
  SchemaField,
  TextField,
  TextListField,
  TimeField,
} from '../contracts/fields.js';
import { ASSIGNMENT_SCHEMA, TopicPartitions } from '../groups/assignment.contract.js';
import { type ListKind, pageOf, PageQuery } from '../paging/page.js';
import { Absent, OneOf } from '../validation/rules.js';
import {
  BY_MEMBER,
  ASSIGNOR,
  BROKERS,
  CHANGES,
  TOPIC,
  MEMBER,
  PARTITIONS,
  PINS,
  WEIGHTED_STICKY,
} from './plan-schemas.js';

@ObjectType({ description: 'One partition that changes hands.' })
export class OwnerChange {
  @TextField('Name of the topic.')
  topic!: string;

  @IntField('Partition number.')
  partition!: number;

  @SchemaField('Member that has it now; null: nobody.', { type: ['string', 'null'] }, () => String, { optional: true })
  from?: string | null;

  @SchemaField('Member that gets it; null: nobody.', { type: ['string', 'null'] }, () => String, { optional: true })
  to?: string | null;
}

@ObjectType({ description: 'Something to know before a plan is carried out.' })
export class PlanWarning {
  @TextField('Stable code of the warning. More may come.', { example: 'idle-members' })
  code!: string;

  @TextField('info: what will happen. warning: a reason to look again.', { enum: ['info', 'warning'] })
  severity!: string;

  @TextField('For people: what is the case, and what to do.')
  message!: string;
}

@ApiSchema({
  description: 'A group, and what would change. Topics and members are as in the lines of the conformance vectors.',
})
export class PlanRequest {
  @ApiPropertyOptional({ ...ASSIGNOR, default: 'range' } as never)
  assignor?: unknown;

  @ApiPropertyOptional({ type: 'string', description: 'Kafka version whose rule is wanted; the newest when absent.' })
  kafkaVersion?: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['eager', 'cooperative', 'consumer'],
    description: 'How members take the plan up.',
  })
  protocol?: string;

  @ApiPropertyOptional(BROKERS as never)
  brokers?: unknown;

  @ApiProperty({
    type: 'array',
    items: TOPIC,
    description: 'The topics; a topic that a member names and that is not here does not exist.',
    example: [{ name: 'orders', partitions: 10 }],
  } as never)
  topics!: unknown;

  @ApiProperty({
    type: 'array',
    items: MEMBER,
    description: 'The members in the order in which they joined.',
    example: [
      { id: 'c1', topics: ['orders'] },
      { id: 'c2', topics: ['orders'] },
    ],
  } as never)
  members!: unknown;

  @ApiPropertyOptional(CHANGES as never)
  changes?: unknown;

  @ApiPropertyOptional(PINS as never)
  pins?: unknown;

  @ApiPropertyOptional(WEIGHTED_STICKY as never)
  weightedSticky?: unknown;

  @ApiPropertyOptional({
    ...PARTITIONS,
    description: 'Every subscribed partition once, in the order in which threads-roundrobin deals them out.',
  } as never)
  partitionOrder?: unknown;
}

@ApiSchema({ description: 'What would change in a live or imported group.' })
export class GroupPlanRequest {
  @ApiPropertyOptional(CHANGES as never)
  changes?: unknown;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description:
      'Instead of changes: back to the target of this revision, as far as its members and partitions are still there. The assignor ' +
      'gives out the rest; the warnings say which.',
  })
  rollbackTo?: unknown;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1_000,
    maximum: 604_800_000,
    default: 86_400_000,
    description: 'How long the plan may be applied.',
  })
  validForMs?: unknown;
}

@ApiSchema({ description: 'Where a group is, where it would be, and what it takes to get there.' })
export class PlanAnswer {
  @ApiProperty({ type: 'string', example: 'sticky', description: 'The assignor that decided.' })
  assignor!: string;

  @ApiProperty({ type: 'string', description: 'The Kafka versions whose answer this is.' })
  kafkaVersions!: string;

  @ApiProperty({ type: 'string', enum: ['eager', 'cooperative', 'consumer'] })
  protocol!: string;

  @ApiProperty({
    type: 'string',
    enum: ['owned', 'computed'],
    description:
      "Whether `current` is what members said they own, or (nobody owns anything) the assignor's answer without the changes.",
  })
  currentSource!: string;

  @ApiProperty({ ...BY_MEMBER, description: 'Member to assignment before the changes.' } as never)
  current!: PlanJson['current'];

  @ApiProperty({ ...BY_MEMBER, description: 'Member to assignment after the changes.' } as never)
  target!: PlanJson['target'];

  @ApiProperty({
    ...BY_MEMBER,
    description: 'What the first round hands out; less than the target under cooperative-sticky.',
  } as never)
  assignment!: PlanJson['assignment'];

  @ApiProperty({ type: () => [OwnerChange], description: 'current to target, by topic and partition.' })
  diff!: OwnerChange[];

  @ApiProperty({
    type: 'object',
    additionalProperties: {
      type: 'object',
      required: ['gained', 'lost'],
      properties: { gained: ASSIGNMENT_SCHEMA, lost: ASSIGNMENT_SCHEMA },
    },
    description: 'The same by member; members without a change are left out.',
  } as never)
  memberDiff!: PlanJson['memberDiff'];

  @ApiProperty({
    type: 'object',
    required: ['moves', 'skew', 'idle'],
    properties: {
      moves: { type: 'integer', description: 'Partitions that go from one member to another.' },
      forcedMoves: { type: 'integer', description: 'Moves that no assignor could avoid.' },
      skew: { type: 'object', description: 'Most minus least partitions of a member: `overall` and `perTopic`.' },
      idle: { type: 'array', items: { type: 'string' } },
    },
    additionalProperties: true,
  } as never)
  stats!: PlanJson['stats'];

  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    description: 'Members without partitions, and why.',
  } as never)
  idle!: PlanJson['idle'];

  @ApiProperty({ ...ASSIGNMENT_SCHEMA, description: 'Partitions that nobody has in the target.' } as never)
  unowned!: PlanJson['unowned'];

  @ApiProperty({ type: [String], description: 'Subscribed topics that do not exist.' })
  unknownTopics!: readonly string[];

  @ApiProperty({
    type: 'object',
    description: 'What pauses under each protocol.',
    additionalProperties: { type: 'object' },
  } as never)
  disruption!: PlanJson['disruption'];

  @ApiProperty({ type: [String] })
  addedMembers!: readonly string[];

  @ApiProperty({ type: [String] })
  removedMembers!: readonly string[];

  @ApiProperty({ type: () => [PlanWarning] })
  warnings!: PlanWarning[];
}

@ObjectType({ description: 'What one member has in a plan.' })
export class PlannedMember {
  @TextField('Id of the member.')
  memberId!: string;

  @ListField(() => TopicPartitions, 'Its partitions.')
  assignment!: TopicPartitions[];
}

@ObjectType({ description: 'Why a plan cannot be applied.' })
export class PlanBlocker {
  @TextField('Stable code. More may come.', { example: 'members-missing' })
  code!: string;

  @TextField('JSON pointer to the change in the way, in the request that made the plan; empty: the group itself.')
  pointer!: string;

  @TextField('What stands in the way, and what to do.')
  message!: string;
}

@ObjectType({ description: 'Who decided about a plan.' })
export class PlanDecision {
  @TextField('Who.')
  actor!: string;

  @TimeField('When.')
  at!: Date;

  @TextField('Why.', { optional: true })
  reason?: string;
}

@ObjectType({ description: 'Who applied a plan, and what the group became.' })
export class PlanApplication extends PlanDecision {
  @SafeIntField("The group's revision that is the applied plan.")
  revision!: number;
}

/** The facts of a stored plan; one class for REST and GraphQL. */
@ObjectType({ description: 'A what-if on a group, kept for review.' })
export class Plan {
  @TextField('Id of the plan.')
  id!: string;

  @TextField('The group.')
  groupId!: string;

  @TextField('open, approved, applied, discarded or expired. More values may come.', { example: 'open' })
  status!: string;

  @FlagField('Whether it could be applied to a group that has not changed; `blockers` say why not.')
  applicable!: boolean;

  @ListField(() => PlanBlocker, 'What stands in the way of applying it.')
  blockers!: readonly PlanBlocker[];

  @ObjectField(() => PlanDecision, 'Who approved it.', { optional: true })
  approved?: PlanDecision;

  @ObjectField(() => PlanApplication, 'Who applied it.', { optional: true })
  applied?: PlanApplication;

  @ObjectField(() => PlanDecision, 'Who discarded it.', { optional: true })
  discarded?: PlanDecision;

  @SafeIntField("The group's revision that the plan was computed from.")
  baseRevision!: number;

  @TextField('Hash of everything the computation read; equal hashes mean equal plans.')
  inputHash!: string;

  @TextField('Who made it.')
  author!: string;

  @TextField('Why.', { optional: true })
  reason?: string;

  @TimeField('When it was made.')
  createdAt!: Date;

  @TimeField('Until when it may be applied.')
  expiresAt!: Date;

  @HideField()
  @ApiProperty({ type: () => PlanAnswer })
  result!: PlanAnswer;
}

/** What GraphQL shows of the result; REST has it whole under `result`. */
@ObjectType({ description: 'Where a group would be, and what it takes to get there.' })
export class PlanResult {
  @TextField('The assignor that decided.')
  assignor!: string;

  @IntField('Partitions that go from one member to another.')
  moves!: number;

  @IntField('Moves that no assignor could avoid.')
  forcedMoves!: number;

  @IntField('Most minus least partitions of a member.')
  skew!: number;

  @TextListField('Members without partitions.')
  idle!: readonly string[];

  @ListField(() => OwnerChange, 'current to target, by topic and partition.')
  diff!: readonly OwnerChange[];

  @ListField(() => PlannedMember, 'Members with what they would have.')
  target!: PlannedMember[];

  @ListField(() => PlanWarning, 'What to know before.')
  warnings!: readonly PlanWarning[];
}

const PLAN_FILTERS = ['open', 'approved', 'applied', 'discarded', 'expired'] as const;

export class PlansQuery extends PageQuery {
  @ApiPropertyOptional({ type: 'string', enum: PLAN_FILTERS, description: 'Only plans of this status.' })
  @Absent()
  @OneOf(PLAN_FILTERS)
  status?: (typeof PLAN_FILTERS)[number];
}

export class PlanPage extends pageOf(Plan) {}

/** Newest first; the key is the time of making and the id. */
export const PLANS: ListKind<StoredPlan, string> = {
  kind: 'plans',
  keyType: 'string',
  keyOf: ({ createdAt, id }) => `${createdAt}:${id}`,
};
