import type { Assignment } from '@allot/model';
import type { GroupFrame } from '../group.js';
import type { OwnedPartitions } from './consumer-group.js';

export const NO_PARTITIONS: OwnedPartitions = new Map();

/** The plain assignment, partitions ascending, without the epochs. */
export function withoutEpochs(owned: OwnedPartitions): Assignment {
  const assignment = new Map<string, readonly number[]>();
  for (const [topic, partitions] of owned) {
    if (partitions.size > 0)
      assignment.set(
        topic,
        [...partitions.keys()].sort((a, b) => a - b),
      );
  }
  return assignment;
}

/** Splits what is owned by a predicate; epochs travel along. */
export function splitOwned(
  owned: OwnedPartitions,
  keep: (topic: string, partition: number) => boolean,
): { kept: OwnedPartitions; rest: OwnedPartitions } {
  const kept = new Map<string, ReadonlyMap<number, number>>();
  const rest = new Map<string, ReadonlyMap<number, number>>();
  for (const [topic, partitions] of owned) {
    const mine = new Map<number, number>();
    const others = new Map<number, number>();
    for (const [partition, epoch] of partitions) (keep(topic, partition) ? mine : others).set(partition, epoch);
    if (mine.size > 0) kept.set(topic, mine);
    if (others.size > 0) rest.set(topic, others);
  }
  return { kept, rest };
}

/** `owned` and `more`, the latter at `epoch`. */
export function addOwned(owned: OwnedPartitions, more: Assignment, epoch: number): OwnedPartitions {
  if (more.size === 0) return owned;
  const sum = new Map(owned);
  for (const [topic, partitions] of more) {
    const epochs = new Map(owned.get(topic));
    for (const partition of partitions) epochs.set(partition, epoch);
    sum.set(topic, epochs);
  }
  return sum;
}

/** Two disjoint sets as one. */
export function mergeOwned(a: OwnedPartitions, b: OwnedPartitions): OwnedPartitions {
  if (a.size === 0) return b;
  const sum = new Map(a);
  for (const [topic, partitions] of b) sum.set(topic, new Map([...(a.get(topic) ?? []), ...partitions]));
  return sum;
}

/** Whether `assignment` names a partition of `owned`. */
export function overlaps(owned: OwnedPartitions, assignment: Assignment): boolean {
  for (const [topic, partitions] of assignment) {
    const mine = owned.get(topic);
    if (mine !== undefined && partitions.some((partition) => mine.has(partition))) return true;
  }
  return false;
}

/** Whether every partition of `assignment` is in `owned`. */
export function isCoveredBy(assignment: Assignment, owned: OwnedPartitions): boolean {
  for (const [topic, partitions] of assignment) {
    const mine = owned.get(topic);
    if (!partitions.every((partition) => mine?.has(partition) ?? false)) return false;
  }
  return true;
}

/** Whether every partition of `owned` is in the report. */
export function isReported(owned: OwnedPartitions, report: Assignment): boolean {
  for (const [topic, partitions] of owned) {
    const reported = report.get(topic) ?? [];
    if (reported.length < partitions.size) return false;
    let found = 0;
    for (const partition of new Set(reported)) if (partitions.has(partition)) found++;
    if (found < partitions.size) return false;
  }
  return true;
}

/** Whether both hold the same partitions, whatever the epochs. */
export function sameOwned(a: OwnedPartitions, b: OwnedPartitions): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [topic, partitions] of a) {
    const others = b.get(topic);
    if (others === undefined || others.size !== partitions.size) return false;
    for (const partition of partitions.keys()) if (!others.has(partition)) return false;
  }
  return true;
}

/** Who holds a partition, assigned or still to be revoked: the member id, or undefined when it is free. */
export type HolderIndex = (topic: string, partition: number) => string | undefined;

/**
 * Indexes the holders of a group. A partition that two members hold is a broken promise and throws: no step may go on from
 * there.
 */
export function indexHolders(group: Pick<GroupFrame, 'members'>): HolderIndex {
  const holders = new Map<string, Map<number, string>>();
  for (const member of group.members.values()) {
    for (const owned of [member.assigned, member.pendingRevocation]) {
      for (const [topic, partitions] of owned) {
        let byPartition = holders.get(topic);
        if (byPartition === undefined) holders.set(topic, (byPartition = new Map()));
        for (const partition of partitions.keys()) {
          const other = byPartition.get(partition);
          if (other !== undefined) throw new Error(`${topic}-${partition} is held by ${other} and ${member.memberId}`);
          byPartition.set(partition, member.memberId);
        }
      }
    }
  }
  return (topic, partition) => holders.get(topic)?.get(partition);
}
