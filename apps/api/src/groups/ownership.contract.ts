import type { AssignmentJson } from '@allot/model';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LIMITS } from '../config/limits.js';
import { FlagField, IntField, ListField, TextField, TimeField } from '../contracts/fields.js';
import { Absent, Integer, Name } from '../validation/rules.js';
import { ASSIGNMENT_SCHEMA, AssignmentField, AssignmentOf } from './assignment.contract.js';

export class OwnershipRequest {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: LIMITS.nameLength,
    description: 'Id of the member that asks.',
  })
  @Name()
  memberId!: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description:
      'The `memberEpoch` of the answer that gave the member these partitions, or of a later one in which it still had them. Groups of type consumer.',
    example: 1,
  })
  @Absent()
  @Integer(0, 2 ** 31 - 1)
  memberEpoch?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: 'The generation in which the member believes to be. Groups of type classic, instead of `memberEpoch`.',
  })
  @Absent()
  @Integer(0, 2 ** 31 - 1)
  generation?: number;

  @ApiProperty({ ...ASSIGNMENT_SCHEMA, description: 'What the write is about.' } as never)
  @AssignmentOf()
  partitions!: AssignmentJson;
}

export const FENCING_CODES = [
  'UNKNOWN_MEMBER_ID',
  'FENCED_INSTANCE_ID',
  'SESSION_EXPIRED',
  'REBALANCE_TIMEOUT',
  'FENCED_MEMBER_EPOCH',
  'NOT_HELD',
  'ASSIGNED_LATER',
  'ILLEGAL_GENERATION',
  'REBALANCE_IN_PROGRESS',
] as const;

export class FencingReason {
  @TextField('Why. More values may come.', { enum: FENCING_CODES, example: 'NOT_HELD' })
  code!: string;

  @AssignmentField('The partitions that it concerns.')
  partitions!: AssignmentJson;
}

/** Whether a member holds what it believes to hold. */
export class OwnershipAnswer {
  @FlagField('The member holds all of it. When false, do not write, whatever the reason.')
  valid!: boolean;

  @AssignmentField('What the member does not hold, or not since the claimed epoch.')
  fenced!: AssignmentJson;

  @ListField(() => FencingReason, 'Why; empty when `valid`.')
  reasons!: FencingReason[];

  @IntField('What the member has reached; absent when the group does not know it.', {
    min: -2,
    optional: true,
    example: 1,
  })
  memberEpoch?: number;

  @TimeField(
    "Before this time, by the service's clock, nobody else gets what is not fenced, unless the member gives it up. Absent when its time is over.",
    { optional: true },
  )
  validUntil?: Date;

  @IntField('The same as a span: count it on a monotonic clock from when the request was sent.', {
    optional: true,
    example: 41_200,
  })
  validForMs?: number;
}
