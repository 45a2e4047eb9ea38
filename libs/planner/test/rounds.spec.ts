import { describe, expect, it } from '@jest/globals';
import { plan, simulate } from '../src/index.js';

/** The second round moves the target again, in Kafka as well (docs/strategies/cooperative-sticky.md). */
const turning = {
  assignor: 'cooperative-sticky',
  topics: [
    { name: 't0', partitions: 1 },
    { name: 't1', partitions: 4 },
    { name: 't2', partitions: 4 },
  ],
  members: [
    { id: 'c0', topics: ['t0', 't1', 't2'] },
    { id: 'c1', topics: ['t1'] },
    { id: 'c2', topics: ['t1'] },
  ],
};
const change = { member: 'c1', topics: ['t0', 't2'] };

describe('rebalances of a cooperative group', () => {
  it('are as many as it takes, also when the second round moves the target again', () => {
    const { disruption, warnings, target } = plan({ ...turning, changes: [change] });
    expect(disruption).toMatchObject({
      cooperative: { rebalances: 3 },
      eager: { rebalances: 1 },
      consumer: { rebalances: 1 },
    });
    const played = simulate({ ...turning, steps: [change] });
    expect(played.total.rebalances).toBe(3);
    const again = warnings.find(({ code }) => code === 'target-moves-again');
    expect(again?.message).toContain('after 3 rebalances');
    expect(played.assignment).not.toEqual(target);
  });

  it('are two with equal subscriptions, and one where nobody who stays gives anything up', () => {
    const members = ['a', 'b'].map((id) => ({ id, topics: ['t1', 't2'] }));
    const rebalances = (changes: object[]) =>
      plan({ ...turning, members, changes: changes as never }).disruption.cooperative.rebalances;
    expect([rebalances([{ addMembers: 1 }]), rebalances([{ removeMembers: 1 }]), rebalances([])]).toEqual([2, 1, 0]);
  });
});
