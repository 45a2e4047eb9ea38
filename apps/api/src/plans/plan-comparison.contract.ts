import { WORK_LIMIT, type ComparisonRefusal, type ComparisonRow, type RightSize } from '@allot/planner';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema, getSchemaPath, PickType } from '@nestjs/swagger';
import { PlanRequest } from './plan.contract.js';

const COUNT = { type: 'integer', minimum: 0 } as const;

/** What the description of each question says about the limit of its work. */
export const WORK_DESCRIPTION =
  `At most ${WORK_LIMIT.toLocaleString('en-US')} units of work, else \`LIMIT_EXCEEDED\`: each run of an assignor takes one ` +
  'for every partition, every member and every eight topic names in the subscriptions.';

@ApiSchema({ description: 'A group as in a plan, what would change, and the assignors to try on it.' })
export class ComparisonRequest extends PlanRequest {
  @ApiProperty({
    type: 'array',
    maxItems: 50,
    items: { type: 'string' },
    description: 'Assignors, by name or alias. `assignor` is the one in use now.',
    example: ['range', 'sticky', 'uniform'],
  })
  assignors!: unknown;
}

@ApiSchema({ description: 'What would change in a stored group, and the assignors to try on it.' })
export class GroupComparisonRequest extends PickType(ComparisonRequest, ['assignors', 'changes'] as const) {}

export class RestartCost {
  @ApiProperty({ ...COUNT, description: 'Members that restart at a time: a tenth of the group.' })
  batchSize!: number;

  @ApiProperty(COUNT)
  moves!: number;

  @ApiProperty(COUNT)
  rebalances!: number;
}

@ApiSchema({
  description: 'Partitions whose owner is in the rack of a replica, of those of which both racks are known.',
})
export class RackMatches {
  @ApiProperty(COUNT)
  local!: number;

  @ApiProperty(COUNT)
  known!: number;
}

@ApiSchema({ description: 'How one assignor does on the group.' })
export class ComparedAssignor implements ComparisonRow {
  @ApiProperty({ type: 'string', example: 'sticky' })
  assignor!: string;

  @ApiProperty({ type: 'string', description: 'The Kafka versions whose answer this is.' })
  kafkaVersions!: string;

  @ApiProperty({ type: 'string', enum: ['eager', 'cooperative', 'consumer'] })
  protocol!: ComparisonRow['protocol'];

  @ApiProperty({
    type: 'object',
    required: ['overall', 'perTopic'],
    properties: { overall: COUNT, perTopic: { type: 'object', additionalProperties: COUNT } },
    description: 'Most minus least partitions of a member.',
  })
  skew!: ComparisonRow['skew'];

  @ApiProperty({ ...COUNT, description: 'Partitions of the least busy member.' })
  least!: number;

  @ApiProperty({ ...COUNT, description: 'Partitions of the busiest member.' })
  most!: number;

  @ApiProperty({ ...COUNT, description: 'Members without partitions.' })
  idle!: number;

  @ApiProperty({ ...COUNT, description: "Moves from what the group has now to this assignor's target." })
  movesNow!: number;

  @ApiProperty({ ...COUNT, description: 'Moves after that when one member joins.' })
  movesOnAdd!: number;

  @ApiProperty({ ...COUNT, description: 'Moves after that when the last member leaves instead.' })
  movesOnRemove!: number;

  @ApiProperty({
    type: () => RestartCost,
    description: 'What a rolling restart costs after that, as if no member were static.',
  })
  rollingRestart!: RestartCost;

  @ApiProperty({ type: () => RackMatches })
  rackLocality!: ComparisonRow['rackLocality'];
}

@ApiSchema({ description: 'An assignor that refuses the group or the Kafka version.' })
export class RefusingAssignor implements ComparisonRefusal {
  @ApiProperty({ type: 'string' })
  assignor!: string;

  @ApiProperty({ type: 'string', description: 'Its reason.' })
  refused!: string;
}

@ApiExtraModels(ComparedAssignor, RefusingAssignor)
export class ComparisonAnswer {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [ComparedAssignor, RefusingAssignor].map((type) => ({ $ref: getSchemaPath(type) })) },
    description: 'One row an assignor, in the order of the request.',
  })
  rows!: readonly (ComparedAssignor | RefusingAssignor)[];
}

@ApiSchema({ description: 'A group as in a plan, what would change, and how many members to try.' })
export class RightSizeRequest extends PlanRequest {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: 'Most members to try; as many as partitions when absent, 512 at most.',
  })
  upTo?: unknown;
}

@ApiSchema({ description: 'What would change in a stored group, and how many members to try.' })
export class GroupRightSizeRequest extends PickType(RightSizeRequest, ['upTo', 'changes'] as const) {}

@ApiSchema({ description: 'A number of members at which the busiest one has less than at every smaller number.' })
export class HelpfulSize {
  @ApiProperty(COUNT)
  members!: number;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    description: 'Load of the busiest member: partitions, or their weights where topics have some.',
  })
  busiest!: number;

  @ApiProperty({ ...COUNT, description: 'Members without partitions.' })
  idle!: number;
}

export class CurrentSize {
  @ApiProperty(COUNT)
  members!: number;

  @ApiProperty({ type: 'number', minimum: 0, description: 'Load of the busiest member.' })
  busiest!: number;

  @ApiProperty({ ...COUNT, description: 'The smallest number of members that is as good for the busiest one.' })
  enough!: number;
}

export class RightSizeAnswer {
  @ApiProperty({ type: 'string', example: 'sticky' })
  assignor!: string;

  @ApiProperty({ type: () => [HelpfulSize], description: 'Ascending; numbers between two of them help nobody.' })
  sizes!: readonly HelpfulSize[];

  @ApiProperty({ ...COUNT, description: 'Every number from 1 to this was considered.' })
  evaluatedUpTo!: number;

  @ApiProperty({
    type: 'boolean',
    description: 'Whether more members cannot help, because each has a partition already.',
  })
  exhaustive!: boolean;

  @ApiPropertyOptional({ type: () => CurrentSize, description: 'The group as it is; absent in an empty one.' })
  now?: RightSize['now'];
}
