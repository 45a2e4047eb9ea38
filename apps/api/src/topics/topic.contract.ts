import type * as coordinator from '@allot/coordinator';
import { Int, ObjectType } from '@nestjs/graphql';
import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IntField, SafeIntField, SchemaField, TextField, TimeField } from '../contracts/fields.js';
import { LIMITS } from '../config/limits.js';
import { connectionOf } from '../paging/connection.js';
import { type ListKind, pageOf } from '../paging/page.js';
import { Absent, Integer, ListOf, Pattern, Quantities } from '../validation/rules.js';
import { BrokerIds, Leaders, RackNames } from './topic-rules.js';

const BROKER_ID = { type: 'integer', minimum: 0, maximum: LIMITS.brokerId };
const BROKER_LISTS = {
  type: 'array',
  maxItems: LIMITS.partitionsPerTopic,
  items: { type: 'array', maxItems: LIMITS.replicasPerPartition, items: BROKER_ID },
};
const LEADERS = {
  type: 'array',
  maxItems: LIMITS.partitionsPerTopic,
  items: { type: ['integer', 'null'], minimum: 0, maximum: LIMITS.brokerId },
};
const RACK_LISTS = {
  type: 'array',
  maxItems: LIMITS.partitionsPerTopic,
  items: {
    type: 'array',
    maxItems: LIMITS.replicasPerPartition,
    items: { type: 'string', minLength: 1, maxLength: LIMITS.nameLength },
  },
};
const WEIGHTS = { type: 'array', maxItems: LIMITS.partitionsPerTopic, items: { type: 'number', minimum: 0 } };

const DESCRIPTIONS = {
  replicas: 'Broker ids of the replicas, one list a partition; the first is the preferred leader.',
  leaders: 'Broker id of each leader; null: no leader.',
  isr: 'Broker ids of the in-sync replicas, one list a partition.',
  racks: "Racks of the replicas, one list a partition, in the replicas' order.",
  weights: 'Load of each partition in any unit; read by weighted assignors alone.',
} as const;

@ObjectType({ description: 'A topic.' })
@ApiSchema({ description: 'A topic. Lists over partitions are absent when nothing is known.' })
export class Topic {
  @TextField('Name of the topic.', { example: 'orders' })
  name!: string;

  @TextField("Kafka's topic id, 22 characters of base64url; a recreated topic has another one.", {
    example: 'mH1cQzVvTnq0y2lqgq7c8w',
  })
  id!: string;

  @IntField('Partition count.', { min: 1, example: 10 })
  partitions!: number;

  @SchemaField(DESCRIPTIONS.replicas, BROKER_LISTS, () => [[Int]], { optional: true })
  replicas?: number[][];

  @SchemaField(DESCRIPTIONS.leaders, LEADERS, () => [Int], { optional: true, nullableEntries: true })
  leaders?: (number | null)[];

  @SchemaField(DESCRIPTIONS.isr, BROKER_LISTS, () => [[Int]], { optional: true })
  isr?: number[][];

  @SchemaField(DESCRIPTIONS.racks, RACK_LISTS, () => [[String]], { optional: true })
  racks?: string[][];

  @SchemaField(DESCRIPTIONS.weights, WEIGHTS, () => [Number], { optional: true })
  weights?: number[];

  @SafeIntField('Changes with the topic; the ETag.', { example: 1 })
  revision!: number;

  @TimeField('When it was made.')
  createdAt!: Date;
}

/** What a client may set of a topic; what is absent stays, or on creation takes the cluster's default. */
export class TopicChange {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.partitionsPerTopic,
    description: "Partition count; on creation the cluster's default when absent. It only grows.",
  })
  @Absent()
  @Integer(1, LIMITS.partitionsPerTopic)
  partitions?: number;

  @ApiPropertyOptional({
    type: 'string',
    pattern: '^[A-Za-z0-9_-]{22}$',
    description: "Kafka's topic id; made by the service when absent on creation.",
  })
  @Absent()
  @Pattern(/^[A-Za-z0-9_-]{22}$/, 'must be a Kafka topic id, 22 characters of base64url')
  id?: string;

  @ApiPropertyOptional({ ...BROKER_LISTS, description: DESCRIPTIONS.replicas } as never)
  @Absent()
  @ListOf(LIMITS.partitionsPerTopic, 'lists of broker ids')
  @BrokerIds()
  replicas?: number[][];

  @ApiPropertyOptional({ ...LEADERS, description: DESCRIPTIONS.leaders } as never)
  @Absent()
  @ListOf(LIMITS.partitionsPerTopic, 'broker ids')
  @Leaders()
  leaders?: (number | null)[];

  @ApiPropertyOptional({ ...BROKER_LISTS, description: DESCRIPTIONS.isr } as never)
  @Absent()
  @ListOf(LIMITS.partitionsPerTopic, 'lists of broker ids')
  @BrokerIds()
  isr?: number[][];

  @ApiPropertyOptional({ ...RACK_LISTS, description: DESCRIPTIONS.racks } as never)
  @Absent()
  @ListOf(LIMITS.partitionsPerTopic, 'lists of racks')
  @RackNames()
  racks?: string[][];

  @ApiPropertyOptional({ ...WEIGHTS, description: DESCRIPTIONS.weights } as never)
  @Absent()
  @ListOf(LIMITS.partitionsPerTopic, 'numbers')
  @Quantities()
  weights?: number[];
}

export class TopicPage extends pageOf(Topic) {}

@ObjectType()
export class TopicConnection extends connectionOf('Topic', () => Topic) {}

export const TOPICS: ListKind<coordinator.Topic, string> = {
  kind: 'topics',
  keyType: 'string',
  keyOf: (topic) => topic.name,
};
