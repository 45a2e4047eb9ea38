import type { GroupSettings } from '../group-settings.js';
import type { Origin } from '../history.js';
import type { ConsumerGroup } from './consumer-group.js';
import { heartbeat, type HeartbeatCommand } from './membership.js';
import { seenCatalog } from './subscriptions.js';
import { isTargetDue, type ResolveAssignor } from './target.js';

/** Whether a heartbeat leaves the group as it is, if nothing happened since the group looked at the catalog. */
export function changesNothing(
  group: ConsumerGroup,
  command: HeartbeatCommand,
  defaults: GroupSettings,
  resolveAssignor: ResolveAssignor,
  origin: Origin,
): boolean {
  // A target that is postponed is computed by a sweep; one that is not must not wait.
  if (isTargetDue(group, 0)) return false;
  try {
    const context = { now: 0, catalog: seenCatalog(group), resolveAssignor, origin };
    return heartbeat(group, command, defaults, context).group === group;
  } catch {
    // The group may be outdated; the step under the lock has the last word.
    return false;
  }
}
