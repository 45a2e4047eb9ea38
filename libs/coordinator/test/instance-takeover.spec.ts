import { describe, expect, it } from '@jest/globals';
import { GroupBench } from './support/fixtures.js';

/** `old` holds t-0 and t-1 as instance `i`; `new` has taken its place. */
function takenOver(rebalanceTimeoutMs = 60_000): GroupBench {
  const bench = new GroupBench({ t: 2 }, { staticPolicy: 'newest-wins' });
  bench.join('old', ['t'], { instanceId: 'i', rebalanceTimeoutMs });
  bench.join('new', ['t'], { instanceId: 'i' });
  expect(bench.assigned('new')).toEqual({});
  expect(bench.revoking('old')).toEqual({ t: [0, 1] });
  return bench;
}

describe('E-14 a process that takes the place of another one that may be alive', () => {
  it('gets its partitions at a later epoch than that one had them', () => {
    const bench = takenOver();
    const epoch = bench.group!.assignmentEpoch;
    bench.apply(bench.machine.fenceOverdue(bench.group!, new Set(['old']), bench.context));
    bench.beat('new', bench.member('new').memberEpoch, {});
    expect(bench.assigned('new')).toEqual({ t: [0, 1] });
    for (const since of bench.member('new').assigned.get('t')!.values()) expect(since).toBeGreaterThan(epoch);
  });

  it('waits for a session at least: that one hears nothing of it and goes by its last answer', () => {
    const bench = takenOver(1_000);
    expect(bench.member('old').rebalanceDeadline).toBe(bench.now + bench.settings.sessionTimeoutMs);
  });
});
