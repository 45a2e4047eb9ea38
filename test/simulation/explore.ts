// `npm run test:explore -- --depth 6 [--members 3] [--perturbations N]`: visits every state that a group of that many members, two topics and four
// partitions, later five, can reach by so many actions in any order, and checks every step to it and that it settles from there.
import { parseArgs } from 'node:util';
import { explore } from '../../libs/coordinator/test/support/exploration.js';
import { catalogOf } from '../../libs/coordinator/test/support/fixtures.js';

const { values } = parseArgs({
  options: {
    depth: { type: 'string', default: '6' },
    members: { type: 'string', default: '3' },
    perturbations: { type: 'string', default: 'Infinity' },
    assignor: { type: 'string', default: 'range' },
  },
});
const begun = performance.now();
const seconds = () => ((performance.now() - begun) / 1000).toFixed(0);
const { states, transitions, failure } = explore(
  {
    memberCount: Number(values.members),
    catalogs: [catalogOf({ t: 3, u: 1 }, 1), catalogOf({ t: 4, u: 1 }, 2)],
    subscriptions: [['t', 'u'], ['t'], ['u']],
    maxPerturbations: Number(values.perturbations),
    maxDepth: Number(values.depth),
    maxStates: Infinity,
    assignor: values.assignor,
  },
  (depth, known) => console.log(`within ${depth} actions: ${known} states, ${seconds()} s`),
);
if (failure !== undefined) console.log(`${failure.message}: ${failure.path.join('; ')}`);
console.log(
  `${values.members} members, 2 topics, ${values.depth} actions in any order: ${states} states, ${transitions} steps in ${seconds()} s: ` +
    (failure === undefined ? 'all invariants held' : 'an invariant is broken'),
);
process.exitCode = failure === undefined ? 0 : 1;
