import { formatTopicPartition, invalidRequest } from '@allot/model';
import type { FieldError } from '@allot/model';
import type { ReassignmentEntry } from './reassignment.js';

/** The cluster that a reassignment is for. */
export interface ReassignmentCluster {
  /** Ids of the brokers that are registered. */
  readonly brokers: readonly number[];
  /** Topic -> partition count. */
  readonly topics: ReadonlyMap<string, number>;
}

/**
 * Refuses what Kafka's tool and controller refuse, before anything is submitted, and all of it at once: no partitions, a
 * partition twice, no replicas, a broker twice in one list, as many directories as replicas or none, directories that are
 * neither `any` nor an absolute path, unknown topics, partitions and brokers.
 *
 * @throws AllotError INVALID_REQUEST with a field error for every fault, pointing into Kafka's JSON
 */
export function checkReassignment(entries: readonly ReassignmentEntry[], cluster: ReassignmentCluster): void {
  if (entries.length === 0) throw invalidRequest('The reassignment names no partitions: list at least one.');
  const brokers = new Set(cluster.brokers);
  const seen = new Set<string>();
  const faults = entries.flatMap((entry, i) => {
    const pointer = `/partitions/${i}`;
    const name = formatTopicPartition(entry);
    const twice = seen.has(name) ? [{ pointer, detail: `Partition ${name} is listed twice.` }] : [];
    seen.add(name);
    return [
      ...twice,
      ...whereabouts(entry, cluster, pointer),
      ...replicaFaults(entry, brokers, pointer),
      ...logDirFaults(entry, pointer),
    ];
  });
  if (faults.length === 0) return;
  const more = faults.length === 1 ? '' : ` (and ${faults.length - 1} more)`;
  throw invalidRequest(`The reassignment cannot be applied: ${faults[0]!.detail}${more}`, faults);
}

function whereabouts(
  { topic, partition }: ReassignmentEntry,
  { topics }: ReassignmentCluster,
  at: string,
): FieldError[] {
  const count = topics.get(topic);
  if (count === undefined) return [{ pointer: `${at}/topic`, detail: `There is no topic ${topic}.` }];
  if (Number.isInteger(partition) && partition >= 0 && partition < count) return [];
  return [{ pointer: `${at}/partition`, detail: `Topic ${topic} has no partition ${partition}: it has ${count}.` }];
}

function replicaFaults(entry: ReassignmentEntry, brokers: ReadonlySet<number>, at: string): FieldError[] {
  const name = formatTopicPartition(entry);
  const { replicas } = entry;
  if (replicas.length === 0) return [{ pointer: `${at}/replicas`, detail: `Partition ${name} has no replicas.` }];
  return replicas.flatMap((broker, i) => {
    const pointer = `${at}/replicas/${i}`;
    if (replicas.indexOf(broker) < i) return [{ pointer, detail: `Partition ${name} lists broker ${broker} twice.` }];
    if (!brokers.has(broker)) return [{ pointer, detail: `There is no broker ${broker}, which ${name} shall go to.` }];
    return [];
  });
}

function logDirFaults({ topic, partition, replicas, logDirs }: ReassignmentEntry, at: string): FieldError[] {
  if (logDirs === undefined) return [];
  const name = formatTopicPartition({ topic, partition });
  if (logDirs.length !== replicas.length) {
    return [
      {
        pointer: `${at}/log_dirs`,
        detail: `Partition ${name} has ${replicas.length} replicas but ${logDirs.length} log_dirs.`,
      },
    ];
  }
  return logDirs.flatMap((directory, i) =>
    directory === 'any' || directory.startsWith('/')
      ? []
      : [{ pointer: `${at}/log_dirs/${i}`, detail: `"${directory}" is neither "any" nor an absolute path.` }],
  );
}
