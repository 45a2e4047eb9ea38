import type { GroupSpec } from '@allot/model';
import { countPartitions, sameAssignment, summarizeLoads } from '@allot/model';
import { describe, expect, it } from '@jest/globals';

import { listAssignors } from '../../src/assignors/registry.js';
import { murmur2 } from '../../src/hashing/murmur2.js';

const SHARDS = 4096;
const nodes = Array.from({ length: 9 }, (_, i) => `node-${i}`);
const hash = (text: string) => murmur2(new TextEncoder().encode(text)) >>> 0;

/** How many shards each node gets from a ring on which it has so many points. */
function loadsOfRing(pointsPerNode: number): number[] {
  const points = nodes
    .flatMap((node, owner) => Array.from({ length: pointsPerNode }, (_, i) => ({ at: hash(`${node}#${i}`), owner })))
    .sort((a, b) => a.at - b.at);
  const loads = nodes.map(() => 0);
  for (let shard = 0; shard < SHARDS; shard++) {
    const at = hash(`shard-${shard}`);
    loads[(points.find((point) => point.at >= at) ?? points[0]!).owner]!++;
  }
  return loads;
}

function shards(partitions: number): GroupSpec {
  return { topics: [{ name: 'shards', partitions }], members: nodes.map((id) => ({ id, topics: ['shards'] })) };
}

const spreadOf = ({ least, most }: { least: number; most: number }) => most - least;

describe('D-14 4096 shards on nine nodes', () => {
  // The report gives the ends, the sum and the deviation; the numbers between are ours.
  it.each([
    ['100 points a node', [370, 388, 402, 436, 463, 477, 516, 518, 526], 156, 56],
    ['500 points a node', [426, 437, 443, 449, 454, 459, 463, 465, 500], 74, 20],
  ])('D-14 reports what is uneven about a ring with %s', (_, loads, spread, deviation) => {
    const summary = summarizeLoads(loads);
    expect(summary).toMatchObject({ members: 9, partitions: SHARDS });
    expect(spreadOf(summary)).toBe(spread);
    expect(Math.round(summary.standardDeviation)).toBe(deviation);
  });

  it('D-14 a ring is uneven, less so with more points', () => {
    const [few, many] = [summarizeLoads(loadsOfRing(100)), summarizeLoads(loadsOfRing(500))];
    expect([few.partitions, many.partitions]).toEqual([SHARDS, SHARDS]);
    expect(spreadOf(many)).toBeGreaterThan(10);
    expect(spreadOf(few)).toBeGreaterThan(spreadOf(many));
    expect(few.standardDeviation).toBeGreaterThan(many.standardDeviation);
  });

  it.each(listAssignors().map((assignor) => [assignor.name, assignor] as const))(
    'D-14 %s gives everybody 455 or 456, and with equal membership more shards are a change',
    (_, assignor) => {
      const { target } = assignor.assign(shards(SHARDS));
      const loads = [...target.values()].map(countPartitions).sort((a, b) => a - b);
      expect(loads).toEqual([455, 455, 455, 455, 455, 455, 455, 455, 456]);
      const grown = assignor.assign(shards(SHARDS + 1)).target;
      expect([...target].every(([id, assignment]) => sameAssignment(assignment, grown.get(id)!))).toBe(false);
    },
  );
});
