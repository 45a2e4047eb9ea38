import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { LIMITS } from '../config/limits.js';
import {
  Absent,
  Each,
  Flag,
  Integer,
  ListOf,
  Name,
  NestedList,
  OneOf,
  complainAboutInteger,
} from '../validation/rules.js';

const BROKER_ID = { type: 'integer', minimum: 0, maximum: LIMITS.brokerId } as const;
const REPLICAS = { type: 'array', items: BROKER_ID } as const;
const RACK_MODES = ['enforced', 'safe', 'disabled'] as const;
const MODES = ['evacuate', 'rebalance'] as const;
const RACK_RULES = ['relaxed', 'strict'] as const;

@ApiSchema({ description: 'A rule that places the replicas of new partitions.' })
export class Placer {
  @ApiProperty({ example: 'kraft-striped' })
  name!: string;

  @ApiProperty({ type: 'array', items: { type: 'string' }, description: "Such as Kafka's class names." })
  aliases!: readonly string[];

  @ApiProperty({ description: 'What it does.' })
  summary!: string;

  @ApiProperty({ description: 'Kafka versions whose answer this is.' })
  kafkaVersions!: string;
}

export class PlacerList {
  @ApiProperty({ type: () => [Placer] })
  items!: readonly Placer[];
}

export class PlacementBroker {
  @ApiProperty(BROKER_ID)
  @Integer(0, LIMITS.brokerId)
  id!: number;

  @ApiPropertyOptional({ type: 'string', minLength: 1, maxLength: LIMITS.nameLength, description: 'broker.rack' })
  @Absent()
  @Name()
  rack?: string;

  @ApiPropertyOptional({ type: 'boolean', default: false, description: 'Registered but not in service.' })
  @Absent()
  @Flag()
  fenced?: boolean;
}

export class PlacementRequest {
  @ApiProperty({ type: 'string', description: 'Name or alias of the placer.', example: 'kraft-striped' })
  @Name()
  placer!: string;

  @ApiProperty({ type: () => [PlacementBroker], maxItems: LIMITS.brokers })
  @NestedList(() => PlacementBroker, LIMITS.brokers, 'brokers')
  brokers!: PlacementBroker[];

  @ApiProperty({ type: 'integer', minimum: 1, maximum: LIMITS.partitionsPerTopic, description: 'Partitions to place.' })
  @Integer(1, LIMITS.partitionsPerTopic)
  partitions!: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: LIMITS.replicasPerPartition })
  @Integer(1, LIMITS.replicasPerPartition)
  replicationFactor!: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.partitionsPerTopic,
    default: 0,
    description: 'Number of the first partition to place: the partition count of a topic that grows.',
  })
  @Absent()
  @Integer(0, LIMITS.partitionsPerTopic)
  startPartitionId?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: '`admin-utils` only: where the round-robin starts.',
  })
  @Absent()
  @Integer(0, LIMITS.brokerId)
  fixedStartIndex?: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Seed of java.util.Random, for placers that draw.' })
  @Absent()
  @Integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  seed?: number;

  @ApiPropertyOptional({
    type: 'string',
    enum: [...RACK_MODES],
    default: 'enforced',
    description: '`admin-utils` only.',
  })
  @Absent()
  @OneOf(RACK_MODES)
  rackAwareMode?: (typeof RACK_MODES)[number];

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Refuse a partition in fewer racks.' })
  @Absent()
  @Integer(1, LIMITS.replicasPerPartition)
  minRacks?: number;

  @ApiPropertyOptional({
    type: 'string',
    minLength: 1,
    maxLength: LIMITS.topicNameLength,
    description: "Name of the topic; with it the answer has Kafka's reassignment JSON.",
  })
  @Absent()
  @Name(LIMITS.topicNameLength)
  topic?: string;
}

export class PlacementWarning {
  @ApiProperty({ description: 'An open enum.' })
  code!: string;

  @ApiProperty()
  message!: string;
}

const REASSIGNMENT = {
  type: 'object',
  required: ['version', 'partitions'],
  properties: {
    version: { type: 'integer' },
    partitions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['topic', 'partition', 'replicas'],
        properties: { topic: { type: 'string' }, partition: { type: 'integer', minimum: 0 }, replicas: REPLICAS },
      },
    },
  },
};

export class PlacementAnswer {
  @ApiProperty({ example: 'kraft-striped' })
  placer!: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of the first partition placed.' })
  startPartitionId!: number;

  @ApiProperty({
    type: 'array',
    items: REPLICAS,
    description: 'Replicas of each partition; the first is preferred leader.',
  })
  replicas!: readonly (readonly number[])[];

  @ApiProperty({ type: () => [PlacementWarning] })
  warnings!: readonly PlacementWarning[];

  @ApiPropertyOptional({ ...REASSIGNMENT, description: 'What kafka-reassign-partitions.sh takes.' } as never)
  reassignment?: object;
}

export class PartitionReplicas {
  @ApiProperty({ type: 'string', minLength: 1, maxLength: LIMITS.topicNameLength, example: 'orders' })
  @Name(LIMITS.topicNameLength)
  topic!: string;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: LIMITS.partitionsPerTopic })
  @Integer(0, LIMITS.partitionsPerTopic)
  partition!: number;

  @ApiProperty({
    ...REPLICAS,
    maxItems: LIMITS.replicasPerPartition,
    description: 'The first is the preferred leader.',
  } as never)
  @ListOf(LIMITS.replicasPerPartition, 'broker ids')
  @Each('broker', (value) => complainAboutInteger(value, 0, LIMITS.brokerId))
  replicas!: number[];
}

export class ReassignmentRequest {
  @ApiProperty({
    type: () => [PartitionReplicas],
    maxItems: LIMITS.partitionsPerTopic,
    description: 'As they are now.',
  })
  @NestedList(() => PartitionReplicas, LIMITS.partitionsPerTopic, 'partitions')
  partitions!: PartitionReplicas[];

  @ApiProperty({
    type: () => [PlacementBroker],
    maxItems: LIMITS.brokers,
    description: 'As they shall be: replicas leave brokers that are fenced or not listed.',
  })
  @NestedList(() => PlacementBroker, LIMITS.brokers, 'brokers')
  brokers!: PlacementBroker[];

  @ApiPropertyOptional({
    type: 'string',
    enum: [...MODES],
    default: 'rebalance',
    description: 'evacuate moves only what must.',
  })
  @Absent()
  @OneOf(MODES)
  mode?: (typeof MODES)[number];

  @ApiPropertyOptional({ type: 'string', enum: [...RACK_RULES], default: 'relaxed' })
  @Absent()
  @OneOf(RACK_RULES)
  rackRule?: (typeof RACK_RULES)[number];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: 'Spread every partition over so many racks, or refuse.',
  })
  @Absent()
  @Integer(1, LIMITS.replicasPerPartition)
  minRacks?: number;

  @ApiPropertyOptional({ type: 'boolean', default: false, description: 'Accept that partitions lose replicas.' })
  @Absent()
  @Flag()
  allowFewerReplicas?: boolean;
}

export class ReassignmentAnswer {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Replicas that are copied to another broker.' })
  moves!: number;

  @ApiProperty({ ...REASSIGNMENT, description: 'What changes, as kafka-reassign-partitions.sh takes it.' } as never)
  reassignment!: object;

  @ApiProperty({ ...REASSIGNMENT, description: 'The way back.' } as never)
  rollback!: object;

  @ApiProperty({ type: () => [PlacementWarning] })
  warnings!: readonly PlacementWarning[];
}
