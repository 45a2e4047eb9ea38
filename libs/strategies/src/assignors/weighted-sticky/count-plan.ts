import { NOBODY } from '../owners.js';
import { CountFlow } from './count-flow.js';
import { Receivers } from './receivers.js';
import type { Ranking } from './receivers.js';
import type { WeightedGroup } from './weighted-group.js';
import { heaviestFirst, partitionClasses, partitionTopics } from './weighted-group.js';

export interface PlanLimits {
  readonly maxSkew: number;
  readonly moveBudget: number;
}

/** What a plan is: the owner of each partition, and what kept it from being better. */
export interface Plan {
  readonly owners: Int32Array;
  readonly stoppedBy: 'nothing' | 'budget' | 'effort';
}

/**
 * Even counts first, then few moves, then even loads. Three steps:
 * 1. Whatever has no owner goes, the heaviest first, to the subscriber with the fewest partitions, then the least load.
 * 2. Only the numbers of partitions of each class at each member are made even, with as few moves as that takes.
 * 3. Members with too many give up those that bring their load closest to their share; all that is to be placed goes, the
 *    heaviest first, to the member with the fewest partitions, then the least load, among those with room.
 */
export function planByCount(group: WeightedGroup, limits: PlanLimits): Plan {
  const classes = partitionClasses(group);
  const flow = new CountFlow(group, classes, limits);
  placeFree(group, classes, flow);
  const stoppedBy = flow.improve();
  return { owners: settle(group, classes, flow), stoppedBy };
}

function placeFree(group: WeightedGroup, classes: Int32Array, flow: CountFlow): void {
  const { load, previous, subscribersOf } = group;
  const loads = new Float64Array(group.members.length);
  const free: number[] = [];
  for (let partition = 0; partition < previous.length; partition++) {
    const owner = previous[partition]!;
    if (owner === NOBODY) free.push(partition);
    else loads[owner]! += load[partition]!;
  }
  const ranking = rankByCount(group, (member) => flow.count(member), loads);
  const receivers = new Map<number, Receivers>();
  for (const partition of heaviestFirst(free, load)) {
    const found = classes[partition]!;
    let waiting = receivers.get(found);
    if (waiting === undefined) receivers.set(found, (waiting = new Receivers(subscribersOf[found]!, ranking)));
    const member = waiting.next();
    flow.add(found, member);
    loads[member]! += load[partition]!;
  }
}

function rankByCount({ capacity }: WeightedGroup, count: (member: number) => number, loads: Float64Array): Ranking {
  return {
    first: (member) => (2 * count(member) + 1) / capacity[member]!,
    second: (member) => loads[member]! / capacity[member]!,
  };
}

/** Turns numbers of partitions into partitions; nobody gives up more than it must. */
function settle(group: WeightedGroup, classes: Int32Array, flow: CountFlow): Int32Array {
  const { load, previous, subscribersOf } = group;
  const owners = previous.slice();
  const counts = new Int32Array(group.members.length);
  const loads = new Float64Array(group.members.length);
  for (let partition = 0; partition < previous.length; partition++) {
    if (previous[partition] === NOBODY) continue;
    counts[previous[partition]!]!++;
    loads[previous[partition]!]! += load[partition]!;
  }

  for (const partition of givenUp(group, classes, flow, loads)) {
    counts[owners[partition]!]!--;
    owners[partition] = NOBODY;
  }

  const ranking = rankByCount(group, (member) => counts[member]!, loads);
  const receivers = new Map<number, Receivers>();
  const free = [...owners.keys()].filter((partition) => owners[partition] === NOBODY);
  for (const partition of heaviestFirst(free, load)) {
    const found = classes[partition]!;
    let waiting = receivers.get(found);
    if (waiting === undefined) {
      const wanting = subscribersOf[found]!.filter((member) => flow.room(found, member) > 0);
      receivers.set(found, (waiting = new Receivers(wanting, ranking)));
    }
    const member = waiting.next();
    owners[partition] = member;
    counts[member]!++;
    loads[member]! += load[partition]!;
    flow.place(found, member);
    if (flow.room(found, member) === 0) waiting.drop();
  }
  return owners;
}

/** The partitions that members with too many of a class give up; takes their load off `loads`. */
function givenUp(group: WeightedGroup, classes: Int32Array, flow: CountFlow, loads: Float64Array): number[] {
  const { load, previous, fixed, capacity } = group;
  const share = loads.reduce((sum, of) => sum + of, 0) / group.members.length;
  const movable = new Map<string, number[]>();
  for (let partition = 0; partition < previous.length; partition++) {
    const owner = previous[partition]!;
    if (owner === NOBODY || fixed[partition] === 1 || flow.room(classes[partition]!, owner) >= 0) continue;
    const key = `${classes[partition]},${owner}`;
    const list = movable.get(key);
    if (list === undefined) movable.set(key, [partition]);
    else list.push(partition);
  }
  const topicOf = partitionTopics(group);
  const given: number[] = [];
  for (const [key, partitions] of movable) {
    const [found, owner] = key.split(',').map(Number) as [number, number];
    const sorted = heaviestFirst(partitions, load);
    for (let count = -flow.room(found, owner); count > 0; count--) {
      const excess = loads[owner]! - share * capacity[owner]!;
      const place = placeToGive(sorted, load, excess, topicOf);
      const [partition] = sorted.splice(place, 1) as [number];
      loads[owner]! -= load[partition]!;
      given.push(partition);
    }
  }
  return given;
}

/**
 * Which of a member's partitions, the heaviest first, to give: the heaviest that its excess covers, else the lightest; of equal
 * ones one of the topic of which it has most, so that topics stay spread as well.
 */
function placeToGive(sorted: readonly number[], load: Float64Array, excess: number, topicOf: Int32Array): number {
  const covered = sorted.findIndex((partition) => load[partition]! <= excess);
  const wanted = load[sorted[covered === -1 ? sorted.length - 1 : covered]!]!;
  const perTopic = new Map<number, number>();
  for (const partition of sorted) perTopic.set(topicOf[partition]!, (perTopic.get(topicOf[partition]!) ?? 0) + 1);
  let best = -1;
  sorted.forEach((partition, place) => {
    if (load[partition] !== wanted) return;
    const most = best === -1 ? 0 : perTopic.get(topicOf[sorted[best]!]!)!;
    if (perTopic.get(topicOf[partition]!)! >= most) best = place;
  });
  return best;
}
