import type { Assignment, MemberSpec, TopicSpec } from '@allot/model';
import { invalidRequest } from '@allot/model';
import { DEFAULT_ASSIGNOR } from '@allot/strategies';
import type { AssignorChoice, Change, NewMember } from './change.js';
import { PLAN_LIMITS, summarize } from './check-group.js';
import { compact } from './compact.js';
import { escapePointer, JsonReader, optional } from './json-reader.js';
import type { PlanInput, RebalanceProtocol } from './plan-types.js';

const PROTOCOLS: readonly string[] = ['eager', 'cooperative', 'consumer'] satisfies RebalanceProtocol[];
/** `id` and `assignment` belong to the lines of the conformance vectors, which are legal requests as they are. */
const INPUT_KEYS = ['assignor', 'kafkaVersion', 'protocol', 'topics', 'members', 'changes', 'id', 'assignment'];
const TOPIC_KEYS = ['name', 'id', 'partitions', 'racks', 'weights'];
const MEMBER_KEYS = ['id', 'instanceId', 'rack', 'topics', 'owned', 'generation', 'weight', 'streams'];
const NEW_MEMBER_KEYS = ['id', 'topics', 'instanceId', 'rack', 'weight'];
const LARGEST = 2 ** 31 - 1;

/**
 * Reads the JSON form of a plan's input: `{"assignor", "topics": [{"name", "partitions", "racks"?}], "members": [{"id",
 * "topics", "owned"?, "generation"?}], "changes"?: [...]}`; without an assignor it is Kafka's default. Throws `AllotError` INVALID_REQUEST with a JSON pointer for
 * every fault of form, unknown fields included; `plan` then checks what the fields mean.
 */
export function planFromJson(body: unknown): PlanInput {
  const reader = new JsonReader();
  const input = readInput(reader, body);
  if (reader.errors.length > 0 || input === undefined) throw invalidRequest(summarize(reader.errors), reader.errors);
  return input;
}

/** Reads a list of changes alone, as a plan on a live group takes it; `pointer` is where the list is in the body. */
export function changesFromJson(changes: unknown, pointer = '/changes'): Change[] {
  const reader = new JsonReader();
  const read = readChanges(reader, changes, pointer);
  if (reader.errors.length > 0) throw invalidRequest(summarize(reader.errors), reader.errors);
  return read;
}

function readInput(reader: JsonReader, body: unknown): PlanInput | undefined {
  const input = reader.object(body, '', INPUT_KEYS);
  if (input === undefined) return undefined;
  const protocol = optional(input['protocol'], (value) => reader.text(value, '/protocol'));
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    reader.fail('/protocol', `Unknown protocol "${protocol}"; there are: ${PROTOCOLS.join(', ')}.`);
  }
  return compact({
    assignor: readAssignor(reader, input['assignor'], '/assignor'),
    kafkaVersion: optional(input['kafkaVersion'], (value) => reader.text(value, '/kafkaVersion')),
    protocol: protocol as RebalanceProtocol | undefined,
    topics: reader.list(input['topics'], '/topics', PLAN_LIMITS.topics, (topic, at) => readTopic(reader, topic, at)),
    members: reader.list(input['members'], '/members', PLAN_LIMITS.members, (member, at) =>
      readMember(reader, member, at),
    ),
    changes: optional(input['changes'], (value) => readChanges(reader, value, '/changes')),
  });
}

function readAssignor(reader: JsonReader, value: unknown, pointer: string): AssignorChoice {
  if (Array.isArray(value)) return reader.texts(value, pointer, 20);
  if (typeof value === 'string') return reader.text(value, pointer) ?? '';
  if (value === undefined) return DEFAULT_ASSIGNOR;
  reader.fail(pointer, 'Name an assignor, for example "range", or a list in order of preference.');
  return '';
}

function readTopic(reader: JsonReader, value: unknown, pointer: string): TopicSpec | undefined {
  const topic = reader.object(value, pointer, TOPIC_KEYS);
  if (topic === undefined) return undefined;
  return compact({
    name: reader.text(topic['name'], `${pointer}/name`) ?? '',
    id: optional(topic['id'], (id) => reader.text(id, `${pointer}/id`)),
    partitions: reader.integer(topic['partitions'], `${pointer}/partitions`, 0, PLAN_LIMITS.partitions) ?? 0,
    racks: optional(topic['racks'], (racks) => readRacks(reader, racks, `${pointer}/racks`)),
    weights: optional(topic['weights'], (weights) => readWeights(reader, weights, `${pointer}/weights`)),
  });
}

function readRacks(reader: JsonReader, value: unknown, pointer: string): string[][] {
  return reader.list(value, pointer, PLAN_LIMITS.partitions, (racks, at) => reader.texts(racks, at, 1_000));
}

function readWeights(reader: JsonReader, value: unknown, pointer: string): number[] {
  return reader.list(value, pointer, PLAN_LIMITS.partitions, (weight, at) => reader.number(weight, at));
}

function readMember(reader: JsonReader, value: unknown, pointer: string): MemberSpec | undefined {
  const member = reader.object(value, pointer, MEMBER_KEYS);
  if (member === undefined) return undefined;
  return compact({
    ...readIdentity(reader, member, pointer),
    topics: readTopics(reader, member['topics'], pointer),
    owned: optional(member['owned'], (owned) => readOwned(reader, owned, `${pointer}/owned`)),
    generation: optional(member['generation'], (value) => reader.integer(value, `${pointer}/generation`, -1, LARGEST)),
    streams: optional(member['streams'], (streams) => readStreams(reader, streams, `${pointer}/streams`)),
  });
}

function readTopics(reader: JsonReader, value: unknown, pointer: string): string[] {
  return reader.texts(value, `${pointer}/topics`, PLAN_LIMITS.topics);
}

type Identity = Omit<NewMember, 'topics'>;

function readIdentity(reader: JsonReader, member: Readonly<Record<string, unknown>>, pointer: string): Identity {
  return compact({
    id: reader.text(member['id'], `${pointer}/id`) ?? '',
    instanceId: optional(member['instanceId'], (value) => reader.text(value, `${pointer}/instanceId`)),
    rack: optional(member['rack'], (value) => reader.text(value, `${pointer}/rack`)),
    weight: optional(member['weight'], (value) => reader.number(value, `${pointer}/weight`)),
  });
}

/** Claims of negative or absurd partition numbers are read; the rules ignore them as Kafka's do (a member sent them). */
function readOwned(reader: JsonReader, value: unknown, pointer: string): Assignment | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return reader.fail(pointer, 'Expected an object of topic names and partition numbers, {"orders": [0, 1]}.');
  }
  const owned = new Map<string, readonly number[]>();
  for (const [topic, numbers] of Object.entries(value)) {
    const at = `${pointer}/${escapePointer(topic)}`;
    const partitions = reader.list(numbers, at, PLAN_LIMITS.partitions, (n, i) =>
      reader.integer(n, i, -LARGEST - 1, LARGEST),
    );
    if (partitions.length > 0)
      owned.set(
        topic,
        [...new Set(partitions)].sort((a, b) => a - b),
      );
  }
  return owned;
}

function readStreams(reader: JsonReader, value: unknown, pointer: string): MemberSpec['streams'] {
  if (typeof value === 'number') return reader.integer(value, pointer, 1, LARGEST);
  const streams = new Map<string, number>();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return reader.fail(pointer, 'Expected a number of consumer threads, or an object of topic names and numbers.');
  }
  for (const [topic, count] of Object.entries(value)) {
    streams.set(topic, reader.integer(count, `${pointer}/${escapePointer(topic)}`, 1, LARGEST) ?? 1);
  }
  return streams;
}

const CHANGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  addMembers: ['topics', 'rack'],
  removeMembers: [],
  member: ['topics', 'rack', 'weight'],
  topic: ['partitions', 'racks', 'weights', 'recreate'],
  addTopic: [],
  removeTopic: [],
  assignor: [],
};

function readChanges(reader: JsonReader, value: unknown, pointer: string): Change[] {
  return reader.list(value, pointer, PLAN_LIMITS.changes, (change, at) => readChange(reader, change, at));
}

function readChange(reader: JsonReader, value: unknown, at: string): Change | undefined {
  const kinds = Object.keys(CHANGE_KEYS);
  const given = typeof value === 'object' && value !== null ? kinds.filter((kind) => Object.hasOwn(value, kind)) : [];
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    return reader.fail(at, `A change has exactly one of these fields: ${kinds.join(', ')}.`);
  }
  const change = reader.object(value, at, [kind, ...CHANGE_KEYS[kind]!]);
  return change && READ_CHANGE[kind]!(reader, change, at);
}

type ReadChange = (reader: JsonReader, change: Readonly<Record<string, unknown>>, at: string) => Change | undefined;

const READ_CHANGE: Readonly<Record<string, ReadChange>> = {
  addMembers: (reader, change, at) =>
    compact({
      addMembers: readAdded(reader, change['addMembers'], `${at}/addMembers`),
      topics: optional(change['topics'], (topics) => readTopics(reader, topics, at)),
      rack: optional(change['rack'], (rack) => reader.text(rack, `${at}/rack`)),
    }),
  removeMembers: (reader, { removeMembers: wanted }, at) => ({
    removeMembers:
      typeof wanted === 'number'
        ? (reader.integer(wanted, `${at}/removeMembers`, 0, PLAN_LIMITS.members) ?? 0)
        : reader.texts(wanted, `${at}/removeMembers`, PLAN_LIMITS.members),
  }),
  member: (reader, change, at) => {
    if (Object.keys(change).length === 1) return reader.fail(at, 'Say what changes: topics, rack or weight.');
    const rack = optional(change['rack'], (value) => (value === null ? null : reader.text(value, `${at}/rack`)));
    return compact({
      member: reader.text(change['member'], `${at}/member`) ?? '',
      topics: optional(change['topics'], (topics) => readTopics(reader, topics, at)),
      rack,
      weight: optional(change['weight'], (weight) => reader.number(weight, `${at}/weight`)),
    });
  },
  topic: (reader, change, at) => {
    const { recreate } = change;
    if (recreate !== undefined && typeof recreate !== 'boolean')
      reader.fail(`${at}/recreate`, 'Expected true or false.');
    return compact({
      topic: reader.text(change['topic'], `${at}/topic`) ?? '',
      partitions: reader.integer(change['partitions'], `${at}/partitions`, 0, PLAN_LIMITS.partitions) ?? 0,
      racks: optional(change['racks'], (racks) => readRacks(reader, racks, `${at}/racks`)),
      weights: optional(change['weights'], (weights) => readWeights(reader, weights, `${at}/weights`)),
      recreate: recreate as boolean | undefined,
    });
  },
  addTopic: (reader, change, at) => {
    const addTopic = readTopic(reader, change['addTopic'], `${at}/addTopic`);
    return addTopic && { addTopic };
  },
  removeTopic: (reader, change, at) => {
    const removeTopic = reader.text(change['removeTopic'], `${at}/removeTopic`);
    return removeTopic === undefined ? undefined : { removeTopic };
  },
  assignor: (reader, change, at) => ({ assignor: readAssignor(reader, change['assignor'] ?? null, `${at}/assignor`) }),
};

function readAdded(reader: JsonReader, value: unknown, pointer: string): number | (string | NewMember)[] {
  if (typeof value === 'number') return reader.integer(value, pointer, 0, PLAN_LIMITS.members) ?? 0;
  return reader.list(value, pointer, PLAN_LIMITS.members, (entry, at) => {
    if (typeof entry === 'string') return reader.text(entry, at);
    const member = reader.object(entry, at, NEW_MEMBER_KEYS);
    if (member === undefined) return undefined;
    const topics = optional(member['topics'], (value) => readTopics(reader, value, at));
    return compact({ ...readIdentity(reader, member, at), topics });
  });
}
