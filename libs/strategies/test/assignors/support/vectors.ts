import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import type { AssignmentJson, GroupAssignment, GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import { assignmentFromJson, assignmentToJson, compareText } from '@allot/model';

/** What Kafka's Java client answered; see test/conformance/vectors. */
export interface ClientVector {
  readonly id: string;
  readonly assignor: string;
  readonly topics: readonly TopicSpec[];
  readonly members: readonly (Omit<MemberSpec, 'owned'> & { readonly owned?: AssignmentJson })[];
  readonly assignment: Readonly<Record<string, AssignmentJson>>;
}

export function readVectors(name: string): ClientVector[] {
  const url = new URL(`../../../../../test/conformance/vectors/client-${name}.jsonl.gz`, import.meta.url);
  const lines = gunzipSync(readFileSync(url)).toString('utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ClientVector);
}

export function groupOf({ topics, members }: ClientVector): GroupSpec {
  return {
    topics,
    members: members.map(({ owned, ...member }) => ({
      ...member,
      ...(owned === undefined ? {} : { owned: assignmentFromJson(owned) }),
    })),
  };
}

/** One text for an assignment, members and topics sorted. */
export function canonical(assignment: GroupAssignment): string {
  const members = [...assignment.keys()].sort(compareText);
  return JSON.stringify(members.map((id) => [id, Object.entries(assignmentToJson(assignment.get(id)!))]));
}

/** The same text for what Kafka answered. */
export function expected({ assignment }: ClientVector): string {
  return canonical(new Map(Object.entries(assignment).map(([id, json]) => [id, assignmentFromJson(json)])));
}
