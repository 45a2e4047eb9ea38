import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import type { AssignmentJson, GroupAssignment, GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import { assignmentFromJson, assignmentToJson } from '@allot/model';
import { describe, expect, it } from '@jest/globals';

import { resolveAssignor } from '../../src/assignors/registry.js';

/** What Kafka's Java client answered; see test/conformance/vectors. */
interface ClientVector {
  readonly id: string;
  readonly assignor: string;
  readonly topics: readonly TopicSpec[];
  readonly members: readonly (Omit<MemberSpec, 'owned'> & { readonly owned?: AssignmentJson })[];
  readonly assignment: Readonly<Record<string, AssignmentJson>>;
}

function readVectors(name: string): ClientVector[] {
  const url = new URL(`../../../../test/conformance/vectors/client-${name}.jsonl.gz`, import.meta.url);
  const lines = gunzipSync(readFileSync(url)).toString('utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ClientVector);
}

function groupOf({ topics, members }: ClientVector): GroupSpec {
  return {
    topics,
    members: members.map(({ owned, ...member }) => ({
      ...member,
      ...(owned === undefined ? {} : { owned: assignmentFromJson(owned) }),
    })),
  };
}

function toJson(assignment: GroupAssignment): Record<string, AssignmentJson> {
  const json = Object.create(null) as Record<string, AssignmentJson>;
  for (const [member, partitions] of assignment) json[member] = assignmentToJson(partitions);
  return json;
}

describe.each([['range'], ['roundrobin'], ['sticky'], ['cooperative-sticky']])('vectors of client-%s', (name) => {
  it('are all answered exactly as by Kafka', () => {
    const vectors = readVectors(name);
    const assignor = resolveAssignor(name);
    const differing = vectors.filter((vector) => {
      const answer = toJson(assignor.assign(groupOf(vector)).assignment);
      try {
        expect(answer).toEqual(vector.assignment);
        return false;
      } catch {
        return true;
      }
    });
    expect(differing.map(({ id }) => id)).toEqual([]);
    expect(vectors).toHaveLength(1200);
  });
});
