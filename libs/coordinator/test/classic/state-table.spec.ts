import { describe, expect, it } from '@jest/globals';
import type { AllotError } from '@allot/model';
import { checkClassicOwnership } from '../../src/classic/ownership-check.js';
import type { ClassicGroupState } from '../../src/index.js';
import { ClassicBench, type Given } from './support/classic-bench.js';

const STATES = ['EMPTY', 'PREPARING_REBALANCE', 'COMPLETING_REBALANCE', 'STABLE', 'DEAD'] as const;

/** What a request is told, and where the group is after it when that is somewhere else. */
type Cell = string | readonly [told: string, after: ClassicGroupState];
type Row = Readonly<Record<(typeof STATES)[number], Cell>>;

/**
 * A group of generation 3 in a state: `leader` and `follower` are its members (in EMPTY they have left), and in PREPARING both are
 * still to join again.
 */
function inState(state: ClassicGroupState): ClassicBench {
  const bench = new ClassicBench();
  bench.joinOnce({ newMemberId: 'leader' });
  bench.joinOnce({ memberId: 'leader' });
  bench.joinOnce({ newMemberId: 'follower' });
  bench.joinOnce({ memberId: 'follower' });
  bench.joinOnce({ memberId: 'leader' });
  bench.sync('leader', { assignments: { leader: { t: [0, 1] }, follower: { t: [2, 3] } } });
  bench.sync('follower');
  if (state === 'EMPTY') bench.leave({ memberId: 'leader' }, { memberId: 'follower' });
  if (state === 'PREPARING_REBALANCE') bench.setTopics({ t: 5 });
  if (state === 'COMPLETING_REBALANCE') {
    bench.setTopics({ t: 5 });
    bench.joinOnce({ memberId: 'leader' });
    bench.joinOnce({ memberId: 'follower' });
  }
  if (state === 'DEAD') bench.group = { ...bench.group!, phase: 'DEAD' };
  expect(bench.group!.phase).toBe(state);
  return bench;
}

const member =
  (memberId: string, given: Given = {}) =>
  (bench: ClassicBench) =>
    bench.joinOnce({ memberId, ...given });

/** A new member that was given its id before, so that its join is one of a member. */
function newcomer(bench: ClassicBench): string {
  bench.group = { ...bench.group!, pending: [{ memberId: 'newcomer', expiresAt: bench.now + 10_000 }] };
  return bench.joinOnce({ memberId: 'newcomer' });
}

function commit(bench: ClassicBench, memberId: string, generation: number): string {
  const partitions = new Map([['t', memberId === 'leader' ? [0] : [2]]]);
  const claim = { memberId, memberEpoch: generation, partitions };
  try {
    const lease = { leaseUntil: bench.leases.get(memberId), now: bench.now };
    return checkClassicOwnership(bench.group!, claim, lease).reasons[0]?.code ?? 'valid';
  } catch (error) {
    return (error as AllotError).code;
  }
}

/** Every cell of the table of events and states of a classic group (GroupMetadataManager, ClassicGroup). */
const TABLE: Readonly<Record<string, readonly [(bench: ClassicBench) => string, Row]>> = {
  'heartbeat, right generation': [
    (bench) => bench.heartbeat('follower'),
    {
      EMPTY: 'UNKNOWN_MEMBER_ID',
      PREPARING_REBALANCE: 'answer',
      COMPLETING_REBALANCE: 'answer',
      STABLE: 'answer',
      DEAD: 'COORDINATOR_NOT_AVAILABLE',
    },
  ],
  sync: [
    (bench) => bench.sync('follower'),
    {
      EMPTY: 'UNKNOWN_MEMBER_ID',
      PREPARING_REBALANCE: 'REBALANCE_IN_PROGRESS',
      COMPLETING_REBALANCE: 'park',
      STABLE: 'answer',
      DEAD: 'COORDINATOR_NOT_AVAILABLE',
    },
  ],
  'sync of the leader': [
    (bench) => bench.sync('leader', { assignments: { follower: { t: [0, 1, 2, 3] } } }),
    {
      EMPTY: 'UNKNOWN_MEMBER_ID',
      PREPARING_REBALANCE: 'REBALANCE_IN_PROGRESS',
      COMPLETING_REBALANCE: ['answer', 'STABLE'],
      STABLE: 'answer',
      DEAD: 'COORDINATOR_NOT_AVAILABLE',
    },
  ],
  'join, new member': [
    newcomer,
    {
      EMPTY: ['answer', 'COMPLETING_REBALANCE'],
      PREPARING_REBALANCE: 'park',
      COMPLETING_REBALANCE: ['park', 'PREPARING_REBALANCE'],
      STABLE: ['park', 'PREPARING_REBALANCE'],
      DEAD: 'COORDINATOR_NOT_AVAILABLE',
    },
  ],
  'join, known follower, same metadata': [
    member('follower'),
    {
      EMPTY: 'UNKNOWN_MEMBER_ID',
      PREPARING_REBALANCE: 'park',
      COMPLETING_REBALANCE: 'answer',
      STABLE: 'answer',
      DEAD: 'COORDINATOR_NOT_AVAILABLE',
    },
  ],
  'join, known leader, same metadata': [
    member('leader'),
    {
      EMPTY: 'UNKNOWN_MEMBER_ID',
      PREPARING_REBALANCE: 'park',
      COMPLETING_REBALANCE: 'answer',
      STABLE: ['park', 'PREPARING_REBALANCE'],
      DEAD: 'COORDINATOR_NOT_AVAILABLE',
    },
  ],
  'join, known member, changed metadata': [
    member('follower', { topics: ['t', 'other'] }),
    {
      EMPTY: 'UNKNOWN_MEMBER_ID',
      PREPARING_REBALANCE: 'park',
      COMPLETING_REBALANCE: ['park', 'PREPARING_REBALANCE'],
      STABLE: ['park', 'PREPARING_REBALANCE'],
      DEAD: 'COORDINATOR_NOT_AVAILABLE',
    },
  ],
  'fenced write, generation of the group': [
    (bench) => commit(bench, 'follower', bench.group!.groupEpoch),
    {
      EMPTY: 'UNKNOWN_MEMBER_ID',
      // The group is still in its old generation, and what was begun in it may be finished.
      PREPARING_REBALANCE: 'valid',
      COMPLETING_REBALANCE: 'REBALANCE_IN_PROGRESS',
      STABLE: 'valid',
      DEAD: 'COORDINATOR_NOT_AVAILABLE',
    },
  ],
  'fenced write, another generation': [
    (bench) => commit(bench, 'follower', bench.group!.groupEpoch - 1),
    {
      EMPTY: 'UNKNOWN_MEMBER_ID',
      PREPARING_REBALANCE: 'ILLEGAL_GENERATION',
      COMPLETING_REBALANCE: 'ILLEGAL_GENERATION',
      STABLE: 'ILLEGAL_GENERATION',
      DEAD: 'COORDINATOR_NOT_AVAILABLE',
    },
  ],
};

describe.each(Object.entries(TABLE))('%s', (_event, [run, row]) => {
  it.each(STATES.map((state) => [state, row[state]] as const))('in %s: %j', (state, cell) => {
    const bench = inState(state);
    const [told, after] = typeof cell === 'string' ? [cell, state] : cell;
    expect(run(bench)).toBe(told);
    expect(bench.group!.phase).toBe(after);
  });
});

describe('what a heartbeat of the right generation does', () => {
  it.each(['PREPARING_REBALANCE', 'COMPLETING_REBALANCE', 'STABLE'] as const)(
    'starts the session anew in %s',
    (state) => {
      const bench = inState(state);
      bench.now += 3_000;
      bench.heartbeat('follower');
      expect(bench.leases.get('follower')).toBe(bench.now + 10_000);
    },
  );
});

it('begins no rebalance while one waits for members', () => {
  const bench = inState('PREPARING_REBALANCE');
  const { timer } = bench.group!;
  bench.setTopics({ t: 9 });
  newcomer(bench);
  expect(bench.group).toMatchObject({ phase: 'PREPARING_REBALANCE', timer });
});

describe('the order of the checks of heartbeat and sync', () => {
  const wrongInEveryWay = { memberId: 'nobody', generation: 99, instanceId: 'i', protocol: 'sticky' };
  it('is: dead, instance id, member, generation, protocol, state', () => {
    const bench = new ClassicBench();
    bench.joinOnce({ newMemberId: 'm', instanceId: 'i' });
    const told = (given: Partial<typeof wrongInEveryWay>) => {
      const { memberId, generation, instanceId, protocol } = { ...wrongInEveryWay, ...given };
      return bench.sync(memberId, { generation, instanceId, protocol });
    };
    expect(told({ instanceId: 'unknown' })).toBe('UNKNOWN_MEMBER_ID');
    expect(told({})).toBe('FENCED_INSTANCE_ID');
    expect(bench.sync('nobody', { generation: 99, protocol: 'sticky' })).toBe('UNKNOWN_MEMBER_ID');
    expect(told({ memberId: 'm' })).toBe('ILLEGAL_GENERATION');
    expect(told({ memberId: 'm', generation: 1 })).toBe('INCONSISTENT_GROUP_PROTOCOL');
    bench.setTopics({ t: 5 });
    expect(bench.group!.phase).toBe('PREPARING_REBALANCE');
    expect(told({ memberId: 'm', generation: 1, protocol: 'range' })).toBe('REBALANCE_IN_PROGRESS');
    bench.group = { ...bench.group!, phase: 'DEAD' };
    expect(told({})).toBe('COORDINATOR_NOT_AVAILABLE');
  });
});
