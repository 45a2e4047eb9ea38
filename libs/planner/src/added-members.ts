import type { GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import type { AddMembers, NewMember } from './change.js';
import { compact } from './compact.js';

/** Where the subscription of new members comes from when the change names none. */
export interface AssumedSubscription {
  readonly topics: readonly string[];
  /** `same`: all members agree. `commonest`: they differ. `all-topics`: there are no members to go by. */
  readonly basis: 'same' | 'commonest' | 'all-topics';
}

/** The subscription of most members, the earlier one of two that are equally common; every topic when there are no members. */
export function assumedSubscription(group: GroupSpec): AssumedSubscription {
  if (group.members.length === 0)
    return { topics: group.topics.map(({ name }: TopicSpec) => name), basis: 'all-topics' };
  const counts = new Map<string, { topics: readonly string[]; count: number }>();
  let previous: { topics: readonly string[]; count: number } | undefined;
  for (const { topics } of group.members) {
    // Neighbours mostly have the same list; comparing is much cheaper than making a key of a thousand names.
    if (previous === undefined || !sameList(previous.topics, topics)) {
      const key = JSON.stringify([...new Set(topics)].sort());
      previous = counts.get(key) ?? { topics, count: 0 };
      counts.set(key, previous);
    }
    previous.count++;
  }
  let best: { topics: readonly string[]; count: number } | undefined;
  for (const entry of counts.values()) if (best === undefined || entry.count > best.count) best = entry;
  return { topics: best!.topics, basis: counts.size === 1 ? 'same' : 'commonest' };
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}

/** Whom generated names must fit: the members of the group as given, and the names that any member of the plan ever had. */
export interface NameContext {
  readonly original: readonly MemberSpec[];
  readonly ids: ReadonlySet<string>;
  readonly instanceIds: ReadonlySet<string>;
}

/**
 * The members that a change adds, complete; ids are generated for a count. Generated ids depend on the group as given, not
 * on the changes so far, and never repeat that of a removed member, which would look like its return.
 */
export function membersToAdd(names: NameContext, change: AddMembers, topics: readonly string[]): MemberSpec[] {
  const { addMembers, rack } = change;
  const wanted: readonly (string | NewMember)[] =
    typeof addMembers === 'number' ? generated(names, addMembers) : addMembers;
  return wanted.map((entry) => {
    const member: NewMember = typeof entry === 'string' ? { id: entry } : entry;
    return { topics, ...(rack === undefined ? {} : { rack }), ...compact(member) };
  });
}

function generated({ original, ids, instanceIds }: NameContext, count: number): NewMember[] {
  const members = numberOn(
    original.map(({ id }) => id),
    ids,
    count,
  );
  const instances = original.map(({ instanceId }) => instanceId);
  const allStatic = instances.length > 0 && instances.every((instance) => instance !== undefined);
  if (!allStatic) return members.map((id) => ({ id }));
  const statics = numberOn(instances, instanceIds, count);
  return members.map((id, i) => ({ id, instanceId: statics[i]! }));
}

const NUMBERED = /^(.*?)(0|[1-9]\d{0,8})$/s;
/** Kafka's own ids end in a UUID, whose last digits number nothing. */
const ENDS_IN_UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Names for more of the same: goes on counting where all names share a prefix and end in a number, else new-1, new-2 ... */
function numberOn(names: readonly string[], taken: ReadonlySet<string>, count: number): string[] {
  let [prefix, next]: [string | undefined, number] = [undefined, 1];
  for (const name of names) {
    const match = ENDS_IN_UUID.test(name) ? null : NUMBERED.exec(name);
    if (match === null || (prefix !== undefined && prefix !== match[1])) {
      prefix = undefined;
      break;
    }
    prefix = match[1]!;
    next = Math.max(next, Number(match[2]) + 1);
  }
  const made: string[] = [];
  for (let n = prefix === undefined ? 1 : next; made.length < count; n++) {
    const name = `${prefix ?? 'new-'}${n}`;
    if (!taken.has(name)) made.push(name);
  }
  return made;
}
