import { GroupsReader } from './groups-reader.js';
import type {
  ImportFormat,
  ImportOptions,
  ImportResult,
  ImportedGroup,
  ImportedTopic,
  LineKind,
  LineReport,
} from './import-result.js';
import { LineLedger } from './line-ledger.js';
import { noiseKind, toolCommand } from './noise.js';
import { splitPaste } from './paste.js';
import { ReassignmentReader } from './reassignment-reader.js';
import type { TableHeader } from './table-columns.js';
import { looksLikeHeader } from './table-columns.js';
import { readAlignedRow, readRowByShape } from './table-row.js';
import { readToolMessage, startsGroupMessage } from './tool-message.js';
import { TopicsReader } from './topics-reader.js';
import { readRow } from './wrapped-row.js';

/** Lines that backslashes join to one command are at most this many. */
const MAX_COMMAND_LINES = 20;

/** Lines below a record that are looked at as its possible rest. */
const MAX_REST_LINES = 5;

/**
 * Reads everything that Kafka's tools print about topics, groups and reassignments out of one paste, in any mixture and of
 * any version. Every line is accounted for; what cannot be read for certain is left out and reported, never guessed.
 * Throws INVALID_REQUEST only for more than 500,000 lines. Takes time proportional to the length of the text.
 */
export function parseImport(text: string, options: ImportOptions = {}): ImportResult {
  return new ImportRun(splitPaste(text), options).run();
}

/** The formats that a text contains, in order of first appearance. */
export function detectFormat(text: string): readonly ImportFormat[] {
  return parseImport(text).formats;
}

/** `kafka-topics --describe` alone: output of other commands in the same text is ignored, and reported so. */
export function parseTopicsDescribe(text: string): Pick<ImportResult, 'topics' | 'lines' | 'warnings'> {
  const result = parseImport(text);
  return { topics: result.topics, ...ignoringOthers(result, TOPIC_KINDS) };
}

/** `kafka-consumer-groups --describe` alone, all views: other output in the same text is ignored, and reported so. */
export function parseGroupsDescribe(
  text: string,
  options: ImportOptions = {},
): Pick<ImportResult, 'groups' | 'lines' | 'warnings'> {
  const result = parseImport(text, options);
  return { groups: result.groups, ...ignoringOthers(result, GROUP_KINDS) };
}

/** The JSON of `kafka-reassign-partitions` alone: other output in the same text is ignored, and reported so. */
export function parseReassignmentJson(
  text: string,
): Pick<ImportResult, 'reassignments' | 'topicsToMove' | 'lines' | 'warnings'> {
  const result = parseImport(text);
  const { reassignments, topicsToMove } = result;
  return { reassignments, topicsToMove, ...ignoringOthers(result, JSON_KINDS) };
}

const TOPIC_KINDS: readonly LineKind[] = ['topic', 'topic-partition'];
const GROUP_KINDS: readonly LineKind[] = ['table-header', 'group-partition', 'group-member', 'group-state'];
const JSON_KINDS: readonly LineKind[] = ['reassignment-json'];
const DATA_KINDS = new Set<LineKind>([...TOPIC_KINDS, ...GROUP_KINDS, ...JSON_KINDS]);

/** The report without what other commands printed: their lines become ignored, warnings about those alone are left out. */
function ignoringOthers(result: ImportResult, kinds: readonly LineKind[]): Pick<ImportResult, 'lines' | 'warnings'> {
  const isOther = ({ kind, status }: LineReport) =>
    DATA_KINDS.has(kind) && !kinds.includes(kind) && status === 'understood';
  const detail = 'Output of another command, not asked for here.';
  return {
    lines: result.lines.map((line) => (isOther(line) ? { ...line, status: 'ignored', detail } : line)),
    warnings: result.warnings.filter(
      ({ lineNumbers }) => !lineNumbers.every((number) => isOther(result.lines[number - 1]!)),
    ),
  };
}

class ImportRun {
  readonly #ledger: LineLedger;
  readonly #topics: TopicsReader;
  readonly #groups: GroupsReader;
  readonly #reassignments: ReassignmentReader;

  readonly #freeLines = new Map<number, boolean>();
  #freeLinesTable: GroupsReader['table'];

  constructor(
    readonly lines: readonly string[],
    options: ImportOptions,
  ) {
    this.#ledger = new LineLedger(lines);
    this.#topics = new TopicsReader(this.#ledger);
    this.#groups = new GroupsReader(this.#ledger, options.groupId);
    this.#reassignments = new ReassignmentReader(this.#ledger);
  }

  run(): ImportResult {
    for (let index = 0; index < this.lines.length;) index += this.#readAt(index);
    const topics = this.#topics.finish();
    const groups = this.#groups.finish();
    this.#checkGroupsAgainstTopics(groups, topics);
    const lines = this.#ledger.finish();
    this.#warnAboutLeftOutLines(lines);
    const { reassignments, topicsToMove } = this.#reassignments;
    const moveLines = new Set(topicsToMove.flatMap(({ firstLine, lastLine }) => linesBetween(firstLine, lastLine)));
    const formats = [...new Set(lines.flatMap((line) => formatOf(line, moveLines)))];
    return { formats, topics, groups, reassignments, topicsToMove, lines, warnings: this.#ledger.warnings };
  }

  /** Reads what starts in line `index`; answers the number of lines consumed, at least 1. */
  #readAt(index: number): number {
    const line = this.lines[index]!;
    const { table } = this.#groups;
    if (table !== undefined && readAlignedRow(table, line) !== undefined && !looksLikeHeader(line)) {
      return this.#groups.readRow(index, this.#freeLinesAfter(index));
    }
    const noise = noiseKind(line);
    if (noise === 'blank') return this.#ignore(index, noise);
    if (noise === 'log' && table !== undefined && isRowAfterAll(table, line)) {
      return this.#groups.readRow(index, this.#freeLinesAfter(index));
    }
    const json = ReassignmentReader.startOf(line);
    if (json >= 0) return this.#readJson(index, json);
    const header = this.#groups.readHeader(index);
    if (header > 0) return header;
    if (TopicsReader.startsRecord(line)) {
      this.#groups.endTable();
      return this.#topics.read(index, this.#freeLinesAfter(index));
    }
    const message = this.#readMessage(index);
    if (message > 0) return message;
    if (noise === 'prompt') return this.#readPrompt(index);
    if (noise !== undefined) return this.#ignore(index, noise);
    return table === undefined ? 1 : this.#groups.readRow(index, this.#freeLinesAfter(index));
  }

  #ignore(index: number, kind: LineKind): 1 {
    this.#ledger.ignored(index, kind, kind === 'blank' ? 'Blank.' : 'Nothing to import.');
    return 1;
  }

  #readJson(index: number, column: number): number {
    this.#groups.endTable();
    const before = readToolMessage(this.lines[index]!.slice(0, column));
    if (before?.type === 'heading') this.#reassignments.acceptHeading(before.role);
    return this.#reassignments.read(index, column);
  }

  /** A command line, with the lines that a backslash joins to it. */
  #readPrompt(index: number): number {
    this.#groups.endTable();
    let count = 1;
    while (count < MAX_COMMAND_LINES && this.lines[index + count - 1]!.trimEnd().endsWith('\\')) {
      if (this.lines[index + count] === undefined) break;
      count++;
    }
    const groups = toolCommand(this.lines.slice(index, index + count).join(' '))?.groups ?? [];
    this.#groups.nameGroup(groups);
    if (groups.length === 1) this.#ledger.understood(index, 'prompt', `A command about group ${groups[0]!}.`);
    else this.#ignore(index, 'prompt');
    this.#ledger.continuation(index, count, groups.length === 1 ? 'understood' : 'ignored');
    return count;
  }

  #readMessage(index: number): number {
    const line = this.lines[index]!;
    let message = readToolMessage(line);
    let count = 1;
    if (message === undefined && startsGroupMessage(line) && index + 1 < this.lines.length) {
      const rest = this.lines[index + 1]!.trim();
      const joined = [line + rest, `${line.trimEnd()} ${rest}`].map(readToolMessage);
      message = joined.find((reading) => reading?.type === 'group-state');
      count = 2;
    }
    if (message === undefined) return 0;
    if (message.type === 'error') {
      this.#ledger.ignored(index, 'message', message.detail);
      this.#ledger.warn({ code: 'tool-error', message: line.trim().slice(0, 500), lineNumbers: [index + 1] });
      return 1;
    }
    if (message.type === 'heading') this.#reassignments.acceptHeading(message.role);
    if (message.type === 'group-state') {
      this.#groups.acceptMessage(message.groupId, { state: message.state, kafkaState: undefined }, index);
    }
    this.#ledger.understood(index, 'message', message.detail);
    this.#ledger.continuation(index, count, 'understood');
    return count;
  }

  /** How many lines below `index` are nothing in themselves, so that they may be the rest of a broken line. */
  #freeLinesAfter(index: number): number {
    let count = 0;
    while (count < MAX_REST_LINES && this.#isFree(index + count + 1)) count++;
    return count;
  }

  /** Asked up to five times for a line, so the answer is kept, for the table that it was given for. */
  #isFree(index: number): boolean {
    const { table } = this.#groups;
    if (this.#freeLinesTable !== table) {
      this.#freeLinesTable = table;
      this.#freeLines.clear();
    }
    let free = this.#freeLines.get(index);
    if (free === undefined) this.#freeLines.set(index, (free = this.#isNothingKnown(index)));
    return free;
  }

  #isNothingKnown(index: number): boolean {
    const line = this.lines[index];
    if (line === undefined || noiseKind(line) !== undefined || ReassignmentReader.startOf(line) >= 0) return false;
    if (TopicsReader.startsRecord(line) || looksLikeHeader(line) || readToolMessage(line) !== undefined) return false;
    const { table } = this.#groups;
    return table === undefined || !('cells' in readRow(table, line));
  }

  #checkGroupsAgainstTopics(groups: readonly ImportedGroup[], topics: readonly ImportedTopic[]): void {
    const counts = new Map(topics.map(({ name, partitionCount }) => [name, partitionCount]));
    for (const { groupId, partitions } of groups) {
      const beyond = partitions.filter(({ topic, partition }) => partition >= (counts.get(topic) ?? Infinity));
      for (const topic of new Set(beyond.map((row) => row.topic))) {
        const rows = beyond.filter((row) => row.topic === topic);
        const numbers = rows.map(({ partition }) => partition).join(', ');
        this.#ledger.warn({
          code: 'partition-not-in-topic',
          message: `The group has partitions ${numbers} of ${topic}, which has ${counts.get(topic)} in this text.`,
          lineNumbers: rows.map(({ lineNumber }) => lineNumber),
          topic,
          ...(groupId === undefined ? {} : { groupId }),
        });
      }
    }
  }

  #warnAboutLeftOutLines(lines: readonly LineReport[]): void {
    const leftOut = lines.filter(({ status }) => status === 'not-understood');
    if (leftOut.length === 0) return;
    this.#ledger.warn({
      code: 'not-understood-lines',
      message: `${leftOut.length} of ${lines.length} lines were not understood and are left out; each line's detail says why.`,
      lineNumbers: leftOut.map(({ lineNumber }) => lineNumber),
    });
  }
}

/** A group may be called INFO: its row looks like a log line, but has the shape of a row and a host as Kafka prints it. */
function isRowAfterAll(table: TableHeader, line: string): boolean {
  const hasHost = table.view === 'offsets' || line.includes(' /');
  return hasHost && 'cells' in readRowByShape(table, line, 'one');
}

function linesBetween(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
}

const FORMAT_OF_KIND: ReadonlyMap<LineKind, ImportFormat> = new Map<LineKind, ImportFormat>([
  ['topic', 'topics-describe'],
  ['topic-partition', 'topics-describe'],
  ['group-partition', 'groups-offsets'],
  ['group-member', 'groups-members'],
  ['group-state', 'groups-state'],
]);

function formatOf({ kind, status, lineNumber }: LineReport, moveLines: ReadonlySet<number>): ImportFormat[] {
  if (status !== 'understood') return [];
  if (kind === 'reassignment-json') return [moveLines.has(lineNumber) ? 'topics-to-move-json' : 'reassignment-json'];
  const format = FORMAT_OF_KIND.get(kind);
  return format === undefined ? [] : [format];
}
