// `npm run test:simulation:mutants -- [--keep] [--only WORDS] [--seeds 3000]`: how many seeds it takes the simulator to meet each bug that is put back.
// With `--keep` the schedule is shrunk and written down, for the tests to replay.
import { parseArgs } from 'node:util';
import { keep } from './kept.js';
import { MUTANTS, scheduleFor } from './mutant-list.js';
import { simulate } from './simulation.js';

const { values } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seeds: { type: 'string', default: '3000' },
  },
});

let missed = 0;
for (const mutant of MUTANTS.filter((each) => each.name.includes(values.only))) {
  const { name, faults, found } = mutant;
  let line = 'NOT FOUND';
  for (let seed = 1; seed <= Number(values.seeds); seed++) {
    const { violation } = await simulate(scheduleFor(mutant, seed), { faults });
    if (violation === undefined || !found.test(violation)) continue;
    line = `seed ${seed}: ${violation}`;
    if (!values.keep) break;
    const file = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    const { violation: smallest, schedule } = await keep(file, scheduleFor(mutant, seed), { name, faults });
    const { perturbations, workers, topics } = schedule;
    line += `; shrunk to ${perturbations.length} perturbations, ${workers} workers, topics of ${topics.join()}: ${smallest}`;
    break;
  }
  if (line === 'NOT FOUND') missed++;
  console.log(`${name}: ${line}`);
}
process.exitCode = missed === 0 ? 0 : 1;
