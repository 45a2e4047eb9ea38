import { isTopicName, readInt32, readInt32List } from './cell-values.js';
import { quote } from './paste.js';

/** The line about a topic as a whole. */
export interface TopicRecord {
  readonly type: 'topic';
  readonly topic: string;
  readonly topicId: string | undefined;
  readonly partitionCount: number;
  readonly replicationFactor: number | undefined;
  readonly configs: ReadonlyMap<string, string>;
  readonly markedForDeletion: boolean;
  /** Whether the line reaches its last field, Configs, which every version prints. */
  readonly complete: boolean;
}

/** The line about one partition. */
export interface PartitionRecord {
  readonly type: 'partition';
  readonly topic: string;
  readonly partition: number;
  readonly leader: number | undefined;
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
  readonly addingReplicas: readonly number[];
  readonly removingReplicas: readonly number[];
  readonly elr: readonly number[] | undefined;
  readonly lastKnownElr: readonly number[] | undefined;
  readonly markedForDeletion: boolean;
}

export interface RecordProblem {
  readonly type: 'problem';
  readonly reason: string;
}

export type DescribeRecord = TopicRecord | PartitionRecord | RecordProblem;

const KEYS = new Set([
  'Topic',
  'TopicId',
  'PartitionCount',
  'ReplicationFactor',
  'Configs',
  'MarkedForDeletion',
  'Partition',
  'Leader',
  'Replicas',
  'Isr',
  'Adding Replicas',
  'Removing Replicas',
  'Elr',
  'LastKnownElr',
]);

/**
 * Reads one line of `kafka-topics --describe`. The fields are found by their keys, whether tabs or blanks separate them
 * and whether a blank follows the colon (Kafka 2.4 and later) or not.
 */
export function readDescribeRecord(text: string): DescribeRecord {
  const fields = splitFields(text);
  if (typeof fields === 'string') return problem(fields);
  const topic = fields.get('Topic');
  if (topic === undefined || !isTopicName(topic)) return problem(`${quote(topic ?? '')} is not a topic name.`);
  return fields.has('Partition') ? partitionRecord(topic, fields) : topicRecord(topic, fields);
}

function problem(reason: string): RecordProblem {
  return { type: 'problem', reason };
}

/** Key -> value, or the reason why the line has no such shape. Values are cut out of the text, so they keep their blanks. */
function splitFields(text: string): Map<string, string> | string {
  const fields = new Map<string, string>();
  let key = '';
  let valueStart = 0;
  let previous = '';
  let previousStart = 0;
  for (const match of text.matchAll(/\S+/g)) {
    const word = match[0];
    const colon = word.indexOf(':');
    let name = colon < 0 ? '' : word.slice(0, colon);
    let start = match.index;
    if (name === 'Replicas' && (previous === 'Adding' || previous === 'Removing')) {
      name = `${previous} Replicas`;
      start = previousStart;
    }
    // A config's value is free text; only the deletion mark can follow it.
    if (KEYS.has(name) && (key !== 'Configs' || name === 'MarkedForDeletion')) {
      if (key !== '') fields.set(key, text.slice(valueStart, start).trim());
      if (fields.has(name)) return `The field ${name} appears twice; two lines may have run into one.`;
      key = name;
      valueStart = match.index + colon + 1;
    }
    previous = word;
    previousStart = match.index;
  }
  if (key !== '') fields.set(key, text.slice(valueStart).trim());
  return fields;
}

function topicRecord(topic: string, fields: ReadonlyMap<string, string>): DescribeRecord {
  const declared = fields.get('PartitionCount');
  if (declared === undefined)
    return problem('The line is cut: neither PartitionCount nor Partition follows the topic.');
  const partitionCount = readInt32(declared);
  if (partitionCount === undefined) return problem(`PartitionCount ${quote(declared)} is not a number of partitions.`);
  const factor = fields.get('ReplicationFactor');
  const replicationFactor = factor === undefined ? undefined : readInt32(factor);
  if (factor !== undefined && replicationFactor === undefined) {
    return problem(`ReplicationFactor ${quote(factor)} is not a number of replicas.`);
  }
  const topicId = fields.get('TopicId');
  if (topicId !== undefined && !/^[\w-]{22}$/.test(topicId)) {
    return problem(`TopicId ${quote(topicId)} is not a Kafka UUID (22 characters of base64).`);
  }
  const configs = readConfigs(fields.get('Configs') ?? '');
  if (typeof configs === 'string') return problem(configs);
  return {
    type: 'topic',
    topic,
    topicId,
    partitionCount,
    replicationFactor,
    configs,
    markedForDeletion: fields.get('MarkedForDeletion') === 'true',
    complete: fields.has('Configs'),
  };
}

/** `a=1,cleanup.policy=compact,delete,b=2`: a piece without a key belongs to the value before it. */
function readConfigs(text: string): Map<string, string> | string {
  const configs = new Map<string, string>();
  let last: string | undefined;
  for (const piece of text === '' ? [] : text.split(',')) {
    const entry = /^([a-z][a-zA-Z0-9._-]*)=/.exec(piece);
    if (entry !== null) {
      last = entry[1]!;
      if (configs.has(last)) return `The config ${quote(last)} appears twice.`;
      configs.set(last, piece.slice(entry[0].length));
    } else if (last !== undefined) {
      configs.set(last, `${configs.get(last)!},${piece}`);
    } else {
      return `Configs ${quote(piece)} is not of the form key=value.`;
    }
  }
  return configs;
}

const REQUIRED_OF_PARTITION = ['Leader', 'Replicas', 'Isr'] as const;

function partitionRecord(topic: string, fields: ReadonlyMap<string, string>): DescribeRecord {
  const number = fields.get('Partition')!;
  const partition = readInt32(number);
  if (partition === undefined)
    return problem(`Partition ${quote(number)} is not a partition number (0 to 2147483647).`);
  const missing = REQUIRED_OF_PARTITION.filter((key) => !fields.has(key));
  if (missing.length > 0) return problem(`The line is cut: ${missing.join(', ')} missing. Paste the whole line.`);
  const leader = readLeader(fields.get('Leader')!);
  if (leader === 'invalid') return problem(`Leader ${quote(fields.get('Leader')!)} is neither a broker id nor none.`);
  const lists = new Map<string, number[] | undefined>();
  for (const key of ['Replicas', 'Isr', 'Adding Replicas', 'Removing Replicas', 'Elr', 'LastKnownElr']) {
    const text = fields.get(key);
    if (text === undefined || (text === 'N/A' && key.endsWith('Elr'))) continue;
    const ids = readInt32List(text);
    if (ids === undefined) return problem(`${key} ${quote(text)} is not a list of broker ids.`);
    if (new Set(ids).size < ids.length) return problem(`${key} ${quote(text)} names a broker twice.`);
    lists.set(key, ids);
  }
  return {
    type: 'partition',
    topic,
    partition,
    leader,
    replicas: lists.get('Replicas')!,
    isr: lists.get('Isr')!,
    addingReplicas: lists.get('Adding Replicas') ?? [],
    removingReplicas: lists.get('Removing Replicas') ?? [],
    elr: lists.get('Elr'),
    lastKnownElr: lists.get('LastKnownElr'),
    markedForDeletion: fields.get('MarkedForDeletion') === 'true',
  };
}

function readLeader(text: string): number | undefined | 'invalid' {
  if (text === 'none' || text === '-1') return undefined;
  return readInt32(text) ?? 'invalid';
}
