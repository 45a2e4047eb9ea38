import { importedAssignor, importedGroupSpec, parseImport } from '@allot/interop';
import type { ImportedGroup, ImportResult, ImportWarning } from '@allot/interop';
import { AllotError, assignmentToJson, invalidRequest } from '@allot/model';
import type { GroupSpec, TopicSpec } from '@allot/model';
import { DEFAULT_ASSIGNOR, findAssignor, resolveAssignor } from '@allot/strategies';
import type { SourceText } from './read-text.js';

/** What of a group is said beside the text. */
export interface GroupChoice {
  /** `--group`. */
  readonly group?: string;
  /** `--assignor`: the rule from now on. */
  readonly assignor?: string;
  /** `--broker-rack`: broker id -> rack. */
  readonly brokerRacks: ReadonlyMap<number, string>;
  /** Whether brokers change, so that the replicas matter. */
  readonly brokersChange?: boolean;
}

/** A group as `POST /v1/plans` takes it, and what a person should know of how it was read. */
export interface GroupBody {
  readonly groupId?: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly remarks: readonly Remark[];
}

export interface Remark {
  readonly kind: 'note' | 'warning';
  readonly text: string;
}

/**
 * The group that a text describes: the output of Kafka's tools, or the JSON that the REST API takes. Nothing is guessed without
 * a remark.
 *
 * @throws AllotError that names the line, or what is missing, or the groups to choose from
 */
export function readGroupBody(source: SourceText, choice: GroupChoice): GroupBody {
  if (choice.assignor !== undefined) resolveAssignor(choice.assignor);
  try {
    return readJsonBody(source.text, choice) ?? readImportedBody(source, choice);
  } catch (error) {
    throw located(error, source);
  }
}

/** The importer counts lines over all files; a person looks into one. */
function located(error: unknown, source: SourceText): unknown {
  if (!(error instanceof AllotError)) return error;
  const { code, action, message } = error;
  const place = (_: string, line: string) => source.locate(Number(line));
  const text = message.replace(/(?<=^|\. )Line (\d+)(?=:)/, place);
  return text === message ? error : new AllotError(code, text, { action, cause: error });
}

/** A JSON object with members or topics of its own; Kafka's reassignment files are objects too, and are left to the importer. */
function readJsonBody(text: string, { assignor }: GroupChoice): GroupBody | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (!/"members"\s*:/.test(text)) return undefined;
    throw invalidRequest(`The JSON cannot be read: ${(error as Error).message}.`);
  }
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'members')) return undefined;
  const given = body as Record<string, unknown>;
  const changes = Array.isArray(given['changes']) ? (given['changes'] as unknown[]) : [];
  const switched = assignor === undefined ? {} : { changes: [...changes, { assignor }] };
  return { body: { ...given, ...switched }, remarks: [] };
}

function readImportedBody(source: SourceText, choice: GroupChoice): GroupBody {
  const imported = parseImport(source.text, choice.group === undefined ? {} : { groupId: choice.group });
  const group = chooseGroup(imported, choice.group);
  if (group === undefined) return emptyGroupOn(imported, choice);
  const { spec, countedTopics } = importedGroupSpec(imported, group, (broker) => choice.brokerRacks.get(broker));
  const { assignor, switchTo, remarks } = chooseAssignor(group, choice);
  const counted =
    countedTopics.length === 0
      ? []
      : [
          note(
            `the partitions of ${some(countedTopics)} are counted from the group's table; paste kafka-topics.sh --describe to be sure.`,
          ),
        ];
  return {
    groupId: group.groupId!,
    body: {
      assignor,
      ...bodyOf(spec),
      ...(choice.brokersChange === true && placementOf(spec.topics, imported, choice.brokerRacks)),
      ...(switchTo === undefined ? {} : { changes: [{ assignor: switchTo }] }),
    },
    remarks: [...warningsAbout(imported, group, source), ...remarks, ...counted],
  };
}

/** The one group, or the one that was asked for; undefined where the text has topics alone. */
function chooseGroup({ groups, topics, lines }: ImportResult, wanted: string | undefined): ImportedGroup | undefined {
  const known = groups.filter(({ groupId }) => groupId !== undefined);
  if (wanted !== undefined) {
    const found = known.find(({ groupId }) => groupId === wanted);
    if (found !== undefined && isDescribed(found)) return found;
    if (known.length === 0 && topics.length > 0) return undefined;
    throw wrongGroup(`The text does not describe a group "${wanted}".`, known);
  }
  const described = known.filter(isDescribed);
  if (described.length > 1)
    throw wrongGroup(`The text describes ${described.length} groups: choose one with --group.`, described);
  if (described.length === 1) return described[0];
  if (groups.some((group) => group.groupId === undefined)) {
    throw invalidRequest('The table does not say which group it is of (Kafka up to 2.2): name it with --group.');
  }
  if (topics.length > 0) return undefined;
  if (lines.every(({ kind }) => kind === 'blank')) throw nothing('There is nothing to read.');
  const odd = lines.find(({ status }) => status === 'not-understood');
  throw nothing(odd === undefined ? 'No group is described.' : `Line ${odd.lineNumber}: ${odd.detail}`);
}

function isDescribed({ members, partitions }: ImportedGroup): boolean {
  return members.length > 0 || partitions.length > 0;
}

/** Topics without a group: one without members, to which members can be added. */
function emptyGroupOn({ topics }: ImportResult, { group, assignor = DEFAULT_ASSIGNOR }: GroupChoice): GroupBody {
  const specs = topics.map(({ name, partitionCount, lineNumber, partitions }) => {
    if (partitionCount !== undefined) return { name, partitions: partitionCount };
    const line = lineNumber ?? partitions[0]?.lineNumber;
    throw incomplete(
      `Line ${line}: the partition count of topic ${name} is not in the text. Paste its own line as well.`,
    );
  });
  const text =
    'the text describes topics and no group, so this is a new group on them; give it members with --add-members.';
  return {
    ...(group === undefined ? {} : { groupId: group }),
    body: { assignor, topics: specs, members: [] },
    remarks: [note(text)],
  };
}

/**
 * The assignor that the text names is what the group has now, so another `--assignor` is a change; where the text names none,
 * `--assignor` says what it is.
 */
function chooseAssignor(group: ImportedGroup, choice: GroupChoice) {
  const named = importedAssignor(group);
  const now = named === undefined ? undefined : findAssignor(named)?.name;
  const wanted = choice.assignor;
  if (now !== undefined) {
    const differs = wanted !== undefined && findAssignor(wanted)?.name !== now;
    return { assignor: now, switchTo: differs ? wanted : undefined, remarks: [] };
  }
  if (wanted !== undefined) return { assignor: wanted, switchTo: undefined, remarks: [] };
  const why =
    named === undefined
      ? 'the text does not say which assignor the group uses'
      : `the group uses ${named}, which is not known here`;
  const what = `${DEFAULT_ASSIGNOR}, Kafka's default, is assumed. Say it with --assignor, or paste --describe --state as well.`;
  return { assignor: DEFAULT_ASSIGNOR, switchTo: undefined, remarks: [note(`${why}; ${what}`)] };
}

function bodyOf({ topics, members }: GroupSpec): { topics: unknown; members: unknown } {
  return {
    topics,
    members: members.map(({ owned, ...member }) => ({
      ...member,
      ...(owned === undefined ? {} : { owned: assignmentToJson(owned) }),
    })),
  };
}

/** Topics with their replicas instead of racks, and the brokers on which these are; a topic that is not described has none. */
function placementOf(
  topics: readonly TopicSpec[],
  imported: ImportResult,
  racks: ReadonlyMap<number, string>,
): { topics: unknown; brokers: unknown } {
  const described = new Map(imported.topics.map((topic) => [topic.name, topic.partitions]));
  const ids = new Set(racks.keys());
  const placed = topics.map(({ racks: known, ...topic }) => {
    const listed = new Map(described.get(topic.name)?.map(({ partition, replicas }) => [partition, replicas]));
    if (listed.size < topic.partitions) return { ...topic, ...(known !== undefined && { racks: known }) };
    for (const replicas of listed.values()) for (const id of replicas) ids.add(id);
    return {
      ...topic,
      replicas: Array.from({ length: topic.partitions }, (_, partition) => listed.get(partition) ?? []),
    };
  });
  const brokers = [...ids].sort((a, b) => a - b).map((id) => ({ id, ...(racks.has(id) && { rack: racks.get(id) }) }));
  return { topics: placed, brokers };
}

/** Warnings of the importer that concern this group, or everybody. Offsets do not matter to plans. */
function warningsAbout(imported: ImportResult, group: ImportedGroup, source: SourceText): Remark[] {
  const topics = new Set(group.partitions.map(({ topic }) => topic));
  const concerns = ({ code, groupId, topic }: ImportWarning): boolean => {
    if (code === 'lag-unknown' || code === 'negative-lag') return false;
    if (groupId !== undefined) return groupId === group.groupId;
    return topic === undefined || topics.has(topic);
  };
  return imported.warnings.filter(concerns).map(({ message, lineNumbers }) => {
    const [first] = lineNumbers;
    const where = first === undefined ? '' : `${source.locate(first)}${lineNumbers.length > 1 ? ' and others' : ''}: `;
    return { kind: 'warning', text: where + message };
  });
}

function wrongGroup(message: string, groups: readonly ImportedGroup[]): AllotError {
  const names = groups.map(({ groupId }) => groupId!);
  const there =
    names.length === 0
      ? 'It describes none; paste the output of kafka-consumer-groups.sh --describe.'
      : `There are: ${some(names)}.`;
  return invalidRequest(`${message} ${there}`);
}

function nothing(why: string): AllotError {
  return new AllotError(
    'IMPORT_FAILED',
    `${why} Give the output of kafka-consumer-groups.sh --describe, with that of kafka-topics.sh --describe if you can, or the JSON of POST /v1/plans.`,
    { action: 'fix-request' },
  );
}

function incomplete(message: string): AllotError {
  return new AllotError('IMPORT_INCOMPLETE', message, { action: 'fix-request' });
}

function note(text: string): Remark {
  return { kind: 'note', text };
}

/** The first few names and how many more there are. */
function some(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(', ');
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown;
}
