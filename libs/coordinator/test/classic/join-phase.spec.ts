import { describe, expect, it } from '@jest/globals';
import { electProtocol } from '../../src/classic/protocol-vote.js';
import type { ClassicMember } from '../../src/index.js';
import { ClassicBench } from './support/classic-bench.js';

describe('member id first (KIP-394)', () => {
  it('gives a dynamic member an id and forgets it when the session is over without a join', () => {
    const bench = new ClassicBench();
    expect(bench.joinOnce({ newMemberId: 'm1' })).toBe('MEMBER_ID_REQUIRED');
    expect(bench.lastError!.facts).toEqual({ memberId: 'm1' });
    expect(bench.group).toMatchObject({ phase: 'EMPTY', pending: [{ memberId: 'm1', expiresAt: bench.now + 10_000 }] });
    expect(bench.members.size).toBe(0);
    bench.wait(10_000);
    expect(bench.group!.pending).toEqual([]);
    expect(bench.joinOnce({ memberId: 'm1' })).toBe('UNKNOWN_MEMBER_ID');
  });

  it('waits with the join phase for a member that was given an id, and no longer when it leaves', () => {
    const bench = new ClassicBench();
    bench.join('a');
    bench.joinOnce({ newMemberId: 'b' });
    bench.joinOnce({ memberId: 'b' });
    bench.joinOnce({ newMemberId: 'late' });
    bench.joinOnce({ memberId: 'a' });
    expect(bench.parkedJoin('a')).toBe('park');
    bench.leave({ memberId: 'late' });
    expect(bench.parkedJoin('a')).toBe('answer');
  });

  it('takes a static member at once, and refuses an instance id with an id that was given without one', () => {
    const bench = new ClassicBench();
    expect(bench.joinOnce({ newMemberId: 's', instanceId: 'i' })).toBe('answer');
    bench.joinOnce({ newMemberId: 'd' });
    expect(bench.joinOnce({ memberId: 'd', instanceId: 'j' })).toBe('INVALID_REQUEST');
  });

  it('knows no member id that it did not give', () => {
    const bench = new ClassicBench();
    expect(bench.joinOnce({ memberId: 'own' })).toBe('UNKNOWN_MEMBER_ID');
    bench.join('a');
    expect(bench.joinOnce({ memberId: 'own' })).toBe('UNKNOWN_MEMBER_ID');
  });

  it('has no more pending members than members may be', () => {
    const bench = new ClassicBench({ maxSize: 2 });
    bench.joinOnce({ newMemberId: 'a' });
    bench.joinOnce({ newMemberId: 'b' });
    expect(bench.joinOnce({ newMemberId: 'c' })).toBe('GROUP_MAX_SIZE_REACHED');
  });
});

describe('the initial delay (KIP-134)', () => {
  const slow = () => new ClassicBench({ initialDelayMs: 3_000, rebalanceTimeoutMs: 10_000 });

  it('waits for more members even when all are there', () => {
    const bench = slow();
    expect(bench.join('a')).toBe('park');
    bench.wait(2_999);
    expect(bench.parkedJoin('a')).toBe('park');
    bench.wait(1);
    expect(bench.parkedJoin('a')).toBe('answer');
    expect(bench.group!.groupEpoch).toBe(1);
  });

  it('waits as long again when a member came meanwhile, and no longer than the rebalance timeout', () => {
    const bench = slow();
    bench.join('a');
    const begun = bench.now;
    const ends: number[] = [];
    for (let i = 0; bench.group!.phase === 'PREPARING_REBALANCE'; i++) {
      if (i < 50) bench.join(`m${i}`);
      const { at } = bench.group!.timer!;
      ends.push(at - begun);
      bench.wait(at - bench.now);
    }
    // 3 s, then 3 s of the 7 that are left, then of 4, then of 1: as Kafka counts, which takes the last delay off after the next is chosen.
    expect(ends).toEqual([3_000, 6_000, 9_000, 10_000]);
    expect(bench.group!.groupEpoch).toBe(1);
  });

  it('S-11 brings 200 joins within a second into one generation', () => {
    const bench = slow();
    for (let i = 0; i < 200; i++) {
      bench.join(`m${i}`);
      bench.wait(5);
    }
    bench.wait(10_000);
    expect(bench.group).toMatchObject({ phase: 'COMPLETING_REBALANCE', groupEpoch: 1 });
    expect(bench.members.size).toBe(200);
  });

  it('comes back when a group has been emptied', () => {
    const bench = slow();
    bench.join('a');
    bench.wait(3_000);
    bench.leave({ memberId: 'a' });
    expect(bench.group!.phase).toBe('EMPTY');
    expect(bench.join('b')).toBe('park');
    expect(bench.group!.timer!.kind).toBe('initial-delay');
  });

  it('ends in an empty group when its members left meanwhile', () => {
    const bench = slow();
    bench.join('a');
    bench.leave({ memberId: 'a' });
    bench.wait(3_000);
    expect(bench.group).toMatchObject({ phase: 'EMPTY', groupEpoch: 1 });
    expect(bench.group!.timer).toBeUndefined();
  });
});

describe('the rebalance timeout', () => {
  it('is the longest of the members', () => {
    const bench = new ClassicBench();
    bench.join('a', { rebalanceTimeoutMs: 5_000 });
    bench.join('b', { rebalanceTimeoutMs: 20_000 });
    expect(bench.group!.timer!.at - bench.now).toBe(20_000);
  });

  it('drops dynamic members that did not join again, and goes on with a leader that did', () => {
    const bench = new ClassicBench({ sessionTimeoutMs: 100_000 });
    bench.join('a');
    bench.sync('a', { assignedBy: 'service' });
    bench.join('b');
    const { groupEpoch } = bench.group!;
    // It was told that it may work until its session ends.
    bench.wait(99_999);
    expect(bench.group!.leader).toBe('a');
    bench.wait(1);
    expect([...bench.members.keys()]).toEqual(['b']);
    expect(bench.group).toMatchObject({ phase: 'COMPLETING_REBALANCE', leader: 'b', groupEpoch: groupEpoch + 1 });
    expect(bench.parkedJoin('a')).toBe('UNKNOWN_MEMBER_ID');
  });

  it('drops a member that holds nothing as soon as the timer rings', () => {
    const bench = new ClassicBench({ sessionTimeoutMs: 100_000 }, { t: 1 });
    bench.join('a');
    bench.join('b');
    bench.joinOnce({ memberId: 'a' });
    bench.sync('a', { assignments: { a: { t: [0] } } });
    bench.sync('b');
    bench.setTopics({ t: 2 });
    bench.joinOnce({ memberId: 'a' });
    bench.wait(60_000);
    expect([...bench.members.keys()]).toEqual(['a']);
  });

  it('is armed again when nobody joined, without a new generation', () => {
    const bench = new ClassicBench({ sessionTimeoutMs: 100_000 });
    bench.joinOnce({ newMemberId: 's', instanceId: 'i' });
    bench.sync('s', { assignedBy: 'service' });
    bench.setTopics({ t: 5 });
    const { groupEpoch } = bench.group!;
    bench.wait(60_000);
    expect(bench.group).toMatchObject({ phase: 'PREPARING_REBALANCE', groupEpoch });
    expect(bench.group!.timer!.at).toBe(bench.now + 60_000);
  });

  it('E-07 does not remove static members: they go when their session ends', () => {
    const bench = new ClassicBench({ sessionTimeoutMs: 100_000 });
    bench.joinOnce({ newMemberId: 'm1', instanceId: 'i1' });
    bench.joinOnce({ newMemberId: 'm2', instanceId: 'i2' });
    bench.joinOnce({ memberId: 'm1', instanceId: 'i1' });
    bench.stabilize();
    bench.setTopics({ t: 6 });
    bench.joinOnce({ memberId: 'm2', instanceId: 'i2' });
    bench.wait(60_000);
    expect(bench.group).toMatchObject({ phase: 'COMPLETING_REBALANCE', leader: 'm2' });
    expect(bench.members.get('m1')).toMatchObject({ instanceId: 'i1', subscription: { topics: ['t'] } });
    bench.sync('m2', { assignedBy: 'service' });
    expect(bench.group!.phase).toBe('STABLE');
    // It has a share as any member, and keeps what it may be working on.
    expect(bench.assigned('m1')).toEqual({ t: [0, 1, 2] });
    while (bench.members.has('m1')) {
      expect(bench.heartbeat('m2')).toBe('answer');
      bench.wait(1_000);
    }
    expect(bench.group!.phase).toBe('PREPARING_REBALANCE');
    expect(bench.causes.at(-1)).toBe('session-expired');
  });
});

describe('the vote for an assignor', () => {
  const member = (memberId: string, ...names: string[]) =>
    ({ memberId, protocols: names.map((name) => ({ name })) }) as unknown as ClassicMember;

  it('takes what all support and most prefer', () => {
    const members = [
      member('a', 'range', 'sticky'),
      member('b', 'sticky', 'range'),
      member('c', 'uniform', 'sticky', 'range'),
    ];
    expect(electProtocol(members, members[0]!)).toBe('sticky');
  });

  it('lets the leader’s preference decide a tie', () => {
    const members = [member('a', 'range', 'sticky'), member('b', 'sticky', 'range')];
    expect(electProtocol(members, members[0]!)).toBe('range');
    expect(electProtocol(members, members[1]!)).toBe('sticky');
  });

  it('keeps out a member that has nothing in common with the others', () => {
    const bench = new ClassicBench();
    bench.join('a', { protocols: ['range', 'sticky'] });
    expect(bench.join('b', { protocols: ['uniform'] })).toBe('INCONSISTENT_GROUP_PROTOCOL');
    expect(bench.joinOnce({ newMemberId: 'c', instanceId: 'i', protocols: ['uniform'] })).toBe(
      'INCONSISTENT_GROUP_PROTOCOL',
    );
    expect(bench.join('b', { protocols: ['uniform', 'sticky'] })).toBe('park');
  });

  it('lets a member that is alone change its mind', () => {
    const bench = new ClassicBench();
    bench.join('a', { protocols: ['range'] });
    expect(bench.joinOnce({ memberId: 'a', protocols: ['sticky'] })).toBe('answer');
    expect(bench.group).toMatchObject({ groupEpoch: 2, protocol: 'sticky' });
  });

  it('understands Kafka’s class names, and leaves names it does not know to the leader', () => {
    const bench = new ClassicBench();
    bench.join('a', { protocols: ['org.apache.kafka.clients.consumer.StickyAssignor', 'my-own'] });
    expect(bench.members.get('a')!.protocols).toEqual([{ name: 'sticky' }, { name: 'my-own' }]);
    const served = new ClassicBench({ assignedBy: 'service' });
    expect(served.join('a', { protocols: ['my-own'] })).toBe('UNSUPPORTED_ASSIGNOR');
  });
});

describe('the session', () => {
  it.each([5_999, 1_800_001])('of %i ms is refused', (sessionTimeoutMs) => {
    const bench = new ClassicBench();
    expect(bench.join('a', { sessionTimeoutMs })).toBe('INVALID_SESSION_TIMEOUT');
    expect(bench.lastError!.errors[0]!.pointer).toBe('/sessionTimeoutMs');
  });

  it('ends a silent member, whose partitions are then free', () => {
    const bench = new ClassicBench();
    bench.join('a');
    bench.join('b');
    bench.joinOnce({ memberId: 'a' });
    bench.stabilize();
    bench.wait(5_000);
    bench.heartbeat('b');
    bench.wait(5_000);
    expect([...bench.members.keys()]).toEqual(['b']);
    expect(bench.group!.phase).toBe('PREPARING_REBALANCE');
  });

  it('does not end members whose requests wait, but new ones after five minutes', () => {
    const bench = new ClassicBench({ rebalanceTimeoutMs: 600_000 });
    bench.joinOnce({ newMemberId: 's', instanceId: 'i', sessionTimeoutMs: 1_800_000 });
    bench.sync('s', { assignedBy: 'service' });
    bench.join('new', { sessionTimeoutMs: 6_000 });
    expect(bench.parkedJoin('new')).toBe('park');
    bench.wait(299_999);
    expect(bench.parkedJoin('new')).toBe('park');
    bench.wait(1);
    expect(bench.parkedJoin('new')).toBe('UNKNOWN_MEMBER_ID');
  });

  it('E-08 is not kept alive by a request that nobody waits for any more', () => {
    const bench = new ClassicBench();
    bench.join('a');
    bench.sync('a', { assignedBy: 'service' });
    bench.join('gone');
    bench.joinOnce({ memberId: 'a' });
    // The generation stands; who went away while it waited has a session from now on.
    bench.sync('a', { assignedBy: 'service' });
    while (bench.members.has('gone')) {
      bench.heartbeat('a');
      bench.wait(1_000);
    }
    expect(bench.group!.phase).toBe('PREPARING_REBALANCE');
  });
});

describe('the size of a group', () => {
  it('counts members while it is stable', () => {
    const bench = new ClassicBench({ maxSize: 1 });
    bench.join('a');
    bench.sync('a', { assignedBy: 'service' });
    expect(bench.joinOnce({ newMemberId: 'b' })).toBe('GROUP_MAX_SIZE_REACHED');
    expect(bench.joinOnce({ memberId: 'a' })).toBe('answer');
  });

  it('counts those that have joined while it waits, so that a smaller limit keeps out who comes last', () => {
    const bench = new ClassicBench({ maxSize: 3 });
    for (const id of ['a', 'b', 'c']) bench.join(id);
    bench.joinOnce({ memberId: 'a' });
    bench.joinOnce({ memberId: 'b' });
    bench.stabilize();
    bench.put({ maxSize: 2 });
    bench.setTopics({ t: 5 });
    expect(bench.joinOnce({ memberId: 'c' })).toBe('park');
    expect(bench.joinOnce({ memberId: 'b' })).toBe('park');
    expect(bench.joinOnce({ memberId: 'a' })).toBe('GROUP_MAX_SIZE_REACHED');
    expect([...bench.members.keys()]).toEqual(['b', 'c']);
    expect(bench.parkedJoin('b')).toBe('answer');
  });
});

it('keeps a cooperative member out of a full group without taking what it may be working on', () => {
  const cooperative = { protocols: ['cooperative-sticky'] };
  const bench = new ClassicBench({ maxSize: 2 });
  bench.join('a', cooperative);
  bench.sync('a', { assignedBy: 'service' });
  bench.join('b', cooperative);
  bench.put({ maxSize: 1 });
  expect(bench.joinOnce({ memberId: 'a', ...cooperative, owned: { t: [0, 1, 2, 3] } })).toBe('GROUP_MAX_SIZE_REACHED');
  expect(bench.assigned('a')).toEqual({ t: [0, 1, 2, 3] });
  bench.wait(10_000);
  expect([...bench.members.keys()]).toEqual(['b']);
});

describe('growth', () => {
  it.each([
    ['E-13 of a topic that is read', ['t'], { t: 5 }, 'partitions-grown'],
    ['E-13 by a topic that was not there at the join', ['t', 'later'], { t: 4, later: 1 }, 'topic-created'],
    ['by the end of a topic', ['t'], {}, 'topic-deleted'],
  ] as const)('%s begins a rebalance at once and says why', (_what, topics, after, cause) => {
    const bench = new ClassicBench();
    bench.join('a', { topics });
    bench.sync('a', { assignedBy: 'service' });
    bench.setTopics(after);
    expect(bench.group!.phase).toBe('PREPARING_REBALANCE');
    expect(bench.changes.at(-1)).toMatchObject({ cause, kind: 'rebalance.started', rebalance: { begins: true } });
  });

  it('E-13 is measured from what the generation was told, even between its join phase and its assignment', () => {
    const bench = new ClassicBench();
    bench.join('a');
    bench.setTopics({ t: 5 });
    expect(bench.group!.phase).toBe('PREPARING_REBALANCE');
    bench.stabilize();
    expect(bench.assigned('a')).toEqual({ t: [0, 1, 2, 3, 4] });
  });

  it('by a topic that matches a pattern begins a rebalance at once', () => {
    const bench = new ClassicBench();
    bench.join('a', { topics: [], pattern: 't.*' });
    bench.sync('a', { assignedBy: 'service' });
    bench.setTopics({ t: 4, other: 1 });
    expect(bench.group!.phase).toBe('STABLE');
    bench.setTopics({ t: 4, other: 1, t2: 2 });
    expect(bench.causes.at(-1)).toBe('topic-created');
    bench.joinOnce({ memberId: 'a', topics: [], pattern: 't.*' });
    bench.sync('a', { assignedBy: 'service' });
    expect(bench.assigned('a')).toEqual({ t: [0, 1, 2, 3], t2: [0, 1] });
  });

  it('of a topic that nobody reads changes nothing', () => {
    const bench = new ClassicBench();
    bench.join('a');
    bench.sync('a', { assignedBy: 'service' });
    const { revision } = bench.group!;
    bench.setTopics({ t: 4, other: 9 });
    expect(bench.group).toMatchObject({ revision, phase: 'STABLE', catalogRevision: 2 });
  });
});

it('S-11 has one timer after 1,000 members came and went', () => {
  const bench = new ClassicBench();
  for (let i = 0; i < 1_000; i++) {
    bench.join(`m${i}`);
    bench.leave({ memberId: `m${i}` });
  }
  expect(bench.group).toMatchObject({ phase: 'EMPTY', pending: [] });
  expect(bench.nextDue()).toBe(Infinity);
});
