import type { ChangeCause, GroupChange, MemberChange, Origin, TargetChange } from './history.js';

/** A member for which the others waited longest. */
export interface LateMember {
  readonly memberId: string;
  /** From the beginning of the rebalance until the member reached its target, or was fenced. */
  readonly afterMs: number;
  /** It was fenced, because it had not given up its partitions within its rebalance timeout. */
  readonly fenced?: true;
}

/**
 * One rebalance of a group: from the change that called for a new target, or took a member off it, to the change with which every
 * member has reached its target, or to the next that begins one before that (`superseded`).
 */
export interface Rebalance {
  /** The revision that began it; names it within its group. */
  readonly revision: number;
  /** Database time, ms since 1970. */
  readonly startedAt: number;
  readonly cause: ChangeCause;
  readonly origin: Origin;
  /** The group's epoch from its beginning on. */
  readonly groupEpoch: number;
  readonly outcome: 'running' | 'completed' | 'superseded';
  /** When it ended, and with which revision; absent while it runs. */
  readonly end?: { readonly revision: number; readonly at: number };
  /** What its target moves; absent while it has none, and when it needed none. */
  readonly target?: TargetChange;
  /** With whom it ended: the last to reach their target, or those whom it fenced. Absent: it ended as it began, or still runs. */
  readonly late?: readonly LateMember[];
}

/**
 * Tells the rebalances of a group from its changes, oldest first; changes without a mark may be left out. An end without its
 * beginning (the history is kept for a while only) tells nothing.
 */
export function foldRebalances(changes: Iterable<GroupChange>): Rebalance[] {
  const rebalances: Rebalance[] = [];
  for (const { rebalance: mark, revision, at, cause, origin, groupEpoch, members } of changes) {
    if (mark === undefined) continue;
    const end = { revision, at };
    if (mark.begins) {
      alterRunning(rebalances, ({ startedAt }) => ({
        outcome: 'superseded',
        end,
        ...lateOf(startedAt, at, cause === 'rebalance-timeout' ? members.filter(({ removed }) => removed) : []),
      }));
      rebalances.push({ revision, startedAt: at, cause, origin, groupEpoch, outcome: 'running' });
    }
    const { target } = mark;
    if (target !== undefined) alterRunning(rebalances, () => ({ target }));
    if (!mark.ends) continue;
    alterRunning(rebalances, ({ startedAt }) => ({
      outcome: 'completed',
      end,
      ...lateOf(startedAt, at, mark.begins ? [] : members),
    }));
  }
  return rebalances;
}

/** Those with whom a rebalance ended, of the members of the change that ended it. */
export function lateOf(
  startedAt: number,
  at: number,
  members: readonly Pick<MemberChange, 'memberId' | 'removed'>[],
): Pick<Rebalance, 'late'> {
  if (members.length === 0) return {};
  const afterMs = Math.max(0, Math.round(at - startedAt));
  return {
    late: members.map(({ memberId, removed }) => ({ memberId, afterMs, ...(removed && { fenced: true as const }) })),
  };
}

function alterRunning(rebalances: Rebalance[], change: (running: Rebalance) => Partial<Rebalance>): void {
  const last = rebalances.at(-1);
  if (last?.outcome === 'running') rebalances[rebalances.length - 1] = { ...last, ...change(last) };
}
