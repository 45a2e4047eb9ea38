// `npm run test:simulation -- --seeds 10000 [--seed 1] [--steps 10] [--protocol consumer|classic|both]`: runs the group protocol through that many simulations, each of
// a schedule of trouble that its seed alone decides. Ends with a line that says what held; exits non-zero when something did not.
// What fails is shrunk and kept in `seeds/`, where the tests replay it. `--seed S --seeds 1 --trace` shows what happens in one.
import { parseArgs } from 'node:util';
import { keep } from './kept.js';
import { classicScheduleOf, scheduleOf, type Schedule } from './schedule.js';
import { kindOfViolation } from './shrink.js';
import { simulate } from './simulation.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '10' },
    trace: { type: 'boolean', default: false },
    protocol: { type: 'string', default: 'both' },
  },
});
const [seeds, first, steps] = (['seeds', 'seed', 'steps'] as const).map((name) => Number(values[name]));

// Refusals are errors by the thousand, and nobody reads where they come from.
Error.stackTraceLimit = 0;
/** One run in five is of a classic group, unless all shall be of one type. */
function scheduleFor(seed: number): Schedule {
  const isClassic = values.protocol === 'classic' || (values.protocol === 'both' && seed % 5 === 0);
  return isClassic ? classicScheduleOf(seed, steps) : scheduleOf(seed, steps);
}

const begun = performance.now();
let events = 0;
let commits = 0;
let slowest = 0;
const violations = new Map<string, number[]>();
for (let seed = first!; seed < first! + seeds!; seed++) {
  const outcome = await simulate(scheduleFor(seed), { trace: values.trace });
  events += outcome.events;
  commits += outcome.commits;
  slowest = Math.max(slowest, outcome.settledAfterMs ?? 0);
  for (const line of outcome.trace ?? []) console.log(line);
  if (outcome.violation === undefined) continue;
  const kind = kindOfViolation(outcome.violation);
  if (!violations.has(kind)) {
    const { violation, schedule } = await keep(`seed-${seed}`, scheduleFor(seed));
    console.log(`seed ${seed}, kept with ${schedule.perturbations.length} perturbations: ${violation}`);
  }
  violations.set(kind, [...(violations.get(kind) ?? []), seed]);
}
for (const [kind, found] of violations) console.log(`${found.length} x ${kind}: seeds ${found.slice(0, 8).join()}`);
const seconds = ((performance.now() - begun) / 1000).toFixed(1);
const bad = [...violations.values()].flat().length;
console.log(
  `${seeds} seeds from ${first}, ${events} events, ${commits} commits in ${seconds} s; at rest after ${slowest} ms at most: ` +
    (bad === 0 ? 'all invariants held' : `${bad} seeds broke an invariant`),
);
process.exitCode = bad === 0 ? 0 : 1;
