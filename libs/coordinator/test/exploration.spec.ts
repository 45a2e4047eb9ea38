import { describe, expect, it } from '@jest/globals';
import { catalogOf } from './support/fixtures.js';
import { explore, type Scope } from './support/exploration.js';

/** `ALLOT_EXPLORE=deep` goes further; docs/reliability.md has the numbers. */
const deep = process.env.ALLOT_EXPLORE === 'deep';

const SCOPE: Scope = {
  memberCount: 2,
  catalogs: [catalogOf({ t: 2, u: 1 }, 1), catalogOf({ t: 3, u: 1 }, 2)],
  subscriptions: [['t'], ['t', 'u'], ['u']],
  maxPerturbations: deep ? 3 : 2,
  maxStates: 2_000_000,
  assignor: 'range',
};

const SCOPES: readonly (readonly [name: string, scope: Scope])[] = [
  ['2 members, 2 topics, one that grows', SCOPE],
  [
    '3 members, a topic that grows',
    { ...SCOPE, memberCount: 3, subscriptions: [['t']], maxPerturbations: deep ? 2 : 1 },
  ],
  [
    '2 members, round robin, a topic that goes away',
    { ...SCOPE, assignor: 'roundrobin', catalogs: [catalogOf({ t: 2, u: 2 }, 1), catalogOf({ u: 2 }, 2)] },
  ],
  [
    '2 members, one of them static',
    {
      ...SCOPE,
      staticMembers: 1,
      maxPerturbations: deep ? 4 : 3,
      subscriptions: [['t']],
      catalogs: [SCOPE.catalogs[0]!],
    },
  ],
  [
    '2 members, an assignor that fails',
    { ...SCOPE, assignorFails: true, subscriptions: [['t', 'u'], ['t']], catalogs: [SCOPE.catalogs[0]!] },
  ],
  [
    '2 members, one of them static, that lose their place to other processes',
    {
      ...SCOPE,
      staticMembers: 1,
      settings: { staticPolicy: 'newest-wins' },
      subscriptions: [['t']],
      catalogs: [SCOPE.catalogs[0]!],
    },
  ],
  [
    '2 members, a group that is frozen and thaws',
    { ...SCOPE, operator: ['freeze'], subscriptions: [['t'], ['u']], catalogs: [SCOPE.catalogs[0]!] },
  ],
  [
    '2 members, one of them static, that are drained, in a group that is frozen and thaws',
    {
      ...SCOPE,
      staticMembers: 1,
      operator: ['freeze', 'drain'],
      maxPerturbations: deep ? 4 : 2,
      subscriptions: [['t']],
      catalogs: [SCOPE.catalogs[0]!],
    },
  ],
  [
    '2 members, a move budget of one partition, that are drained',
    {
      ...SCOPE,
      assignor: 'sticky',
      settings: { moveBudget: 1 },
      operator: ['drain'],
      maxPerturbations: deep ? 2 : 1,
      subscriptions: [['t'], ['t', 'u']],
      catalogs: [catalogOf({ t: 4, u: 1 }, 1)],
    },
  ],
  [
    '2 members, 4 partitions in 2 topics, sticky',
    { ...SCOPE, assignor: 'sticky', subscriptions: [['t', 'u'], ['u']], catalogs: [catalogOf({ t: 3, u: 1 }, 1)] },
  ],
];

describe('every state that a small consumer group can reach', () => {
  it.each(SCOPES)(
    'keeps one owner a partition and settles: %s',
    (name, scope) => {
      const begun = performance.now();
      const { states, transitions, failure, complete } = explore(scope);
      const seconds = Math.round((performance.now() - begun) / 100) / 10;
      const size = `at most ${scope.maxPerturbations} perturbations: ${states} states, ${transitions} transitions`;
      process.stderr.write(`explored ${name}, ${size}, ${seconds} s\n`);
      expect(failure).toBeUndefined();
      expect(complete).toBe(true);
    },
    1_800_000,
  );
});
