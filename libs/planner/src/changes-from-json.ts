import { invalidRequest } from '@allot/model';
import { readPins } from './assignment-rules.js';
import type { Change, NewMember } from './change.js';
import { PLAN_LIMITS, summarize } from './check-group.js';
import { compact } from './compact.js';
import {
  readAssignor,
  readBrokerId,
  readBrokers,
  readIdentity,
  readRacks,
  readReplicas,
  readTopic,
  readTopics,
  readWeights,
  refuseBoth,
} from './group-from-json.js';
import { JsonReader, optional } from './json-reader.js';

const NEW_MEMBER_KEYS = ['id', 'topics', 'instanceId', 'rack', 'weight'];

/** Reads a list of changes alone, as a plan on a live group takes it; `pointer` is where the list is in the body. */
export function changesFromJson(changes: unknown, pointer = '/changes'): Change[] {
  const reader = new JsonReader();
  const read = readChanges(reader, changes, pointer);
  if (reader.errors.length > 0) throw invalidRequest(summarize(reader.errors), reader.errors);
  return read;
}

const CHANGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  addMembers: ['topics', 'rack'],
  removeMembers: [],
  member: ['topics', 'rack', 'weight'],
  topic: ['partitions', 'racks', 'replicas', 'weights', 'recreate'],
  addTopic: [],
  removeTopic: [],
  assignor: [],
  pins: [],
  addBrokers: [],
  removeBrokers: [],
  broker: ['rack'],
};

export function readChanges(reader: JsonReader, value: unknown, pointer: string): Change[] {
  return reader.list(value, pointer, PLAN_LIMITS.changes, (change, at) => readChange(reader, change, at));
}

export function readChange(reader: JsonReader, value: unknown, at: string): Change | undefined {
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
    refuseBoth(reader, change, at);
    return compact({
      topic: reader.text(change['topic'], `${at}/topic`) ?? '',
      partitions: reader.integer(change['partitions'], `${at}/partitions`, 0, PLAN_LIMITS.partitions) ?? 0,
      racks: optional(change['racks'], (racks) => readRacks(reader, racks, `${at}/racks`)),
      replicas: optional(change['replicas'], (replicas) => readReplicas(reader, replicas, `${at}/replicas`)),
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
  pins: (reader, change, at) => ({ pins: readPins(reader, change['pins'], `${at}/pins`) }),
  addBrokers: (reader, change, at) => ({ addBrokers: readBrokers(reader, change['addBrokers'], `${at}/addBrokers`) }),
  removeBrokers: (reader, change, at) => ({
    removeBrokers: reader.list(change['removeBrokers'], `${at}/removeBrokers`, PLAN_LIMITS.brokers, (id, i) =>
      readBrokerId(reader, id, i),
    ),
  }),
  broker: (reader, { broker, rack }, at) => ({
    broker: readBrokerId(reader, broker, `${at}/broker`),
    rack: rack === null ? null : (reader.text(rack, `${at}/rack`) ?? null),
  }),
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
