import type { AssignmentJson } from '@allot/model';
import { countPartitions, diffByMember } from '@allot/model';
import type { PlanJson } from '../plan-to-json.js';

/** One member's part in a plan, in numbers of partitions; null where it is not in the group. */
export interface LoadChange {
  readonly member: string;
  readonly kind: 'added' | 'removed' | 'changed' | 'same';
  readonly before: number | null;
  readonly after: number | null;
  readonly gained: number;
  readonly lost: number;
}

/** All members, those of the target first in its order, then those that leave. */
export function loadChanges({ current, target, diff }: Pick<PlanJson, 'current' | 'target' | 'diff'>): LoadChange[] {
  const changes = diffByMember(diff);
  const ids = new Set([...Object.keys(target), ...Object.keys(current)]);
  return [...ids].map((member) => {
    const before = Object.hasOwn(current, member) ? sizeOf(current[member]!) : null;
    const after = Object.hasOwn(target, member) ? sizeOf(target[member]!) : null;
    const change = changes.get(member);
    const gained = change === undefined ? 0 : countPartitions(change.gained);
    const lost = change === undefined ? 0 : countPartitions(change.lost);
    const kind = before === null ? 'added' : after === null ? 'removed' : gained + lost > 0 ? 'changed' : 'same';
    return { member, kind, before, after, gained, lost };
  });
}

function sizeOf(assignment: AssignmentJson): number {
  return Object.keys(assignment).reduce((sum, topic) => sum + assignment[topic]!.length, 0);
}
