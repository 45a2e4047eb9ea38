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
  // Brokers below R get the surplus first: that saves moves of the second kind.
  level(layout, high, [low, high], rackRule);
  level(layout, low, [low], rackRule);
  return eligible.every((broker) => layout.load(broker) >= low && layout.load(broker) <= high);
}

/** Moves replicas from brokers with more than `most` to brokers below each of `limits` in turn, for as long as it can. */
function level(layout: ReplicaLayout, most: number, limits: readonly number[], rackRule: RackRule): void {
  const full = () =>
    layout.eligible.filter((broker) => layout.load(broker) > most).sort((a, b) => byLoad(layout, b, a));
  const below = (limit: number) => layout.eligible.filter((broker) => layout.load(broker) < limit);
  do {
    for (const limit of limits) {
      for (const from of full()) moveStraight(layout, from, most, limit, rackRule);
    }
  } while (limits.some((limit) => moveAlongChain(layout, full(), below(limit), rackRule)));
}

function byLoad(layout: ReplicaLayout, a: number, b: number): number {
  return layout.load(a) - layout.load(b) || a - b;
}

/** Moves replicas of one broker straight to those that have fewer than `limit`, the emptiest first, until it has `most`. */
function moveStraight(layout: ReplicaLayout, from: number, most: number, limit: number, rackRule: RackRule): void {
  let open = layout.eligible.filter((broker) => layout.load(broker) < limit);
  while (layout.load(from) > most && open.length > 0) {
    const to = open.reduce((best, broker) => (byLoad(layout, broker, best) < 0 ? broker : best));
    const step = findMove(layout, from, to, rackRule);
    if (step !== undefined) layout.move(step.partition, from, to);
    open = open.filter((broker) => (broker === to ? step !== undefined && layout.load(to) < limit : true));
  }
}

/**
 * Moves one replica off a full broker by the shortest chain, and so one to an empty broker: searches breadth first through
 * all brokers that a replica can come to. Answers whether there was a chain.
 */
function moveAlongChain(layout: ReplicaLayout, full: number[], empty: number[], rackRule: RackRule): boolean {
  const targets = new Set(empty);
  const arrivals = new Map<number, Step | undefined>();
  let reached = full;
  for (const broker of reached) arrivals.set(broker, undefined);
  while (reached.length > 0 && targets.size > 0) {
    const next: number[] = [];
    for (const from of reached) {
      for (const to of layout.eligible) {
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
 * The replica to move between two brokers: one that the first leads when that evens out leaders, else one that it follows,
 * so that leaders stay; among equals the first by topic and partition.
 */
function findMove(layout: ReplicaLayout, from: number, to: number, rackRule: RackRule): Step | undefined {
  if (!layout.mayKeepRacks(from, to)) return undefined;
  const fairShare = layout.partitions.length / layout.eligible.length;
  const moveLeader = layout.leads(from) > fairShare && layout.leads(to) < fairShare;
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
function mayMove(layout: ReplicaLayout, partition: MovingPartition, from: number, to: number, rackRule: RackRule) {
  const { replicas } = partition;
  if (!replicas.includes(from) || replicas.includes(to) || !layout.keepsRacks(partition, from, to)) return false;
  const rack = layout.rackOf(to);
  if (rackRule === 'relaxed' || rack === undefined) return true;
  return !replicas.some((broker) => broker !== from && layout.rackOf(broker) === rack);
}

function comesBefore(a: MovingPartition, b: MovingPartition): boolean {
  return a.topic < b.topic || (a.topic === b.topic && a.partition < b.partition);
}
