import { AllotError } from './errors.js';
import type { GroupSpec } from './group-spec.js';

/** A group's subscriptions as small integers: a topic is its position in `group.topics`, a member its position in `group.members`. */
export interface SubscriptionIndex {
  /** Topic name -> position. */
  readonly topics: ReadonlyMap<string, number>;
  /** By member position: positions of the existing topics it subscribes to, without repeats. Equal lists may share one array. */
  readonly byMember: readonly Int32Array[];
  /** By topic position: the number of members that subscribe to it. */
  readonly subscribers: Int32Array;
}

/**
 * Indexes who subscribes to what; names without metadata are left out. Members with the same list, the usual case, are
 * resolved once: that keeps a group of 1,000 members and 1,000 topics at a few milliseconds.
 */
export function indexSubscriptions(group: GroupSpec): SubscriptionIndex {
  const topics = new Map<string, number>();
  for (const [position, topic] of group.topics.entries()) {
    if (topics.has(topic.name)) {
      throw new AllotError('INVALID_REQUEST', `The topic "${topic.name}" is listed twice; list each topic once.`, {
        action: 'fix-request',
      });
    }
    topics.set(topic.name, position);
  }
  const subscribers = new Int32Array(topics.size);
  const byMember: Int32Array[] = [];
  const recent: { list: readonly string[]; indexes: Int32Array }[] = [];
  for (const member of group.members) {
    let known = recent.find(({ list }) => sameList(list, member.topics));
    if (known === undefined) {
      known = { list: member.topics, indexes: resolve(topics, member.topics) };
      recent.unshift(known);
      if (recent.length > REMEMBERED_LISTS) recent.pop();
    }
    byMember.push(known.indexes);
    for (const topic of known.indexes) subscribers[topic]!++;
  }
  return { topics, byMember, subscribers };
}

/** Groups have few different subscription lists; more than these are resolved again, which only costs time. */
const REMEMBERED_LISTS = 8;

function resolve(topics: ReadonlyMap<string, number>, names: readonly string[]): Int32Array {
  const found = new Set<number>();
  for (const name of names) {
    const topic = topics.get(name);
    if (topic !== undefined) found.add(topic);
  }
  return Int32Array.from(found);
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
