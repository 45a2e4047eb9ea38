import { CLASSIC_MUTANTS } from './classic-faults.js';
import { CONSUMER_MUTANTS, type Mutant } from './faults.js';
import { classicScheduleOf, scheduleOf, type Schedule } from './schedule.js';

export const MUTANTS: readonly Mutant[] = [...CONSUMER_MUTANTS, ...CLASSIC_MUTANTS];

/** The schedule of a seed for the type of group that has the bug. */
export function scheduleFor({ protocol }: Mutant, seed: number): Schedule {
  return protocol === 'classic' ? classicScheduleOf(seed) : scheduleOf(seed);
}
