import type { AssignmentWarning } from '../assignor.js';
import type { ClientGroup } from '../client-group.js';

/** The dense partitions each member claims: those of member m are at `start[m]` up to `start[m + 1]` of `partitions`. */
export interface ClaimLists {
  readonly start: Int32Array;
  readonly partitions: Int32Array;
}

/** Reads all claims once. Topics to which nobody subscribes are left out, and so are numbers that do not exist. */
export function listClaims(group: ClientGroup, warnings: AssignmentWarning[]): ClaimLists {
  const { members, topicIndex, partitionOffset } = group;
  const start = new Int32Array(members.length + 1);
  let partitions = new Int32Array(group.partitionCount);
  let end = 0;
  for (let member = 0; member < members.length; member++) {
    for (const [name, numbers] of members[member]!.owned ?? []) {
      const topic = topicIndex.get(name);
      if (topic === undefined) continue;
      if (end + numbers.length > partitions.length) partitions = enlarged(partitions, end + numbers.length);
      const first = partitionOffset[topic]!;
      const count = partitionOffset[topic + 1]! - first;
      for (let i = 0; i < numbers.length; i++) {
        const number = numbers[i]!;
        if (number >= 0 && number < count) partitions[end++] = first + number;
        else warnings.push(noSuchPartition(members[member]!.id, name, number, count));
      }
    }
    start[member + 1] = end;
  }
  return { start, partitions };
}

/** Healthy groups claim each partition at most once; others need more room. */
function enlarged(list: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(length, 2 * list.length));
  larger.set(list);
  return larger;
}

function noSuchPartition(id: string, topic: string, number: number, count: number): AssignmentWarning {
  return {
    code: 'unknown-owned-partition',
    message: `Member "${id}" claims partition ${number} of topic "${topic}", which has ${count} partitions; the claim is ignored.`,
  };
}
