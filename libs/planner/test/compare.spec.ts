import { describe, expect, it } from '@jest/globals';
import { compare } from '../src/compare.js';
import type { ComparisonRow } from '../src/compare.js';
import { member, members, topics } from './support/groups.js';

describe('several assignors on one group', () => {
  it('shows balance, idleness and moves side by side', () => {
    const group = { topics: topics({ a: 1, b: 1, c: 1, orders: 6 }), members: members(3, ['a', 'b', 'c', 'orders']) };
    const rows = compare({ ...group, assignor: 'range' }, [
      'range',
      'roundrobin',
      'sticky',
      'cooperative-sticky',
      'uniform',
    ]) as ComparisonRow[];
    expect(rows.map(({ assignor, least, most, movesNow }) => [assignor, least, most, movesNow])).toEqual([
      ['range', 2, 5, 0],
      ['roundrobin', 3, 3, 6],
      ['sticky', 3, 3, 2],
      ['cooperative-sticky', 3, 3, 2],
      ['uniform', 3, 3, 2],
    ]);
    const by = new Map(rows.map((row) => [row.assignor, row]));
    // A newcomer to 9 partitions of 3 members needs 2, and what the last member had must move when it leaves.
    expect(by.get('sticky')).toMatchObject({ movesOnAdd: 2, movesOnRemove: 3, protocol: 'eager', idle: 0 });
    expect(by.get('uniform')).toMatchObject({ movesOnAdd: 2, movesOnRemove: 3, protocol: 'consumer' });
    // Range over 6 partitions: 2, 2, 2 becomes 2, 2, 1, 1 with one move, but the single-partition topics stay with c1.
    expect(by.get('range')).toMatchObject({ movesOnAdd: 1, idle: 0 });
    expect(by.get('roundrobin')!.movesOnAdd).toBeGreaterThan(2);
    expect(by.get('sticky')!.rollingRestart).toEqual({ batchSize: 1, moves: 18, rebalances: 6 });
    expect(by.get('roundrobin')!.rollingRestart.moves).toBeGreaterThan(18);
    expect(by.get('cooperative-sticky')!.rollingRestart.rebalances).toBe(9);
  });

  it('counts rack locality, and restarts large groups in ten batches', () => {
    const racks = Array.from({ length: 24 }, (_, i) => [['a', 'b'][i % 2]!]);
    const group = {
      topics: [{ name: 't', partitions: 24, racks }],
      members: members(24, ['t']).map((m, i) => ({ ...m, rack: ['a', 'b'][i % 2]! })),
    };
    const [row] = compare({ ...group, assignor: 'sticky' }, ['sticky']) as ComparisonRow[];
    expect(row!.rackLocality).toEqual({ known: 24, local: 24 });
    expect(row!.rollingRestart.batchSize).toBe(3);
  });

  it('tells why an assignor refuses a group, and refuses unknown names', () => {
    const mixed = {
      topics: topics({ t: 1, u: 1 }),
      members: [member('a', ['t']), member('b', ['u'])],
      assignor: 'range',
    };
    expect(compare(mixed, ['threads-roundrobin', 'range'])).toEqual([
      { assignor: 'threads-roundrobin', refused: expect.stringContaining('same topics') },
      expect.objectContaining({ assignor: 'range' }),
    ]);
    expect(compare({ ...mixed, kafkaVersion: '4.0' }, ['threads-range', 'range'])).toEqual([
      { assignor: 'threads-range', refused: expect.stringContaining('4.0') },
      expect.objectContaining({ assignor: 'range' }),
    ]);
    expect(() => compare(mixed, ['range', 'rnage'])).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/assignors/1' })] }),
    );
  });

  it('answers for an empty group', () => {
    expect(compare({ topics: topics({ t: 2 }), members: [], assignor: 'range' }, ['range'])).toEqual([
      expect.objectContaining({ movesNow: 0, movesOnAdd: 0, movesOnRemove: 0, least: 0, most: 0, idle: 0 }),
    ]);
  });
});
