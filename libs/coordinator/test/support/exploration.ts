import { assignmentToJson, type Assignment } from '@allot/model';
import { resolveAssignor } from '@allot/strategies';
import type { Catalog, ConsumerGroup } from '../../src/index.js';
import { consumerGroupState, isReconciled, withoutEpochs } from '../../src/index.js';
import { fenceOverdue, heartbeat, leave, type HeartbeatCommand } from '../../src/consumer/membership.js';
import { lookAtCatalog } from '../../src/consumer/operator.js';
import { indexHolders } from '../../src/consumer/owned-partitions.js';
import type { StepContext, Transition } from '../../src/consumer/step.js';
import { ORIGIN, SETTINGS } from './fixtures.js';

/** A worker as the protocol asks it to be: works on what it was last told, and nothing else. */
export interface Worker {
  readonly joined: boolean;
  readonly epoch: number;
  readonly held: Assignment;
}

export interface World {
  readonly group: ConsumerGroup | undefined;
  readonly catalog: number;
  readonly workers: readonly Worker[];
  /** The highest epoch at which each partition was ever granted; a later grant must be higher or the same holder's. */
  readonly perturbations: number;
}

export interface Scope {
  readonly memberCount: number;
  /** Catalogs in the order in which the cluster goes through them. */
  readonly catalogs: readonly Catalog[];
  /** Subscriptions that a member may change between. */
  readonly subscriptions: readonly (readonly string[])[];
  /** Leaves, expiries, lost answers, catalog and subscription changes in one run. */
  readonly maxPerturbations: number;
  readonly maxStates: number;
  readonly assignor: string;
  /** The step under test; a checker of the checker puts a faulty one here. */
  readonly beat?: typeof heartbeat;
}

export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  /** The first broken invariant and the actions that lead to it. */
  readonly failure?: { readonly message: string; readonly path: readonly string[] };
  readonly complete: boolean;
}

const NOTHING: Assignment = new Map();
const IDLE: Worker = { joined: false, epoch: 0, held: NOTHING };

interface Action {
  readonly name: string;
  readonly next: World;
}

/** Visits every state that a small group can reach, breadth first, and checks each. */
export function explore(scope: Scope): Exploration {
  const start: World = {
    group: undefined,
    catalog: 0,
    workers: Array.from({ length: scope.memberCount }, () => IDLE),
    perturbations: 0,
  };
  const seen = new Map<string, { parent: string | undefined; action: string }>();
  const startKey = keyOf(start);
  seen.set(startKey, { parent: undefined, action: 'start' });
  let frontier: { key: string; world: World }[] = [{ key: startKey, world: start }];
  let transitions = 0;
  const pathTo = (key: string | undefined): string[] => {
    const path: string[] = [];
    for (let at = key; at !== undefined; at = seen.get(at)!.parent) path.unshift(seen.get(at)!.action);
    return path;
  };
  while (frontier.length > 0) {
    const nextFrontier: typeof frontier = [];
    for (const { key, world } of frontier) {
      let actions: Action[];
      try {
        actions = actionsOf(world, scope);
        checkConverges(world, scope);
      } catch (error) {
        return {
          states: seen.size,
          transitions,
          failure: { message: String(error), path: pathTo(key) },
          complete: false,
        };
      }
      for (const { name, next } of actions) {
        transitions++;
        const nextKey = keyOf(next);
        if (seen.has(nextKey)) continue;
        seen.set(nextKey, { parent: key, action: name });
        const message = findViolation(world, next);
        if (message !== undefined) {
          return { states: seen.size, transitions, failure: { message, path: pathTo(nextKey) }, complete: false };
        }
        if (seen.size >= scope.maxStates) return { states: seen.size, transitions, complete: false };
        nextFrontier.push({ key: nextKey, world: next });
      }
    }
    frontier = nextFrontier;
  }
  return { states: seen.size, transitions, complete: true };
}

function actionsOf(world: World, scope: Scope): Action[] {
  const actions: Action[] = [];
  for (const [position, worker] of world.workers.entries()) {
    const id = `m${position}`;
    if (!worker.joined) {
      actions.push({ name: `${id} joins`, next: send(world, scope, position, { memberEpoch: 0 }, true) });
      continue;
    }
    actions.push({ name: `${id} beats`, next: send(world, scope, position, {}, true) });
    if (world.perturbations >= scope.maxPerturbations) continue;
    const perturbed = { ...world, perturbations: world.perturbations + 1 };
    actions.push({ name: `${id} beats, the answer is lost`, next: send(perturbed, scope, position, {}, false) });
    actions.push({ name: `${id} starts over`, next: startOver(perturbed, scope, position) });
    actions.push({ name: `${id} leaves`, next: depart(perturbed, scope, position, 'leave') });
    actions.push({ name: `${id} expires`, next: depart(perturbed, scope, position, 'expire') });
    for (const topics of scope.subscriptions) {
      actions.push({
        name: `${id} subscribes to ${topics.join()}`,
        next: send(perturbed, scope, position, { subscription: { topics } }, true),
      });
    }
  }
  if (
    world.group !== undefined &&
    world.catalog + 1 < scope.catalogs.length &&
    world.perturbations < scope.maxPerturbations
  ) {
    const moved = { ...world, catalog: world.catalog + 1, perturbations: world.perturbations + 1 };
    actions.push({ name: 'the catalog changes', next: moved });
    actions.push({
      name: 'the catalog changes and is looked at',
      next: { ...moved, group: lookAtCatalog(world.group, contextOf(moved, scope)).group },
    });
  }
  return actions;
}

function contextOf(world: World, scope: Scope): StepContext {
  return { now: 0, catalog: scope.catalogs[world.catalog]!, resolveAssignor, origin: ORIGIN };
}

/** One heartbeat as the worker would send it; a fenced worker drops everything. */
function send(world: World, scope: Scope, position: number, more: Partial<HeartbeatCommand>, answered: boolean): World {
  const worker = world.workers[position]!;
  const memberId = `m${position}`;
  const command: HeartbeatCommand = { memberId, memberEpoch: worker.epoch, owned: worker.held, ...more };
  if (command.memberEpoch === 0) {
    Object.assign(command, { owned: NOTHING, subscription: more.subscription ?? { topics: scope.subscriptions[0]! } });
  }
  let transition: Transition;
  try {
    const settings = { ...SETTINGS, assignors: [scope.assignor] };
    transition = (scope.beat ?? heartbeat)(world.group, command, settings, contextOf(world, scope));
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === undefined) throw error;
    return answered ? withWorker(world, position, IDLE) : world;
  }
  const next = { ...world, group: transition.group };
  if (!answered) return next;
  const member = transition.group.members.get(memberId)!;
  return withWorker(next, position, {
    joined: true,
    epoch: member.memberEpoch,
    held: withoutEpochs(member.assigned),
  });
}

/** The worker's process restarts under the same member id: it holds nothing and sends epoch 0. */
function startOver(world: World, scope: Scope, position: number): World {
  const dropped = withWorker(world, position, { ...world.workers[position]!, held: NOTHING, epoch: 0 });
  return send(dropped, scope, position, { memberEpoch: 0 }, true);
}

function depart(world: World, scope: Scope, position: number, how: 'leave' | 'expire'): World {
  const memberId = `m${position}`;
  const gone = withWorker(world, position, IDLE);
  if (world.group?.members.has(memberId) !== true) return gone;
  const context = contextOf(world, scope);
  const { group } =
    how === 'leave'
      ? leave(world.group, { memberId }, context)
      : fenceOverdue(world.group, new Set([memberId]), context);
  return { ...gone, group };
}

function withWorker(world: World, position: number, worker: Worker): World {
  return { ...world, workers: world.workers.map((old, at) => (at === position ? worker : old)) };
}

/** Invariants A to C of the protocol, and epochs that never fall. */
function findViolation(before: World, after: World): string | undefined {
  const held = new Map<string, number>();
  for (const [position, worker] of after.workers.entries()) {
    for (const [topic, partitions] of worker.held) {
      for (const partition of partitions) {
        const other = held.get(`${topic}-${partition}`);
        if (other !== undefined) return `${topic}-${partition} is worked on by m${other} and m${position}`;
        held.set(`${topic}-${partition}`, position);
      }
    }
  }
  const { group } = after;
  if (group === undefined) return undefined;
  try {
    indexHolders(group);
  } catch (error) {
    return String(error);
  }
  for (const [key, position] of held) {
    const cut = key.lastIndexOf('-');
    const holder = indexHolders(group)(key.slice(0, cut), Number(key.slice(cut + 1)));
    if (holder !== undefined && holder !== `m${position}`)
      return `${key} was granted to ${holder} while m${position} works on it`;
  }
  for (const [memberId, member] of group.members) {
    const old = before.group?.members.get(memberId);
    if (old !== undefined && member.memberEpoch < old.memberEpoch) return `the epoch of ${memberId} fell`;
    if (member.memberEpoch > group.assignmentEpoch) return `${memberId} is ahead of its group`;
    for (const epochs of [...member.assigned.values(), ...member.pendingRevocation.values()]) {
      for (const epoch of epochs.values())
        if (epoch > group.assignmentEpoch) return `${memberId} holds a partition of the future`;
    }
  }
  if (group.groupEpoch < (before.group?.groupEpoch ?? 0)) return 'the group epoch fell';
  return undefined;
}

/** From everywhere, quiet heartbeats of the joined workers lead to STABLE, with everything that has a reader owned. */
function checkConverges(world: World, scope: Scope): void {
  let at = world;
  for (let round = 0; round < 12; round++) {
    const before = at;
    for (const [position, worker] of at.workers.entries()) {
      const known = at.group?.members.has(`m${position}`) === true;
      if (worker.joined || known) at = send(at, scope, position, worker.joined ? {} : { memberEpoch: 0 }, true);
    }
    if (keyOf(at) === keyOf(before)) break;
  }
  if (at.group === undefined || at.group.members.size === 0) return;
  if (consumerGroupState(at.group) !== 'STABLE') throw new Error(`stuck in ${consumerGroupState(at.group)}`);
  const holderOf = indexHolders(at.group);
  for (const [topic, { partitions }] of at.group.subscribedTopics) {
    for (let p = 0; p < partitions; p++)
      if (holderOf(topic, p) === undefined) throw new Error(`${topic}-${p} is never given out`);
  }
  for (const member of at.group.members.values()) {
    if (!isReconciled(member, at.group.assignmentEpoch)) throw new Error(`${member.memberId} is never reconciled`);
  }
}

/** The state without what only counts up: revisions, and epochs relative to the group's. */
function keyOf({ group, catalog, workers, perturbations }: World): string {
  const base = group?.groupEpoch ?? 0;
  const members = [...(group?.members.values() ?? [])].map((member) => [
    member.memberId,
    member.memberEpoch === 0 ? 'new' : member.memberEpoch - base,
    member.previousMemberEpoch === 0 ? 'new' : member.previousMemberEpoch - base,
    member.state,
    member.subscription.topics,
    assignmentToJson(member.target),
    assignmentToJson(withoutEpochs(member.assigned)),
    assignmentToJson(withoutEpochs(member.pendingRevocation)),
  ]);
  return JSON.stringify([
    group === undefined ? null : [group.assignmentEpoch - base, group.catalogRevision, members],
    catalog,
    perturbations,
    workers.map(({ joined, epoch, held }) => [joined, epoch === 0 ? 'new' : epoch - base, assignmentToJson(held)]),
  ]);
}
