import { Chance } from './chance.js';

/** What can go wrong, or be done, in a run. `who` names a worker, a replica or a topic; `choice` is whatever the kind makes of it. */
export const KINDS = [
  'worker-pauses',
  'worker-crashes',
  'worker-leaves',
  'worker-leaves-for-a-while',
  'worker-starts-over',
  'worker-is-cut-off',
  'worker-subscribes',
  'replica-crashes',
  'replica-loses-the-store',
  'store-is-away',
  'topic-grows',
  'topic-appears',
  'topic-goes',
  'settings-change',
  'assignor-fails',
  'group-freezes',
  'worker-is-drained',
  'group-is-deleted',
] as const;

export type Kind = (typeof KINDS)[number];

export interface Perturbation {
  /** True time, ms. */
  readonly at: number;
  readonly kind: Kind;
  readonly who: number;
  readonly forMs: number;
  readonly choice: number;
}

/** Probabilities, each of one message or transaction. */
export interface Noise {
  readonly lostRequests: number;
  readonly lostAnswers: number;
  readonly repeatedRequests: number;
  readonly lateMessages: number;
  /** The store is slow. */
  readonly slowCalls: number;
  /** Serialization failures before the commit. */
  readonly aborts: number;
  /** The store is unavailable for one call: before it, or after its commit. */
  readonly lostCalls: number;
  readonly lostCommits: number;
}

/** Everything that decides a run, in plain JSON: the same schedule always gives the same run. */
export interface Schedule {
  readonly seed: number;
  /** Of the group; `consumer` when absent. */
  readonly protocol?: 'consumer' | 'classic';
  readonly workers: number;
  /** So many of the workers are static members. */
  readonly statics: number;
  readonly replicas: number;
  readonly topics: readonly number[];
  readonly assignor: string;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly noise: Noise;
  readonly perturbations: readonly Perturbation[];
}

export const QUIET: Noise = {
  lostRequests: 0,
  lostAnswers: 0,
  repeatedRequests: 0,
  lateMessages: 0,
  slowCalls: 0,
  aborts: 0,
  lostCalls: 0,
  lostCommits: 0,
};

export const ASSIGNORS = ['range', 'uniform', 'sticky', 'roundrobin', 'cooperative-sticky'];

/** Mean time between perturbations. Some last for longer, so that they overlap. */
const PACE_MS = 1_500;
const FIRST_AT = 2_500;

/**
 * The schedule of a seed. Every run has kinds of trouble of its own and leaves others out: with all of them at once nothing would ever get far enough
 * to go wrong in an interesting way.
 */
export function scheduleOf(seed: number, steps = 10): Schedule {
  const chance = new Chance(seed, 'schedule');
  const sessionTimeoutMs = chance.pick([6_000, 6_000, 9_000]);
  const workers = chance.between(2, 4);
  const kinds = KINDS.filter(() => chance.happens(0.5));
  const noisy = (most: number) => (chance.happens(0.5) ? chance.real(0, most) : 0);
  const perturbations = Array.from({ length: steps }, (): Perturbation => {
    return {
      at: FIRST_AT + chance.between(0, steps * PACE_MS),
      kind: chance.pick(kinds.length === 0 ? KINDS : kinds),
      who: chance.between(0, 11),
      forMs: chance.happens(0.3) ? chance.between(4_000, 14_000) : chance.between(200, 4_000),
      choice: chance.between(0, 999),
    };
  });
  return {
    seed,
    workers,
    statics: chance.happens(0.5) ? chance.between(1, workers) : 0,
    replicas: chance.between(1, 3),
    topics: Array.from({ length: chance.between(1, 2) }, () => chance.between(1, 4)),
    assignor: chance.pick(ASSIGNORS),
    sessionTimeoutMs,
    heartbeatIntervalMs: chance.pick([1_000, 2_000]),
    rebalanceTimeoutMs: chance.pick([2_500, 8_000, 12_000]),
    noise: {
      lostRequests: noisy(0.15),
      lostAnswers: noisy(0.15),
      repeatedRequests: noisy(0.2),
      lateMessages: noisy(0.2),
      slowCalls: noisy(0.3),
      aborts: noisy(0.2),
      lostCalls: noisy(0.1),
      lostCommits: noisy(0.1),
    },
    perturbations: perturbations.sort((a, b) => a.at - b.at),
  };
}

/** The same for a classic group. */
export function classicScheduleOf(seed: number, steps?: number): Schedule {
  return { ...scheduleOf(seed, steps), protocol: 'classic' };
}
