import type { Faults } from './faults.js';
import { QUIET, type Noise, type Schedule } from './schedule.js';
import { simulate } from './simulation.js';

/**
 * A smaller schedule that still breaks the same kind of promise: first without whole kinds of trouble, then without single ones, then with fewer
 * workers, replicas and partitions, as long as something can be left out.
 */
export async function shrink(schedule: Schedule, faults?: Faults): Promise<Schedule> {
  const kindOf = async (candidate: Schedule) => {
    const { violation } = await simulate(candidate, faults && { faults });
    return violation === undefined ? undefined : kindOfViolation(violation);
  };
  const kind = await kindOf(schedule);
  let smallest = schedule;
  for (let again = true; again;) {
    again = false;
    for (const candidate of smaller(smallest)) {
      if ((await kindOf(candidate)) !== kind) continue;
      smallest = candidate;
      again = true;
      break;
    }
  }
  return smallest;
}

/** A violation without its names and numbers. */
export function kindOfViolation(violation: string): string {
  return violation.replaceAll(/\b[writ]\d[-.\d]*|\d+/g, '#');
}

/** From the boldest step to the smallest. */
function* smaller(schedule: Schedule): Iterable<Schedule> {
  const { perturbations, noise, workers, statics, replicas, topics } = schedule;
  const half = perturbations.length >> 1;
  if (half > 0) {
    yield { ...schedule, perturbations: perturbations.slice(0, half) };
    yield { ...schedule, perturbations: perturbations.slice(half) };
  }
  for (const kind of new Set(perturbations.map((each) => each.kind))) {
    yield { ...schedule, perturbations: perturbations.filter((each) => each.kind !== kind) };
  }
  for (const name of Object.keys(QUIET) as (keyof Noise)[]) {
    if (noise[name] > 0) yield { ...schedule, noise: { ...noise, [name]: 0 } };
  }
  for (let i = 0; i < perturbations.length; i++) yield { ...schedule, perturbations: perturbations.toSpliced(i, 1) };
  if (workers > 1) yield { ...schedule, workers: workers - 1, statics: Math.min(statics, workers - 1) };
  if (statics > 0) yield { ...schedule, statics: statics - 1 };
  if (replicas > 1) yield { ...schedule, replicas: replicas - 1 };
  if (topics.length > 1) yield { ...schedule, topics: topics.slice(0, -1) };
  for (const [i, partitions] of topics.entries()) {
    if (partitions > 1) yield { ...schedule, topics: topics.with(i, partitions - 1) };
  }
  if (schedule.assignor !== 'range') yield { ...schedule, assignor: 'range' };
}
