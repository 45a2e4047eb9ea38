import { describe, expect, it } from '@jest/globals';
import { catalogOf } from './support/fixtures.js';
import { explore, type Scope } from './support/exploration.js';

const deep = process.env.ALLOT_EXPLORE === 'deep';

const SCOPE: Scope = {
  memberCount: 2,
  catalogs: [catalogOf({ t: 2, u: 1 }, 1), catalogOf({ t: 3, u: 1 }, 2)],
  subscriptions: [['t'], ['t', 'u'], ['u']],
  maxPerturbations: deep ? 4 : 2,
  maxStates: 400_000,
  assignor: 'range',
};

describe('every state that a small consumer group can reach', () => {
  it.each([
    ['2 members, 2 topics, 2 perturbations', SCOPE],
    [
      '3 members, 1 topic, 1 perturbation',
      { ...SCOPE, memberCount: 3, subscriptions: [['t']], maxPerturbations: deep ? 3 : 1 },
    ],
    [
      '2 members, round robin, a topic that goes away',
      { ...SCOPE, assignor: 'roundrobin', catalogs: [catalogOf({ t: 2, u: 2 }, 1), catalogOf({ u: 2 }, 2)] },
    ],
  ] as const)(
    'keeps one owner a partition and settles: %s',
    (name, scope) => {
      const { states, transitions, failure, complete } = explore(scope);
      console.info(`${name}: ${states} states, ${transitions} transitions`);
      expect(failure).toBeUndefined();
      expect(complete).toBe(true);
    },
    600_000,
  );
});
