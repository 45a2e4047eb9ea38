import type { GroupAssignment, GroupSpec, OwnerChange } from '@allot/model';
import { countPartitions } from '@allot/model';
import type { Disruption, RebalanceProtocol } from './plan-types.js';
import { DEFAULT_TIMING } from './timing.js';
import type { Timing } from './timing.js';

/**
 * What each protocol interrupts on the way from `current` to the target. Eager: every partition that somebody owns, because
 * all members give up everything before the round. Cooperative and consumer: only partitions that leave their owner; a
 * second rebalance hands out what members that stay gave up in the first one (cooperative; `plan` counts where it takes more),
 * whereas the consumer protocol reconciles within one. A partition that had no owner is not interrupted. How long each pause lasts is an estimate from
 * `timing`.
 */
export function disruptions(
  current: GroupAssignment,
  diff: readonly OwnerChange[],
  changed: boolean,
  after: GroupSpec,
  { rebalanceMs, handoverMs }: Timing = DEFAULT_TIMING,
): Readonly<Record<RebalanceProtocol, Disruption>> {
  const owned = [...current.values()].reduce((sum, assignment) => sum + countPartitions(assignment), 0);
  const leaving = diff.filter(({ from }) => from !== null);
  const staying = new Set(after.members.map(({ id }) => id));
  const revokedByStaying = leaving.some(({ from, to }) => to !== null && staying.has(from!));
  const happens = changed || diff.length > 0;
  const once = happens ? 1 : 0;
  const cost = (
    protocol: RebalanceProtocol,
    partitionsPaused: number,
    pauseMs: number,
    rebalances: number,
  ): Disruption => {
    const pauseSeconds = pauseMs / 1_000;
    return {
      protocol,
      partitionsPaused,
      pauseSeconds,
      partitionSecondsPaused: (partitionsPaused * pauseMs) / 1_000,
      rebalances,
    };
  };
  return {
    eager: cost('eager', happens ? owned : 0, rebalanceMs, once),
    cooperative: cost('cooperative', leaving.length, rebalanceMs, revokedByStaying ? 2 : once),
    consumer: cost('consumer', leaving.length, handoverMs, once),
  };
}
