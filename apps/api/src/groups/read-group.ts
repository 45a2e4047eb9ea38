import type { GroupReading, GroupRef, GroupStore } from '@allot/coordinator';
import { AllotError } from '@allot/model';

/** @throws AllotError GROUP_ID_NOT_FOUND, CLUSTER_NOT_FOUND. */
export async function readGroup(store: GroupStore, ref: GroupRef): Promise<GroupReading> {
  const reading = await store.read(ref);
  if (reading !== undefined) return reading;
  throw groupNotFound(ref);
}

export function groupNotFound({ cluster, groupId }: GroupRef): AllotError {
  return new AllotError('GROUP_ID_NOT_FOUND', `The cluster ${cluster} has no group ${groupId}.`, {
    action: 'fix-request',
  });
}
