import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { listPlacers, resolvePlacer } from '../../src/placement/placer-registry.js';
import type { BrokerSpec, PlacementRequest } from '../../src/placement/replica-placer.js';

const plain = (...ids: number[]): BrokerSpec[] => ids.map((id) => ({ id }));
const racked = (racks: Record<number, string>): BrokerSpec[] =>
  Object.entries(racks).map(([id, rack]) => ({ id: Number(id), rack }));
const place = (placer: string, request: PlacementRequest) => [
  ...resolvePlacer(placer)
    .place({ seed: 1, ...request })
    .replicas.values(),
];
const joined = (lists: readonly (readonly number[])[]) => lists.map((replicas) => replicas.join('')).join(' ');
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('modulo', () => {
  it('puts partition i on broker i mod n and replicas on the brokers that follow', () => {
    const request = { brokers: plain(0, 1, 2), partitions: 4, replicationFactor: 2 };
    expect(joined(place('modulo', request))).toBe('01 12 20 01');
    expect(joined(place('modulo', { ...request, partitions: 2, startPartitionId: 4 }))).toBe('12 20');
    expect([
      ...resolvePlacer('modulo')
        .place({ ...request, startPartitionId: 4 })
        .replicas.keys(),
    ]).toEqual([4, 5, 6, 7]);
  });

  it('G-14 sorts brokers, as a list that came as 0, 2, 1 shows', () => {
    expect(joined(place('modulo', { brokers: plain(0, 2, 1), partitions: 3, replicationFactor: 2 }))).toBe('01 12 20');
  });
});

describe('admin-utils', () => {
  it('G-01 classic placement without racks', () => {
    const request = { brokers: plain(0, 1, 2, 3, 4), partitions: 10, replicationFactor: 3, fixedStartIndex: 0 };
    expect(joined(place('admin-utils', request))).toBe('012 123 234 340 401 023 134 240 301 412');
  });

  it('G-02 alternates racks', () => {
    const racks = { 0: 'rack1', 1: 'rack3', 2: 'rack3', 3: 'rack2', 4: 'rack2', 5: 'rack1' };
    const leaders = (brokers: BrokerSpec[]) =>
      place('admin-utils', { brokers, partitions: brokers.length, replicationFactor: 1, fixedStartIndex: 0 }).flat();
    expect(leaders(racked(racks))).toEqual([0, 3, 1, 5, 4, 2]);
    expect(leaders(racked(racks).filter(({ id }) => id !== 5))).toEqual([0, 3, 1, 4, 2]);
    const request = { brokers: racked(racks), partitions: 7, replicationFactor: 3, fixedStartIndex: 0 };
    expect(joined(place('admin-utils', request))).toBe('031 315 154 542 420 203 042');
  });

  it('G-04 refuses brokers of which some have no rack, unless racks are not to count', () => {
    const brokers = [...racked({ 0: 'a', 1: 'b' }), ...plain(2)];
    const request = { brokers, partitions: 3, replicationFactor: 2, fixedStartIndex: 0 };
    expect(() => place('admin-utils', request)).toThrow(/Not all brokers have a rack \(2 have none\)/);
    for (const rackAwareMode of ['safe', 'disabled'] as const) {
      expect(joined(place('admin-utils', { ...request, rackAwareMode }))).toBe('01 12 20');
    }
    const allRacks = { ...request, brokers: racked({ 0: 'a', 1: 'a', 2: 'b' }) };
    expect(joined(place('admin-utils', { ...allRacks, rackAwareMode: 'safe' }))).toBe('02 21 12');
    expect(joined(place('admin-utils', { ...allRacks, rackAwareMode: 'disabled' }))).toBe('01 12 20');
  });

  it('draws start and shift from the seed when no start is given', () => {
    const request = { brokers: plain(0, 1, 2, 3, 4), partitions: 10, replicationFactor: 3 };
    // new Random(0) gives 0, then 3 below 5: a start of 0 and a first shift of 3.
    expect(joined(place('admin-utils', { ...request, seed: 0 }))).toBe('041 102 213 324 430 012 123 234 340 401');
    expect(() => resolvePlacer('admin-utils').place(request)).toThrow(/"seed", an integer, or "fixedStartIndex"/);
  });

  it('G-12 fewer racks than replicas: 50 partitions keep three replicas in both zones', () => {
    const brokers = racked({ 1001: 'b', 1002: 'a', 1003: 'a', 1005: 'a', 1006: 'a', 1007: 'b' });
    const request = { brokers, partitions: 50, replicationFactor: 3, fixedStartIndex: 0, minRacks: 2 };
    const { replicas, warnings } = resolvePlacer('admin-utils').place(request);
    expect(replicas.size).toBe(50);
    for (const ids of replicas.values()) {
      expect(new Set(ids).size).toBe(3);
      expect(new Set(ids.map((id) => brokers.find((broker) => broker.id === id)!.rack)).size).toBe(2);
    }
    expect(warnings.map((warning) => warning.code)).toEqual(['fewer-racks-than-replicas']);
  });
});

describe('kraft-striped', () => {
  const fenced = (id: number): BrokerSpec => ({ id, fenced: true });

  it('G-05 avoids fenced brokers unless it must, and never makes one the leader', () => {
    for (let seed = 0; seed < 50; seed++) {
      const spare = { brokers: [...plain(0, 2, 3, 4), fenced(1)], partitions: 20, replicationFactor: 4, seed };
      expect(place('kraft-striped', spare).flat()).not.toContain(1);
      const short = { brokers: [...plain(2, 3), fenced(1)], partitions: 20, replicationFactor: 3, seed };
      for (const replicas of place('kraft-striped', short)) {
        expect([...replicas].sort()).toEqual([1, 2, 3]);
        expect(replicas[0]).not.toBe(1);
      }
    }
  });

  it('G-05 says when replicas are on fenced brokers', () => {
    const request = { brokers: [...plain(2, 3), fenced(1)], partitions: 1, replicationFactor: 3, seed: 1 };
    expect(resolvePlacer('kraft-striped').place(request).warnings).toEqual([
      { code: 'replicas-on-fenced-brokers', message: expect.stringContaining('broker(s) 1.') },
    ]);
  });

  it('G-05 refuses when all are fenced, or when there are too few, naming both numbers', () => {
    const request = { brokers: [fenced(0), fenced(1)], partitions: 1, replicationFactor: 1 };
    expect(() => place('kraft-striped', request)).toThrow(/All brokers are currently fenced/);
    expect(() => place('kraft-striped', { ...request, brokers: plain(0, 1), replicationFactor: 3 })).toThrow(
      /Replication factor 3 is larger than the 2 available/,
    );
    expect(() => place('kraft-striped', { ...request, brokers: [] })).toThrow(/no brokers/);
  });

  it('goes on for ever with a single unfenced broker', () => {
    const request = { brokers: [...plain(0), fenced(1)], partitions: 1_000, replicationFactor: 2 };
    expect(new Set(place('kraft-striped', request).map((replicas) => replicas.join()))).toEqual(new Set(['0,1']));
  });

  it('needs a seed, which may be any Java long', () => {
    const request = { brokers: plain(0, 1), partitions: 1, replicationFactor: 1 };
    expect(() => resolvePlacer('kraft-striped').place(request)).toThrow(/give "seed", an integer/);
    expect(() => resolvePlacer('kraft-striped').place({ ...request, seed: 0.5 })).toThrow(/give "seed"/);
    expect(place('kraft-striped', { ...request, seed: -(2n ** 63n) })).toHaveLength(1);
  });
});

describe.each(listPlacers().map((placer) => [placer.name, placer] as const))(
  'the contract of placers: %s',
  (name, placer) => {
    const brokers = racked({ 1: 'a', 2: 'b', 5: 'a', 9: 'c' });
    const request: PlacementRequest = { brokers, partitions: 6, replicationFactor: 2, seed: 3 };

    it('G-04 refuses 0 partitions, replication factor 0 and more replicas than brokers', () => {
      expect(() => placer.place({ ...request, partitions: 0 })).toThrow(code('INVALID_PARTITIONS'));
      expect(() => placer.place({ ...request, partitions: 1.5 })).toThrow(code('INVALID_PARTITIONS'));
      expect(() => placer.place({ ...request, replicationFactor: 0 })).toThrow(code('INVALID_REPLICATION_FACTOR'));
      expect(() => placer.place({ ...request, replicationFactor: -1 })).toThrow(code('INVALID_REPLICATION_FACTOR'));
      expect(() => placer.place({ ...request, replicationFactor: 5 })).toThrow(
        expect.objectContaining({ code: 'INVALID_REPLICATION_FACTOR', message: expect.stringMatching(/5 .* the 4 /) }),
      );
    });

    it('refuses brokers that cannot be', () => {
      expect(() => placer.place({ ...request, brokers: plain(1, 2, 1) })).toThrow(/Broker 1 is listed twice/);
      expect(() => placer.place({ ...request, brokers: plain(1, -2) })).toThrow(/-2 is not a broker id/);
    });

    it('G-12 two racks of two brokers and four replicas: exactly 2 + 2, or a refusal that names both numbers', () => {
      const four = {
        brokers: racked({ 0: 'a', 1: 'a', 2: 'b', 3: 'b' }),
        partitions: 3,
        replicationFactor: 4,
        seed: 5,
      };
      for (const replicas of placer.place(four).replicas.values()) expect([...replicas].sort()).toEqual([0, 1, 2, 3]);
      expect(() => placer.place({ ...four, minRacks: 4 })).toThrow(/is in 2 racks and needs 4/);
    });

    it('gives every partition its replicas on different brokers, whatever the order of brokers', () => {
      const arbitrary = fc.record({
        ids: fc.uniqueArray(fc.nat(200), { minLength: 1, maxLength: 20 }),
        racks: fc.integer({ min: 0, max: 5 }),
        partitions: fc.integer({ min: 1, max: 60 }),
        startPartitionId: fc.nat(50),
        seed: fc.maxSafeInteger(),
        order: fc.infiniteStream(fc.nat()),
      });
      fc.assert(
        fc.property(arbitrary, fc.nat(), ({ ids, racks, partitions, startPartitionId, seed, order }, rf) => {
          const listed = ids.map((id) => (racks === 0 ? { id } : { id, rack: `r${id % racks}` }));
          const replicationFactor = 1 + (rf % ids.length);
          const spec = { brokers: listed, partitions, replicationFactor, startPartitionId, seed };
          const { replicas } = placer.place(spec);
          expect([...replicas.keys()]).toEqual(Array.from({ length: partitions }, (_, i) => startPartitionId + i));
          const known = new Set(ids);
          for (const list of replicas.values()) {
            expect(list).toHaveLength(replicationFactor);
            expect(new Set(list).size).toBe(replicationFactor);
            expect(list.every((id) => known.has(id))).toBe(true);
          }
          const keys = new Map(listed.map((broker) => [broker, order.next().value as number]));
          const shuffled = [...listed].sort((a, b) => keys.get(a)! - keys.get(b)!);
          if (name !== 'kraft-striped') expect(placer.place({ ...spec, brokers: shuffled }).replicas).toEqual(replicas);
          expect(placer.place(spec).replicas).toEqual(replicas);
        }),
      );
    });

    it('spreads over as many racks as there are, where it looks at racks', () => {
      const seen = [...placer.place({ ...request, replicationFactor: 3, partitions: 40 }).replicas.values()].map(
        (ids) => new Set(ids.map((id) => brokers.find((broker) => broker.id === id)!.rack)).size,
      );
      expect(Math.min(...seen)).toBe(name === 'modulo' ? 2 : 3);
    });
  },
);

describe('the registry of placers', () => {
  it('knows names and class names, and lists them when asked for another', () => {
    expect(resolvePlacer('org.apache.kafka.metadata.placement.StripedReplicaPlacer').name).toBe('kraft-striped');
    expect(resolvePlacer('AdminUtils').name).toBe('admin-utils');
    expect(() => resolvePlacer('dice')).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_PLACER', message: expect.stringContaining('modulo, admin-utils') }),
    );
  });
});
