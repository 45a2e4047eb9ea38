import type { MovingPartition, ReplicaLayout } from './replica-layout.js';

type RackRule = 'relaxed' | 'strict';

/** A replica that goes from one broker to another. */
interface Step {
  readonly partition: MovingPartition;
  readonly from: number;
  readonly to: number;
}

/**
 * Moves replicas until every eligible broker has R or R + 1 of them. First from brokers with more than R + 1, then to
 * brokers with fewer than R: the number of moves is then the least that evens out the loads.
 *
 * Where no replica may go straight from a full broker to an empty one, because of racks or because the partition is there
 * already, the shortest chain is taken: a replica to a third broker, which gives another one away. Answers whether all
 * brokers came to their share. Each chain makes the spread smaller, so at most as many are taken as replicas are misplaced.
 */
export function balanceReplicas(layout: ReplicaLayout, rackRule: RackRule): boolean {
  const { eligible } = layout;
  const total = eligible.reduce((sum, broker) => sum + layout.load(broker), 0);
  const low = Math.floor(total / eligible.length);
  const high = Math.ceil(total / eligible.length);
  const more = (limit: number) => eligible.filter((broker) => layout.load(broker) > limit);
  const fewer = (limit: number) => eligible.filter((broker) => layout.load(broker) < limit);

  let stuck = false;
  while (more(high).length > 0 && !stuck) {
    // Brokers below R get the surplus first: that saves moves of the second kind.
    stuck = !relieve(layout, more(high), fewer(low), rackRule) && !relieve(layout, more(high), fewer(high), rackRule);
  }
  stuck = false;
  while (fewer(low).length > 0 && !stuck) stuck = !relieve(layout, more(low), fewer(low), rackRule);
  return more(high).length === 0 && fewer(low).length === 0;
}

/** Takes the shortest chain of moves from one of `full` to one of `empty`; answers whether there was one. */
function relieve(layout: ReplicaLayout, full: number[], empty: number[], rackRule: RackRule): boolean {
  const byLoad = (a: number, b: number) => layout.load(a) - layout.load(b) || a - b;
  const targets = new Set(empty);
  const order = [...layout.eligible].sort(byLoad);
  const arrivals = new Map<number, Step | undefined>();
  let reached = full.sort((a, b) => byLoad(b, a));
  for (const broker of reached) arrivals.set(broker, undefined);
  while (reached.length > 0 && targets.size > 0) {
    const next: number[] = [];
    for (const from of reached) {
      for (const to of order) {
        if (arrivals.has(to)) continue;
        const step = findMove(layout, from, to, rackRule);
        if (step === undefined) continue;
        arrivals.set(to, step);
        if (targets.has(to) && take(layout, chainTo(arrivals, to), rackRule)) return true;
        next.push(to);
      }
    }
    reached = next;
  }
  return false;
}

/** The moves that lead to a broker, the last one first. */
function chainTo(arrivals: ReadonlyMap<number, Step | undefined>, end: number): Step[] {
  const chain: Step[] = [];
  for (let step = arrivals.get(end); step !== undefined; step = arrivals.get(step.from)) chain.push(step);
  return chain;
}

/** Carries out a chain from its end. Undoes it when two moves of one partition exclude each other. */
function take(layout: ReplicaLayout, chain: readonly Step[], rackRule: RackRule): boolean {
  const done: Step[] = [];
  for (const { partition, from, to } of chain) {
    if (!mayMove(layout, partition, from, to, rackRule)) {
      for (const step of done.reverse()) layout.move(step.partition, step.to, step.from);
      return false;
    }
    layout.move(partition, from, to);
    done.push({ partition, from, to });
  }
  return true;
}

/**
 * The replica to move between two brokers: one that it leads when that evens out leaders as well, else one that it follows,
 * so that leaders stay; among equals the first by topic and partition.
 */
function findMove(layout: ReplicaLayout, from: number, to: number, rackRule: RackRule): Step | undefined {
  const moveLeader = layout.leads(from) > layout.leads(to) + 1;
  let best: MovingPartition | undefined;
  let bestFits = false;
  for (const partition of layout.heldBy(from)) {
    const fits = (partition.replicas[0] === from) === moveLeader;
    if (best !== undefined && (bestFits !== fits ? bestFits : comesBefore(best, partition))) continue;
    if (!mayMove(layout, partition, from, to, rackRule)) continue;
    best = partition;
    bestFits = fits;
  }
  return best === undefined ? undefined : { partition: best, from, to };
}

/** Whether a partition may change brokers: not to one that has it, and not into fewer racks. */
function mayMove(layout: ReplicaLayout, { replicas }: MovingPartition, from: number, to: number, rackRule: RackRule) {
  if (!replicas.includes(from) || replicas.includes(to)) return false;
  const after = replicas.map((broker) => (broker === from ? to : broker));
  if (layout.countRacks(after) < layout.countRacks(replicas)) return false;
  if (rackRule === 'relaxed') return true;
  const rack = layout.rackOf(to);
  return rack === undefined || !replicas.some((broker) => broker !== from && layout.rackOf(broker) === rack);
}

function comesBefore(a: MovingPartition, b: MovingPartition): boolean {
  return a.topic < b.topic || (a.topic === b.topic && a.partition < b.partition);
}
