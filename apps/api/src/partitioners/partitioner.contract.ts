import { type KeyEncoding, listKeyEncodings } from '@allot/strategies';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { LIMITS } from '../config/limits.js';
import { Absent, Each, Flag, Integer, ListOf, NestedList, OneOf, complainAboutInteger } from '../validation/rules.js';
import { KeyText, complainAboutKey } from './key-rules.js';

const KEY = { oneOf: [{ type: 'string' }, { type: 'number' }] };
const NULLABLE_KEY = { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] };
const PARTITION = { type: 'integer', minimum: 0 };
const COUNT = { type: 'integer', minimum: 1, maximum: LIMITS.partitionsPerTopic };
const ENCODINGS = listKeyEncodings();
const ENCODING_DESCRIPTION = 'How keys are given: text, bytes, or numbers as Kafka serializes them.';

@ApiSchema({ description: 'A rule by which producers choose partitions.' })
export class Partitioner {
  @ApiProperty({ example: 'built-in' })
  name!: string;

  @ApiProperty({ type: 'array', items: { type: 'string' }, description: "Such as Kafka's class names." })
  aliases!: readonly string[];

  @ApiProperty({ description: 'The clients that partition so.' })
  client!: string;

  @ApiProperty({ description: 'What it does.' })
  summary!: string;

  @ApiProperty({ type: 'boolean', description: 'Whether a key alone decides.' })
  byKey!: boolean;
}

export class PartitionerList {
  @ApiProperty({ type: () => [Partitioner] })
  items!: Partitioner[];
}

export class PartitionRecord {
  @ApiPropertyOptional({ ...NULLABLE_KEY, description: 'The key; absent or null for a record without one.' } as never)
  @Absent()
  @KeyText({ orNull: true })
  key?: string | number | null;

  @ApiPropertyOptional({
    ...PARTITION,
    description: 'The partition that the sender asks for; wins over every rule.',
  } as never)
  @Absent()
  @Integer(0, LIMITS.brokerId)
  partition?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: 'Bytes that the record adds to its batch.' })
  @Absent()
  @Integer(0, LIMITS.brokerId)
  size?: number;

  @ApiPropertyOptional({ type: 'boolean', default: true, description: 'The record filled its batch.' })
  @Absent()
  @Flag()
  batchFull?: boolean;

  @ApiPropertyOptional({ type: 'boolean', default: false, description: 'The record opened a new batch.' })
  @Absent()
  @Flag()
  newBatch?: boolean;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: "The sender's clock in milliseconds." })
  @Absent()
  @Integer(0, Number.MAX_SAFE_INTEGER)
  nowMs?: number;
}

/** What a list of keys, or of records, is asked about. */
export class PartitionRequest {
  @ApiProperty({ ...COUNT, description: 'Partition count of the topic.', example: 10 } as never)
  @Integer(1, LIMITS.partitionsPerTopic)
  partitions!: number;

  @ApiPropertyOptional({ type: 'string', enum: [...ENCODINGS], default: 'utf8', description: ENCODING_DESCRIPTION })
  @Absent()
  @OneOf(ENCODINGS)
  keyEncoding?: KeyEncoding;

  @ApiPropertyOptional({
    type: 'array',
    maxItems: LIMITS.keys,
    items: NULLABLE_KEY,
    description: 'Keys of records; null for a record without a key. Short for `records`.',
  } as never)
  @Absent()
  @ListOf(LIMITS.keys, 'keys')
  @Each('key', (value) => (value === null ? undefined : complainAboutKey(value)))
  keys?: (string | number | null)[];

  @ApiPropertyOptional({ type: () => [PartitionRecord], maxItems: LIMITS.keys, description: 'Records in their order.' })
  @Absent()
  @NestedList(() => PartitionRecord, LIMITS.keys, 'records')
  records?: PartitionRecord[];

  @ApiPropertyOptional({
    type: 'array',
    maxItems: LIMITS.partitionsPerTopic,
    items: PARTITION,
    description: 'Partitions that have a leader, ascending; all of them when absent.',
  } as never)
  @Absent()
  @ListOf(LIMITS.partitionsPerTopic, 'partitions')
  @Each('partition', (value) => complainAboutInteger(value, 0, LIMITS.partitionsPerTopic - 1))
  available?: number[];

  @ApiPropertyOptional({
    type: 'integer',
    default: 0,
    description: 'Where chance begins, for rules that draw: the same seed gives the same answer.',
  })
  @Absent()
  @Integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  seed?: number;
}

export class PartitionAnswer {
  @ApiProperty({ example: 'built-in' })
  partitioner!: string;

  @ApiProperty({ type: 'array', items: PARTITION, description: 'The partition of each record, in order.' })
  partitions!: readonly number[];
}

export class RemapRequest {
  @ApiProperty({ ...COUNT, description: 'Partition count before.', example: 10 } as never)
  @Integer(1, LIMITS.partitionsPerTopic)
  from!: number;

  @ApiProperty({ ...COUNT, description: 'Partition count after.', example: 12 } as never)
  @Integer(1, LIMITS.partitionsPerTopic)
  to!: number;

  @ApiPropertyOptional({ type: 'string', enum: [...ENCODINGS], default: 'utf8', description: ENCODING_DESCRIPTION })
  @Absent()
  @OneOf(ENCODINGS)
  keyEncoding?: KeyEncoding;

  @ApiPropertyOptional({
    type: 'array',
    maxItems: LIMITS.keys,
    items: KEY,
    description: 'Keys to look at; when absent, what to expect of keys that are not known.',
  } as never)
  @Absent()
  @ListOf(LIMITS.keys, 'keys')
  @Each('key', complainAboutKey)
  keys?: (string | number)[];
}

export class KeyFlow {
  @ApiProperty(PARTITION as never)
  from!: number;

  @ApiProperty(PARTITION as never)
  to!: number;

  @ApiProperty({ type: 'number', minimum: 0, description: 'How many of the keys, or which share of all keys.' })
  keys!: number;
}

export class RemapAnswer {
  @ApiProperty({ example: 'built-in' })
  partitioner!: string;

  @ApiProperty({ type: 'number', minimum: 0, maximum: 1, description: 'Share of keys that change partition.' })
  movedShare!: number;

  @ApiProperty({ type: () => [KeyFlow], description: 'By `from`, then `to`.' })
  flows!: readonly KeyFlow[];
}

export class ObservedKey {
  @ApiProperty({ ...KEY, description: 'A key that was seen.' } as never)
  @KeyText({ orNull: false })
  key!: string | number;

  @ApiProperty({ ...PARTITION, description: 'Where it was seen.' } as never)
  @Integer(0, LIMITS.brokerId)
  partition!: number;

  @ApiProperty({ ...COUNT, description: 'Partition count of its topic.' } as never)
  @Integer(1, LIMITS.partitionsPerTopic)
  partitions!: number;
}

export class DiagnoseRequest {
  @ApiPropertyOptional({ type: 'string', enum: [...ENCODINGS], default: 'utf8', description: ENCODING_DESCRIPTION })
  @Absent()
  @OneOf(ENCODINGS)
  keyEncoding?: KeyEncoding;

  @ApiProperty({ type: () => [ObservedKey], minItems: 1, maxItems: LIMITS.keys })
  @NestedList(() => ObservedKey, LIMITS.keys, 'observations', 1)
  observations!: ObservedKey[];
}

export class KeyFamily {
  @ApiProperty({ type: 'array', items: { type: 'string' } })
  partitioners!: readonly string[];

  @ApiProperty({ type: 'array', items: { type: 'string' } })
  clients!: readonly string[];

  @ApiProperty({
    type: 'array',
    items: { type: ['integer', 'null'] },
    description: 'Where it puts each key; null where it has no hash for the key.',
  } as never)
  predicted!: readonly (number | null)[];

  @ApiProperty({ type: 'boolean', description: 'Whether every observation is explained.' })
  matches!: boolean;
}

export class DiagnoseAnswer {
  @ApiProperty({ type: () => [KeyFamily], description: 'Those that match first.' })
  families!: readonly KeyFamily[];

  @ApiProperty({ type: 'number', minimum: 0, maximum: 1, description: 'The chance that an innocent family matches.' })
  chance!: number;
}
