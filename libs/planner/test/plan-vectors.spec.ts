import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { AssignmentJson } from '@allot/model';
import { planFromJson } from '../src/plan-from-json.js';
import { planToJson } from '../src/plan-to-json.js';
import { plan } from '../src/plan.js';

interface VectorCase {
  readonly id: string;
  readonly assignment: Readonly<Record<string, AssignmentJson>>;
}

/** Every fourth case: all of them are the business of the conformance run, here it is the way through the plan. */
function readVectors(name: string): VectorCase[] {
  const file = new URL(`../../../test/conformance/vectors/${name}.jsonl.gz`, import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  return lines.filter((_, i) => i % 4 === 0).map((line) => JSON.parse(line) as VectorCase);
}

describe('a plan without changes hands out what Kafka handed out', () => {
  it.each([
    ['client-range', 300],
    ['client-roundrobin', 300],
    ['client-sticky', 300],
    ['client-cooperative-sticky', 300],
    ['server-range', 250],
  ])('%s', (name, count) => {
    const differing: string[] = [];
    const vectors = readVectors(name);
    for (const vector of vectors) {
      const { assignment } = JSON.parse(JSON.stringify(planToJson(plan(planFromJson(vector))))) as VectorCase;
      if (JSON.stringify(sorted(assignment)) !== JSON.stringify(sorted(vector.assignment))) differing.push(vector.id);
    }
    expect(differing).toEqual([]);
    expect(vectors.length).toBe(count);
  });
});

function sorted(group: VectorCase['assignment']): unknown {
  const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
  return Object.entries(group)
    .map(([id, owned]): [string, unknown] => [id, Object.entries(owned).sort(byName)])
    .sort(byName);
}
