import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { LIMITS } from '../config/limits.js';
import { MutationQuery } from '../http/mutation.js';
import { Absent, FreeText, Name } from '../validation/rules.js';

const GROUP_DESCRIPTION = 'Id of the group in tables that do not name it (Kafka up to 2.2).';

export class ImportQuery extends MutationQuery {
  @ApiPropertyOptional({ type: 'string', description: GROUP_DESCRIPTION })
  @Absent()
  @Name()
  group?: string;
}

/** What Kafka's tools printed, as a JSON body. */
export class ImportRequest {
  @ApiProperty({
    type: 'string',
    description: 'The output of kafka-topics.sh --describe and kafka-consumer-groups.sh --describe, in any mixture.',
  })
  @FreeText(LIMITS.bodyBytes)
  text!: string;

  @ApiPropertyOptional({ type: 'string', description: GROUP_DESCRIPTION })
  @Absent()
  @Name()
  groupId?: string;
}

const OUTCOMES = ['created', 'changed', 'unchanged', 'skipped'];

@ApiSchema({ description: 'What became of a topic in the text.' })
export class ImportedTopicReport {
  @ApiProperty({ example: 'orders' })
  name!: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: 'Absent when the text does not say.' })
  partitions?: number;

  @ApiProperty({ type: 'string', description: 'An open enum.', examples: OUTCOMES, example: 'created' })
  outcome!: string;

  @ApiPropertyOptional({ type: 'string', description: 'Why it was skipped.' })
  reason?: string;
}

@ApiSchema({ description: 'What became of a group in the text.' })
export class ImportedGroupReport {
  @ApiPropertyOptional({ type: 'string', description: 'Absent when the text does not name it.', example: 'checkout' })
  groupId?: string;

  @ApiProperty({ type: 'string', description: 'An open enum.', examples: OUTCOMES, example: 'created' })
  outcome!: string;

  @ApiProperty({ type: 'string', description: 'What the text says of its state; an open enum.', example: 'stable' })
  state!: string;

  @ApiProperty({ type: 'boolean', description: 'It was rebalancing, or its views contradict each other.' })
  unstable!: boolean;

  @ApiProperty({ type: 'integer', minimum: 0 })
  members!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Partitions that a member owns.' })
  assignedPartitions!: number;

  @ApiProperty({ type: 'array', items: { type: 'string' }, description: 'Members that own nothing.' })
  idle!: string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'integer' } },
    description: 'Partitions without an owner, by topic.',
  })
  unowned!: Record<string, readonly number[]>;

  @ApiPropertyOptional({ type: 'string', description: 'Why it was skipped.' })
  reason?: string;
}

@ApiSchema({ description: 'The account of one line.' })
export class ImportedLine {
  @ApiProperty({ type: 'integer', minimum: 1 })
  lineNumber!: number;

  @ApiProperty({ type: 'string', description: 'What the line is; an open enum.', example: 'topic-partition' })
  kind!: string;

  @ApiProperty({ type: 'string', description: 'understood, ignored or not-understood.', example: 'understood' })
  status!: string;

  @ApiProperty({ type: 'string', description: 'What was read, or why it was left out and what would help.' })
  detail!: string;
}

@ApiSchema({ description: 'Something in the text to look at.' })
export class ImportWarningReport {
  @ApiProperty({ type: 'string', description: 'An open enum.', example: 'declared-count-mismatch' })
  code!: string;

  @ApiProperty({ type: 'string' })
  message!: string;

  @ApiProperty({ type: 'array', items: { type: 'integer', minimum: 1 }, description: 'The lines concerned.' })
  lineNumbers!: readonly number[];

  @ApiPropertyOptional({ type: 'string' })
  topic?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 0 })
  partition?: number;

  @ApiPropertyOptional({ type: 'string' })
  groupId?: string;

  @ApiPropertyOptional({ type: 'string' })
  memberId?: string;
}

export class ImportTotals {
  @ApiProperty({ type: 'integer', minimum: 0 })
  lines!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  understood!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Lines that carry nothing to import.' })
  ignored!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  notUnderstood!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  topics!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  groups!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  members!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  reassignments!: number;
}

@ApiSchema({ description: 'What was understood, line by line, and what became of it.' })
export class ImportReport {
  @ApiProperty({ type: 'boolean', description: 'Whether this was a dry run: nothing was changed.' })
  dryRun!: boolean;

  @ApiProperty({ type: 'array', items: { type: 'string' }, description: 'Formats found; open enum.' })
  formats!: readonly string[];

  @ApiProperty({ type: () => ImportTotals })
  totals!: ImportTotals;

  @ApiProperty({ type: () => [ImportedTopicReport] })
  topics!: ImportedTopicReport[];

  @ApiProperty({ type: () => [ImportedGroupReport] })
  groups!: ImportedGroupReport[];

  @ApiProperty({ type: () => [ImportWarningReport] })
  warnings!: readonly ImportWarningReport[];

  @ApiProperty({ type: () => [ImportedLine] })
  lines!: readonly ImportedLine[];
}
