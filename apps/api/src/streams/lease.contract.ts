import { AllotError } from '@allot/model';
import { ApiProperty } from '@nestjs/swagger';
import { IntField, SafeIntField, TextField, TimeField } from '../contracts/fields.js';
import { Integer, rule } from '../validation/rules.js';

const TOKEN = /^\d{1,15}$/;

export class LeaseRequest {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 2 ** 31 - 1,
    description: 'The `memberEpoch` of the last answer.',
    example: 1,
  })
  @Integer(1, 2 ** 31 - 1)
  memberEpoch!: number;

  @ApiProperty({
    type: 'string',
    pattern: TOKEN.source,
    description: 'The `token` of the `lease` event that was read last, as it was.',
    example: '1764547200000',
  })
  @rule({
    name: 'token',
    complain: (value) =>
      typeof value === 'string' && TOKEN.test(value) ? undefined : 'must be the token of a lease event',
  })
  token!: string;
}

/** Where a listening member stands. */
export class LeaseAnswer {
  @IntField("The member's epoch; another one than it sent: an answer was lost, send a heartbeat.", {
    min: 1,
    example: 1,
  })
  memberEpoch!: number;

  @TextField('As in the answer to a heartbeat. When it is not STABLE, send a heartbeat.', { example: 'STABLE' })
  state!: string;

  @IntField('Epoch of the group.', { example: 3 })
  groupEpoch!: number;

  @IntField("Epoch of the target; above the member's own: send a heartbeat.", { example: 3 })
  assignmentEpoch!: number;

  @SafeIntField("The group's revision.", { example: 7 })
  revision!: number;

  @TimeField("Until when the member may work without another answer, by the service's clock; durable.")
  validUntil!: Date;

  @IntField('The same as a span: count it on a monotonic clock from when the request was sent.', { example: 44_750 })
  validForMs!: number;
}

interface Epochs {
  readonly memberEpoch: number;
  /** Accepted once more, as in a heartbeat: the answer with the new one may have been lost. */
  readonly previousMemberEpoch?: number;
}

/** Whether the epoch that a member claims may be its own. */
export function hasReached(member: Epochs | undefined, claimed: number): boolean {
  return member !== undefined && (claimed === member.memberEpoch || claimed === member.previousMemberEpoch);
}

/** Why a lease was not extended, from what the group knows of the member. */
export function refusedLease(memberId: string, claimed: number, member: Epochs | undefined): AllotError {
  if (member === undefined) return unknownMember(memberId);
  if (hasReached(member, claimed)) {
    const detail = `The session of member ${memberId} has ended. Drop all partitions and join again with epoch 0.`;
    return new AllotError('UNKNOWN_MEMBER_ID', detail, { action: 'rejoin' });
  }
  const { memberEpoch } = member;
  return new AllotError(
    'FENCED_MEMBER_EPOCH',
    `The member's epoch is ${memberEpoch}, not ${claimed}. Drop all partitions without committing and join again with epoch 0.`,
    { action: 'rejoin', facts: { memberEpoch } },
  );
}

export function unknownMember(memberId: string): AllotError {
  return new AllotError('UNKNOWN_MEMBER_ID', `The group has no member ${memberId}. Join again.`, { action: 'rejoin' });
}
