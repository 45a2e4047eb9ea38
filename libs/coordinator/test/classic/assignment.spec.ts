import { describe, expect, it } from '@jest/globals';
import { checkClassicOwnership } from '../../src/classic/ownership-check.js';
import { ClassicBench } from './support/classic-bench.js';

/** Two members of one generation, `a` leads. */
function pair(given: Parameters<ClassicBench['join']>[1] = {}, settings = {}): ClassicBench {
  const bench = new ClassicBench(settings);
  bench.join('a', given);
  bench.join('b', given);
  bench.joinOnce({ memberId: 'a', ...given });
  return bench;
}

describe('the leader’s sync', () => {
  it('answers everybody who waits, and gives nothing to whom it leaves out', () => {
    const bench = pair();
    expect(bench.sync('b')).toBe('park');
    expect(bench.sync('a', { assignments: { a: { t: [0, 1, 2, 3] } } })).toBe('answer');
    expect(bench.parkedSync('b')).toBe('answer');
    expect(bench.assigned('b')).toEqual({});
    expect(bench.group).toMatchObject({ phase: 'STABLE', assignmentEpoch: 2 });
    expect(bench.changes.at(-1)).toMatchObject({
      kind: 'rebalance.completed',
      cause: 'assignment-supplied',
      rebalance: { ends: true, target: { movedPartitions: 0, skewAfter: 4 } },
    });
  });

  it.each([
    ['a stranger', { x: { t: [0] } }, '/assignments/x'],
    ['a partition that does not exist', { a: { t: [4] } }, '/assignments/a/t'],
    ['a topic that does not exist', { a: { 'no/topic': [0] } }, '/assignments/a/no~1topic'],
    ['a partition twice', { a: { t: [0] }, b: { t: [0] } }, '/assignments/b/t'],
  ])('is refused when it names %s, and the generation goes on waiting', (_what, assignments, pointer) => {
    const bench = pair();
    const before = bench.group;
    expect(bench.sync('a', { assignments })).toBe('INVALID_GROUP_ASSIGNMENT');
    expect(bench.lastError!.errors[0]!.pointer).toBe(pointer);
    expect(bench.group).toBe(before);
    expect(bench.sync('a', { assignments: { a: { t: [0] }, b: { t: [1, 2, 3] } } })).toBe('answer');
  });

  it('must bring an assignment, and nobody else may', () => {
    const bench = pair();
    expect(bench.sync('a')).toBe('INVALID_REQUEST');
    expect(bench.sync('b', { assignments: { b: { t: [0] } } })).toBe('INVALID_REQUEST');
    expect(bench.group!.phase).toBe('COMPLETING_REBALANCE');
  });

  it('has the service compute where the group or the leader says so', () => {
    const byGroup = pair({}, { assignedBy: 'service' });
    expect(byGroup.sync('a', { assignments: {} })).toBe('INVALID_REQUEST');
    expect(byGroup.sync('a')).toBe('answer');
    const byLeader = pair();
    expect(byLeader.sync('a', { assignedBy: 'service' })).toBe('answer');
    for (const bench of [byGroup, byLeader]) {
      expect([bench.assigned('a'), bench.assigned('b')]).toEqual([{ t: [0, 1] }, { t: [2, 3] }]);
    }
  });

  it('that the service cannot compute leaves the generation waiting and says why', () => {
    const bench = pair({ protocols: ['my-own'] });
    expect(bench.sync('a', { assignedBy: 'service' })).toBe('UNSUPPORTED_ASSIGNOR');
    expect(bench.group).toMatchObject({ phase: 'COMPLETING_REBALANCE' });
    expect(bench.group!.assignorFault).toContain('my-own');
    expect(bench.sync('a', { assignments: { a: { t: [0, 1, 2, 3] } } })).toBe('answer');
    expect(bench.group!.assignorFault).toBeUndefined();
  });
});

describe('the sync timeout', () => {
  it('removes members that never asked, even from a stable group', () => {
    const bench = pair({}, { sessionTimeoutMs: 100_000 });
    bench.sync('a', { assignments: { a: { t: [0, 1, 2, 3] } } });
    expect(bench.group!.phase).toBe('STABLE');
    bench.wait(60_000);
    expect([...bench.members.keys()]).toEqual(['a']);
    expect(bench.changes.at(-1)).toMatchObject({ cause: 'sync-timeout', kind: 'rebalance.started' });
  });

  it('leaves a member that holds partitions the time that it was promised', () => {
    const bench = pair({}, { sessionTimeoutMs: 100_000 });
    bench.sync('a', { assignments: { b: { t: [0] } } });
    bench.wait(99_999);
    expect(bench.members.has('b')).toBe(true);
    bench.heartbeat('a');
    bench.wait(1);
    expect(bench.members.has('b')).toBe(false);
  });

  it('removes a leader that does not come, and goes on with another', () => {
    const bench = pair({}, { sessionTimeoutMs: 100_000 });
    bench.sync('b');
    bench.wait(60_000);
    expect(bench.group).toMatchObject({ phase: 'PREPARING_REBALANCE', leader: 'b' });
    expect(bench.parkedSync('b')).toBe('REBALANCE_IN_PROGRESS');
    bench.stabilize();
    expect(bench.assigned('b')).toEqual({ t: [0, 1, 2, 3] });
  });

  it('of an earlier generation means nothing', () => {
    const bench = pair();
    bench.wait(59_000 - 50_000);
    bench.setTopics({ t: 5 });
    bench.stabilize();
    expect(bench.group!.timer).toBeUndefined();
  });
});

describe('an eager member', () => {
  it('gives up everything when it joins again, and nothing when the group stays as it is', () => {
    const bench = pair();
    bench.stabilize();
    expect(bench.joinOnce({ memberId: 'b' })).toBe('answer');
    expect(bench.assigned('b')).toEqual({ t: [2, 3] });
    bench.setTopics({ t: 5 });
    bench.joinOnce({ memberId: 'b' });
    expect(bench.assigned('b')).toEqual({});
    expect(bench.assigned('a')).toEqual({ t: [0, 1] });
  });
});

describe('cooperative members (KIP-429)', () => {
  const cooperative = { protocols: ['cooperative-sticky'] };

  function grown(): ClassicBench {
    const bench = new ClassicBench();
    bench.join('a', cooperative);
    bench.sync('a', { assignedBy: 'service' });
    bench.join('b', cooperative);
    bench.joinOnce({ memberId: 'a', ...cooperative, owned: { t: [0, 1, 2, 3] }, generation: 1 });
    return bench;
  }

  it('never receive what another still owns: first it is given up, then it is given out', () => {
    const bench = grown();
    bench.sync('a', { assignedBy: 'service' });
    expect([bench.assigned('a'), bench.revoking('a'), bench.assigned('b')]).toEqual([{ t: [0, 1] }, { t: [2, 3] }, {}]);
    expect(bench.members.get('b')!.target).toEqual(new Map([['t', [2, 3]]]));
    expect(bench.heartbeat('a')).toBe('answer');
    expect(bench.joinOnce({ memberId: 'a', ...cooperative, owned: { t: [0, 1] }, generation: 2 })).toBe('park');
    expect(bench.causes.at(-1)).toBe('partitions-revoked');
    bench.stabilize(cooperative);
    expect([bench.assigned('a'), bench.revoking('a'), bench.assigned('b')]).toEqual([{ t: [0, 1] }, {}, { t: [2, 3] }]);
    expect(bench.group!.groupEpoch).toBe(3);
  });

  it('are protected from a leader that gives away what another owns', () => {
    const bench = grown();
    expect(bench.sync('a', { assignments: { b: { t: [0, 1, 2, 3] } } })).toBe('answer');
    expect([bench.assigned('a'), bench.revoking('a'), bench.assigned('b')]).toEqual([{}, { t: [0, 1, 2, 3] }, {}]);
  });

  it('may take back what they were to give up and have not', () => {
    const bench = grown();
    bench.sync('a', { assignedBy: 'service' });
    bench.leave({ memberId: 'b' });
    bench.joinOnce({ memberId: 'a', ...cooperative, owned: { t: [0, 1, 2, 3] }, generation: 2 });
    bench.sync('a', { assignedBy: 'service' });
    expect([bench.assigned('a'), bench.revoking('a')]).toEqual([{ t: [0, 1, 2, 3] }, {}]);
  });

  it('that do not give up what they must are removed, not before they were told they would be', () => {
    const bench = grown();
    bench.sync('a', { assignedBy: 'service' });
    bench.sync('b');
    const { rebalanceDeadline } = bench.members.get('a')!;
    expect(rebalanceDeadline).toBe(bench.now + 60_000);
    for (let i = 0; i < 60; i++) {
      bench.heartbeat('a');
      bench.heartbeat('b');
      bench.wait(1_000);
    }
    expect([...bench.members.keys()]).toEqual(['b']);
    expect(bench.causes.at(-1)).toBe('rebalance-timeout');
  });

  it('have at least their session to give up, whatever their rebalance timeout', () => {
    const bench = new ClassicBench();
    const hasty = { ...cooperative, rebalanceTimeoutMs: 1_000 };
    bench.join('a', hasty);
    bench.sync('a', { assignedBy: 'service' });
    bench.join('b', hasty);
    bench.joinOnce({ memberId: 'a', ...hasty, owned: { t: [0, 1, 2, 3] }, generation: 1 });
    bench.sync('a', { assignedBy: 'service' });
    expect(bench.members.get('a')!.rebalanceDeadline).toBe(bench.now + 10_000);
  });

  it('that say nothing of what they own keep it: absent is unknown', () => {
    const bench = grown();
    bench.sync('a', { assignedBy: 'service' });
    expect(bench.joinOnce({ memberId: 'a', ...cooperative })).toBe('park');
    expect(bench.revoking('a')).toEqual({ t: [2, 3] });
  });

  it('E-09 a claim from an earlier generation loses to any later one, and its member keeps its id', () => {
    const bench = new ClassicBench({}, { t: 2 });
    bench.join('a', cooperative);
    bench.sync('a', { assignedBy: 'service' });
    // Generation 2 completes without a's sync; b has got everything.
    bench.join('b', cooperative);
    bench.joinOnce({ memberId: 'a', ...cooperative, owned: {}, generation: 1 });
    bench.sync('a', { assignments: { b: { t: [0, 1] } } });
    bench.sync('b');
    // Generation 3: a believes generation 1, and both claim the same.
    bench.join('c', cooperative);
    bench.joinOnce({ memberId: 'a', ...cooperative, owned: { t: [0, 1] }, generation: 1 });
    bench.joinOnce({ memberId: 'b', ...cooperative, owned: { t: [0, 1] }, generation: 2 });
    expect(bench.group!.groupEpoch).toBe(3);
    bench.sync('a', { assignedBy: 'service' });
    expect(bench.members.has('a')).toBe(true);
    expect(bench.assigned('a')).toEqual({});
    expect(bench.assigned('b').t!.length + (bench.revoking('b').t?.length ?? 0)).toBe(2);
    bench.joinOnce({ memberId: 'b', ...cooperative, owned: bench.assigned('b'), generation: 3 });
    bench.stabilize(cooperative);
    expect(bench.assigned('b')).toEqual({ t: expect.any(Array) });
  });

  it('are those whose protocols all are; a mixed list is eager, as for the two steps of a rollout', () => {
    const bench = new ClassicBench();
    bench.join('a', { protocols: ['cooperative-sticky', 'range'] });
    expect(bench.members.get('a')!.cooperative).toBe(false);
    bench.joinOnce({ memberId: 'a', protocols: ['cooperative-sticky'] });
    expect(bench.members.get('a')!.cooperative).toBe(true);
  });
});

describe('leaving', () => {
  it('answers each member for itself and costs one rebalance', () => {
    const bench = pair();
    bench.joinOnce({ newMemberId: 's', instanceId: 'i' });
    bench.stabilize();
    const { revision } = bench.group!;
    const results = bench.leave(
      { memberId: 'nobody' },
      { instanceId: 'i' },
      { memberId: 'b', instanceId: 'i' },
      { memberId: 'b' },
    );
    expect(results.map(({ error }) => error?.code)).toEqual([
      'UNKNOWN_MEMBER_ID',
      undefined,
      'UNKNOWN_MEMBER_ID',
      undefined,
    ]);
    expect(bench.group).toMatchObject({ revision: revision + 1, phase: 'PREPARING_REBALANCE' });
    expect([...bench.members.keys()]).toEqual(['a']);
  });

  it('of a stranger changes nothing', () => {
    const bench = pair();
    const before = bench.group;
    bench.leave({ memberId: 'nobody' });
    expect(bench.group).toBe(before);
  });
});

describe('a write that must not be done twice', () => {
  const ask = (bench: ClassicBench, memberId: string, generation: number, partitions: number[]) =>
    checkClassicOwnership(
      bench.group!,
      { memberId, memberEpoch: generation, partitions: new Map([['t', partitions]]) },
      { leaseUntil: bench.leases.get(memberId), now: bench.now },
    );

  it('is valid for what the member holds in the group’s generation, until its time is over', () => {
    const bench = pair();
    bench.stabilize();
    expect(ask(bench, 'b', 2, [2, 3])).toEqual({ reasons: [], memberEpoch: 2, validUntil: bench.now + 10_000 });
    expect(ask(bench, 'b', 2, [1, 2]).reasons).toEqual([{ code: 'NOT_HELD', partitions: new Map([['t', [1]]]) }]);
    expect(ask(bench, 'b', 1, [2]).reasons[0]!.code).toBe('ILLEGAL_GENERATION');
    bench.now += 10_000;
    expect(ask(bench, 'b', 2, [2]).reasons[0]!.code).toBe('SESSION_EXPIRED');
  });

  it('ends with the join phase that a member does not join, and is not promised beyond it', () => {
    const bench = pair({}, { sessionTimeoutMs: 100_000 });
    bench.stabilize();
    bench.setTopics({ t: 5 });
    bench.now += 50_000;
    bench.heartbeat('b');
    expect(ask(bench, 'b', 2, [2])).toMatchObject({ reasons: [], validUntil: bench.now + 50_000 });
    bench.now += 50_000;
    expect(ask(bench, 'b', 2, [2]).reasons[0]!.code).toBe('REBALANCE_TIMEOUT');
  });
});
