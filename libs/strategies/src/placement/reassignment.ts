import { compareText, formatTopicPartition, invalidRequest } from '@allot/model';

/** Where a partition's replicas are, or shall be. Their order is data: the first one is the preferred leader. */
export interface PartitionReplicas {
  readonly topic: string;
  readonly partition: number;
  readonly replicas: readonly number[];
}

/** A partition of Kafka's reassignment JSON. */
export interface ReassignmentEntry extends PartitionReplicas {
  /** A directory for each replica: `any` or an absolute path. */
  readonly logDirs?: readonly string[];
}

/** A reassignment that Kafka is carrying out, as the admin client lists it. */
export interface RunningReassignment extends PartitionReplicas {
  /** All replicas there are now, the adding and the removing ones included. */
  readonly replicas: readonly number[];
  readonly adding: readonly number[];
  readonly removing: readonly number[];
}

/**
 * The replicas a partition will have when its reassignment is done. Their number is its replication factor: counting the
 * replicas there are on the way would find too many.
 */
export function targetReplicas({ replicas, removing }: RunningReassignment): number[] {
  return replicas.filter((broker) => !removing.includes(broker));
}

/** Brokers that send a partition's data, and brokers that receive it. */
export interface PartitionMove {
  readonly topic: string;
  readonly partition: number;
  /** Ascending. */
  readonly sources: readonly number[];
  /** Ascending. */
  readonly destinations: readonly number[];
}

/**
 * Which brokers send and receive when partitions are reassigned, those included whose reassignment runs already: what
 * Kafka's tool throttles. A proposal replaces the running reassignment of its partition: its sources are the replicas from
 * before that one, since the adding replicas are not complete yet.
 *
 * @param current the replicas of every proposed partition that is not being reassigned
 * @returns by topic and partition
 */
export function movesOf(
  running: readonly RunningReassignment[],
  proposed: readonly PartitionReplicas[],
  current: readonly PartitionReplicas[],
): PartitionMove[] {
  const moves = new Map<string, PartitionMove>();
  const sources = new Map(current.map((at) => [formatTopicPartition(at), at.replicas] as const));
  for (const { topic, partition, replicas, adding } of running) {
    const name = formatTopicPartition({ topic, partition });
    const before = replicas.filter((broker) => !adding.includes(broker));
    sources.set(name, before);
    moves.set(name, move(topic, partition, before, adding));
  }
  for (const { topic, partition, replicas } of proposed) {
    const name = formatTopicPartition({ topic, partition });
    const before = sources.get(name);
    if (before === undefined) throw invalidRequest(`Nothing is known of ${name}: say which replicas it has now.`);
    const added = replicas.filter((broker) => !before.includes(broker));
    moves.set(name, move(topic, partition, before, added));
  }
  return [...moves.values()].sort(byTopicAndPartition);
}

function move(
  topic: string,
  partition: number,
  sources: readonly number[],
  destinations: readonly number[],
): PartitionMove {
  const ascending = (brokers: readonly number[]) => [...brokers].sort((a, b) => a - b);
  return { topic, partition, sources: ascending(sources), destinations: ascending(destinations) };
}

export function byTopicAndPartition(
  a: { readonly topic: string; readonly partition: number },
  b: { readonly topic: string; readonly partition: number },
): number {
  return compareText(a.topic, b.topic) || a.partition - b.partition;
}

export function sameReplicas(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((broker, i) => broker === b[i]);
}

/** The partitions of `after` whose replicas, or their order, are not those of `before`; by topic and partition. */
export function changedPartitions(
  before: readonly PartitionReplicas[],
  after: readonly PartitionReplicas[],
): PartitionReplicas[] {
  const known = new Map(before.map((at) => [formatTopicPartition(at), at.replicas] as const));
  return after
    .filter((at) => !sameReplicas(known.get(formatTopicPartition(at)) ?? [], at.replicas))
    .sort(byTopicAndPartition);
}

/**
 * The reassignment that undoes another one: the replicas from before of exactly the partitions that it changes. A partition
 * that it names without changing is left out, so that changes made to it since are not undone.
 */
export function rollbackOf(
  before: readonly PartitionReplicas[],
  reassignment: readonly PartitionReplicas[],
): PartitionReplicas[] {
  const known = new Map(before.map((at) => [formatTopicPartition(at), at] as const));
  const restored = reassignment.map((at) => {
    const previous = known.get(formatTopicPartition(at));
    if (previous === undefined)
      throw invalidRequest(`${formatTopicPartition(at)} cannot be rolled back: it was not there.`);
    return { topic: at.topic, partition: at.partition, replicas: previous.replicas };
  });
  return changedPartitions(reassignment, restored);
}
