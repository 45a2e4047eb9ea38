import { describe, expect, it } from '@jest/globals';
import { ClassicBench } from './support/classic-bench.js';

/** Members a (leads) and b of a stable group, who know all that happened. */
function stable(protocols: readonly string[] = ['range']): ClassicBench {
  const bench = new ClassicBench();
  bench.join('a', { protocols, revision: 0 });
  bench.sync('a', { assignedBy: 'service' });
  bench.join('b', { protocols, revision: 0 });
  bench.stabilize({ protocols });
  // A cooperative leader gives up what b shall have.
  if (bench.group!.phase === 'STABLE' && Object.keys(bench.revoking('a')).length > 0) {
    bench.joinOnce({ memberId: 'a', protocols, owned: bench.assigned('a'), revision: bench.group!.revision });
    bench.stabilize({ protocols });
  }
  expect(bench.assigned('b')).not.toEqual({});
  return bench;
}

describe('a join that was given up and arrives late', () => {
  it('takes nothing from an eager member that has been given something since', () => {
    const bench = stable();
    const held = bench.assigned('b');
    // Another rebalance has begun, of which b has not heard: it works.
    bench.joinOnce({ memberId: 'a', revision: bench.group!.revision });
    expect(bench.group!.phase).toBe('PREPARING_REBALANCE');
    const granted = bench.members.get('b')!.grantedRevision!;
    expect(bench.joinOnce({ memberId: 'b', revision: granted - 1 })).toBe('answer');
    expect(bench.assigned('b')).toEqual(held);
  });

  it('takes nothing from a cooperative member either, whatever it says to own', () => {
    const bench = stable(['cooperative-sticky']);
    const held = bench.assigned('b');
    const { grantedRevision } = bench.members.get('b')!;
    bench.joinOnce({ memberId: 'b', protocols: ['cooperative-sticky'], owned: {}, revision: grantedRevision! - 1 });
    expect(bench.assigned('b')).toEqual(held);
  });

  it('is believed when its member knows what it was given', () => {
    const bench = stable();
    bench.joinOnce({ memberId: 'a', revision: bench.group!.revision });
    bench.joinOnce({ memberId: 'b', revision: bench.group!.revision });
    expect(bench.assigned('b')).toEqual({});
  });

  it('is believed, as in Kafka, when its client tells no revision', () => {
    const bench = stable();
    bench.joinOnce({ memberId: 'a' });
    bench.joinOnce({ memberId: 'b' });
    expect(bench.assigned('b')).toEqual({});
  });

  it('changes nothing of what the member has said of itself since', () => {
    const bench = stable();
    const { revision } = bench.group!;
    bench.joinOnce({ memberId: 'b', topics: ['t', 'u'], revision });
    expect(bench.joinOnce({ memberId: 'b', topics: ['t'], revision: revision - 1 })).toBe('park');
    expect(bench.members.get('b')!.subscription.topics).toEqual(['t', 'u']);
  });

  it('does not count when its eager member has said the same once more and found its assignment as it left it', () => {
    const bench = stable();
    const { revision } = bench.group!;
    const held = bench.assigned('b');
    expect(bench.joinOnce({ memberId: 'b', revision })).toBe('answer');
    expect(bench.assigned('b')).toEqual(held);
    bench.joinOnce({ memberId: 'a', revision: bench.group!.revision });
    bench.joinOnce({ memberId: 'b', revision });
    expect(bench.assigned('b')).toEqual(held);
  });

  it('costs an eager member that lost the answer one more generation, and no partition', () => {
    const bench = stable();
    const { revision } = bench.group!;
    bench.joinOnce({ memberId: 'a', revision });
    bench.joinOnce({ memberId: 'b', revision: 1 });
    bench.sync('a', { assignments: { a: { t: [0, 1, 2, 3] } } });
    // What b may still hold is withheld, until it has joined knowing that.
    expect(bench.assigned('a')).toEqual({ t: [0, 1] });
    expect(bench.revoking('b')).toEqual({ t: [2, 3] });
    expect(bench.joinOnce({ memberId: 'b', revision: bench.group!.revision })).toBe('park');
    bench.joinOnce({ memberId: 'a', revision: bench.group!.revision });
    bench.sync('a', { assignments: { a: { t: [0, 1, 2, 3] } } });
    expect(bench.assigned('a')).toEqual({ t: [0, 1, 2, 3] });
  });

  it('is told the revision with which its member can join again', () => {
    const bench = stable();
    bench.joinOnce({ memberId: 'a', revision: bench.group!.revision });
    expect(bench.sync('b')).toBe('REBALANCE_IN_PROGRESS');
    expect(bench.lastError!.facts).toEqual({ revision: bench.group!.revision });
  });
});

describe('the first request of a static member’s process, with an id of its own', () => {
  const first = { instanceId: 'i', newMemberId: 'p1' };

  it.each(['newest-wins', 'oldest-wins'] as const)('is the same member when it is sent again (%s)', (staticPolicy) => {
    const bench = new ClassicBench({ staticPolicy });
    expect(bench.joinOnce(first)).toBe('answer');
    bench.sync('p1', { assignedBy: 'service' });
    const held = bench.assigned('p1');
    expect(bench.joinOnce(first)).toBe('answer');
    expect([...bench.members.keys()]).toEqual(['p1']);
    expect(bench.assigned('p1')).toEqual(held);
    expect(bench.group!.phase).toBe('STABLE');
  });

  it('takes nothing over when it comes after another process has', () => {
    const bench = new ClassicBench();
    bench.joinOnce(first);
    bench.sync('p1', { assignedBy: 'service' });
    bench.joinOnce({ instanceId: 'i', newMemberId: 'p2' });
    expect(bench.joinOnce(first)).toBe('FENCED_INSTANCE_ID');
    expect([...bench.members.keys()]).toEqual(['p2']);
  });

  it('is given the same id again when the member is dynamic', () => {
    const bench = new ClassicBench();
    const { newMemberId } = first;
    expect(bench.joinOnce({ newMemberId })).toBe('MEMBER_ID_REQUIRED');
    expect(bench.joinOnce({ newMemberId })).toBe('MEMBER_ID_REQUIRED');
    expect(bench.group!.pending).toHaveLength(1);
    expect(bench.joinOnce({ memberId: newMemberId })).toBe('answer');
    expect(bench.joinOnce({ newMemberId })).toBe('MEMBER_ID_REQUIRED');
    expect(bench.group!.phase).toBe('COMPLETING_REBALANCE');
  });
});
