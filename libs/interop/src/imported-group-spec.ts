import type { Assignment, GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import { AllotError } from '@allot/model';
import type { ImportedGroup, ImportedMember, ImportedTopic, ImportResult } from './import-result.js';

/** What the members' claims count as: all of one picture, so none is older than another. */
const GENERATION = 1;

/** A group as planning takes it, and what of it is not said by the text. */
export interface ImportedGroupSpec {
  readonly spec: GroupSpec;
  /** Topics whose number of partitions is counted from groups' tables, since no description of them is in the text. */
  readonly countedTopics: readonly string[];
}

/**
 * A group of an import in the form of a plan's input. Kafka's tools do not print subscriptions: every member counts as a
 * subscriber of all topics of the group. A member owns what the group is heading for where the tool prints that (4.0 and
 * later), else what it has. `rackOf` answers the rack of a broker, where it is known.
 *
 * @throws AllotError IMPORT_INCOMPLETE when the text does not say what a member owns or how many partitions a topic has,
 *   naming the line and what to paste
 */
export function importedGroupSpec(
  { groups, topics: described }: Pick<ImportResult, 'groups' | 'topics'>,
  group: ImportedGroup,
  rackOf: (broker: number) => string | undefined = () => undefined,
): ImportedGroupSpec {
  const names = topicsOf(group);
  const byName = new Map(described.map((topic) => [topic.name, topic]));
  const countedTopics = names.filter((name) => !byName.has(name));
  const counted = countedTopics.length === 0 ? NOTHING_COUNTED : countPartitions(groups, new Set(byName.keys()));
  const topics = names.map((name): TopicSpec => {
    const topic = byName.get(name);
    const partitions = topic === undefined ? counted.get(name) : topic.partitionCount;
    if (partitions === undefined) throw incomplete(describeMissingCount(name, topic, group));
    if (topic === undefined) return { name, partitions };
    const racks = racksOf(topic, partitions, rackOf);
    return {
      name,
      partitions,
      ...(topic.topicId === undefined ? {} : { id: topic.topicId }),
      ...(racks === undefined ? {} : { racks }),
    };
  });
  return {
    spec: { topics, members: group.members.map((member) => memberOf(member, names)) },
    countedTopics,
  };
}

const NOTHING_COUNTED: ReadonlyMap<string, number> = new Map();

function memberOf(member: ImportedMember, topics: readonly string[]): MemberSpec {
  const owned = member.targetAssignment ?? member.assignment;
  if (owned === undefined) {
    throw incomplete(
      `Line ${member.lineNumber}: the text does not say what member ${member.memberId} owns. Paste the offsets view ` +
        '(kafka-consumer-groups.sh --describe) as well.',
    );
  }
  return {
    id: member.memberId,
    topics,
    ...(member.instanceId === undefined ? {} : { instanceId: member.instanceId }),
    ...(owned.size === 0 ? {} : { owned, generation: GENERATION }),
  };
}

/** Topics of the group by first mention: those it has offsets for, then those that members own a part of. */
function topicsOf({ partitions, members }: ImportedGroup): string[] {
  const names = new Set(partitions.map(({ topic }) => topic));
  for (const { assignment, targetAssignment } of members) {
    for (const name of assignment?.keys() ?? []) names.add(name);
    for (const name of targetAssignment?.keys() ?? []) names.add(name);
  }
  return [...names];
}

/**
 * Partition counts of topics that only groups' tables name: where the numbers in all tables together are 0 to n without a
 * gap. The offsets view lists every partition that the group has an offset for or a member of.
 */
function countPartitions(groups: readonly ImportedGroup[], described: ReadonlySet<string>): Map<string, number> {
  const seen = new Map<string, Set<number>>();
  const note = (topic: string, numbers: Iterable<number>): void => {
    if (described.has(topic)) return;
    let all = seen.get(topic);
    if (all === undefined) seen.set(topic, (all = new Set()));
    for (const partition of numbers) all.add(partition);
  };
  const noteAll = (assignment: Assignment | undefined): void => {
    for (const [topic, numbers] of assignment ?? []) note(topic, numbers);
  };
  for (const { partitions, members } of groups) {
    for (const { topic, partition } of partitions) note(topic, [partition]);
    for (const { assignment, targetAssignment } of members) {
      noteAll(assignment);
      noteAll(targetAssignment);
    }
  }
  const counts = new Map<string, number>();
  for (const [topic, numbers] of seen) {
    const highest = [...numbers].reduce((most, partition) => Math.max(most, partition), -1);
    if (numbers.size === highest + 1) counts.set(topic, highest + 1);
  }
  return counts;
}

/** Racks of each partition's replicas; undefined while nothing is known of any of them. */
function racksOf(
  { partitions: listed }: ImportedTopic,
  count: number,
  rackOf: (broker: number) => string | undefined,
): readonly (readonly string[])[] | undefined {
  const racks = Array.from({ length: count }, (): readonly string[] => []);
  for (const { partition, replicas } of listed) {
    if (partition < count) racks[partition] = replicas.flatMap((broker) => rackOf(broker) ?? []);
  }
  return racks.some((ofPartition) => ofPartition.length > 0) ? racks : undefined;
}

function describeMissingCount(name: string, topic: ImportedTopic | undefined, group: ImportedGroup): string {
  if (topic !== undefined) {
    const [first] = topic.partitions;
    return `Line ${first?.lineNumber ?? topic.lineNumber}: the text has partitions of topic ${name}, but not its own line with PartitionCount. Paste the whole output of kafka-topics.sh --describe --topic ${name}.`;
  }
  const numbers = group.partitions.filter((partition) => partition.topic === name);
  const line = numbers[0]?.lineNumber ?? group.members.find((member) => member.assignment?.has(name))?.lineNumber;
  return `Line ${line}: only some partitions of topic ${name} are in the text. Paste the output of kafka-topics.sh --describe --topic ${name} as well.`;
}

function incomplete(message: string): AllotError {
  return new AllotError('IMPORT_INCOMPLETE', message, { action: 'fix-request' });
}

/**
 * The name of the assignor that an imported group uses, if the text says it (the state view does). Kafka calls two rules
 * `range`: that of its client and, in groups whose members have epochs (KIP-848), that of its broker, which is `server-range`
 * here.
 */
export function importedAssignor({ assignor, groupEpoch, members }: ImportedGroup): string | undefined {
  const servedByBroker = groupEpoch !== undefined || members.some(({ currentEpoch }) => currentEpoch !== undefined);
  return assignor === 'range' && servedByBroker ? 'server-range' : assignor;
}
