import type { GroupSpec } from '@allot/model';
import type { Assignor } from '@allot/strategies';
import { threadGroup } from '@allot/strategies';

/**
 * The group whose members own the partitions in this assignor's answers: the group itself, or that of its consumers'
 * threads. Statistics and diffs are about owners.
 */
export function ownersOf(assignor: Assignor, group: GroupSpec): GroupSpec {
  return assignor.owners === 'threads' ? threadGroup(group) : group;
}
