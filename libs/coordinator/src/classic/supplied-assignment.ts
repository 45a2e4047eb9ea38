import { AllotError, type FieldError } from '@allot/model';
import type { Catalog } from '../catalog/catalog.js';
import type { ClassicGroup } from './classic-group.js';
import type { SuppliedAssignment } from './sync.js';

/** So many faults of one assignment are told; the rest are like them. */
const MOST_ERRORS = 100;

/**
 * Checks what a leader brings: only members of the group, only partitions that exist, none twice.
 * @throws AllotError INVALID_GROUP_ASSIGNMENT with each fault by JSON pointer.
 */
export function checkSuppliedAssignment(
  group: ClassicGroup,
  assignments: ReadonlyMap<string, SuppliedAssignment>,
  catalog: Catalog,
): void {
  const errors: FieldError[] = [];
  const takers = new Map<string, Map<number, string>>();
  for (const [memberId, { partitions: assignment }] of assignments) {
    const pointer = `/assignments/${escape(memberId)}`;
    if (!group.members.has(memberId)) errors.push({ pointer, detail: 'is no member of this generation' });
    for (const [topic, partitions] of assignment) {
      const known = catalog.topics.get(topic);
      if (known === undefined) {
        errors.push({ pointer: `${pointer}/${escape(topic)}`, detail: 'is no topic of the cluster' });
        continue;
      }
      let byPartition = takers.get(topic);
      if (byPartition === undefined) takers.set(topic, (byPartition = new Map()));
      for (const partition of partitions) {
        const at = `${pointer}/${escape(topic)}`;
        const other = byPartition.get(partition);
        if (partition < 0 || partition >= known.partitions) {
          errors.push({ pointer: at, detail: `has no partition ${partition}; there are ${known.partitions}` });
        } else if (other !== undefined) {
          errors.push({ pointer: at, detail: `partition ${partition} is given to ${other} as well` });
        } else {
          byPartition.set(partition, memberId);
        }
      }
    }
    if (errors.length > MOST_ERRORS) break;
  }
  if (errors.length === 0) return;
  throw new AllotError(
    'INVALID_GROUP_ASSIGNMENT',
    `The assignment cannot be taken: ${errors[0]!.pointer} ${errors[0]!.detail}. Nothing was changed and the generation goes on waiting; ` +
      'send another.',
    { action: 'fix-request', errors: errors.slice(0, MOST_ERRORS) },
  );
}

function escape(text: string): string {
  return text.replaceAll('~', '~0').replaceAll('/', '~1');
}
