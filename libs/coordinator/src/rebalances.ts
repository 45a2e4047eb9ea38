import type { ChangeCause, GroupChange, Origin, TargetChange } from './history.js';

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
}

/**
 * Tells the rebalances of a group from its changes, oldest first; changes without a mark may be left out. An end without its
 * beginning (the history is kept for a while only) tells nothing.
 */
export function foldRebalances(changes: Iterable<GroupChange>): Rebalance[] {
  const rebalances: Rebalance[] = [];
  for (const { rebalance: mark, revision, at, cause, origin, groupEpoch } of changes) {
    if (mark === undefined) continue;
    const end = { revision, at };
    if (mark.begins) {
      alterRunning(rebalances, { outcome: 'superseded', end });
      rebalances.push({ revision, startedAt: at, cause, origin, groupEpoch, outcome: 'running' });
    }
    if (mark.target !== undefined) alterRunning(rebalances, { target: mark.target });
    if (mark.ends) alterRunning(rebalances, { outcome: 'completed', end });
  }
  return rebalances;
}

function alterRunning(rebalances: Rebalance[], change: Partial<Rebalance>): void {
  const last = rebalances.at(-1);
  if (last?.outcome === 'running') rebalances[rebalances.length - 1] = { ...last, ...change };
}
