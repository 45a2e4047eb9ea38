import { Ajv } from 'ajv';
import type { Schema } from 'ajv';

/** Partitions by topic, as JSON objects. */
type Owned = Record<string, number[]>;

/** A group and what Kafka's assignor answered. */
export interface AssignorVector {
  id?: string;
  assignor: string;
  kafkaVersion?: string;
  /** Says that `owned` is written in the order of the broker's own maps, not sorted. */
  ownedOrder?: 'given';
  topics: { name: string; id?: string; partitions: number; racks?: string[][] }[];
  members: { id: string; instanceId?: string; rack?: string; topics: string[]; generation?: number; owned?: Owned }[];
  assignment: Record<string, Owned>;
}

/** Brokers, a new topic and where Kafka's placer put its replicas, by partition number. */
export interface PlacementVector {
  id?: string;
  placer: string;
  kafkaVersion?: string;
  brokers: { id: number; rack?: string; fenced?: boolean }[];
  partitions: number;
  replicationFactor: number;
  startPartitionId?: number;
  fixedStartIndex?: number;
  seed?: number;
  replicas: Record<string, number[]>;
}

/** A key's bytes, their signed murmur2 and the partition of the default partitioner. */
export interface PartitionerVector {
  id?: string;
  keyHex: string;
  murmur2: number;
  partitions: number;
  partition: number;
}

/** A group id, its Java hash code and its partition of __consumer_offsets. */
export interface CoordinatorVector {
  id?: string;
  groupId: string;
  hashCode: number;
  offsetsPartitions: number;
  partition: number;
}

const text = { type: 'string' };
const int = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const count = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 };
const ints = { type: 'array', items: int };
const intsByName = { type: 'object', additionalProperties: ints };

const assignorSchema = {
  type: 'object',
  required: ['assignor', 'topics', 'members', 'assignment'],
  properties: {
    id: text,
    assignor: text,
    kafkaVersion: text,
    ownedOrder: { const: 'given' },
    topics: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'partitions'],
        properties: {
          name: text,
          id: text,
          partitions: count,
          racks: { type: 'array', items: { type: 'array', items: text } },
        },
      },
    },
    members: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'topics'],
        properties: {
          id: text,
          instanceId: text,
          rack: text,
          topics: { type: 'array', items: text },
          generation: int,
          owned: intsByName,
        },
      },
    },
    assignment: { type: 'object', additionalProperties: intsByName },
  },
};

const placementSchema = {
  type: 'object',
  required: ['placer', 'brokers', 'partitions', 'replicationFactor', 'replicas'],
  properties: {
    id: text,
    placer: text,
    kafkaVersion: text,
    brokers: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id'],
        properties: { id: int, rack: text, fenced: { type: 'boolean' } },
      },
    },
    partitions: int,
    replicationFactor: int,
    startPartitionId: int,
    fixedStartIndex: int,
    // A larger seed would have lost digits when JSON.parse read it.
    seed: {
      type: 'integer',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
    replicas: intsByName,
  },
};

const partitionerSchema = {
  type: 'object',
  required: ['keyHex', 'murmur2', 'partitions', 'partition'],
  properties: {
    id: text,
    keyHex: { type: 'string', pattern: '^([0-9a-fA-F]{2})*$' },
    murmur2: int,
    partitions: { ...count, minimum: 1 },
    partition: count,
  },
};

const coordinatorSchema = {
  type: 'object',
  required: ['groupId', 'hashCode', 'offsetsPartitions', 'partition'],
  properties: {
    id: text,
    groupId: text,
    hashCode: int,
    offsetsPartitions: { ...count, minimum: 1 },
    partition: count,
  },
};

/** A line that is no vector; the message says why. */
export class MalformedVector extends Error {}

const ajv = new Ajv({ allErrors: true });

/** Answers a function that returns its argument typed, or throws `MalformedVector` with every reason. */
function reader<T>(schema: Schema): (vector: unknown) => T {
  const validate = ajv.compile<T>(schema);
  return (vector) => {
    if (validate(vector)) return vector;
    throw new MalformedVector(ajv.errorsText(validate.errors, { dataVar: 'vector' }));
  };
}

export const readAssignorVector = reader<AssignorVector>(assignorSchema);
export const readPlacementVector = reader<PlacementVector>(placementSchema);
export const readPartitionerVector = reader<PartitionerVector>(partitionerSchema);
export const readCoordinatorVector = reader<CoordinatorVector>(coordinatorSchema);
