import type { Assignment, MemberSpec } from '@allot/model';
import { DEFAULT_ASSIGNOR } from '@allot/strategies';
import type { BrokerSpec, ReplicatedTopic } from './brokers.js';
import type { AssignorChoice, NewMember } from './change.js';
import { PLAN_LIMITS } from './check-group.js';
import { compact } from './compact.js';
import type { JsonReader } from './json-reader.js';
import { escapePointer, optional } from './json-reader.js';

const TOPIC_KEYS = ['name', 'id', 'partitions', 'racks', 'replicas', 'weights'];
const MEMBER_KEYS = ['id', 'instanceId', 'rack', 'topics', 'owned', 'generation', 'weight', 'streams'];
const LARGEST = 2 ** 31 - 1;

export function readAssignor(reader: JsonReader, value: unknown, pointer: string): AssignorChoice {
  if (Array.isArray(value)) return reader.texts(value, pointer, 20);
  if (typeof value === 'string') return reader.text(value, pointer) ?? '';
  if (value === undefined) return DEFAULT_ASSIGNOR;
  reader.fail(pointer, 'Name an assignor, for example "range", or a list in order of preference.');
  return '';
}

export function readTopic(reader: JsonReader, value: unknown, pointer: string): ReplicatedTopic | undefined {
  const topic = reader.object(value, pointer, TOPIC_KEYS);
  if (topic === undefined) return undefined;
  refuseBoth(reader, topic, pointer);
  return compact({
    name: reader.text(topic['name'], `${pointer}/name`) ?? '',
    id: optional(topic['id'], (id) => reader.text(id, `${pointer}/id`)),
    partitions: reader.integer(topic['partitions'], `${pointer}/partitions`, 0, PLAN_LIMITS.partitions) ?? 0,
    racks: optional(topic['racks'], (racks) => readRacks(reader, racks, `${pointer}/racks`)),
    replicas: optional(topic['replicas'], (replicas) => readReplicas(reader, replicas, `${pointer}/replicas`)),
    weights: optional(topic['weights'], (weights) => readWeights(reader, weights, `${pointer}/weights`)),
  });
}

/** Racks follow from the replicas' brokers; said twice, one of the two would have to be ignored. */
export function refuseBoth(reader: JsonReader, topic: Readonly<Record<string, unknown>>, pointer: string): void {
  if (topic['racks'] === undefined || topic['replicas'] === undefined) return;
  reader.fail(
    `${pointer}/racks`,
    'Give racks or replicas, not both: the racks follow from the brokers of the replicas.',
  );
}

export function readBrokers(reader: JsonReader, value: unknown, pointer: string): BrokerSpec[] {
  return reader.list(value, pointer, PLAN_LIMITS.brokers, (entry, at) => {
    const broker = reader.object(entry, at, ['id', 'rack']);
    return (
      broker &&
      compact({
        id: readBrokerId(reader, broker['id'], `${at}/id`),
        rack: optional(broker['rack'], (rack) => reader.text(rack, `${at}/rack`)),
      })
    );
  });
}

export function readBrokerId(reader: JsonReader, value: unknown, pointer: string): number {
  return reader.integer(value, pointer, 0, LARGEST) ?? 0;
}

export function readReplicas(reader: JsonReader, value: unknown, pointer: string): number[][] {
  return reader.list(value, pointer, PLAN_LIMITS.partitions, (replicas, at) =>
    reader.list(replicas, at, 1_000, (id, i) => readBrokerId(reader, id, i)),
  );
}

export function readRacks(reader: JsonReader, value: unknown, pointer: string): string[][] {
  return reader.list(value, pointer, PLAN_LIMITS.partitions, (racks, at) => reader.texts(racks, at, 1_000));
}

export function readWeights(reader: JsonReader, value: unknown, pointer: string): number[] {
  return reader.list(value, pointer, PLAN_LIMITS.partitions, (weight, at) => reader.number(weight, at));
}

export function readMember(reader: JsonReader, value: unknown, pointer: string): MemberSpec | undefined {
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

export function readTopics(reader: JsonReader, value: unknown, pointer: string): string[] {
  return reader.texts(value, `${pointer}/topics`, PLAN_LIMITS.topics);
}

type Identity = Omit<NewMember, 'topics'>;

export function readIdentity(reader: JsonReader, member: Readonly<Record<string, unknown>>, pointer: string): Identity {
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
