import type { GroupAssignment, GroupSpec, OwnerChange } from '@allot/model';
import { countPartitions } from '@allot/model';
import type { Disruption, RebalanceProtocol } from './plan-types.js';

/**
 * What each protocol interrupts on the way from `current` to the target. Eager: every partition that somebody owns, because
 * all members give up everything before the round. Cooperative and consumer: only partitions that leave their owner; a
 * second rebalance hands out what members that stay gave up in the first one (cooperative), whereas the consumer protocol
 * reconciles within one. A partition that had no owner is not interrupted.
 */
export function disruptions(
  current: GroupAssignment,
  diff: readonly OwnerChange[],
  changed: boolean,
  after: GroupSpec,
): Readonly<Record<RebalanceProtocol, Disruption>> {
  const owned = [...current.values()].reduce((sum, assignment) => sum + countPartitions(assignment), 0);
  const leaving = diff.filter(({ from }) => from !== null);
  const staying = new Set(after.members.map(({ id }) => id));
  const revokedByStaying = leaving.some(({ from, to }) => to !== null && staying.has(from!));
  const happens = changed || diff.length > 0;
  const once = happens ? 1 : 0;
  return {
    eager: { protocol: 'eager', partitionsPaused: happens ? owned : 0, rebalances: once },
    cooperative: {
      protocol: 'cooperative',
      partitionsPaused: leaving.length,
      rebalances: revokedByStaying ? 2 : once,
    },
    consumer: { protocol: 'consumer', partitionsPaused: leaving.length, rebalances: once },
  };
}
