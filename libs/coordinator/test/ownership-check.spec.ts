import { describe, expect, it } from '@jest/globals';
import { assignmentFromJson, type AssignmentJson } from '@allot/model';
import type { GroupSettings } from '../src/index.js';
import { checkOwnership, mayWorkUntil } from '../src/consumer/ownership-check.js';
import { GroupBench, json } from './support/fixtures.js';

const LEASE = 40_000;

/** `a` holds t-0 and t-1 since epoch 1; `b` joined, so that `a` must give t-1 up. */
function shared(settings: Partial<GroupSettings> = {}): GroupBench {
  const bench = new GroupBench({ t: 2 }, settings);
  bench.join('a');
  bench.join('b');
  return bench;
}

function check(bench: GroupBench, memberId: string, memberEpoch: number, partitions: AssignmentJson, leaseIn = LEASE) {
  const claim = { memberId, memberEpoch, partitions: assignmentFromJson(partitions) };
  const verdict = checkOwnership(bench.group!, claim, { leaseUntil: bench.now + leaseIn, now: bench.now });
  return {
    ...verdict,
    reasons: Object.fromEntries(verdict.reasons.map((reason) => [reason.code, json(reason.partitions)])),
  };
}

describe('the check of a claim to own partitions (KIP-1251)', () => {
  it('holds for what the member has, at the epoch at which it got it and at every later one', () => {
    const bench = shared();
    bench.settle();
    expect(bench.member('a').memberEpoch).toBe(2);
    for (const epoch of [1, 2]) {
      expect(check(bench, 'a', epoch, { t: [0] })).toEqual({
        reasons: {},
        memberEpoch: 2,
        validUntil: bench.now + LEASE,
      });
    }
  });

  it('holds while the member still has to give the partition up, and no longer than its rebalance timer', () => {
    const bench = shared();
    bench.beat('a', 1, { t: [0, 1] });
    expect(bench.revoking('a')).toEqual({ t: [1] });
    expect(check(bench, 'a', 1, { t: [0, 1] })).toMatchObject({ reasons: {}, validUntil: bench.now + LEASE });
    const { rebalanceDeadline } = bench.member('a');
    bench.now = rebalanceDeadline! - 1;
    expect(check(bench, 'a', 1, { t: [1] })).toMatchObject({ reasons: {}, validUntil: rebalanceDeadline });
    bench.now = rebalanceDeadline!;
    expect(check(bench, 'a', 1, { t: [1] })).toEqual({ reasons: { REBALANCE_TIMEOUT: { t: [1] } }, memberEpoch: 1 });
  });

  it('S-10 fences a member that was paused while its partition went to another', () => {
    const bench = shared();
    bench.settle();
    expect(check(bench, 'a', 1, { t: [0, 1] }).reasons).toEqual({ NOT_HELD: { t: [1] } });
    expect(check(bench, 'b', 2, { t: [1] }).reasons).toEqual({});
  });

  it('S-10 fences a claim from before the partition was away, though the member holds it again', () => {
    const bench = shared();
    bench.settle();
    bench.apply(bench.machine.leave(bench.group, { memberId: 'b' }, bench.context));
    bench.settle();
    expect(bench.assigned('a')).toEqual({ t: [0, 1] });
    expect(check(bench, 'a', 2, { t: [0, 1] }).reasons).toEqual({ ASSIGNED_LATER: { t: [1] } });
    expect(check(bench, 'a', 3, { t: [0, 1] }).reasons).toEqual({});
  });

  it('fences an epoch that the member has not reached, also after it left temporarily', () => {
    const bench = new GroupBench({ t: 1 });
    bench.join('a', ['t'], { instanceId: 'i' });
    expect(check(bench, 'a', 2, { t: [0] }).reasons).toEqual({ FENCED_MEMBER_EPOCH: { t: [0] } });
    bench.apply(bench.machine.leaveTemporarily(bench.group, { memberId: 'a' }, bench.context));
    expect(check(bench, 'a', 1, { t: [0] })).toMatchObject({ reasons: { FENCED_MEMBER_EPOCH: { t: [0] } } });
    bench.join('a2', ['t'], { instanceId: 'i' });
    expect(check(bench, 'a', 1, { t: [0] })).toEqual({ reasons: { UNKNOWN_MEMBER_ID: { t: [0] } } });
    expect(check(bench, 'a2', 1, { t: [0] }).reasons).toEqual({});
  });

  it('S-10 fences a member whose session has ended, before anyone has taken its partitions', () => {
    const bench = shared();
    expect(check(bench, 'a', 1, { t: [0] }, 0)).toEqual({ reasons: { SESSION_EXPIRED: { t: [0] } }, memberEpoch: 1 });
    expect(check(bench, 'a', 1, { t: [0] }, 1).reasons).toEqual({});
    const claim = { memberId: 'a', memberEpoch: 1, partitions: new Map() };
    expect(checkOwnership(bench.group!, claim, { leaseUntil: undefined, now: 0 }).reasons).toHaveLength(1);
  });

  it('fences partitions and topics that the member never had, and an empty claim of an unknown member', () => {
    const bench = shared();
    expect(check(bench, 'a', 1, { t: [0, 7], ['__proto__']: [0] }).reasons).toEqual({
      NOT_HELD: { t: [7], ['__proto__']: [0] },
    });
    expect(check(bench, 'a', 1, {}).reasons).toEqual({});
    expect(check(bench, 'z', 1, {}).reasons).toEqual({ UNKNOWN_MEMBER_ID: {} });
  });

  it('tells a member to stop when its rebalance timer ends, if that is before its lease does', () => {
    const bench = shared({ sessionTimeoutMs: 5_000 });
    expect(mayWorkUntil(bench.member('a'), bench.now + 500)).toBe(bench.now + 500);
    const revoking = bench.beat('a', 1, { t: [0, 1] }, { rebalanceTimeoutMs: 5_000 });
    expect(mayWorkUntil(revoking, bench.now + LEASE)).toBe(bench.now + 5_000);
    expect(mayWorkUntil(revoking, bench.now + 500)).toBe(bench.now + 500);
  });
});
