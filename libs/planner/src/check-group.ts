import type { FieldError, MemberSpec, TopicSpec } from '@allot/model';
import { invalidRequest } from '@allot/model';
import type { ReplicatedGroup } from './brokers.js';
import { brokerErrors, MOST_BROKERS, replicaErrors } from './brokers.js';

/** The sizes that a plan accepts; larger ones are refused by name, never cut. */
export const PLAN_LIMITS = {
  members: 20_000,
  topics: 20_000,
  partitions: 2_000_000,
  changes: 1_000,
  brokers: MOST_BROKERS,
} as const;

/** Refuses a group that is wrong in itself; every fault with its JSON pointer. What is merely odd passes and is warned of. */
export function checkGroup(group: ReplicatedGroup): void {
  const errors: FieldError[] = [];
  if (group.members.length > PLAN_LIMITS.members) errors.push(tooMany('/members', 'members', PLAN_LIMITS.members));
  if (group.topics.length > PLAN_LIMITS.topics) errors.push(tooMany('/topics', 'topics', PLAN_LIMITS.topics));
  if (errors.length === 0) {
    checkUnique(group.topics, ({ name }) => name, '/topics', 'name', 'topic', errors);
    checkUnique(group.members, ({ id }) => id, '/members', 'id', 'member', errors);
    checkInstances(group.members, errors);
    for (const [i, topic] of group.topics.entries()) errors.push(...topicErrors(topic, `/topics/${i}`));
    errors.push(...clusterErrors(group));
    for (const [i, member] of group.members.entries()) errors.push(...memberErrors(member, `/members/${i}`));
    const partitions = group.topics.reduce((sum, topic) => sum + topic.partitions, 0);
    if (partitions > PLAN_LIMITS.partitions) errors.push(tooMany('/topics', 'partitions', PLAN_LIMITS.partitions));
  }
  if (errors.length > 0) throw invalidRequest(summarize(errors), errors);
}

function clusterErrors({ brokers, topics }: ReplicatedGroup): FieldError[] {
  const known = brokers && new Set(brokers.map(({ id }) => id));
  const ofTopics = topics.flatMap((topic, i) => replicaErrors(topic, known, `/topics/${i}`));
  return [...brokerErrors(brokers ?? [], '/brokers'), ...ofTopics];
}

/** What is wrong with a topic. */
export function topicErrors({ name, partitions, racks, weights }: TopicSpec, pointer: string): FieldError[] {
  const errors: FieldError[] = [];
  const add = (field: string, detail: string): void => void errors.push({ pointer: `${pointer}/${field}`, detail });
  if (name === '') add('name', 'A topic needs a name.');
  if (!Number.isInteger(partitions) || partitions < 0 || partitions > PLAN_LIMITS.partitions) {
    add('partitions', `Partition counts are whole numbers from 0 to ${PLAN_LIMITS.partitions}, not ${partitions}.`);
  } else {
    if (racks !== undefined && racks.length !== partitions) {
      add(
        'racks',
        `racks has ${racks.length} entries for ${partitions} partitions; give one list a partition, or leave it out.`,
      );
    }
    if (weights !== undefined && weights.length !== partitions) {
      add(
        'weights',
        `weights has ${weights.length} entries for ${partitions} partitions; give one a partition, or leave it out.`,
      );
    }
  }
  if (weights?.some((weight) => !(weight >= 0 && weight < Infinity))) add('weights', 'Weights are numbers from 0 up.');
  return errors;
}

/** What is wrong with a member, its subscription apart from whether the topics exist. */
export function memberErrors(member: Pick<MemberSpec, 'id' | 'weight' | 'generation'>, pointer: string): FieldError[] {
  const errors: FieldError[] = [];
  if (member.id === '') errors.push({ pointer: `${pointer}/id`, detail: 'A member needs an id.' });
  if (member.weight !== undefined && !(member.weight > 0 && member.weight < Infinity)) {
    errors.push({ pointer: `${pointer}/weight`, detail: 'A member weight is a number above 0.' });
  }
  const { generation } = member;
  if (generation !== undefined && (!Number.isInteger(generation) || generation < -1 || generation > 2 ** 31 - 1)) {
    errors.push({ pointer: `${pointer}/generation`, detail: 'A generation is a whole number from -1 to 2147483647.' });
  }
  return errors;
}

function checkUnique<T>(
  items: readonly T[],
  key: (item: T) => string,
  pointer: string,
  field: string,
  noun: string,
  errors: FieldError[],
): void {
  const seen = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const first = seen.get(key(item));
    if (first === undefined) seen.set(key(item), i);
    else
      errors.push({
        pointer: `${pointer}/${i}/${field}`,
        detail: `The ${noun} "${key(item)}" is already at ${pointer}/${first}; list it once.`,
      });
  }
}

function checkInstances(members: readonly MemberSpec[], errors: FieldError[]): void {
  const seen = new Map<string, number>();
  for (const [i, { instanceId }] of members.entries()) {
    if (instanceId === undefined) continue;
    const first = seen.get(instanceId);
    if (first === undefined) seen.set(instanceId, i);
    else {
      const detail = `The instance id "${instanceId}" already belongs to /members/${first}; Kafka fences one of the two.`;
      errors.push({ pointer: `/members/${i}/instanceId`, detail });
    }
  }
}

function tooMany(pointer: string, noun: string, limit: number): FieldError {
  return { pointer, detail: `A plan takes at most ${limit} ${noun}; split the request.` };
}

/** The message of a request with these faults: the first one in full, and how many there are. */
export function summarize(errors: readonly FieldError[]): string {
  const [first] = errors;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${first!.pointer}: ${first!.detail}${rest}`;
}
