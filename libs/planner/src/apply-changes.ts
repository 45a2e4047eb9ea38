import type { AllotError, FieldError, MemberSpec } from '@allot/model';
import { invalidRequest } from '@allot/model';
import type { Pin } from '@allot/strategies';
import { assumedSubscription, membersToAdd } from './added-members.js';
import type { AssumedSubscription } from './added-members.js';
import type { BrokerState, ReplicatedGroup, ReplicatedTopic } from './brokers.js';
import { brokerRacksOf, changeBrokers, replicaErrors, withReplicaRacks } from './brokers.js';
import type { AddMembers, AssignorChoice, Change, ChangeMember, ChangeTopic, RemoveMembers } from './change.js';
import { isBrokerChange } from './change.js';
import { memberErrors, PLAN_LIMITS, summarize, topicErrors } from './check-group.js';

/** A group on its way through the changes. */
export interface ChangedGroup extends ReplicatedGroup {
  readonly assignor: AssignorChoice;
  /** Where the assignor was chosen, for errors. */
  readonly assignorPointer: string;
  /** What the group is pinned to instead; absent: no change says. */
  readonly pins?: readonly Pin[];
  /** Ids in the final group that were not in the original one, and the reverse. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Subscriptions that had to be assumed for new members although the group gave no single answer. */
  readonly assumed: readonly AssumedSubscription[];
  /** Topics whose new partitions have unknown racks although the older ones have known ones. */
  readonly unknownRacks: readonly string[];
  /** Topics whose racks do not follow the changes of brokers, because nobody says on which their replicas are. */
  readonly unknownReplicas: readonly string[];
}

interface State extends BrokerState {
  names: { original: readonly MemberSpec[]; ids: Set<string>; instanceIds: Set<string> };
  members: Map<string, MemberSpec>;
  assignor: AssignorChoice;
  assignorPointer: string;
  pins?: readonly Pin[];
  assumed: AssumedSubscription[];
  unknownRacks: Set<string>;
}

/**
 * Applies changes in order. Members that stay keep their claims and their place in the order; new ones come last. A change
 * that cannot be applied is refused with a pointer to it, and nothing is applied.
 */
export function applyChanges(
  group: ReplicatedGroup,
  assignor: AssignorChoice,
  changes: readonly Change[],
  pointerOf: (position: number) => string = (position) => `/changes/${position}`,
): ChangedGroup {
  if (changes.length > PLAN_LIMITS.changes) {
    throw refuse([
      { pointer: '/changes', detail: `A plan takes at most ${PLAN_LIMITS.changes} changes; combine them.` },
    ]);
  }
  const state: State = {
    names: {
      original: group.members,
      ids: new Set(group.members.map(({ id }) => id)),
      instanceIds: new Set(group.members.flatMap(({ instanceId }) => instanceId ?? [])),
    },
    topics: new Map(group.topics.map((topic) => [topic.name, topic])),
    members: new Map(group.members.map((member) => [member.id, member])),
    assignor,
    assignorPointer: '/assignor',
    assumed: [],
    unknownRacks: new Set(),
    brokers: group.brokers && brokerRacksOf(group.brokers),
    unknownReplicas: new Set(),
  };
  for (const [i, change] of changes.entries()) {
    const errors = applyChange(state, change, pointerOf(i));
    if (errors.length > 0) throw refuse(errors);
  }
  const before = new Set(group.members.map(({ id }) => id));
  return {
    topics: [...state.topics.values()],
    members: [...state.members.values()],
    assignor: state.assignor,
    assignorPointer: state.assignorPointer,
    ...(state.pins !== undefined && { pins: state.pins }),
    added: [...state.members.keys()].filter((id) => !before.has(id)),
    removed: [...before].filter((id) => !state.members.has(id)),
    assumed: state.assumed,
    unknownRacks: [...state.unknownRacks].filter((topic) => state.topics.has(topic)),
    unknownReplicas: [...state.unknownReplicas].filter((topic) => state.topics.get(topic)?.replicas === undefined),
    ...(state.brokers !== undefined && { brokers: brokersOf(state.brokers) }),
  };
}

function brokersOf(racks: ReadonlyMap<number, string | undefined>): ReplicatedGroup['brokers'] {
  return [...racks].map(([id, rack]) => ({ id, ...(rack !== undefined && { rack }) }));
}

function applyChange(state: State, change: Change, pointer: string): FieldError[] {
  if ('addMembers' in change) return addMembers(state, change, pointer);
  if ('removeMembers' in change) return removeMembers(state, change, pointer);
  if ('member' in change) return changeMember(state, change, pointer);
  if ('topic' in change) return changeTopic(state, change, pointer);
  if ('addTopic' in change) return addTopic(state, change.addTopic, `${pointer}/addTopic`);
  if ('removeTopic' in change) return removeTopic(state, change.removeTopic, `${pointer}/removeTopic`);
  if (isBrokerChange(change)) return changeBrokers(state, change, pointer);
  if ('pins' in change) return changePins(state, change.pins, `${pointer}/pins`);
  state.assignor = change.assignor;
  state.assignorPointer = `${pointer}/assignor`;
  return [];
}

function addMembers(state: State, change: AddMembers, pointer: string): FieldError[] {
  const at = `${pointer}/addMembers`;
  const count = typeof change.addMembers === 'number' ? change.addMembers : change.addMembers.length;
  if (!Number.isInteger(count) || count < 0)
    return [{ pointer: at, detail: `Add a whole number of members from 0 up, not ${count}.` }];
  if (state.members.size + count > PLAN_LIMITS.members) {
    return [
      {
        pointer: at,
        detail: `The group would have ${state.members.size + count} members; a plan takes ${PLAN_LIMITS.members}.`,
      },
    ];
  }
  const members = membersToAdd(state.names, change, change.topics ?? subscriptionOfNew(state, change));
  const instances = new Set([...state.members.values()].flatMap(({ instanceId }) => instanceId ?? []));
  for (const [i, member] of members.entries()) {
    const { id, instanceId } = member;
    const entry = typeof change.addMembers === 'number' ? at : `${at}/${i}`;
    const errors = memberErrors(member, entry);
    if (state.members.has(id)) {
      errors.push({ pointer: entry, detail: `A member "${id}" is already in the group; choose another id.` });
    }
    if (instanceId !== undefined && instances.has(instanceId)) {
      const detail = `The instance id "${instanceId}" is already in use; Kafka would fence one of the two.`;
      errors.push({ pointer: entry, detail });
    }
    if (errors.length > 0) return errors;
    state.members.set(id, member);
    state.names.ids.add(id);
    if (instanceId === undefined) continue;
    instances.add(instanceId);
    state.names.instanceIds.add(instanceId);
  }
  return [];
}

/** The assumed subscription of new members; noted where the group gives no single answer and some new member needs one. */
function subscriptionOfNew(state: State, { addMembers: wanted }: AddMembers): readonly string[] {
  const group = { topics: [...state.topics.values()], members: [...state.members.values()] };
  const assumed = assumedSubscription(group);
  const needed =
    typeof wanted === 'number'
      ? wanted > 0
      : wanted.some((entry) => typeof entry === 'string' || entry.topics === undefined);
  if (needed && assumed.basis !== 'same') state.assumed.push(assumed);
  return assumed.topics;
}

function removeMembers(state: State, { removeMembers: wanted }: RemoveMembers, pointer: string): FieldError[] {
  const at = `${pointer}/removeMembers`;
  if (typeof wanted === 'number') {
    if (!Number.isInteger(wanted) || wanted < 0 || wanted > state.members.size) {
      return [
        {
          pointer: at,
          detail: `The group has ${state.members.size} members at this point; ${wanted} cannot be removed.`,
        },
      ];
    }
    for (const id of [...state.members.keys()].slice(state.members.size - wanted)) state.members.delete(id);
    return [];
  }
  const errors: FieldError[] = [];
  for (const [i, id] of wanted.entries()) {
    if (!state.members.delete(id))
      errors.push({ pointer: `${at}/${i}`, detail: `No member "${id}" is in the group at this point; check the id.` });
  }
  return errors;
}

function changeMember(state: State, change: ChangeMember, pointer: string): FieldError[] {
  const member = state.members.get(change.member);
  if (member === undefined) {
    return [
      {
        pointer: `${pointer}/member`,
        detail: `No member "${change.member}" is in the group at this point; check the id.`,
      },
    ];
  }
  const { rack, ...others } = member;
  const newRack = change.rack === undefined ? rack : (change.rack ?? undefined);
  const changed: MemberSpec = {
    ...others,
    ...(newRack === undefined ? {} : { rack: newRack }),
    ...(change.topics === undefined ? {} : { topics: change.topics }),
    ...(change.weight === undefined ? {} : { weight: change.weight }),
  };
  state.members.set(change.member, changed);
  return memberErrors(changed, pointer);
}

function changeTopic(state: State, change: ChangeTopic, pointer: string): FieldError[] {
  const topic = state.topics.get(change.topic);
  if (topic === undefined) {
    const detail = `No topic "${change.topic}" exists at this point; check the name, or add it with {"addTopic": {"name", "partitions"}}.`;
    return [{ pointer: `${pointer}/topic`, detail }];
  }
  if (change.partitions < topic.partitions && change.recreate !== true) {
    const detail = `Kafka topics only grow: "${topic.name}" has ${topic.partitions} partitions. If it is to be deleted and created again, say "recreate": true.`;
    return [{ pointer: `${pointer}/partitions`, detail }];
  }
  const resized = resize(topic, change);
  const errors = [...topicErrors(resized, pointer), ...replicaErrors(resized, state.brokers, pointer)];
  if (errors.length > 0) return errors;
  const changed = change.replicas === undefined ? resized : withReplicaRacks(resized, state.brokers!);
  const said = change.racks ?? change.replicas;
  if (topic.racks !== undefined && said === undefined && changed.partitions > topic.partitions)
    state.unknownRacks.add(topic.name);
  state.topics.set(topic.name, changed);
  return checkTotal(state, `${pointer}/partitions`);
}

function resize(topic: ReplicatedTopic, { partitions, racks, replicas, weights }: ChangeTopic): ReplicatedTopic {
  const { racks: oldRacks, replicas: oldReplicas, weights: oldWeights, ...rest } = topic;
  const newRacks = racks ?? (oldRacks && fit(oldRacks, partitions, []));
  // Racks that are said outright are nobody's replicas.
  const newReplicas = replicas ?? (racks === undefined ? oldReplicas && fit(oldReplicas, partitions, []) : undefined);
  const mean = oldWeights?.length ? oldWeights.reduce((sum, weight) => sum + weight, 0) / oldWeights.length : 1;
  const newWeights = weights ?? (oldWeights && fit(oldWeights, partitions, mean));
  return {
    ...rest,
    partitions,
    ...(newRacks && { racks: newRacks }),
    ...(newReplicas && { replicas: newReplicas }),
    ...(newWeights && { weights: newWeights }),
  };
}

function fit<T>(list: readonly T[], length: number, filler: T): readonly T[] {
  // A count that topicErrors refuses right after must not make a list first.
  if (!Number.isInteger(length) || length < 0 || length > PLAN_LIMITS.partitions) return list;
  return Array.from({ length }, (_, i) => list[i] ?? filler);
}

function addTopic(state: State, topic: ReplicatedTopic, pointer: string): FieldError[] {
  if (state.topics.has(topic.name)) {
    return [
      {
        pointer: `${pointer}/name`,
        detail: `The topic "${topic.name}" already exists; change it with {"topic", "partitions"}.`,
      },
    ];
  }
  const errors = [...topicErrors(topic, pointer), ...replicaErrors(topic, state.brokers, pointer)];
  if (errors.length > 0) return errors;
  state.topics.set(topic.name, state.brokers === undefined ? topic : withReplicaRacks(topic, state.brokers));
  return checkTotal(state, `${pointer}/partitions`);
}

function removeTopic(state: State, name: string, pointer: string): FieldError[] {
  return state.topics.delete(name)
    ? []
    : [{ pointer, detail: `No topic "${name}" exists at this point; check the name.` }];
}

function changePins(state: State, pins: readonly Pin[], pointer: string): FieldError[] {
  const members = new Map<string, string>();
  for (const [i, { topic, partition, member }] of pins.entries()) {
    const key = `${partition} ${topic}`;
    const other = members.get(key);
    if (other !== undefined && other !== member) {
      return [{ pointer: `${pointer}/${i}`, detail: `${topic}-${partition} is pinned to "${other}" already.` }];
    }
    members.set(key, member);
  }
  state.pins = pins;
  return [];
}

function checkTotal(state: State, pointer: string): FieldError[] {
  let total = 0;
  for (const { partitions } of state.topics.values()) total += partitions;
  return total <= PLAN_LIMITS.partitions
    ? []
    : [{ pointer, detail: `The topics would have ${total} partitions; a plan takes ${PLAN_LIMITS.partitions}.` }];
}

function refuse(errors: readonly FieldError[]): AllotError {
  return invalidRequest(summarize(errors), errors);
}
