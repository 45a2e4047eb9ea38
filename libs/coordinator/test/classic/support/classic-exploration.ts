import { ClassicBench } from './classic-bench.js';
import { ClassicWorld, newWorker, type Worker } from './classic-world.js';

const WALK_LENGTH = 60;
const SETTINGS = { sessionTimeoutMs: 6_000, rebalanceTimeoutMs: 4_000, initialDelayMs: 1_000 };

const cooperative = { protocols: ['cooperative-sticky'] };
export const TEAMS: readonly (readonly [string, readonly Worker[]])[] = [
  ['three eager members', [newWorker('a'), newWorker('b'), newWorker('c')]],
  [
    'three cooperative members',
    [newWorker('a', cooperative), newWorker('b', cooperative), newWorker('c', cooperative)],
  ],
  [
    'a static cooperative, a static eager-capable and a dynamic member',
    [
      newWorker('a', { ...cooperative, instanceId: 'ia' }),
      newWorker('b', { protocols: ['cooperative-sticky', 'range'], instanceId: 'ib' }),
      newWorker('c', cooperative),
    ],
  ],
];

type Action = readonly [name: string, run: (world: ClassicWorld) => ClassicWorld];

function actionsOf(world: ClassicWorld): Action[] {
  const actions: Action[] = [['wait', (w) => w.wait()]];
  if ((world.bench.catalog.topics.get('t')?.partitions ?? 0) < 4) actions.push(['grow', (w) => w.grow()]);
  for (const { name, memberId, waiting, generation, late } of world.workers) {
    const add = (what: 'join' | 'poll' | 'sync' | 'heartbeat' | 'leave' | 'restart') =>
      actions.push([`${what} ${name}`, (w) => w[what](name)]);
    add('join');
    actions.push([`join ${name}, the answer is lost`, (w) => w.join(name, true)]);
    if (late === undefined) actions.push([`join ${name}, given up on its way`, (w) => w.giveUp(name)]);
    else actions.push([`the late join of ${name} arrives`, (w) => w.arrive(name)]);
    if (waiting !== undefined) add('poll');
    if (memberId === undefined || world.bench.group === undefined) continue;
    if (generation > 0) add('sync');
    if (generation > 0) actions.push([`sync ${name}, the answer is lost`, (w) => w.sync(name, true)]);
    if (generation > 0) add('heartbeat');
    add('leave');
    add('restart');
  }
  return actions.filter(([name]) => world.bench.group !== undefined || (name !== 'wait' && name !== 'grow'));
}

/** Honest workers come to rest, without a violation on the way; the trouble when they do not. */
function findUnrest(from: ClassicWorld): string | undefined {
  let world = from;
  for (let round = 0; round < 60; round++) {
    if (world.isAtRest) return undefined;
    for (const { name } of world.workers) {
      const next = world.step(name);
      const violation = next.findViolation(world);
      if (violation !== undefined) return `${violation}, while ${name} only followed the protocol`;
      world = next;
    }
    world = world.pass(500);
  }
  const { phase } = world.bench.group!;
  return `it stays ${phase}: ${world.key()}`;
}

function check(next: ClassicWorld, before: ClassicWorld, trace: readonly string[]): void {
  const trouble = next.findViolation(before) ?? findUnrest(next);
  if (trouble !== undefined) throw new Error(`${trouble}\n  after: ${trace.join(', ')}`);
}

function start(workers: readonly Worker[]): ClassicWorld {
  return new ClassicWorld(new ClassicBench(SETTINGS, { t: 3 }), workers);
}

/**
 * Tries everything that can happen within so many steps of a start and of a stable group, each state once: no promise is broken, and from every
 * state workers that only follow the protocol come to rest. How many states there are.
 * @throws Error with the shortest path to what went wrong.
 */
export function explore(workers: readonly Worker[], mostSteps: number): number {
  let stable = start(workers);
  for (let round = 0; round < 60 && !stable.isAtRest; round++) {
    for (const { name } of workers) stable = stable.step(name);
    stable = stable.pass(500);
  }
  if (!stable.isAtRest) throw new Error('Nobody comes to rest even when nothing happens.');
  const seen = new Set<string>();
  let frontier: { world: ClassicWorld; trace: readonly string[] }[] = [
    { world: start(workers), trace: [] },
    { world: stable, trace: ['(stable)'] },
  ];
  for (let depth = 0; depth < mostSteps; depth++) {
    const next: typeof frontier = [];
    for (const { world, trace } of frontier) {
      for (const [name, run] of actionsOf(world)) {
        const after = run(world);
        const key = after.key();
        if (seen.has(key)) continue;
        seen.add(key);
        const path = [...trace, name];
        check(after, world, path);
        next.push({ world: after, trace: path });
      }
    }
    frontier = next;
  }
  return seen.size;
}

/** One long way of a team, mostly as workers would go it. @throws Error with the way to what went wrong. */
export function walk(workers: readonly Worker[], seed: number): void {
  const random = randomFrom(seed);
  let world = start(workers);
  const trace: string[] = [`seed ${seed}`];
  let awake = workers;
  for (let i = 0; i < WALK_LENGTH; i++) {
    // Some are silent for a while: what they were promised must last until it is over.
    if (i % 12 === 0) awake = workers.filter(() => random() < 0.7);
    const worker = awake[Math.floor(random() * awake.length)]?.name;
    const chance = random();
    const actions = actionsOf(world);
    // Mostly what a worker would do, so that walks get anywhere; else anything.
    const [name, run]: Action =
      chance < 0.75 && worker !== undefined
        ? [`step ${worker}`, (w) => w.step(worker)]
        : chance < 0.9 && world.bench.group !== undefined
          ? ['wait', (w) => w.wait()]
          : actions[Math.floor(random() * actions.length)]!;
    const next = run(world);
    trace.push(name);
    const violation = next.findViolation(world);
    if (violation !== undefined) throw new Error(`${violation}\n  after: ${trace.join(', ')}`);
    world = next;
  }
  const trouble = findUnrest(world);
  if (trouble !== undefined) throw new Error(`${trouble}\n  after: ${trace.join(', ')}`);
}

/** mulberry32: the walks of a seed are the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
