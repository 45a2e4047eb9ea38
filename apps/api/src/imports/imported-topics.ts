import type { PartitionDetail, TopicChange } from '@allot/coordinator';
import type { ImportedGroup, ImportedTopic } from '@allot/interop';
import { LIMITS } from '../config/limits.js';

export type NamedChange = TopicChange & { readonly name: string };

/** What a topic in the text becomes: a change of the cluster's topic, or nothing, for a reason. */
export type TopicDecision =
  | { readonly name: string; readonly change: NamedChange; readonly reason?: string }
  | { readonly name: string; readonly partitions: number | undefined; readonly reason: string };

/** `knownId` is the id that the cluster's topic of this name has already. */
export function decideTopic(
  { name, topicId, partitionCount, partitions }: ImportedTopic,
  knownId: string | undefined,
): TopicDecision {
  const skip = (reason: string): TopicDecision => ({ name, partitions: partitionCount, reason });
  if (partitionCount === undefined) return skip('Its partition count is not in the text: paste its own line as well.');
  if (partitionCount === 0) return skip('It has no partitions yet.');
  if (partitionCount > LIMITS.partitionsPerTopic) {
    return skip(`It has ${partitionCount} partitions; at most ${LIMITS.partitionsPerTopic} are taken.`);
  }
  const listed = new Map(partitions.map((partition) => [partition.partition, partition]));
  const details = Array.from({ length: partitionCount }, (_, i): PartitionDetail => {
    const { leader, replicas = [], isr } = listed.get(i) ?? {};
    return { ...(leader === undefined ? {} : { leader }), replicas, ...(isr === undefined ? {} : { isr }) };
  });
  const change = { name, partitions: partitionCount, ...(listed.size === 0 ? {} : { details }) };
  if (topicId === undefined || topicId === knownId) return { name, change };
  if (knownId === undefined) return { name, change: { ...change, id: topicId } };
  const reason = `It keeps the id ${knownId} that it has here. Delete it here first if it is another topic by now.`;
  return { name, change, reason };
}

/**
 * Topics that only a group's table names. Its offsets view lists every partition that the group has an offset for or a member
 * of; numbers from 0 without a gap are taken for the topic, and the report says so.
 */
export function inferTopics(groups: readonly ImportedGroup[], described: ReadonlySet<string>): TopicDecision[] {
  const seen = new Map<string, Set<number>>();
  const note = (topic: string, partition: number) => {
    if (described.has(topic)) return;
    const numbers = seen.get(topic) ?? new Set<number>();
    seen.set(topic, numbers.add(partition));
  };
  for (const { partitions, members } of groups) {
    for (const { topic, partition } of partitions) note(topic, partition);
    for (const { assignment } of members) {
      for (const [topic, numbers] of assignment ?? []) for (const partition of numbers) note(topic, partition);
    }
  }
  return [...seen].map(([name, numbers]) => inferTopic(name, numbers));
}

function inferTopic(name: string, numbers: ReadonlySet<number>): TopicDecision {
  const count = Math.max(...numbers) + 1;
  if (numbers.size < count || count > LIMITS.partitionsPerTopic) {
    const reason =
      'Only some of its partitions are in the text: paste the output of kafka-topics.sh --describe as well.';
    return { name, partitions: undefined, reason };
  }
  const reason = "Counted from the group's table; paste the output of kafka-topics.sh --describe to be sure.";
  return { name, change: { name, partitions: count }, reason };
}
