import { describe, expect, it } from '@jest/globals';
import { assignmentFromJson } from '@allot/model';
import { addOwned } from '../src/consumer/owned-partitions.js';
import { catalogOf, GroupBench } from './support/fixtures.js';
import { explore, type Scope } from './support/exploration.js';
import { checkHistory, checkStep } from './support/exploration-invariants.js';
import { startOf, type World } from './support/exploration-world.js';
import {
  beatWith,
  forgetsHolders,
  ignoresBudget,
  ignoresDrain,
  ignoresFreeze,
  refusesRejoin,
  type Beat,
} from './support/mutants.js';

const SMALL: Scope = {
  memberCount: 2,
  catalogs: [catalogOf({ t: 2, u: 1 }, 1), catalogOf({ t: 3, u: 1 }, 2)],
  subscriptions: [['t'], ['t', 'u']],
  maxPerturbations: 2,
  maxStates: 60_000,
  assignor: 'range',
};
const FAILING: Partial<Scope> = { assignorFails: true, subscriptions: [['t', 'u'], ['t']] };
const THREE: Partial<Scope> = { memberCount: 3, catalogs: [catalogOf({ t: 3 }, 1)], subscriptions: [['t']] };

interface Mutant {
  readonly name: string;
  readonly beat: Beat;
  /** What the explorer says when it meets the fault. */
  readonly caught: RegExp;
  readonly scope?: Partial<Scope>;
}

const MUTANTS: readonly Mutant[] = [
  { name: 'E-02 tells the raw target', beat: beatWith({ rawTarget: true }), caught: /is held by|worked on by|C:/ },
  { name: 'E-01 KAFKA-16147 forgets who took a partition back', beat: forgetsHolders(), caught: /is held by/ },
  { name: 'E-04 KAFKA-19233 refuses to let a member start over', beat: refusesRejoin, caught: /cannot get back in/ },
  {
    name: 'KAFKA-19449 takes its own pending revocation for another’s',
    beat: beatWith({ ownPendingIsForeign: true }),
    caught: /waits for partitions that nobody else holds/,
  },
  {
    name: 'KAFKA-19974 leaves UNREVOKED at an epoch of its own',
    beat: beatWith({ epochOfItsOwn: true }),
    caught: /is at an epoch of its own/,
    scope: THREE,
  },
  {
    name: 'KAFKA-19431 keeps what it does not subscribe to until there is a target',
    beat: beatWith({ keepsUnsubscribed: true }),
    caught: /which it does not subscribe to/,
    scope: FAILING,
  },
  {
    name: 'KIP-1251 stamps what is kept anew',
    beat: beatWith({ restamps: true }),
    caught: /has the epoch \d+ instead of \d+|ASSIGNED_LATER/,
  },
  {
    name: 'KIP-1251 gives what is taken back its old epoch',
    beat: beatWith({ keepsOldEpoch: true }),
    caught: /has the epoch \d+ instead of \d+/,
  },
  {
    name: 'takes an absent list for an empty one',
    beat: beatWith({ absentIsNothing: true }),
    caught: /C:|worked on by/,
  },
  {
    name: 'believes a heartbeat that arrives late',
    beat: beatWith({ trustsLate: true }),
    caught: /C:/,
  },
  {
    name: 'forgets that it told a member again what that had let go of',
    beat: beatWith({ forgetsWhatItTells: true }),
    caught: /C:/,
  },
  {
    name: 'gives a frozen group a target',
    beat: ignoresFreeze,
    caught: /a frozen group got a target/,
    scope: { operator: ['freeze'] },
  },
  {
    name: 'goes on giving to a member that is drained',
    beat: ignoresDrain,
    caught: /is drained and (has a target|gets partitions)/,
    scope: { operator: ['drain'] },
  },
  {
    name: 'moves more than the budget',
    beat: ignoresBudget,
    caught: /the budget is 1/,
    scope: { settings: { moveBudget: 1 }, catalogs: [catalogOf({ t: 4, u: 1 }, 1)] },
  },
  { name: 'revokes without waiting', beat: beatWith({ takesAtOnce: true }), caught: /C:|worked on by/ },
];

describe('the explorer catches a coordinator that', () => {
  it.each(MUTANTS)('$name', ({ beat, caught, scope }) => {
    const { failure } = explore({ ...SMALL, ...scope, beat });
    if (process.env.ALLOT_EXPLORE === 'deep')
      process.stderr.write(`${failure?.message}: ${failure?.path.join('; ')}\n`);
    expect(failure?.message).toMatch(caught);
  });

  it('has no fault: the same copy of the rule without one passes', () => {
    const { failure, complete } = explore({ ...SMALL, maxPerturbations: 1, beat: beatWith({}) });
    expect(failure).toBeUndefined();
    expect(complete).toBe(true);
  });
});

describe('the checks that no mutant reaches', () => {
  /** `b` of two members, with t-1 that `a` held up to epoch 3. */
  function afterGrant(since: number): [World, World] {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    bench.join('b');
    bench.settle();
    const before = { ...bench.group!, groupEpoch: 4, assignmentEpoch: 4 };
    const [a, b] = [bench.member('a'), bench.member('b')];
    const owned = (partition: number, epoch: number) =>
      addOwned(new Map(), assignmentFromJson({ t: [partition] }), epoch);
    const lone = { ...b, assigned: new Map(), memberEpoch: 4, previousMemberEpoch: 2 };
    const holding = { ...lone, assigned: owned(1, since) };
    const world = startOf({ ...SMALL, memberCount: 0 });
    const lastHolders = new Map([['t-1', { holder: 'a', epoch: 3 }]]);
    const withMembers = (member: typeof b) => ({
      ...before,
      members: new Map([
        ['a', a],
        ['b', member],
      ]),
    });
    return [
      { ...world, group: withMembers(lone), lastHolders },
      { ...world, group: withMembers(holding) },
    ];
  }

  it('KAFKA-19974 invariant B: a partition has one holder at any epoch', () => {
    expect(() => checkStep(...afterGrant(3))).toThrow("B: t-1 is b's since epoch 3, and was a's up to 3");
    expect(() => checkStep(...afterGrant(4))).not.toThrow();
  });

  it('history is complete: a change that leaves a member out is found', () => {
    const bench = new GroupBench({ t: 2 });
    bench.join('a');
    const before = bench.group!;
    bench.join('b');
    const [group, change] = [bench.group!, bench.changes.at(-1)!];
    expect(() => checkHistory(before, { group, change })).not.toThrow();
    for (const { memberId } of change.members) {
      const members = change.members.filter((member) => member.memberId !== memberId);
      expect(() => checkHistory(before, { group, change: { ...change, members } })).toThrow('does not tell all of it');
    }
  });
});
