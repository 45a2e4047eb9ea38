import { compareText, invalidRequest } from '@allot/model';
import { isTopicName, readInt32 } from './cell-values.js';
import type { ReassignmentPartition } from './import-result.js';

export interface ReassignmentPrintOptions {
  /** Writes `log_dirs` with `any` for partitions that name no directories. Kafka takes the file with and without. */
  readonly anyLogDirs?: boolean;
}

/**
 * Writes the file that `kafka-reassign-partitions --execute --reassignment-json-file` takes, partitions by topic and number,
 * replicas in their order (the first one becomes the preferred leader).
 */
export function printReassignmentJson(
  partitions: readonly ReassignmentPartition[],
  options: ReassignmentPrintOptions = {},
): string {
  const seen = new Set<string>();
  for (const { topic, partition, replicas, logDirs } of partitions) {
    const name = `${topic}-${partition}`;
    requireTopic(topic);
    if (readInt32(`${partition}`) === undefined) throw invalidRequest(`${partition} is not a partition number.`);
    if (seen.has(name)) throw invalidRequest(`Partition ${name} is in the reassignment twice.`);
    seen.add(name);
    if (replicas.length === 0 || new Set(replicas).size < replicas.length) {
      throw invalidRequest(`The replicas of ${name} are empty or name a broker twice.`);
    }
    if (logDirs !== undefined && logDirs.length !== replicas.length) {
      throw invalidRequest(`Partition ${name} has ${logDirs.length} log directories for ${replicas.length} replicas.`);
    }
  }
  const sorted = [...partitions].sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
  const entries = sorted.map(({ topic, partition, replicas, logDirs }) => {
    const dirs = logDirs ?? (options.anyLogDirs ? replicas.map(() => 'any') : undefined);
    return { topic, partition, replicas, ...(dirs === undefined ? {} : { log_dirs: dirs }) };
  });
  return JSON.stringify({ version: 1, partitions: entries });
}

/** Writes the file that `kafka-reassign-partitions --generate --topics-to-move-json-file` takes. */
export function printTopicsToMoveJson(topics: readonly string[]): string {
  for (const topic of topics) requireTopic(topic);
  const names = [...new Set(topics)].sort(compareText);
  return JSON.stringify({ topics: names.map((topic) => ({ topic })), version: 1 });
}

function requireTopic(topic: string): void {
  if (!isTopicName(topic)) throw invalidRequest(`"${topic}" is not a topic name.`);
}
