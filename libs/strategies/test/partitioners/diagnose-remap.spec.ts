import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { diagnose } from '../../src/partitioners/diagnose.js';
import { resolvePartitioner } from '../../src/partitioners/partitioner-registry.js';
import { remapEvenly, remapKeys } from '../../src/partitioners/remap.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const matching = (...observations: [string, number, number][]) =>
  diagnose(observations.map(([key, partition, partitions]) => ({ key: utf8(key), partition, partitions })))
    .families.filter(({ matches }) => matches)
    .map(({ partitioners }) => partitioners[0]);

describe('diagnose', () => {
  it('F-02 names the client families behind the reports', () => {
    expect(matching(['TT0124', 9, 15])).toContain('consistent');
    expect(matching(['fd7af248-ce5c-46a5-93d7-1c0c9005b99d', 26, 32])).toEqual(['built-in']);
    expect(matching(['wu', 5, 10])).toContain('node-sinek');
    expect(matching(['UFJPRDAuQVNTRVQuMzEwMQ.002.AC000HN.01_RMSVel', 12, 30])).toContain('consistent');
    expect(
      matching(['354afe16-939a-4ea8-8e17-8bb0840b6886', 9, 10], ['f562ac3b-2224-4e25-a0ab-56094e10c239', 6, 10]),
    ).toEqual(['consistent']);
    expect(matching(['354afe16-939a-4ea8-8e17-8bb0840b6886', 5, 10])).toContain('fnv1a');
  });

  it('lists every partitioner of a family, the prediction of each key and the chance of an innocent match', () => {
    const { families, chance } = diagnose([
      { key: utf8('foo'), partition: 597841616 % 12, partitions: 12 },
      { key: Uint8Array.of(0xff), partition: 0, partitions: 10 },
    ]);
    expect(chance).toBeCloseTo(1 / 120);
    const java = families.find(({ partitioners }) => partitioners.includes('default'))!;
    expect(java.partitioners).toEqual(
      expect.arrayContaining(['built-in', 'murmur2', 'murmur2_random', 'sarama-murmur2', 'kafkajs', 'franz-go']),
    );
    expect(java.clients).toEqual(expect.arrayContaining(['librdkafka', 'sarama', 'kafkajs 2']));
    expect(java.predicted[0]).toBe(597841616 % 12);
    // A key that is not text has no Java hash code.
    const scala = families.find(({ partitioners }) => partitioners.includes('random-interval'))!;
    expect(scala).toMatchObject({ matches: false, predicted: [expect.any(Number), undefined] });
  });

  it('refuses observations that cannot be', () => {
    expect(() => diagnose([])).toThrow(/at least one/);
    expect(() => diagnose([{ key: utf8('a'), partition: 3, partitions: 3 }])).toThrow(/does not exist/);
    expect(() => diagnose([{ key: utf8('a'), partition: -1, partitions: 3 }])).toThrow(/not possible/);
  });
});

describe('remap', () => {
  const murmur2 = resolvePartitioner('murmur2');
  const keys = Array.from({ length: 100_000 }, (_, i) => utf8(`key-${i}`));

  it.each([
    [6, 12, 0.501],
    [6, 8, 0.748],
    [10, 12, 0.832],
    [12, 13, 0.924],
    [12, 24, 0.497],
  ])('F-09 from %i to %i partitions %f of the keys move', (before, after, share) => {
    expect(Math.abs(remapKeys(murmur2, keys, before, after).movedShare - share)).toBeLessThan(0.01);
    expect(Math.abs(remapEvenly(before, after).movedShare - share)).toBeLessThan(0.005);
  });

  it('F-09 when the count doubles a key stays at p or goes to p + n', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), fc.integer({ min: 1, max: 500 }), (some, n) => {
        for (const { from, to } of remapKeys(murmur2, some, n, 2 * n).flows) expect([from, from + n]).toContain(to);
      }),
    );
  });

  it('counts each way once, and expects what it counts', () => {
    const { flows, movedShare } = remapKeys(murmur2, keys, 4, 6);
    expect(flows.reduce((sum, flow) => sum + flow.keys, 0)).toBe(keys.length);
    const expected = remapEvenly(4, 6);
    expect(flows.map(({ from, to }) => [from, to])).toEqual(expected.flows.map(({ from, to }) => [from, to]));
    flows.forEach((flow, i) => expect(flow.keys / keys.length).toBeCloseTo(expected.flows[i]!.keys, 2));
    expect(movedShare).toBeCloseTo(expected.movedShare, 2);
  });

  it('expects exactly what the whole range of hashes gives', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 }), (before, after) => {
        const run = before * after;
        let moved = 0;
        for (let hash = 0; hash < run; hash++) if (hash % before !== hash % after) moved++;
        const { movedShare, flows } = remapEvenly(before, after);
        expect(movedShare).toBeCloseTo(moved / run, 10);
        expect(flows.reduce((sum, { keys: share }) => sum + share, 0)).toBeCloseTo(1, 10);
      }),
    );
  });

  it('answers for no keys, and refuses where there is nothing to say', () => {
    expect(remapKeys(murmur2, [], 3, 4)).toEqual({ movedShare: 0, flows: [] });
    expect(remapEvenly(5, 5).movedShare).toBe(0);
    expect(() => remapKeys(resolvePartitioner('round-robin'), keys, 3, 4)).toThrow(/does not look at keys/);
    expect(() => remapKeys(murmur2, keys, 0, 4)).toThrow(/partition count/);
    expect(() => remapEvenly(10_007, 10_009)).toThrow(/common divisor/);
  });
});
