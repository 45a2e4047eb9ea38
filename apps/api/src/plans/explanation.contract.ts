import type { Candidate, Claim, Explanation, MemberExplanationJson } from '@allot/planner';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ASSIGNMENT_SCHEMA } from '../groups/assignment.contract.js';
import { Absent, Name } from '../validation/rules.js';

const COUNT = { type: 'integer', minimum: 0 } as const;
/** A topic's name, a hyphen and a number. */
const LONGEST_PARTITION = 260;
const LONGEST_MEMBER = 1_000;

/** What is asked about: a partition or a member. */
export class ExplainQuery {
  @ApiPropertyOptional({
    type: 'string',
    maxLength: LONGEST_PARTITION,
    description: 'Explain this partition: topic, hyphen, number. Give this or `member`.',
    example: 'orders-3',
  })
  @Absent()
  @Name(LONGEST_PARTITION)
  partition?: string;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: LONGEST_MEMBER,
    description: 'Explain what the plan means for this member. Give this or `partition`.',
    example: 'c1',
  })
  @Absent()
  @Name(LONGEST_MEMBER)
  member?: string;
}

@ApiSchema({ description: 'A member that subscribes to the topic.' })
export class ExplainedCandidate implements Candidate {
  @ApiProperty({ type: 'string' })
  member!: string;

  @ApiProperty({
    ...COUNT,
    nullable: true,
    description: 'Its partitions before, of all topics; null: it was not there.',
  })
  loadBefore!: number | null;

  @ApiProperty({ ...COUNT, description: 'Its partitions in the target, of all topics.' })
  loadAfter!: number;

  @ApiProperty({ ...COUNT, description: 'Of these, partitions of the topic.' })
  inTopic!: number;

  @ApiProperty({
    type: 'boolean',
    nullable: true,
    description: 'Whether a replica is in its rack; null: a rack is not known.',
  })
  rackMatches!: boolean | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'Why it did not get the partition: pinned-to-owner, no-replica-in-rack, owner-keeps-it, has-its-share, has-as-many, ' +
      'had-more or rule-order; null: it did. More may come.',
  })
  passedOver!: Candidate['passedOver'];
}

@ApiSchema({ description: 'What a member said it owns.' })
export class ExplainedClaim implements Claim {
  @ApiProperty({ type: 'string' })
  member!: string;

  @ApiProperty({ type: 'integer', minimum: -1, description: '-1: a claim without a generation.' })
  generation!: number;

  @ApiProperty({ type: 'boolean', description: 'Whether it decided who the owner was.' })
  won!: boolean;
}

@ApiSchema({ description: 'Why a partition is where it is in the target.' })
export class PartitionExplanation implements Explanation {
  @ApiProperty({ type: 'string', example: 'orders' })
  topic!: string;

  @ApiProperty(COUNT)
  partition!: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'Owner before; null: nobody.' })
  from!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Owner in the target; null: nobody.' })
  to!: string | null;

  @ApiProperty({
    type: 'string',
    example: 'balance',
    description:
      'kept, first-owner, owner-left, owner-unsubscribed, pinned, rack, balance, rule, no-subscriber or partition-gone. More may come.',
  })
  cause!: Explanation['cause'];

  @ApiProperty({ type: 'boolean', description: 'Whether no assignor could have left it where it was.' })
  forced!: boolean;

  @ApiProperty({ type: 'string', example: 'sticky' })
  assignor!: string;

  @ApiProperty({ type: 'string', description: 'What the assignor does, for people.' })
  rule!: string;

  @ApiProperty({
    type: 'array',
    minItems: 2,
    maxItems: 2,
    items: COUNT,
    description: "The even share of the topic's subscribers, rounded down and up.",
  })
  evenShare!: Explanation['evenShare'];

  @ApiProperty({ type: () => [ExplainedCandidate], description: 'Everybody who could have it.' })
  candidates!: readonly ExplainedCandidate[];

  @ApiProperty({ type: () => [ExplainedClaim], description: 'Who said they own it, the newest generation first.' })
  claims!: readonly ExplainedClaim[];

  @ApiProperty({ type: [String], description: 'Racks of its replicas; empty: not known.' })
  racks!: readonly string[];

  @ApiProperty({ type: 'string', description: 'The same for people.' })
  text!: string;
}

@ApiSchema({ description: 'What a plan means for one member.' })
export class MemberExplanation implements MemberExplanationJson {
  @ApiProperty({ type: 'string', example: 'c1' })
  member!: string;

  @ApiProperty({
    ...ASSIGNMENT_SCHEMA,
    nullable: true,
    description: 'What it has before; null: it is not there.',
  } as never)
  before!: MemberExplanationJson['before'];

  @ApiProperty({
    ...ASSIGNMENT_SCHEMA,
    nullable: true,
    description: 'What it has in the target; null: it is gone.',
  } as never)
  after!: MemberExplanationJson['after'];

  @ApiProperty(ASSIGNMENT_SCHEMA as never)
  gained!: MemberExplanationJson['gained'];

  @ApiProperty(ASSIGNMENT_SCHEMA as never)
  lost!: MemberExplanationJson['lost'];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'Why it has nothing: no-subscription, no-partitions, more-members-than-partitions or assignor-rule. More may come.',
  })
  idle!: MemberExplanationJson['idle'];

  @ApiProperty({
    ...ASSIGNMENT_SCHEMA,
    description: "What it said it owned, and what counted as somebody else's or nobody's.",
  } as never)
  claimsLost!: MemberExplanationJson['claimsLost'];

  @ApiProperty({
    type: 'array',
    minItems: 2,
    maxItems: 2,
    items: COUNT,
    description: 'What members with the same topics have on average in the target, rounded down and up.',
  })
  evenShare!: MemberExplanationJson['evenShare'];

  @ApiProperty({ type: 'string', example: 'sticky' })
  assignor!: string;

  @ApiProperty({ type: 'string', description: 'What the assignor does, for people.' })
  rule!: string;

  @ApiProperty({ type: 'string', description: 'The same for people.' })
  text!: string;
}
