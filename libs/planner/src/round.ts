import type { GroupAssignment, GroupSpec, OwnerChange, SubscriptionIndex } from '@allot/model';
import { diffByPartition, indexSubscriptions } from '@allot/model';

/** What one round of assignment changes for a group. */
export interface Round {
  readonly index: SubscriptionIndex;
  readonly diff: readonly OwnerChange[];
  /** Partitions that go from one member to another. */
  readonly moves: number;
  /** Moves that no assignor could avoid: the owner is gone or no longer subscribes to the topic. */
  readonly forcedMoves: number;
}

/** Measures the way from who owns what now to the target of the group `after`. */
export function measureRound(current: GroupAssignment, after: GroupSpec, target: GroupAssignment): Round {
  const index = indexSubscriptions(after);
  const diff = diffByPartition(current, target);
  const moves = diff.filter(isMove);
  return { index, diff, moves: moves.length, forcedMoves: countForced(moves, after, index) };
}

/** A partition that changes hands, as opposed to one that gets its first owner or loses its last. */
export function isMove(change: OwnerChange): boolean {
  return change.from !== null && change.to !== null;
}

function countForced(moves: readonly OwnerChange[], after: GroupSpec, index: SubscriptionIndex): number {
  const positions = new Map(after.members.map(({ id }, position) => [id, position]));
  let forced = 0;
  for (const { topic, from } of moves) {
    const position = positions.get(from!);
    if (position === undefined || !index.byMember[position]!.includes(index.topics.get(topic)!)) forced++;
  }
  return forced;
}
