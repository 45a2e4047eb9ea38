import type { PartitionHolder as Holder } from '@allot/coordinator';
import { ObjectType } from '@nestjs/graphql';
import { IntField, IntListField, ListField, NumberField, TextField, TextListField } from '../contracts/fields.js';
import { connectionOf } from '../paging/connection.js';
import type { ListKind } from '../paging/page.js';
import type { Topic } from './topic.contract.js';

@ObjectType({ description: 'Who holds a partition, in one of the groups that read it.' })
export class PartitionHolder {
  @TextField('Id of the group.')
  groupId!: string;

  @TextField('Id of the member.')
  memberId!: string;

  @TextField('assigned: it may work on it. revoking: it has still to give it up. More values may come.')
  kind!: string;

  @IntField('The group epoch at which the member got it.')
  epoch!: number;
}

@ObjectType({ description: 'One partition of a topic: where it is, and who reads it.' })
export class PartitionDetails {
  @IntField('Partition number.')
  partition!: number;

  @IntField('Broker id of the leader; null: none, or not known.', { optional: true })
  leader?: number;

  @IntListField('Broker ids of the replicas; the first is the preferred leader.', { optional: true })
  replicas?: number[];

  @IntListField('Broker ids of the in-sync replicas.', { optional: true })
  isr?: number[];

  @TextListField("Racks of the replicas, in the replicas' order.", { optional: true })
  racks?: string[];

  @NumberField('Load, in any unit.', { optional: true })
  weight?: number;

  @ListField(() => PartitionHolder, 'Members that hold it, by group; groups in which nobody does are missing.')
  holders!: PartitionHolder[];
}

@ObjectType()
export class PartitionDetailsConnection extends connectionOf('PartitionDetails', () => PartitionDetails) {}

export const TOPIC_PARTITIONS: ListKind<{ readonly partition: number }, number> = {
  kind: 'topic-partitions',
  keyType: 'number',
  keyOf: ({ partition }) => partition,
};

export function showTopicPartition(topic: Topic, partition: number, holders: readonly Holder[]): PartitionDetails {
  const leader = topic.leaders?.[partition];
  const [replicas, isr, racks, weight] = [topic.replicas, topic.isr, topic.racks, topic.weights].map(
    (column) => column?.[partition],
  ) as [number[]?, number[]?, string[]?, number?];
  return {
    partition,
    ...(leader !== undefined && leader !== null && { leader }),
    ...(replicas !== undefined && { replicas }),
    ...(isr !== undefined && { isr }),
    ...(racks !== undefined && { racks }),
    ...(weight !== undefined && { weight }),
    holders: holders.map(({ groupId, memberId, kind, epoch }) => ({ groupId, memberId, kind, epoch })),
  };
}
