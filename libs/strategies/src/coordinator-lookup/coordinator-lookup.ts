import { AllotError, invalidRequest } from '@allot/model';
import { javaStringHashCode } from '../hashing/java-hash-map.js';

/** Kafka's default of offsets.topic.num.partitions. */
export const DEFAULT_OFFSETS_PARTITIONS = 50;

const INT_MIN = -(2 ** 31);

/**
 * The partition of __consumer_offsets that holds a group: its leader coordinates the group. This is Kafka's
 * `abs(groupId.hashCode) mod offsetsPartitions`, where the absolute value of -2^31, which has none in 32 bits, is 0.
 *
 * @param offsetsPartitions the partition count of __consumer_offsets, at least 1
 */
export function coordinatorPartition(groupId: string, offsetsPartitions: number = DEFAULT_OFFSETS_PARTITIONS): number {
  if (!Number.isInteger(offsetsPartitions) || offsetsPartitions < 1) {
    throw invalidRequest(`offsetsPartitions is ${offsetsPartitions}: give the partition count of __consumer_offsets.`);
  }
  const hash = javaStringHashCode(groupId);
  return (hash === INT_MIN ? 0 : Math.abs(hash)) % offsetsPartitions;
}

/** Where a group's coordinator is, by the hash policy. */
export interface HashedCoordinator {
  readonly partition: number;
  /** The leader of that partition. */
  readonly broker: number;
}

/**
 * Kafka's policy: the leader of the group's partition of __consumer_offsets.
 *
 * @param leaders the leader of every partition of __consumer_offsets, by number; undefined where there is none
 * @throws AllotError COORDINATOR_NOT_AVAILABLE, to be retried, while the partition has no leader
 */
export function coordinatorByHash(groupId: string, leaders: readonly (number | undefined)[]): HashedCoordinator {
  const partition = coordinatorPartition(groupId, leaders.length);
  const broker = leaders[partition];
  if (broker === undefined) {
    throw notAvailable(`Partition ${partition} of __consumer_offsets, which holds group "${groupId}", has no leader.`);
  }
  return { partition, broker };
}

/** A broker that may coordinate groups. */
export interface CoordinatorCandidate {
  readonly id: number;
  /** Groups that it coordinates now. */
  readonly groups: number;
  readonly fenced?: boolean;
}

/**
 * The older policy, from before __consumer_offsets: the broker that coordinates the fewest groups, the lowest id among
 * equals. A group that has a coordinator in service keeps it, since moving would make every member rejoin.
 *
 * @param current the group's coordinator so far
 * @throws AllotError COORDINATOR_NOT_AVAILABLE, to be retried, when no broker is in service
 */
export function leastLoadedCoordinator(candidates: readonly CoordinatorCandidate[], current?: number): number {
  const inService = candidates.filter((candidate) => candidate.fenced !== true);
  if (inService.some(({ id }) => id === current)) return current!;
  const [least] = [...inService].sort((a, b) => a.groups - b.groups || a.id - b.id);
  if (least === undefined) throw notAvailable('No broker is in service that could coordinate the group.');
  return least.id;
}

function notAvailable(message: string): AllotError {
  return new AllotError('COORDINATOR_NOT_AVAILABLE', message, { action: 'retry' });
}
