import { describe, expect, it } from '@jest/globals';
import {
  coordinatorByHash,
  coordinatorPartition,
  leastLoadedCoordinator,
} from '../../src/coordinator-lookup/coordinator-lookup.js';
import { javaStringHashCode } from '../../src/hashing/java-hash-map.js';

describe('the coordinator by hash', () => {
  it('is the leader of the group’s partition of __consumer_offsets', () => {
    expect(coordinatorPartition('orders')).toBe(31);
    expect(coordinatorPartition('payments', 17)).toBe(10);
    const leaders = Array.from({ length: 50 }, (_, partition) => 100 + (partition % 3));
    expect(coordinatorByHash('orders', leaders)).toEqual({ partition: 31, broker: 101 });
  });

  it('takes 0 for the absolute value of -2^31, which has none', () => {
    const group = 'polygenelubricants';
    expect(javaStringHashCode(group)).toBe(-(2 ** 31));
    expect(coordinatorPartition(group, 50)).toBe(0);
    expect(coordinatorPartition(group, 7)).toBe(0);
  });

  it('asks to retry while that partition has no leader, and refuses a count that cannot be', () => {
    const leaders: (number | undefined)[] = Array.from({ length: 50 }, () => 1);
    leaders[31] = undefined;
    expect(() => coordinatorByHash('orders', leaders)).toThrow(
      expect.objectContaining({ code: 'COORDINATOR_NOT_AVAILABLE', retriable: true }),
    );
    expect(() => coordinatorByHash('orders', [])).toThrow(/partition count of __consumer_offsets/);
    expect(() => coordinatorPartition('orders', 1.5)).toThrow(/partition count/);
  });
});

describe('the least loaded coordinator', () => {
  const brokers = [
    { id: 3, groups: 2 },
    { id: 2, groups: 2 },
    { id: 1, groups: 5 },
    { id: 0, groups: 0, fenced: true },
  ];

  it('coordinates the fewest groups, the lowest id among equals, and is in service', () => {
    expect(leastLoadedCoordinator(brokers)).toBe(2);
  });

  it('stays while it is in service', () => {
    expect(leastLoadedCoordinator(brokers, 1)).toBe(1);
    expect(leastLoadedCoordinator(brokers, 0)).toBe(2);
    expect(leastLoadedCoordinator(brokers, 9)).toBe(2);
  });

  it('asks to retry when no broker is in service', () => {
    expect(() => leastLoadedCoordinator([{ id: 0, groups: 0, fenced: true }])).toThrow(
      expect.objectContaining({ code: 'COORDINATOR_NOT_AVAILABLE' }),
    );
  });
});
