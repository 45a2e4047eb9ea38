import { intersectAssignment, unionAssignment, type Assignment } from '@allot/model';
import { resolveAssignor } from '@allot/strategies';
import type { Catalog, ConsumerGroup, GroupSettings } from '../../src/index.js';
import { LEFT_TEMPORARILY, withoutEpochs } from '../../src/index.js';
import { fenceOverdue, heartbeat, leave, leaveTemporarily } from '../../src/consumer/membership.js';
import type { HeartbeatCommand } from '../../src/consumer/membership.js';
import { cancelDrain, drain } from '../../src/consumer/drain.js';
import { lookAtCatalog, putSettings } from '../../src/consumer/operator.js';
import type { StepContext, Transition } from '../../src/consumer/step.js';
import { checkHistory, checkSpoken, lastHolders, type LastHolders } from './exploration-invariants.js';
import { ORIGIN, SETTINGS } from './fixtures.js';

/** A worker as the protocol asks it to be: works on what it was told, and drops what it must give up at once or later. */
export interface Worker {
  readonly memberId: string;
  /** A static worker comes back under another member id. */
  readonly instanceId?: string;
  /** Another process took its place, of which it does not know. */
  readonly superseded?: true;
  readonly joined: boolean;
  readonly epoch: number;
  readonly held: Assignment;
  /** Of the last answer. */
  readonly revision: number;
  /** It has let go of something since; it then says what it holds, until an answer comes. */
  readonly letGo?: true | undefined;
}

export interface World {
  readonly group: ConsumerGroup | undefined;
  /** Place in the scope's catalogs. */
  readonly catalog: number;
  /** The assignor throws. */
  readonly broken: boolean;
  readonly workers: readonly Worker[];
  readonly lastHolders: LastHolders;
  /** A heartbeat that its sender has given up and that is still on its way. */
  readonly late: { readonly name: string; readonly command: HeartbeatCommand } | undefined;
  readonly perturbations: number;
  /** When all pauses are over; absent at the beginning of time, where they are not. */
  readonly now?: number;
}

export interface Scope {
  readonly memberCount: number;
  /** So many of the members are static: they leave temporarily and return. */
  readonly staticMembers?: number;
  /** Catalogs in the order in which the cluster goes through them. */
  readonly catalogs: readonly Catalog[];
  /** Subscriptions that a member may change between; the first is the one that members join with. */
  readonly subscriptions: readonly (readonly string[])[];
  /** Most leaves, expiries, lost answers, changes of catalog and subscription, faults of the assignor in one run. */
  readonly maxPerturbations: number;
  readonly maxStates: number;
  /** Most actions in one run; no limit when absent. */
  readonly maxDepth?: number;
  readonly assignor: string;
  /** The assignor may fail and recover. */
  readonly assignorFails?: boolean;
  /** What an operator does meanwhile. */
  readonly operator?: readonly ('freeze' | 'drain')[];
  readonly settings?: Partial<GroupSettings>;
  /** The step under test; a checker of the checker puts a faulty one here. */
  readonly beat?: typeof heartbeat;
}

export interface Action {
  readonly name: string;
  /** @throws Error when the step itself breaks an invariant. */
  readonly run: () => World;
}

const NOTHING: Assignment = new Map();
const OUT = { joined: false, epoch: 0, held: NOTHING, revision: 0, letGo: undefined };

export function startOf({ memberCount, staticMembers = 0 }: Scope): World {
  const workers = Array.from({ length: memberCount }, (_, i) => ({
    ...{ memberId: `m${i}`, ...OUT },
    ...(i < staticMembers && { instanceId: `i${i}` }),
  }));
  return {
    group: undefined,
    catalog: 0,
    broken: false,
    workers,
    lastHolders: new Map(),
    late: undefined,
    perturbations: 0,
  };
}

/** Everything that can happen next. What makes no sense on its own is counted as a perturbation, to keep the number of runs finite. */
export function actionsOf(world: World, scope: Scope): Action[] {
  const actions: Action[] = [];
  // Without a limit they need no count, and runs that differ in it alone are one.
  const counts = scope.maxPerturbations < Infinity ? 1 : 0;
  const perturbed = { ...world, perturbations: world.perturbations + counts };
  const mayPerturb = world.perturbations < scope.maxPerturbations;
  for (const [at, { memberId: id, joined, instanceId, superseded, held, letGo }] of world.workers.entries()) {
    const act = (what: string, run: () => World) => actions.push({ name: `${id} ${what}`, run });
    if (superseded && !joined) continue;
    if (!joined) {
      act('joins', () => send(world, scope, at));
      if (mayPerturb) act('joins, the answer is lost', () => send(perturbed, scope, at, { answer: 'lost' }));
      continue;
    }
    act('beats', () => send(world, scope, at));
    act('beats and goes on with what it must give up', () => send(world, scope, at, { answer: 'lingers' }));
    if (!letGo) act('beats without saying what it holds', () => send(world, scope, at, { owned: undefined }));
    if (!mayPerturb) continue;
    act('beats, the answer is lost', () => send(perturbed, scope, at, { answer: 'lost' }));
    if (!letGo) {
      act('beats without saying what it holds, the answer is lost', () => {
        return send(perturbed, scope, at, { owned: undefined, answer: 'lost' });
      });
    }
    if (world.late === undefined) {
      const late = { name: id, command: commandOf(world, scope, at, {}) };
      act('gives a heartbeat up that is on its way', () => ({ ...perturbed, late }));
    }
    act('starts over', () => send(withWorker(perturbed, at, OUT), scope, at));
    // Its time was over before an answer came; it goes on as the member that it is.
    if (held.size > 0) act('lets go of everything', () => withWorker(perturbed, at, { held: NOTHING, letGo: true }));
    act('leaves', () => depart(perturbed, scope, id, leave));
    if (instanceId !== undefined && scope.settings?.staticPolicy === 'newest-wins') {
      act('loses its place to another process', () => takeOver(perturbed, scope, at));
    }
    if (instanceId !== undefined) act('leaves temporarily', () => depart(perturbed, scope, id, leaveTemporarily));
    for (const topics of scope.subscriptions) {
      act(`subscribes to ${topics.join()}`, () => send(perturbed, scope, at, { subscription: { topics } }));
    }
  }
  const { late } = world;
  if (late !== undefined) {
    actions.push({ name: `the late heartbeat of ${late.name} arrives`, run: () => arrive(world, scope, late.command) });
  }
  return mayPerturb ? [...actions, ...surroundings(world, perturbed, scope)] : actions;
}

/** What happens to members without their doing. */
function surroundings({ group, catalog, broken }: World, perturbed: World, scope: Scope): Action[] {
  if (group === undefined) return [];
  const actions: Action[] = [];
  for (const { memberId, rebalanceDeadline: now } of group.members.values()) {
    actions.push({ name: `the session of ${memberId} ends`, run: () => fence(perturbed, scope, 0, memberId) });
    if (now !== undefined) {
      actions.push({ name: `the timer of ${memberId} ends`, run: () => fence(perturbed, scope, now) });
    }
  }
  if (catalog + 1 < scope.catalogs.length) {
    const moved = { ...perturbed, catalog: catalog + 1 };
    const look = () => stepTo(moved, lookAtCatalog(group, contextOf(moved, scope)));
    actions.push({ name: 'the catalog changes', run: () => moved });
    actions.push({ name: 'the catalog changes and is looked at', run: look });
  }
  for (const action of scope.operator ?? []) {
    if (action === 'freeze') {
      const frozen = group.calm?.freeze === undefined;
      const run = () => stepTo(perturbed, putSettings(group, group.settings, contextOf(perturbed, scope), frozen));
      actions.push({ name: frozen ? 'the group is frozen' : 'the group thaws', run });
      continue;
    }
    for (const { memberId, draining } of group.members.values()) {
      const step = draining ? cancelDrain : drain;
      const run = () => stepTo(perturbed, step(group, { memberId }, contextOf(perturbed, scope)));
      actions.push({ name: draining ? `${memberId} is served again` : `${memberId} is drained`, run });
    }
  }
  if (scope.assignorFails) {
    const name = broken ? 'the assignor recovers' : 'the assignor breaks';
    actions.push({ name, run: () => ({ ...perturbed, broken: !broken }) });
  }
  return actions;
}

interface Sent {
  readonly owned?: Assignment | undefined;
  readonly subscription?: { readonly topics: readonly string[] };
  /** Received and followed at once when absent. */
  readonly answer?: 'lost' | 'lingers';
}

/** One heartbeat as the worker would send it. A worker that is refused drops everything. */
export function send(world: World, scope: Scope, at: number, sent: Sent = {}): World {
  const { memberId, held } = world.workers[at]!;
  const context = contextOf(world, scope);
  let transition: Transition;
  try {
    transition = beat(world, scope, commandOf(world, scope, at, sent));
  } catch (error) {
    if ((error as { code?: string }).code === undefined) throw error;
    return sent.answer === 'lost' ? world : withWorker(world, at, OUT);
  }
  checkSpoken(transition.group, memberId, context.catalog);
  const next = stepTo(world, transition);
  if (sent.answer === 'lost') return next;
  const member = transition.group.members.get(memberId)!;
  const told = withoutEpochs(member.assigned);
  const finishing = intersectAssignment(held, withoutEpochs(member.pendingRevocation));
  const now = sent.answer === 'lingers' ? unionAssignment(told, finishing) : told;
  const heard = { epoch: member.memberEpoch, revision: next.group!.revision, letGo: undefined };
  return withWorker(next, at, { joined: true, held: now, ...heard });
}

function commandOf({ workers }: World, scope: Scope, at: number, sent: Sent): HeartbeatCommand {
  const { memberId, instanceId, joined, epoch, held, revision } = workers[at]!;
  const owned = 'owned' in sent ? sent.owned : held;
  const subscription = sent.subscription ?? (joined ? undefined : { topics: scope.subscriptions[0]! });
  return {
    ...{ memberId, memberEpoch: epoch, rebalanceTimeoutMs: SETTINGS.rebalanceTimeoutMs + at },
    ...(joined && { revision }),
    ...(owned !== undefined && { owned }),
    ...(subscription !== undefined && { subscription }),
    ...(instanceId !== undefined && !joined && { instanceId }),
  };
}

function beat(world: World, scope: Scope, command: HeartbeatCommand): Transition {
  const settings = { ...SETTINGS, assignors: [scope.assignor], assignmentIntervalMs: 0, ...scope.settings };
  return (scope.beat ?? heartbeat)(world.group, command, settings, contextOf(world, scope));
}

/** Nobody hears the answer of a late heartbeat. */
function arrive(before: World, scope: Scope, command: HeartbeatCommand): World {
  const world = { ...before, late: undefined };
  try {
    return stepTo(world, beat(world, scope, command));
  } catch (error) {
    if ((error as { code?: string }).code === undefined) throw error;
    return world;
  }
}

function contextOf(world: World, scope: Scope): StepContext {
  const broken = () => {
    throw new Error('the assignor is broken');
  };
  return {
    now: world.now ?? 0,
    catalog: scope.catalogs[world.catalog]!,
    resolveAssignor: world.broken ? broken : resolveAssignor,
    origin: ORIGIN,
  };
}

function stepTo(world: World, transition: Transition): World {
  checkHistory(world.group, transition);
  return { ...world, group: transition.group, lastHolders: lastHolders(world, transition.group) };
}

function depart(world: World, scope: Scope, memberId: string, how: typeof leave): World {
  const gone = stopWorkers(world, (id) => id === memberId);
  if (world.group?.members.has(memberId) !== true) return gone;
  return stepTo(gone, how(world.group, { memberId }, contextOf(world, scope)));
}

/** Members whose time is over: their workers know it as well (`validForMs`) and have stopped before. */
function fence(world: World, scope: Scope, now: number, ...expired: string[]): World {
  const transition = fenceOverdue(world.group!, new Set(expired), { ...contextOf(world, scope), now });
  const fenced = (id: string) => world.group!.members.has(id) && !transition.group.members.has(id);
  return stepTo(stopWorkers(world, fenced), transition);
}

/** A static worker that ends comes back as another process, with another member id. */
function stopWorkers(world: World, which: (memberId: string) => boolean): World {
  const workers = world.workers.map((worker) => {
    if (!which(worker.memberId)) return worker;
    const other = worker.memberId.endsWith("'") ? worker.memberId.slice(0, -1) : `${worker.memberId}'`;
    const memberId = worker.instanceId === undefined ? worker.memberId : other;
    return { ...worker, memberId, ...OUT };
  });
  return { ...world, workers };
}

/** A second process with its instance id joins; the first goes on until it hears of it or its time is over. */
function takeOver(world: World, scope: Scope, at: number): World {
  const { instanceId, ...old } = world.workers[at]!;
  const workers = world.workers.filter(({ superseded, joined }) => superseded === undefined || joined);
  const newcomer = { memberId: `${old.memberId}+`, instanceId: instanceId!, ...OUT };
  const place = workers.indexOf(world.workers[at]!);
  return send({ ...world, workers: [...workers.with(place, newcomer), { ...old, superseded: true }] }, scope, place);
}

function withWorker(world: World, at: number, change: Partial<Worker>): World {
  return { ...world, workers: world.workers.map((old, i) => (i === at ? { ...old, ...change } : old)) };
}

const LATER = 1_000_000;

/** The world once nothing is held back any more: the assignor works, and nothing is frozen. */
export function withoutHold(from: World, scope: Scope): World {
  const world = { ...from, broken: false, now: LATER };
  const { group } = world;
  if (group === undefined) return world;
  const superseded = [...group.members.values()].filter(({ supersededBy }) => supersededBy !== undefined);
  if (superseded.length > 0) return fence(world, scope, 0, ...superseded.map(({ memberId }) => memberId));
  if (group.calm?.freeze === undefined) return world;
  return stepTo(world, putSettings(group, group.settings, contextOf(world, scope), false));
}

/** Whether the group knows the worker, under whatever id. */
export function isExpected({ group }: World, { memberId, instanceId }: Worker): boolean {
  for (const member of group?.members.values() ?? []) {
    if (member.memberId === memberId) return true;
    if (instanceId !== undefined && member.instanceId === instanceId) return member.memberEpoch === LEFT_TEMPORARILY;
  }
  return false;
}
