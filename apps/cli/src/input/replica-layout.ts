import { parseImport } from '@allot/interop';
import type { ImportedTopic, ImportResult } from '@allot/interop';
import { AllotError, invalidRequest } from '@allot/model';
import { targetReplicas, type PartitionReplicas } from '@allot/strategies';
import type { SourceText } from './read-text.js';

/**
 * Where replicas are, from `kafka-topics.sh --describe` or the JSON of `kafka-reassign-partitions.sh`; of a partition that is
 * being moved, where they will be.
 *
 * @throws AllotError that names the topic or line whose replicas the text does not say
 */
export function readReplicas(source: SourceText, wanted: readonly string[]): PartitionReplicas[] {
  const imported = parseImport(source.text);
  const partitions = imported.topics.length > 0 ? ofTopics(imported.topics) : ofJson(imported);
  const known = new Set(partitions.map(({ topic }) => topic));
  const missing = wanted.find((topic) => !known.has(topic));
  if (missing !== undefined) throw invalidRequest(`The text does not describe a topic "${missing}".`);
  return wanted.length === 0 ? partitions : partitions.filter(({ topic }) => wanted.includes(topic));
}

function ofTopics(topics: readonly ImportedTopic[]): PartitionReplicas[] {
  return topics.flatMap(({ name, partitionCount, partitions, lineNumber }) => {
    if (partitions.length === 0 || partitions.length < (partitionCount ?? 0)) {
      throw incomplete(
        `Line ${lineNumber}: only ${partitions.length} of the ${partitionCount} partitions of topic ${name} are listed. Paste the whole output of kafka-topics.sh --describe --topic ${name}.`,
      );
    }
    return partitions.map(({ partition, replicas, addingReplicas, removingReplicas }) => ({
      topic: name,
      partition,
      replicas: targetReplicas({
        topic: name,
        partition,
        replicas,
        adding: addingReplicas,
        removing: removingReplicas,
      }),
    }));
  });
}

/** The current assignment of `--generate` or `--execute`, or the one file that there is. */
function ofJson({ reassignments, lines }: ImportResult): PartitionReplicas[] {
  const [first, ...others] = reassignments;
  const chosen = reassignments.find(({ role }) => role === 'current') ?? (others.length === 0 ? first : undefined);
  if (chosen !== undefined)
    return chosen.partitions.map(({ topic, partition, replicas }) => ({ topic, partition, replicas }));
  if (first !== undefined) throw incomplete('The text has several assignments and does not say which one is current.');
  const odd = lines.find(({ status }) => status === 'not-understood');
  throw incomplete(
    `${odd === undefined ? 'No replicas are described.' : `Line ${odd.lineNumber}: ${odd.detail}`} Give the output of kafka-topics.sh --describe.`,
  );
}

function incomplete(message: string): AllotError {
  return new AllotError('IMPORT_INCOMPLETE', message, { action: 'fix-request' });
}
