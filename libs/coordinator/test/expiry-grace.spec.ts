import { describe, expect, it } from '@jest/globals';
import { ExpiryGrace, GRACE_MS, OUTAGE_MS } from '../src/expiry-grace.js';

describe('S-09 the grace before members are fenced', () => {
  /** A replica that has reached the store every second since `begin`. */
  function steady(begin: number, end: number): ExpiryGrace {
    const grace = new ExpiryGrace(begin, 6_000);
    for (let now = begin; now <= end; now += 1_000) grace.heard(now);
    return grace;
  }

  it('begins when a new process first reaches the store', () => {
    const grace = new ExpiryGrace(0, 6_000);
    expect(grace.mayFence(1_000_000)).toBe(false);
    expect(grace.heard(2_000)).toBeUndefined();
    expect(grace.mayFence(7_999)).toBe(false);
    expect(grace.mayFence(8_000)).toBe(true);
  });

  it('begins anew with the first answer after an outage, in the same pass', () => {
    const grace = steady(0, 20_000);
    expect(grace.mayFence(20_000)).toBe(true);
    expect(grace.heard(20_000 + OUTAGE_MS)).toBeUndefined();
    expect(grace.mayFence(20_000 + OUTAGE_MS)).toBe(true);
    const back = 20_000 + 2 * OUTAGE_MS + 1;
    expect(grace.heard(back)).toBe(OUTAGE_MS + 1);
    expect(grace.mayFence(back)).toBe(false);
    expect(grace.heard(back + 1_000)).toBeUndefined();
    expect(grace.mayFence(back + GRACE_MS - 1)).toBe(false);
    expect(grace.mayFence(back + GRACE_MS)).toBe(true);
  });
});
