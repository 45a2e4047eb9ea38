import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { PageQuery, pageOf } from '../paging/page.js';
import { Problem } from '../problems/problem.js';
import { Absent, OneOf } from '../validation/rules.js';

export const OPERATION_STATUSES = ['running', 'succeeded', 'failed', 'cancelled'] as const;

@ApiSchema({ description: 'Work that took longer than its client waited. It goes on when the service restarts.' })
export class BackgroundOperation {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ description: `An open enum: ${OPERATION_STATUSES.join(', ')}.`, example: 'running' })
  status!: string;

  @ApiProperty({ description: 'The request that it answers.', example: 'POST /v1/plans' })
  request!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'How often it was begun; more than once when replicas ended in between.',
  })
  attempts!: number;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;

  @ApiPropertyOptional({ type: String, format: 'date-time' })
  finishedAt?: Date;

  @ApiProperty({ type: 'integer', description: 'How long it has run, or ran, in milliseconds.', minimum: 0 })
  elapsedMs!: number;

  @ApiProperty({ type: String, format: 'date-time', description: 'Until when it can be read.' })
  expiresAt!: Date;

  @ApiPropertyOptional({
    type: Object,
    description: 'What the request would have been answered.',
    additionalProperties: true,
  })
  result?: unknown;

  @ApiPropertyOptional({ type: () => Problem, description: 'Why it failed.' })
  problem?: Problem;
}

export class OperationPage extends pageOf(BackgroundOperation) {}

export class OperationsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: OPERATION_STATUSES, description: 'Only operations of this status.' })
  @Absent()
  @OneOf(OPERATION_STATUSES)
  status?: (typeof OPERATION_STATUSES)[number];
}
