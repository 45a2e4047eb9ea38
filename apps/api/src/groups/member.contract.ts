import type { AssignmentJson } from '@allot/model';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LIMITS } from '../config/limits.js';
import { IntField, SafeIntField, TextField, TextListField, TimeField } from '../contracts/fields.js';
import {
  Absent,
  Each,
  Integer,
  ListOf,
  Name,
  Nested,
  QueryFlag,
  complainAboutName,
  rule,
} from '../validation/rules.js';
import { ASSIGNMENT_SCHEMA, AssignmentField, AssignmentOf } from './assignment.contract.js';
import { DAY_MS } from './group-rules.js';
import { MutationQuery } from '../http/mutation.js';

const NAME = { type: 'string', minLength: 1, maxLength: LIMITS.nameLength } as const;

export class SubscriptionRequest {
  @ApiPropertyOptional({
    type: 'array',
    maxItems: LIMITS.subscribedTopics,
    items: { type: 'string', minLength: 1, maxLength: LIMITS.topicNameLength },
    description: 'Topic names; a topic may come later.',
  } as never)
  @Absent()
  @ListOf(LIMITS.subscribedTopics, 'topic names')
  @Each('topic', (value) => complainAboutName(value))
  topics?: string[];

  @ApiPropertyOptional({
    type: 'string',
    minLength: 1,
    maxLength: LIMITS.patternLength,
    description: 'RE2 pattern, matched against whole names of existing and future topics.',
  })
  @Absent()
  @Name(LIMITS.patternLength)
  pattern?: string;
}

/** What a member says of itself. */
export class MemberDescription {
  @ApiPropertyOptional({
    type: () => SubscriptionRequest,
    description: 'What the member reads: topics, or a pattern, or both.',
  })
  @Absent()
  @Nested(() => SubscriptionRequest)
  subscription?: SubscriptionRequest;

  @ApiPropertyOptional({
    ...ASSIGNMENT_SCHEMA,
    description:
      'In place of a subscription: partitions that the member chooses itself, of topics that nobody in the group subscribes to. No ' +
      'rebalance is for its sake. Cannot change later.',
  } as never)
  @Absent()
  @AssignmentOf()
  assign?: AssignmentJson;

  @ApiPropertyOptional({ ...NAME, description: 'Makes the member static (group.instance.id).' })
  @Absent()
  @Name()
  instanceId?: string;

  @ApiPropertyOptional({ ...NAME, description: 'Rack of the member (client.rack).' })
  @Absent()
  @Name()
  rackId?: string;

  @ApiPropertyOptional({ ...NAME, description: 'What the client calls itself.' })
  @Absent()
  @Name()
  clientId?: string;

  @ApiPropertyOptional({
    type: 'number',
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    description: 'Relative capacity, 1 when absent.',
  } as never)
  @Absent()
  @rule({
    name: 'weight',
    complain: (value) =>
      typeof value === 'number' && value > 0 && value <= 1_000_000
        ? undefined
        : 'must be a number above 0, at most 1000000',
  })
  weight?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: DAY_MS,
    description: "How long the member may take to give partitions up; the group's when absent.",
  })
  @Absent()
  @Integer(1, DAY_MS)
  rebalanceTimeoutMs?: number;
}

export class JoinRequest extends MemberDescription {
  @ApiPropertyOptional({
    ...NAME,
    description: 'An id of its own making, a UUID for instance; made by the service when absent.',
  })
  @Absent()
  @Name()
  memberId?: string;
}

export class HeartbeatRequest extends MemberDescription {
  @ApiProperty({
    type: 'integer',
    minimum: -2,
    maximum: 2 ** 31 - 1,
    description:
      '0: join, or start over holding nothing. Positive: the epoch of the last answer. -1: leave. -2: a static member leaves and will return.',
    example: 1,
  })
  @Integer(-2, 2 ** 31 - 1)
  memberEpoch!: number;

  @ApiPropertyOptional({
    ...ASSIGNMENT_SCHEMA,
    description: 'Everything the member holds right now. Absent means unknown, never nothing.',
  } as never)
  @Absent()
  @AssignmentOf()
  owned?: AssignmentJson;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description:
      'The `revision` of the last answer, 0 before the first. By it the service knows a heartbeat that was given up and arrives after a later one, and does ' +
      'not take a partition away that the member has received since.',
  })
  @Absent()
  @Integer(0, Number.MAX_SAFE_INTEGER)
  revision?: number;
}

export class RemoveQuery extends MutationQuery {
  @ApiProperty({ ...NAME, description: 'Instance id of the static member to remove.' })
  @Name()
  instanceId!: string;
}

export class LeaveQuery extends MutationQuery {
  @ApiPropertyOptional({ type: 'boolean', default: false, description: 'A static member leaves and will return.' })
  @Absent()
  @QueryFlag()
  temporarily?: boolean;
}

/** What a member is told. */
export class MemberAnswer {
  @TextField('Id of the member; every later call names it.', { example: 'b1c7e2c4-6a4e-4bb0-9d0a-1f1f0c2e7a11' })
  memberId!: string;

  @IntField('Send it with the next heartbeat.', { min: -2, example: 1 })
  memberEpoch!: number;

  @TextField(
    'STABLE: at the target. UNREVOKED_PARTITIONS: drop `revoking` and report. UNRELEASED_PARTITIONS: more comes.',
    {
      example: 'STABLE',
    },
  )
  state!: string;

  @AssignmentField('What the member may work on; absent when it reported exactly this.', { optional: true })
  assignment?: AssignmentJson;

  @AssignmentField('What the member must drop, then report without.')
  revoking!: AssignmentJson;

  @IntField('Time between heartbeats.', { example: 5_000 })
  heartbeatIntervalMs!: number;

  @IntField('After this silence the member is fenced.', { example: 45_000 })
  sessionTimeoutMs!: number;

  @IntField('How long the member may take to give partitions up.', { example: 300_000 })
  rebalanceTimeoutMs!: number;

  @TimeField("Until when the member may work without another answer, by the service's clock; durable.")
  validUntil!: Date;

  @IntField('The same as a span: count it on a monotonic clock from when the request was sent.', { example: 44_750 })
  validForMs!: number;

  @IntField('Epoch of the group.', { example: 3 })
  groupEpoch!: number;

  @IntField('Epoch of the target.', { example: 3 })
  assignmentEpoch!: number;

  @SafeIntField("The group's revision.", { example: 7 })
  revision!: number;

  @TextListField('Topics that the member subscribes to and the cluster does not have; absent: none.', {
    optional: true,
  })
  unknownTopics?: string[];
}
