import type { GroupAssignment, MemberSpec, TopicSpec } from '@allot/model';
import { assignmentFromJson, assignmentToJson } from '@allot/model';

/** `topics({ t: 3, u: 0 })`. */
export function topics(counts: Record<string, number>): TopicSpec[] {
  return Object.entries(counts).map(([name, partitions]) => ({ name, partitions }));
}

/** A member with these topics, and with claims when `owned` is given. */
export function member(
  id: string,
  subscribed: string[],
  owned?: Record<string, number[]>,
  generation?: number,
): MemberSpec {
  return {
    id,
    topics: subscribed,
    ...(owned === undefined ? {} : { owned: assignmentFromJson(owned) }),
    ...(generation === undefined ? {} : { generation }),
  };
}

/** c1, c2 ... all with the same topics. */
export function members(count: number, subscribed: string[]): MemberSpec[] {
  return Array.from({ length: count }, (_, i) => member(`c${i + 1}`, subscribed));
}

/** An assignment as plain objects, for comparison. */
export function plain(assignment: GroupAssignment): Record<string, Record<string, readonly number[]>> {
  return Object.fromEntries([...assignment].map(([id, owned]) => [id, { ...assignmentToJson(owned) }]));
}

/** Partitions of each member, in member order. */
export function loads(assignment: GroupAssignment): number[] {
  return [...assignment.values()].map((owned) => [...owned.values()].reduce((sum, numbers) => sum + numbers.length, 0));
}
