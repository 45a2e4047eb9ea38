import { RE2JS } from 're2js';
import { AllotError, compareText, invalidRequest } from '@allot/model';
import { javaStringHashCode } from '@allot/strategies';
import type { Catalog, CatalogTopic } from '../catalog/catalog.js';
import type { GroupMember } from '../group.js';
import type { ConsumerGroup, SubscribedTopic, Subscription } from './consumer-group.js';

/** Most names one subscription may list, and the longest pattern: far beyond use, short of harm. */
export const MAX_SUBSCRIBED_TOPICS = 10_000;
export const MAX_PATTERN_LENGTH = 1_000;

/**
 * Checks a subscription and puts it into its normal form (names once, in their own order).
 * @throws AllotError INVALID_REQUEST when it is empty or too large, INVALID_REGULAR_EXPRESSION when the pattern is not RE2.
 */
export function checkSubscription(subscription: Subscription): Subscription {
  const topics = [...new Set(subscription.topics)];
  const pattern = subscription.pattern === '' ? undefined : subscription.pattern;
  if (topics.length === 0 && pattern === undefined) {
    throw invalidRequest('The subscription is empty; name at least one topic, or give a pattern.', [
      { pointer: '/subscription', detail: 'needs "topics" or "pattern"' },
    ]);
  }
  if (topics.length > MAX_SUBSCRIBED_TOPICS) {
    throw invalidRequest(`A subscription lists at most ${MAX_SUBSCRIBED_TOPICS} topics; use a pattern instead.`, [
      { pointer: '/subscription/topics', detail: `${topics.length} topics` },
    ]);
  }
  if (pattern === undefined) return { topics };
  compilePattern(pattern);
  return { topics, pattern };
}

/** Kafka's broker matches whole names with RE2/J, so time is linear and there are no back-references or look-arounds. */
function compilePattern(pattern: string): RE2JS {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw invalidPattern(`it is longer than ${MAX_PATTERN_LENGTH} characters`);
  }
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw invalidPattern(error instanceof Error ? error.message : String(error));
  }
}

function invalidPattern(why: string): AllotError {
  return new AllotError(
    'INVALID_REGULAR_EXPRESSION',
    `The subscription's pattern is not a valid RE2 expression: ${why}. RE2 has no back-references and no look-around.`,
    { action: 'fix-request', errors: [{ pointer: '/subscription/pattern', detail: why }] },
  );
}

/** Names of the catalog's topics that match a pattern, ascending. Remembered by catalog, which never changes. */
function matchingTopics(catalog: Catalog, pattern: string): readonly string[] {
  let byPattern = matches.get(catalog);
  if (byPattern === undefined) matches.set(catalog, (byPattern = new Map()));
  let names = byPattern.get(pattern);
  if (names === undefined) {
    const compiled = compilePattern(pattern);
    names = [...catalog.topics.keys()].filter((name) => compiled.matches(name)).sort(compareText);
    byPattern.set(pattern, names);
  }
  return names;
}

const matches = new WeakMap<Catalog, Map<string, readonly string[]>>();

/** What a member reads: the names as listed, then what its pattern matches. Names without a topic stay in. */
export function resolveSubscription(subscription: Subscription, catalog: Catalog): readonly string[] {
  if (subscription.pattern === undefined) return subscription.topics;
  const matching = matchingTopics(catalog, subscription.pattern);
  return subscription.topics.length === 0 ? matching : [...new Set([...subscription.topics, ...matching])];
}

/** The existing topics that the members subscribe to, with what an assignment depends on. */
export function subscribedTopicsOf(
  members: Iterable<Pick<GroupMember, 'subscription' | 'rackId'>>,
  catalog: Catalog,
  before: ConsumerGroup['subscribedTopics'] = NO_TOPICS,
): ReadonlyMap<string, SubscribedTopic> {
  const names = new Set<string>();
  let rackAware = false;
  for (const { subscription, rackId } of members) {
    rackAware ||= rackId !== undefined;
    for (const name of resolveSubscription(subscription, catalog)) names.add(name);
  }
  const existing = existingTopics(names, catalog);
  for (const [name, topic] of existing) {
    const racks = racksToCompare(catalog.topics.get(name)!, before.get(name), rackAware);
    if (racks !== undefined) existing.set(name, { ...topic, racks });
  }
  return existing;
}

const NO_TOPICS: ConsumerGroup['subscribedTopics'] = new Map();

/** Those of the names that are topics of the catalog. */
export function existingTopics(names: Iterable<string>, catalog: Catalog): Map<string, SubscribedTopic> {
  const existing = new Map<string, SubscribedTopic>();
  for (const name of names) {
    const topic = catalog.topics.get(name);
    if (topic !== undefined) existing.set(name, { id: topic.id, partitions: topic.partitions });
  }
  return existing;
}

/**
 * A digest of a topic's racks; the one from before while they are not known in full: a broker that is away for a while has not moved
 * (KAFKA-14867, KAFKA-20778). They count only where a member has a rack itself.
 */
function racksToCompare(
  topic: CatalogTopic,
  before: SubscribedTopic | undefined,
  rackAware: boolean,
): string | undefined {
  if (!rackAware || topic.racks === undefined) return before?.id === topic.id ? before.racks : undefined;
  let digest = digests.get(topic);
  if (digest === undefined) {
    digest = javaStringHashCode(JSON.stringify(topic.racks)).toString(36);
    digests.set(topic, digest);
  }
  return digest;
}

const digests = new WeakMap<CatalogTopic, string>();

/** As much of the catalog as the group saw when it looked last: its own topics. */
export function seenCatalog({
  catalogRevision,
  subscribedTopics,
}: Pick<ConsumerGroup, 'catalogRevision' | 'subscribedTopics'>): Catalog {
  let seen = seenCatalogs.get(subscribedTopics);
  if (seen?.revision !== catalogRevision) {
    const topics = new Map([...subscribedTopics].map(([name, { id, partitions }]) => [name, { name, id, partitions }]));
    seenCatalogs.set(subscribedTopics, (seen = { revision: catalogRevision, topics }));
  }
  return seen;
}

const seenCatalogs = new WeakMap<ConsumerGroup['subscribedTopics'], Catalog>();

/** Names that members subscribe to and that the cluster does not have, ascending. */
export function unknownTopicsOf(
  members: Iterable<Pick<GroupMember, 'subscription'>>,
  catalog: Catalog,
): readonly string[] {
  const unknown = new Set<string>();
  for (const { subscription } of members) {
    for (const name of subscription.topics) if (!catalog.topics.has(name)) unknown.add(name);
  }
  return [...unknown].sort(compareText);
}

/** What happened to the topics that a group reads, in Kafka's order of severity; undefined when nothing did. */
export function catalogCause(
  before: ReadonlyMap<string, SubscribedTopic>,
  after: ReadonlyMap<string, SubscribedTopic>,
): 'topic-deleted' | 'topic-created' | 'partitions-grown' | 'racks-changed' | undefined {
  for (const [name, { id }] of before) if (after.get(name)?.id !== id) return 'topic-deleted';
  for (const name of after.keys()) if (!before.has(name)) return 'topic-created';
  for (const [name, { partitions }] of after)
    if (before.get(name)!.partitions !== partitions) return 'partitions-grown';
  for (const [name, { racks }] of after) if (before.get(name)!.racks !== racks) return 'racks-changed';
  return undefined;
}

/** Whether two subscriptions are the same, as far as a group epoch cares: the set of names and the pattern. */
export function sameSubscription(a: Subscription, b: Subscription): boolean {
  if (a === b) return true;
  if (a.pattern !== b.pattern || a.topics.length !== b.topics.length) return false;
  const names = new Set(a.topics);
  return b.topics.every((name) => names.has(name));
}
