import { describe, expect, it } from '@jest/globals';
import { foldRebalances } from '../src/index.js';
import { GroupBench } from './support/fixtures.js';

const rebalancesOf = (bench: GroupBench) => foldRebalances(bench.changes);

describe('the rebalances of a group, told from its changes', () => {
  it('tells of one that begins and ends with the same change', () => {
    const bench = new GroupBench({ t: 3 });
    bench.join('a');
    expect(rebalancesOf(bench)).toEqual([
      {
        revision: 1,
        startedAt: bench.now,
        cause: 'member-joined',
        origin: { actor: 'test' },
        groupEpoch: 1,
        outcome: 'completed',
        end: { revision: 1, at: bench.now },
        target: { movedPartitions: 0, skewBefore: 0, skewAfter: 0 },
      },
    ]);
  });

  it('ends one when the last member has reached its target, with what moved and how even it became', () => {
    const bench = new GroupBench({ t: 5 });
    bench.join('a');
    const begun = bench.now;
    bench.join('b');
    expect(rebalancesOf(bench).at(-1)).toMatchObject({
      cause: 'member-joined',
      groupEpoch: 2,
      outcome: 'running',
      target: { movedPartitions: 2, skewBefore: 0, skewAfter: 1 },
    });
    bench.now += 700;
    bench.settle();
    const [, second, ...more] = rebalancesOf(bench);
    expect(more).toEqual([]);
    expect(second).toMatchObject({
      startedAt: begun,
      outcome: 'completed',
      end: { revision: bench.group!.revision, at: begun + 700 },
      late: [{ memberId: 'b', afterMs: 700 }],
    });
  });

  it('names those that it fenced because they gave nothing up in time', () => {
    const bench = new GroupBench({ t: 4 });
    bench.join('slow');
    bench.join('b');
    bench.beat('slow', 1, { t: [0, 1, 2, 3] });
    bench.now += 60_000;
    bench.apply(bench.machine.fenceOverdue(bench.group!, new Set(), bench.context));
    const [, fencing, after] = rebalancesOf(bench);
    expect(fencing).toMatchObject({
      outcome: 'superseded',
      late: [{ memberId: 'slow', afterMs: 60_000, fenced: true }],
    });
    expect(after).toMatchObject({ cause: 'rebalance-timeout' });
    expect(after).not.toHaveProperty('late');
  });

  it('counts what a member that is gone had, and not what nobody had', () => {
    const bench = new GroupBench({ t: 4 });
    bench.join('a');
    bench.join('b');
    bench.settle();
    bench.apply(bench.machine.fenceOverdue(bench.group!, new Set(['a']), bench.context));
    expect(rebalancesOf(bench).at(-1)).toMatchObject({ cause: 'session-expired', target: { movedPartitions: 2 } });
    bench.settle();
    bench.setTopics({ t: 8 });
    bench.apply(bench.machine.lookAtCatalog(bench.group!, bench.context));
    expect(rebalancesOf(bench).at(-1)).toMatchObject({ cause: 'partitions-grown', target: { movedPartitions: 0 } });
  });

  it('supersedes one that another overtakes, also if that one ends at once', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    const { revision } = bench.group!;
    bench.apply(bench.machine.leave(bench.group, { memberId: 'b' }, bench.context));
    bench.settle();
    const overtaken = rebalancesOf(bench).find((rebalance) => rebalance.revision === revision);
    expect(overtaken).toMatchObject({ outcome: 'superseded', end: { revision: revision + 1 } });
    expect(rebalancesOf(bench).at(-1)).toMatchObject({ cause: 'member-left', outcome: 'completed' });
  });

  it('ends with the last member that leaves, and has none of an empty group', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    bench.apply(bench.machine.fenceOverdue(bench.group!, new Set(['a', 'b']), bench.context));
    expect(rebalancesOf(bench).map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  });

  it('keeps one without a target while the assignor fails', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    const faulty = {
      ...bench.context,
      resolveAssignor: () => {
        throw new Error('out of order');
      },
    };
    const join = { memberId: 'b', memberEpoch: 0, subscription: { topics: ['t'] } };
    bench.apply(bench.machine.heartbeat(bench.group, join, bench.settings, faulty));
    const running = rebalancesOf(bench).at(-1)!;
    expect(running.outcome).toBe('running');
    expect(running.target).toBeUndefined();
    bench.now += 1_000;
    bench.settle();
    expect(rebalancesOf(bench)).toMatchObject([{}, { outcome: 'completed', target: { movedPartitions: 1 } }]);
  });

  it('tells nothing of an end whose beginning is no longer kept', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    bench.settle();
    expect(foldRebalances(bench.changes.slice(2))).toEqual([]);
  });
});
