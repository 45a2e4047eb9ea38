import type { Assignment, GroupAssignment } from '@allot/model';

import type { ClientGroup } from './client-group.js';

/** The owner (index of a member) of each dense partition, or this: nobody. */
export const NOBODY = -1;

/** The named form of dense owners: every member has an entry, topics in code unit order, partitions ascending. */
export function ownersToAssignment(group: ClientGroup, owners: Int32Array): GroupAssignment {
  const { members, arrival, topics, partitionOffset } = group;
  const assignments = members.map(() => new Map<string, number[]>());
  const lists: number[][] = new Array<number[]>(members.length);
  const latestTopic = new Int32Array(members.length).fill(-1);
  for (let topic = 0; topic < topics.length; topic++) {
    const first = partitionOffset[topic]!;
    const end = partitionOffset[topic + 1]!;
    for (let partition = first; partition < end; partition++) {
      const owner = owners[partition]!;
      if (owner === NOBODY) continue;
      if (latestTopic[owner] === topic) lists[owner]!.push(partition - first);
      else {
        latestTopic[owner] = topic;
        assignments[owner]!.set(topics[topic]!.name, (lists[owner] = [partition - first]));
      }
    }
  }
  const result = new Map<string, Assignment>();
  for (const index of arrival) result.set(members[index]!.id, assignments[index]!);
  return result;
}
