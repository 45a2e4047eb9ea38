import type * as strategies from '@allot/strategies';
import { ObjectType } from '@nestjs/graphql';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { FlagField, TextField, TextListField } from '../contracts/fields.js';

@ObjectType({ description: 'A rule that divides partitions among the members of a group.' })
@ApiSchema({ description: 'A rule that divides partitions among the members of a group.' })
export class Assignor {
  @TextField('Wire name, as Kafka writes it.', { example: 'cooperative-sticky' })
  name!: string;

  @TextListField("Other names that mean the same, such as Kafka's class names.", {
    example: ['org.apache.kafka.clients.consumer.CooperativeStickyAssignor'],
  })
  aliases!: readonly string[];

  @TextField('What it is for.')
  summary!: string;

  @TextField('Kafka versions whose answer this is, partition for partition; empty for rules that Kafka does not have.')
  kafkaVersions!: string;

  @FlagField('Whether the answer depends on what members own already.')
  sticky!: boolean;

  @FlagField('Whether the answer is by consumer thread (`c1-0`) instead of by member.')
  threads!: boolean;

  @FlagField('Whether it is taken when nobody chooses.')
  isDefault!: boolean;
}

export class AssignorList {
  @ApiProperty({ type: () => [Assignor] })
  items!: Assignor[];
}

export function showAssignor(assignor: strategies.Assignor, isDefault: boolean): Assignor {
  const { name, aliases, summary, kafkaVersions, sticky, owners } = assignor;
  return { name, aliases, summary, kafkaVersions, sticky, threads: owners === 'threads', isDefault };
}
