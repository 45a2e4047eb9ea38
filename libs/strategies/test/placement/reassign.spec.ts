import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reassign } from '../../src/placement/reassign.js';
import type { PartitionReplicas } from '../../src/placement/reassignment.js';
import { rollbackOf } from '../../src/placement/reassignment.js';
import type { BrokerSpec } from '../../src/placement/replica-placer.js';

const topic = (name: string, ...lists: number[][]): PartitionReplicas[] =>
  lists.map((replicas, partition) => ({ topic: name, partition, replicas }));
const plain = (...ids: number[]): BrokerSpec[] => ids.map((id) => ({ id }));
const racked = (racks: Record<number, string>): BrokerSpec[] =>
  Object.entries(racks).map(([id, rack]) => ({ id: Number(id), rack }));
const lists = (layout: readonly PartitionReplicas[]) => layout.map(({ replicas }) => replicas);
const loads = (layout: readonly PartitionReplicas[], ids: readonly number[]) =>
  ids.map((id) => layout.filter(({ replicas }) => replicas.includes(id)).length);

describe('reassign', () => {
  it('G-09 replica counts 7, 6, 0, 0 become 4, 3, 3, 3 with exactly 6 moves', () => {
    const partitions = topic('t', ...Array.from({ length: 13 }, (_, i) => [i < 7 ? 1 : 2]));
    const { layout, moves, changed, warnings } = reassign({ partitions, brokers: plain(1, 2, 3, 4) });
    expect(moves).toBe(6);
    expect(changed).toHaveLength(6);
    expect(loads(layout, [1, 2, 3, 4])).toEqual([4, 3, 3, 3]);
    expect(warnings).toEqual([]);
  });

  it('G-09 gives new brokers leaders as well as followers', () => {
    const partitions = topic('t', ...Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? [1, 2] : [2, 1])));
    const { layout, moves } = reassign({ partitions, brokers: plain(1, 2, 3, 4) });
    expect(moves).toBe(24);
    expect(loads(layout, [1, 2, 3, 4])).toEqual([12, 12, 12, 12]);
    const leaders = [1, 2, 3, 4].map((id) => layout.filter(({ replicas }) => replicas[0] === id).length);
    expect(Math.max(...leaders) - Math.min(...leaders)).toBe(0);
  });

  describe('G-10 a lost broker', () => {
    const partitions = [...topic('test1', [1003, 1001, 1002]), ...topic('test2', [1001, 1002], [1002, 1003])];
    const request = { partitions, brokers: racked({ 1001: 'a', 1002: 'a' }), rackRule: 'strict' } as const;

    it('does not shrink replication quietly', () => {
      expect(() => reassign(request)).toThrow(
        expect.objectContaining({
          code: 'REPLICATION_DECREASED',
          message: expect.stringMatching(/test1-0: .*-> \[1001, 1002\].*test2-1: .*-> \[1002\]/),
          facts: {
            partitions: [
              { topic: 'test1', partition: 0, before: [1003, 1001, 1002], after: [1001, 1002] },
              { topic: 'test2', partition: 1, before: [1002, 1003], after: [1002] },
            ],
          },
        }),
      );
    });

    it('is followed by a plan when that is allowed, without a word about its rack', () => {
      const { changed, warnings, moves } = reassign({ ...request, allowFewerReplicas: true, mode: 'evacuate' });
      expect(changed).toEqual([...topic('test1', [1001, 1002]), { topic: 'test2', partition: 1, replicas: [1002] }]);
      expect(moves).toBe(0);
      expect(warnings.map(({ code }) => code)).toEqual(['decreased-replication', 'decreased-replication']);
      expect(warnings.map(({ message }) => message).join()).toMatch(/no broker meets the constraints/);
      expect(warnings.map(({ message }) => message).join()).not.toMatch(/has no rack|1003 does not/);
    });

    it('is replaced where the rack rule allows it', () => {
      const { layout } = reassign({ ...request, rackRule: 'relaxed', allowFewerReplicas: true, mode: 'evacuate' });
      expect(lists(layout)).toEqual([
        [1001, 1002],
        [1001, 1002],
        [1002, 1001],
      ]);
    });
  });

  describe('G-12 fewer racks than replicas', () => {
    it('keeps three replicas in at least two zones', () => {
      const brokers = racked({ 1001: 'b', 1002: 'a', 1003: 'a', 1005: 'a', 1006: 'a', 1007: 'b' });
      const partitions = topic('__consumer_offsets', ...Array.from({ length: 50 }, () => [1002, 1003, 1005]));
      const { layout } = reassign({ partitions, brokers, minRacks: 2 });
      for (const { replicas } of layout) {
        expect(new Set(replicas).size).toBe(3);
        expect(replicas.some((id) => id === 1001 || id === 1007)).toBe(true);
      }
      expect(loads(layout, [1001, 1002, 1003, 1005, 1006, 1007])).toEqual([25, 25, 25, 25, 25, 25]);
    });

    it('refuses what the racks do not allow, naming what there is and what is needed', () => {
      const partitions = topic('t', [0, 1, 2, 3]);
      const request = { partitions, brokers: racked({ 0: 'a', 1: 'a', 2: 'b', 3: 'b' }) };
      expect(() => reassign({ ...request, minRacks: 4 })).toThrow(/needs 4 racks, but the brokers are in 2/);
      expect(reassign({ ...request, minRacks: 2 }).changed).toEqual([]);
    });
  });

  it('G-14 a replica that moves takes the place of the old one; the others keep theirs', () => {
    const partitions = topic('t', [0, 2, 1], [2, 1, 0], [1, 0, 2]);
    const { layout } = reassign({ partitions, brokers: plain(3, 0, 1), mode: 'evacuate' });
    expect(lists(layout)).toEqual([
      [0, 3, 1],
      [3, 1, 0],
      [1, 0, 3],
    ]);
  });

  it('G-18 fencing a broker moves only its replicas, and rolling back returns them', () => {
    const partitions = topic('t', ...Array.from({ length: 12 }, (_, i) => [i % 4, (i + 1) % 4]));
    const fenced = [{ id: 0 }, { id: 1 }, { id: 2 }, { id: 3, fenced: true }];
    const { changed, layout } = reassign({ partitions, brokers: fenced });
    expect(changed.map(({ partition }) => partition)).toEqual([2, 3, 6, 7, 10, 11]);
    expect(loads(layout, [0, 1, 2, 3])).toEqual([8, 8, 8, 0]);
    expect(reassign({ partitions: layout, brokers: fenced }).changed).toEqual([]);
    const rollback = rollbackOf(partitions, changed);
    expect(rollback).toEqual(partitions.filter(({ partition }) => changed.some((at) => at.partition === partition)));
  });

  it('moves a replica on to a third broker where racks allow no straight move', () => {
    // Broker 0 is too full, 3 is empty, but they share no rack: 0's partitions are in rack b already, where 3 is. Broker 1
    // takes one of them and gives 3 one of its own, which is in racks a and c.
    const brokers = racked({ 0: 'a', 1: 'a', 2: 'b', 3: 'b', 4: 'c' });
    const partitions = topic('t', [0, 2], [0, 2], [0, 2], [0, 2], [1, 4], [1, 4], [1, 4]);
    const { layout, moves, warnings } = reassign({ partitions, brokers });
    expect(loads(layout, [0, 1, 2, 3, 4])).toEqual([3, 3, 3, 2, 3]);
    expect(moves).toBe(3);
    expect(warnings).toEqual([]);
  });

  it('says when racks keep brokers from an even share', () => {
    const brokers = racked({ 0: 'a', 1: 'b', 2: 'b' });
    const { changed, warnings } = reassign({ partitions: topic('t', [0, 1], [0, 2], [0, 1], [0, 2]), brokers });
    expect(changed).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(['not-balanced']);
  });

  it('says when a partition ends in fewer racks, as it must when a rack is gone', () => {
    const brokers = [...racked({ 0: 'a', 1: 'a' }), { id: 2, rack: 'b', fenced: true }];
    const { layout, warnings } = reassign({ partitions: topic('t', [0, 2]), brokers, mode: 'evacuate' });
    expect(lists(layout)).toEqual([[0, 1]]);
    expect(warnings).toEqual([{ code: 'fewer-racks', message: 't-0 is in 1 racks and was in 2.' }]);
  });

  it('refuses what cannot be', () => {
    const brokers = plain(0, 1);
    expect(() => reassign({ partitions: topic('t', [0, 0]), brokers })).toThrow(/name a broker twice/);
    expect(() => reassign({ partitions: topic('t', []), brokers })).toThrow(/are empty/);
    expect(() => reassign({ partitions: [...topic('t', [0]), ...topic('t', [1])], brokers })).toThrow(/listed twice/);
    expect(() => reassign({ partitions: topic('t', [0]), brokers: [{ id: 0, fenced: true }] })).toThrow(/in service/);
    expect(() => reassign({ partitions: topic('t', [0]), brokers: plain(0, 0) })).toThrow(/Broker 0 is listed twice/);
    expect(() => reassign({ partitions: topic('t', [0]), brokers, minRacks: 0 })).toThrow(/from 1 up/);
    expect(reassign({ partitions: [], brokers })).toEqual({ changed: [], layout: [], moves: 0, warnings: [] });
  });

  const clusters = fc
    .record({
      ids: fc.uniqueArray(fc.nat(30), { minLength: 3, maxLength: 9 }),
      racks: fc.integer({ min: 0, max: 4 }),
      rf: fc.integer({ min: 1, max: 3 }),
      picks: fc.array(fc.array(fc.nat(), { minLength: 3, maxLength: 3 }), { maxLength: 60 }),
      gone: fc.nat(3),
      added: fc.nat(3),
    })
    .map(({ ids, racks, rf, picks, gone, added }) => {
      const spec = (id: number): BrokerSpec => (racks === 0 ? { id } : { id, rack: `r${id % racks}` });
      const partitions = topic(
        't',
        ...picks.map((pick) => {
          const left = [...ids];
          return pick.slice(0, rf).map((n) => left.splice(n % left.length, 1)[0]!);
        }),
      );
      const staying = ids.slice(Math.min(gone, ids.length - rf));
      const brokers = [...staying, ...Array.from({ length: added }, (_, i) => 100 + i)].map(spec);
      return { partitions, brokers, leaving: ids.filter((id) => !staying.includes(id)), racks };
    });

  it('keeps every promise on any cluster', () => {
    fc.assert(
      fc.property(clusters, ({ partitions, brokers, leaving }) => {
        const rackOf = new Map(brokers.map(({ id, rack }) => [id, rack]));
        const rackCount = (ids: readonly number[]) =>
          new Set(ids.map((id) => rackOf.get(id)).filter((rack) => rack !== undefined)).size;
        const before = JSON.stringify(partitions);
        const { layout, changed, moves, warnings } = reassign({ partitions, brokers });
        expect(JSON.stringify(partitions)).toBe(before);
        let copies = 0;
        layout.forEach(({ replicas }, i) => {
          const old = partitions[i]!.replicas;
          expect(new Set(replicas).size).toBe(old.length);
          expect(replicas.filter((id) => leaving.includes(id))).toEqual([]);
          // Those that stay keep their place, and no partition is in fewer of the racks that are left.
          replicas.forEach((id, place) => (old.includes(id) ? expect(old[place]).toBe(id) : copies++));
          expect(rackCount(replicas)).toBeGreaterThanOrEqual(rackCount(old));
        });
        expect(moves).toBe(copies);
        const held = loads(
          layout,
          brokers.map(({ id }) => id),
        );
        const even = Math.max(...held) - Math.min(...held) <= 1;
        expect(warnings.some(({ code }) => code === 'not-balanced')).toBe(!even);
        // A second run has nothing left to do, and rolling back leads to where it began.
        expect(reassign({ partitions: layout, brokers }).changed).toEqual([]);
        expect(rollbackOf(partitions, changed)).toEqual(
          partitions.filter((_, i) => changed.some((at) => at.partition === i)),
        );
        // The order of brokers and partitions plays no part.
        const reversed = reassign({ partitions: [...partitions].reverse(), brokers: [...brokers].reverse() });
        expect(reversed.changed).toEqual(changed);
      }),
      { numRuns: Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 300) },
    );
  });

  it('without racks makes the fewest moves that even out the brokers', () => {
    fc.assert(
      fc.property(clusters, ({ partitions, brokers, leaving }) => {
        const blind = brokers.map(({ id }) => ({ id }));
        const { moves, layout } = reassign({ partitions, brokers: blind });
        const must = partitions.flatMap(({ replicas }) => replicas).filter((id) => leaving.includes(id)).length;
        const held = loads(
          partitions,
          blind.map(({ id }) => id),
        );
        const total = partitions.flatMap(({ replicas }) => replicas).length;
        const low = Math.floor(total / blind.length);
        const high = Math.ceil(total / blind.length);
        const surplus = held.reduce((sum, load) => sum + Math.max(0, load - high), 0);
        const deficit = held.reduce((sum, load) => sum + Math.max(0, low - load), 0);
        // What must move fills up; beyond it, surplus has to leave and deficit has to be filled.
        const bound = Math.max(must + surplus, deficit);
        const after = loads(
          layout,
          blind.map(({ id }) => id),
        );
        if (Math.max(...after) - Math.min(...after) <= 1) expect(moves).toBeGreaterThanOrEqual(bound);
        if (partitions.every(({ replicas }) => replicas.length === 1)) expect(moves).toBe(bound);
      }),
      { numRuns: Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 300) },
    );
  });
});
