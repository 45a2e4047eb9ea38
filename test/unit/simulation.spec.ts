import { describe, expect, it } from '@jest/globals';
import { readKept } from '../simulation/kept.js';
import { MUTANTS } from '../simulation/mutant-list.js';
import { scheduleOf } from '../simulation/schedule.js';
import { simulate } from '../simulation/simulation.js';

/** More in `npm run test:simulation`, 10,000 of them in the gate. */
const SEEDS = 50;

describe('the simulation of replicas, workers, network and store', () => {
  it('keeps every promise after every event, and comes to rest', async () => {
    const broken: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violation } = await simulate(scheduleOf(seed));
      if (violation !== undefined) broken.push(`seed ${seed}: ${violation}`);
    }
    expect(broken).toEqual([]);
  });

  it('replays a seed to the last event, and another seed is another run', async () => {
    const [first, again, other] = [
      await simulate(scheduleOf(7), { trace: true }),
      await simulate(scheduleOf(7), { trace: true }),
      await simulate(scheduleOf(8)),
    ];
    expect(again).toEqual(first);
    expect(first.events).toBeGreaterThan(100);
    expect(other.hash).not.toBe(first.hash);
  });

  it.each(readKept())('replays $file', async ({ fault, schedule }) => {
    expect((await simulate(schedule)).violation).toBeUndefined();
    if (fault === undefined) return;
    const { faults, found } = MUTANTS.find(({ name }) => name === fault)!;
    expect((await simulate(schedule, { faults })).violation).toMatch(found);
  });

  it('has a schedule for each bug that is put back', () => {
    const kept = new Set(readKept().map(({ fault }) => fault));
    expect(MUTANTS.map(({ name }) => name).filter((name) => !kept.has(name))).toEqual([]);
  });
});
