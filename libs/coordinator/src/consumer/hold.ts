import type { ConsumerGroup } from './consumer-group.js';
import { windowEnd } from './maintenance-windows.js';

/**
 * Why a group gets no new target now. `frozen` and `auto-frozen` last until they are lifted; `maintenance-window`, `initial-delay`,
 * `assignment-interval` and `assignor-fault` (a pause between attempts) end by themselves, at `until`.
 */
export type HoldReason =
  'frozen' | 'auto-frozen' | 'maintenance-window' | 'initial-delay' | 'assignment-interval' | 'assignor-fault';

/** Times in ms since 1970, by the database's clock. */
export interface Hold {
  readonly by: HoldReason;
  /** In the operator's words. */
  readonly reason?: string;
  readonly since?: number;
  readonly until?: number;
  /** Whether a target is waiting for the end of it. */
  readonly targetWaits: boolean;
}

/** What keeps the group from a new target; undefined when it would get one as soon as it needs one. */
export function holdOf(group: ConsumerGroup, now: number): Hold | undefined {
  const { calm, settings, groupEpoch, assignmentEpoch, nextAssignmentAt = 0 } = group;
  const targetWaits = groupEpoch > assignmentEpoch || calm?.deferred !== undefined;
  if (calm?.freeze !== undefined) {
    const { by, since, reason } = calm.freeze;
    return {
      by: by === 'operator' ? 'frozen' : 'auto-frozen',
      since,
      ...(reason !== undefined && { reason }),
      targetWaits,
    };
  }
  const until = windowEnd(settings.maintenanceWindows ?? [], now);
  if (until !== undefined) return { by: 'maintenance-window', until, targetWaits };
  if (!targetWaits || nextAssignmentAt <= now) return undefined;
  return { by: postponedBy(group), until: nextAssignmentAt, targetWaits };
}

function postponedBy({ assignorFault, settings, members }: ConsumerGroup): HoldReason {
  if (assignorFault !== undefined) return 'assignor-fault';
  const isFirst = [...members.values()].every(({ target }) => target.size === 0);
  return settings.initialDelayMs !== undefined && isFirst ? 'initial-delay' : 'assignment-interval';
}
