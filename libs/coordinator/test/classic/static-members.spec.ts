import { describe, expect, it } from '@jest/globals';
import { ClassicBench } from './support/classic-bench.js';

/** Static members i1/m1 (leader) and i2/m2 of a stable group. */
function stable(settings = {}): ClassicBench {
  const bench = completing(settings);
  bench.sync('m1', { assignedBy: 'service' });
  bench.sync('m2');
  return bench;
}

function completing(settings = {}): ClassicBench {
  const bench = new ClassicBench(settings);
  bench.joinOnce({ newMemberId: 'm1', instanceId: 'i1' });
  bench.joinOnce({ newMemberId: 'm2', instanceId: 'i2' });
  bench.joinOnce({ memberId: 'm1', instanceId: 'i1' });
  return bench;
}

describe('a static member that starts anew (KIP-345)', () => {
  it('takes its old place in a stable group, without a rebalance and without a new generation', () => {
    const bench = stable();
    const before = bench.assigned('m2');
    expect(bench.joinOnce({ newMemberId: 'm3', instanceId: 'i2' })).toBe('answer');
    expect(bench.group).toMatchObject({ phase: 'STABLE', groupEpoch: 2 });
    expect(bench.members.has('m2')).toBe(false);
    expect(bench.assigned('m3')).toEqual(before);
    expect(bench.sync('m3')).toBe('answer');
    expect(bench.changes.at(-1)!.cause).toBe('static-member-replaced');
  });

  it('keeps the lead, and need not assign', () => {
    const bench = stable();
    expect(bench.joinOnce({ newMemberId: 'm3', instanceId: 'i1' })).toBe('answer');
    expect(bench.group!.leader).toBe('m3');
    expect(bench.sync('m3')).toBe('answer');
  });

  it.each([
    ['another assignor would be elected', { protocols: ['sticky', 'range'] }],
    ['it reads something else', { topics: ['t', 'u'] }],
  ])('begins a rebalance when %s', (_when, given) => {
    const bench = new ClassicBench();
    const both = { protocols: ['range', 'sticky'] };
    bench.joinOnce({ newMemberId: 'm1', instanceId: 'i1', ...both });
    bench.sync('m1', { assignedBy: 'service' });
    expect(bench.joinOnce({ newMemberId: 'm3', instanceId: 'i1', ...both, ...given })).toBe('answer');
    expect(bench.group).toMatchObject({ phase: 'COMPLETING_REBALANCE', groupEpoch: 2 });
  });

  it('E-05 begins a rebalance while the leader may be computing for its former id', () => {
    const bench = completing();
    expect(bench.joinOnce({ newMemberId: 'm3', instanceId: 'i2' })).toBe('park');
    expect(bench.group!.phase).toBe('PREPARING_REBALANCE');
    expect(bench.sync('m1', { assignments: { m2: { t: [0, 1] } } })).toBe('REBALANCE_IN_PROGRESS');
    bench.joinOnce({ memberId: 'm1', instanceId: 'i1' });
    bench.sync('m1', { assignedBy: 'service' });
    bench.sync('m3');
    expect(bench.assigned('m3')).toEqual({ t: [2, 3] });
  });

  it('fences the requests of its former self that wait', () => {
    const joining = stable();
    joining.setTopics({ t: 5 });
    joining.joinOnce({ memberId: 'm2', instanceId: 'i2' });
    expect(joining.parkedJoin('m2', 'i2')).toBe('park');
    joining.joinOnce({ newMemberId: 'm3', instanceId: 'i2' });
    expect(joining.parkedJoin('m2', 'i2')).toBe('FENCED_INSTANCE_ID');
    const syncing = completing();
    syncing.sync('m2', { instanceId: 'i2' });
    syncing.joinOnce({ newMemberId: 'm3', instanceId: 'i2' });
    expect(syncing.parkedSync('m2', 2, 'i2')).toBe('FENCED_INSTANCE_ID');
  });

  it('E-11 gets an id of its own each time', () => {
    const bench = stable();
    for (let i = 3; i < 20; i++) {
      bench.joinOnce({ newMemberId: `m${i}`, instanceId: 'i2' });
      expect([...bench.members.keys()].sort()).toEqual(['m1', `m${i}`].sort());
    }
  });

  it('is removed by its session’s end, or by an operator who knows its instance id', () => {
    const bench = stable();
    bench.leave({ instanceId: 'i2' });
    expect([...bench.members.keys()]).toEqual(['m1']);
    bench.wait(10_000);
    expect(bench.group!.phase).toBe('EMPTY');
  });
});

describe('E-14 two live processes with one instance id', () => {
  it('lets the newer win; the older is told so by every request, and history tells of both, once', () => {
    const bench = stable();
    bench.joinOnce({ newMemberId: 'm3', instanceId: 'i2' });
    const { length } = bench.changes;
    expect(bench.heartbeat('m2', { instanceId: 'i2' })).toBe('FENCED_INSTANCE_ID');
    expect(bench.lastError!).toMatchObject({ action: 'stop', facts: { heldBy: 'm3' } });
    expect(bench.sync('m2', { instanceId: 'i2' })).toBe('FENCED_INSTANCE_ID');
    expect(bench.joinOnce({ memberId: 'm2', instanceId: 'i2' })).toBe('FENCED_INSTANCE_ID');
    expect(bench.leave({ memberId: 'm2', instanceId: 'i2' })[0]!.error!.code).toBe('FENCED_INSTANCE_ID');
    expect(bench.changes.slice(length)).toMatchObject([
      { cause: 'instance-conflict', kind: 'member', members: [{ memberId: 'm3', conflictsWith: 'm2' }] },
    ]);
    expect(bench.members.has('m3')).toBe(true);
  });

  it('tells the older to try again where the group says so', () => {
    const bench = stable({ onInstanceConflict: 'retry' });
    bench.joinOnce({ newMemberId: 'm3', instanceId: 'i2' });
    bench.heartbeat('m2', { instanceId: 'i2' });
    expect(bench.lastError!.action).toBe('retry');
  });

  it('S-02 keeps the newer out where the group says so, at once, until the older’s session ends', () => {
    const bench = stable({ staticPolicy: 'oldest-wins' });
    expect(bench.joinOnce({ newMemberId: 'm3', instanceId: 'i2' })).toBe('UNRELEASED_INSTANCE_ID');
    expect(bench.lastError!).toMatchObject({ action: 'retry', facts: { heldBy: 'm2' } });
    bench.heartbeat('m1');
    bench.wait(10_000);
    expect(bench.joinOnce({ newMemberId: 'm3', instanceId: 'i2' })).not.toBe('UNRELEASED_INSTANCE_ID');
  });
});
