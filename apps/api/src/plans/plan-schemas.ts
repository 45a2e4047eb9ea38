import { ASSIGNMENT_SCHEMA } from '../groups/assignment.contract.js';

// Schemas of what a plan is made from, for documents alone: the planner reads and checks it.

export const BY_MEMBER = { type: 'object', additionalProperties: ASSIGNMENT_SCHEMA };
export const ASSIGNOR = {
  oneOf: [{ type: 'string' }, { type: 'array', minItems: 1, maxItems: 20, items: { type: 'string' } }],
  description: 'An assignor, or a list in order of preference.',
};
export const CHANGES = {
  type: 'array',
  maxItems: 1_000,
  items: { type: 'object', minProperties: 1 },
  description:
    'Applied in order. Each has one of: addMembers (a count, or ids, or objects), removeMembers, member, topic with partitions, ' +
    'addTopic, removeTopic, assignor, pins, addBrokers, removeBrokers, broker with rack.',
  example: [{ addMembers: 2 }, { topic: 'orders', partitions: 12 }],
};

export const TOPIC = {
  type: 'object',
  required: ['name', 'partitions'],
  properties: {
    name: { type: 'string' },
    id: { type: 'string', description: "Kafka's topic id; only the broker's assignors read it." },
    partitions: { type: 'integer', minimum: 0 },
    racks: {
      type: 'array',
      items: { type: 'array', items: { type: 'string' } },
      description: 'Racks of the replicas, one list a partition. Not with `replicas`.',
    },
    replicas: {
      type: 'array',
      items: { type: 'array', items: { type: 'integer', minimum: 0 } },
      description: 'Ids of `brokers` that have the replicas, one list a partition; the racks follow from them.',
    },
    weights: { type: 'array', items: { type: 'number', minimum: 0 }, description: 'Load of each partition.' },
  },
};

export const MEMBER = {
  type: 'object',
  required: ['id', 'topics'],
  properties: {
    id: { type: 'string' },
    topics: { type: 'array', items: { type: 'string' }, description: 'Subscribed topics.' },
    instanceId: { type: 'string' },
    rack: { type: 'string' },
    weight: { type: 'number', minimum: 0, description: 'Relative capacity.' },
    owned: { ...ASSIGNMENT_SCHEMA, description: 'What it has now.' },
    generation: { type: 'integer', minimum: -1, description: 'When it got what it has.' },
    streams: {
      oneOf: [
        { type: 'integer', minimum: 1 },
        { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
      ],
      description: 'Consumer threads, in all or by topic; first-generation consumers only.',
    },
  },
};

export const BROKERS = {
  type: 'array',
  maxItems: 10_000,
  items: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: { type: 'integer', minimum: 0 }, rack: { type: 'string' } },
  },
  description: 'The brokers on which the `replicas` of topics are.',
};

const PARTITION = { topic: { type: 'string' }, partition: { type: 'integer', minimum: 0 } };
export const PARTITIONS = {
  type: 'array',
  items: { type: 'object', required: ['topic', 'partition'], additionalProperties: false, properties: PARTITION },
};
export const PINS = {
  type: 'array',
  items: {
    type: 'object',
    required: ['topic', 'partition', 'member'],
    additionalProperties: false,
    properties: { ...PARTITION, member: { type: 'string', description: 'A member id, or an instance id.' } },
  },
  description: 'Partitions that go to certain members, whatever the assignor; the rest is balanced around them.',
};
export const WEIGHTED_STICKY = {
  type: 'object',
  additionalProperties: false,
  description: 'What weighted-sticky is told; other assignors do not read it.',
  properties: {
    balance: { type: 'string', enum: ['count', 'load'], default: 'count', description: 'What is made even.' },
    maxSkew: { type: 'number', minimum: 1, description: 'How far counts may be apart, per unit of capacity.' },
    relativeHysteresis: { type: 'number', minimum: 1, default: 2, description: 'Hottest over coldest before a move.' },
    absoluteHysteresis: { type: 'number', minimum: 0, default: 0, description: 'The least that a move must gain.' },
    moveBudget: { type: 'integer', minimum: 0, description: 'The most moves that are not forced.' },
    coolingDown: { ...PARTITIONS, description: 'Partitions that moved lately and stay where they are.' },
  },
};
