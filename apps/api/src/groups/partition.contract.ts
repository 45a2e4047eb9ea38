import { ObjectType } from '@nestjs/graphql';
import { IntField, TextField } from '../contracts/fields.js';
import { connectionOf } from '../paging/connection.js';
import type { ListKind } from '../paging/page.js';
import type { PartitionOwner } from './assignment-view.js';

@ObjectType({
  description: 'A partition that a group reads: who has it, who shall have it, and why nobody may work on it.',
})
export class GroupPartition {
  @TextField('Name of the topic.')
  topic!: string;

  @IntField('Partition number.')
  partition!: number;

  @TextField('Member that may work on it.', { optional: true })
  current?: string;

  @TextField('Member that shall have it.', { optional: true })
  target?: string;

  @TextField('Member that has still to give it up.', { optional: true })
  revoking?: string;

  @IntField('The epoch at which `current` got it; a write under a smaller one is from the past.', { optional: true })
  assignmentEpoch?: number;

  @TextField(
    'Why nobody may work on it: being-revoked, not-picked-up (its next member has not sent a heartbeat since), no-target (no member ' +
      'that wants it, or no target yet). More values may come.',
    { optional: true, enum: ['being-revoked', 'not-picked-up', 'no-target'] },
  )
  unownedBecause?: string;
}

@ObjectType()
export class GroupPartitionConnection extends connectionOf('GroupPartition', () => GroupPartition) {}

export const GROUP_PARTITIONS: ListKind<GroupPartition, string> = {
  kind: 'group-partitions',
  keyType: 'string',
  keyOf: ({ topic, partition }) => JSON.stringify([topic, partition]),
};

export function showPartition(topic: string, owner: PartitionOwner): GroupPartition {
  const { partition, current, target, revoking, assignmentEpoch } = owner;
  const unownedBecause = revoking !== undefined ? 'being-revoked' : target !== null ? 'not-picked-up' : 'no-target';
  return {
    topic,
    partition,
    ...(current !== null && { current }),
    ...(target !== null && { target }),
    ...(revoking !== undefined && { revoking }),
    ...(assignmentEpoch !== undefined && { assignmentEpoch }),
    ...(current === null && { unownedBecause }),
  };
}

@ObjectType({ description: 'A member without any partition in the target.' })
export class IdleMember {
  @TextField('Id of the member.')
  memberId!: string;

  @TextField(
    'no-subscription: it reads nothing. no-partitions: its topics have none, or do not exist. more-members-than-partitions. ' +
      'assignor-rule: the assignor left it out. More values may come.',
    { enum: ['no-subscription', 'no-partitions', 'more-members-than-partitions', 'assignor-rule'] },
  )
  reason!: string;
}
