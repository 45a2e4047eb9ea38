import { invalidRequest } from '@allot/model';
import { RULE_KEYS, readRules } from './assignment-rules.js';
import { readChanges } from './changes-from-json.js';
import { PLAN_LIMITS, summarize } from './check-group.js';
import { compact } from './compact.js';
import { brokerRacksOf, withReplicaRacks } from './brokers.js';
import { readAssignor, readBrokers, readMember, readTopic } from './group-from-json.js';
import { JsonReader, optional } from './json-reader.js';
import type { PlanInput, RebalanceProtocol } from './plan-types.js';

const PROTOCOLS: readonly string[] = ['eager', 'cooperative', 'consumer'] satisfies RebalanceProtocol[];
/** `id` and `assignment` belong to the lines of the conformance vectors, which are legal requests as they are. */
export const GROUP_KEYS = ['assignor', ...RULE_KEYS, 'protocol', 'brokers', 'topics', 'members', 'id', 'assignment'];

/**
 * Reads the JSON form of a plan's input: `{"assignor", "topics": [{"name", "partitions", "racks"?, "replicas"?}], "members": [{"id",
 * "topics", "owned"?, "generation"?}], "changes"?: [...], "pins"?: [{"topic", "partition", "member"}], "weightedSticky"?,
 * "partitionOrder"?: [{"topic", "partition"}]}`; without an assignor it is Kafka's default. Throws `AllotError`
 * INVALID_REQUEST with a JSON pointer for every fault of form, unknown fields included; `plan` then checks what the fields
 * mean.
 */
export function planFromJson(body: unknown): PlanInput {
  return readBody(body, [], (_, __, input) => input);
}

/** Reads what `compare` takes: a plan's input with `"assignors"`, a list of names. */
export function comparisonFromJson(body: unknown): {
  readonly input: PlanInput;
  readonly assignors: readonly string[];
} {
  return readBody(body, ['assignors'], (reader, fields, input) => {
    return { input, assignors: readAssignors(reader, fields) };
  });
}

/** Reads what `rightSize` takes: a plan's input with `"upTo"`, the largest number of members to try, if wanted. */
export function rightSizeFromJson(body: unknown): { readonly input: PlanInput; readonly upTo: number | undefined } {
  return readBody(body, ['upTo'], (reader, fields, input) => {
    return { input, upTo: readUpTo(reader, fields) };
  });
}

type Fields = Readonly<Record<string, unknown>>;

export function readAssignors(reader: JsonReader, fields: Fields): string[] {
  return reader.texts(fields['assignors'], '/assignors', 50);
}

export function readUpTo(reader: JsonReader, fields: Fields): number | undefined {
  return optional(fields['upTo'], (value) => reader.integer(value, '/upTo', 1, PLAN_LIMITS.members));
}

export function readProtocol(reader: JsonReader, fields: Fields): RebalanceProtocol | undefined {
  const protocol = optional(fields['protocol'], (value) => reader.text(value, '/protocol'));
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    reader.fail('/protocol', `Unknown protocol "${protocol}"; there are: ${PROTOCOLS.join(', ')}.`);
  }
  return protocol as RebalanceProtocol | undefined;
}

function readBody<T>(
  body: unknown,
  moreKeys: readonly string[],
  read: (reader: JsonReader, fields: Fields, input: PlanInput) => T,
): T {
  const reader = new JsonReader();
  const fields = reader.object(body, '', [...GROUP_KEYS, 'changes', ...moreKeys]);
  const result =
    fields &&
    read(reader, fields, {
      ...readGroup(reader, fields),
      ...compact({ changes: optional(fields['changes'], (value) => readChanges(reader, value, '/changes')) }),
    });
  if (reader.errors.length > 0 || result === undefined) throw invalidRequest(summarize(reader.errors), reader.errors);
  return result;
}

/** The fields that every request about an inline group has. */
export function readGroup(reader: JsonReader, fields: Fields): Omit<PlanInput, 'changes'> {
  const protocol = readProtocol(reader, fields);
  const assignor = readAssignor(reader, fields['assignor'], '/assignor');
  const rules = readRules(reader, fields);
  const brokers = optional(fields['brokers'], (value) => readBrokers(reader, value, '/brokers'));
  const topics = reader.list(fields['topics'], '/topics', PLAN_LIMITS.topics, (topic, at) =>
    readTopic(reader, topic, at),
  );
  const racks = brokers && brokerRacksOf(brokers);
  return compact({
    brokers,
    assignor,
    ...rules,
    protocol,
    topics: racks === undefined ? topics : topics.map((topic) => withReplicaRacks(topic, racks)),
    members: reader.list(fields['members'], '/members', PLAN_LIMITS.members, (member, at) =>
      readMember(reader, member, at),
    ),
  });
}
