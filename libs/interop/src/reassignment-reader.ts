import { isTopicName } from './cell-values.js';
import type { ImportedReassignment, ImportedTopicsToMove, ReassignmentPartition } from './import-result.js';
import type { LineLedger } from './line-ledger.js';
import { quote } from './paste.js';
import type { JsonValue } from './wrapped-json.js';
import { readWrappedJson } from './wrapped-json.js';

const JSON_STARTS = ['{"version"', '{"partitions"', '{"topics"'];
const MAX_INT32 = 2_147_483_647;

type Role = ImportedReassignment['role'];

/** Gathers the JSON of `kafka-reassign-partitions`: current and proposed assignments, topics-to-move files. */
export class ReassignmentReader {
  readonly reassignments: ImportedReassignment[] = [];
  readonly topicsToMove: ImportedTopicsToMove[] = [];
  #role: Role = 'unlabelled';

  constructor(readonly ledger: LineLedger) {}

  /** Where JSON starts in a line: at its first character that is not blank, or after a prompt or heading; -1 if nowhere. */
  static startOf(line: string): number {
    const trimmed = line.trimStart();
    if (trimmed.startsWith('{')) return line.length - trimmed.length;
    const found = JSON_STARTS.map((start) => line.indexOf(start)).filter((at) => at >= 0);
    return found.length === 0 ? -1 : Math.min(...found);
  }

  /** A heading of the tool above the JSON tells what it is. */
  acceptHeading(role: 'current' | 'proposed'): void {
    this.#role = role;
  }

  /** Reads the JSON values from line `index` on, up to the end of a line; answers the number of lines consumed. */
  read(index: number, column: number): number {
    const { lines } = this.ledger;
    let at = { line: index, column };
    for (;;) {
      const role = this.#role;
      this.#role = 'unlabelled';
      const reading = readWrappedJson(lines, at);
      if (reading.type === 'error') {
        const place = `line ${Math.min(reading.at.line, lines.length - 1) + 1}, column ${reading.at.column + 1}`;
        const last = Math.max(at.line, reading.at.line - 1);
        return this.#refuse(at.line, last, `not valid JSON at ${place}: ${reading.reason}.`) - index;
      }
      const problem = this.#accept(reading.value, role, at.line + 1, reading.end.line + 1);
      if (problem !== undefined) return this.#refuse(at.line, reading.end.line, problem) - index;
      for (let line = at.line + 1; line <= reading.end.line; line++) {
        this.ledger.understood(line, 'reassignment-json', `Part of the JSON that starts in line ${at.line + 1}.`);
      }
      this.ledger.understood(at.line, 'reassignment-json', describe(reading.value, role));
      this.#reportRepairs(reading.repaired);
      const next = nextWord(lines[reading.end.line]!, reading.end.column);
      if (next === undefined) return reading.end.line + 1 - index;
      if (lines[reading.end.line]![next] !== '{') {
        const detail = `The JSON ends in this line; the rest was left out: ${quote(lines[reading.end.line]!.slice(next))}.`;
        this.ledger.notUnderstood(reading.end.line, 'reassignment-json', detail);
        return reading.end.line + 1 - index;
      }
      at = { line: reading.end.line, column: next };
    }
  }

  #reportRepairs(repaired: readonly number[]): void {
    if (repaired.length === 0) return;
    const lineNumbers = repaired.map((line) => line + 1);
    const message = `Line breaks inside a string or number were taken out before line(s) ${lineNumbers.join(', ')}.`;
    this.ledger.warn({ code: 'wrapped-lines', message, lineNumbers });
  }

  /** Answers the index of the line after the refused ones. */
  #refuse(first: number, last: number, problem: string): number {
    const end = Math.min(last, this.ledger.lines.length - 1);
    const detail = `The JSON that starts in line ${first + 1} was left out: ${problem}`;
    for (let line = first; line <= end; line++) this.ledger.notUnderstood(line, 'reassignment-json', detail);
    this.ledger.warn({ code: 'invalid-json', message: detail, lineNumbers: [first + 1] });
    return end + 1;
  }

  /** Takes over a reassignment or a topics-to-move list as a whole, or tells what is wrong with it. */
  #accept(value: JsonValue, role: Role, firstLine: number, lastLine: number): string | undefined {
    if (!isObject(value)) return 'it is not an object.';
    const version = value.get('version');
    if (version !== undefined && version !== 1) return `version ${text(version)} is not known (1 is).`;
    const partitions = value.get('partitions');
    const topics = value.get('topics');
    if (Array.isArray(partitions) === Array.isArray(topics)) {
      return 'it has no list "partitions" (a reassignment) and no list "topics" (topics to move), or both.';
    }
    if (Array.isArray(topics)) {
      const names = readTopics(topics as readonly JsonValue[]);
      if (typeof names === 'string') return names;
      this.topicsToMove.push({ topics: names, firstLine, lastLine });
      return undefined;
    }
    const read = readPartitions(partitions as readonly JsonValue[]);
    if (typeof read === 'string') return read;
    this.reassignments.push({ role, partitions: read, firstLine, lastLine });
    return undefined;
  }
}

/** The column of the next character that matters: not a blank, nor what closes a quoted shell argument. */
function nextWord(line: string, from: number): number | undefined {
  for (let i = from; i < line.length; i++) if (!' \t\'";'.includes(line[i]!)) return i;
  return undefined;
}

function describe(value: JsonValue, role: Role): string {
  const object = value as ReadonlyMap<string, JsonValue>;
  const topics = object.get('topics');
  if (Array.isArray(topics)) return `Topics to move: ${topics.length}.`;
  const which = role === 'unlabelled' ? 'Reassignment' : `${role === 'current' ? 'Current' : 'Proposed'} assignment`;
  return `${which} of ${(object.get('partitions') as readonly JsonValue[]).length} partition(s).`;
}

function readTopics(entries: readonly JsonValue[]): string[] | string {
  const names = new Set<string>();
  for (const [i, entry] of entries.entries()) {
    const name = isObject(entry) ? entry.get('topic') : undefined;
    if (typeof name !== 'string' || !isTopicName(name)) return `topics[${i}].topic ${text(name)} is not a topic name.`;
    if (names.has(name)) return `topics[${i}] names ${name} again; Kafka refuses duplicates.`;
    names.add(name);
  }
  return [...names];
}

function readPartitions(entries: readonly JsonValue[]): ReassignmentPartition[] | string {
  const seen = new Set<string>();
  const read: ReassignmentPartition[] = [];
  for (const [i, entry] of entries.entries()) {
    const partition = readPartition(entry);
    if (typeof partition === 'string') return `partitions[${i}]${partition}`;
    const name = `${partition.topic}-${partition.partition}`;
    if (seen.has(name)) return `partitions[${i}] is about ${name} again; Kafka refuses duplicates.`;
    seen.add(name);
    read.push(partition);
  }
  return read;
}

function readPartition(entry: JsonValue): ReassignmentPartition | string {
  if (!isObject(entry)) return ' is not an object.';
  const topic = entry.get('topic');
  if (typeof topic !== 'string' || !isTopicName(topic)) return `.topic ${text(topic)} is not a topic name.`;
  const partition = entry.get('partition');
  if (!isInt32(partition)) return `.partition ${text(partition)} is not a partition number.`;
  const replicas = entry.get('replicas');
  if (!Array.isArray(replicas) || replicas.length === 0 || !replicas.every(isInt32)) {
    return `.replicas ${text(replicas)} is not a list of broker ids.`;
  }
  if (new Set(replicas).size < replicas.length) return `.replicas ${text(replicas)} names a broker twice.`;
  const logDirs = entry.get('log_dirs');
  if (logDirs === undefined) return { topic, partition, replicas };
  if (
    !Array.isArray(logDirs) ||
    !logDirs.every((dir) => typeof dir === 'string' && (dir === 'any' || dir.startsWith('/')))
  ) {
    return `.log_dirs ${text(logDirs)} is not a list of absolute paths or "any".`;
  }
  if (logDirs.length !== replicas.length) {
    return `.log_dirs has ${logDirs.length} entries for ${replicas.length} replicas.`;
  }
  return { topic, partition, replicas, logDirs: logDirs as readonly string[] };
}

function isObject(value: JsonValue): value is ReadonlyMap<string, JsonValue> {
  return value instanceof Map;
}

function isInt32(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_INT32;
}

/** A value for a message. */
function text(value: JsonValue | undefined): string {
  if (value === undefined) return '(missing)';
  if (value instanceof Map) return '{...}';
  return JSON.stringify(value).slice(0, 60);
}
