import { describe, expect, it } from '@jest/globals';
import { explore, TEAMS, walk } from './support/classic-exploration.js';

/** ALLOT_CLASSIC_DEPTH explores further; every step more takes four times as long. */
const DEPTH = Number(process.env['ALLOT_CLASSIC_DEPTH'] ?? 2);
const WALKS = Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 40);

describe.each(TEAMS)('a classic group of %s', (name, workers) => {
  it(`keeps its promises and comes to rest from everywhere within ${DEPTH} steps of a start and of a stable group`, () => {
    const states = explore(workers, DEPTH);
    if (process.env['ALLOT_CLASSIC_DEPTH'] !== undefined) process.stderr.write(`${states} states of ${name}\n`);
    expect(states).toBeGreaterThan(DEPTH * 10);
  });

  it(`keeps its promises on ${WALKS} long walks`, () => {
    for (let seed = 1; seed <= WALKS; seed++) walk(workers, seed);
  });
});
