import { RE2JS } from 're2js';
import { AllotError, compareText, invalidRequest } from '@allot/model';
import type { Catalog } from '../catalog/catalog.js';
import type { ConsumerGroup, ConsumerMember, SubscribedTopic, Subscription } from './consumer-group.js';

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
  members: Iterable<ConsumerMember>,
  catalog: Catalog,
): ReadonlyMap<string, SubscribedTopic> {
  const names = new Set<string>();
  for (const { subscription } of members)
    for (const name of resolveSubscription(subscription, catalog)) names.add(name);
  return existingTopics(names, catalog);
}

/** Those of the names that are topics of the catalog. */
export function existingTopics(names: Iterable<string>, catalog: Catalog): ReadonlyMap<string, SubscribedTopic> {
  const existing = new Map<string, SubscribedTopic>();
  for (const name of names) {
    const topic = catalog.topics.get(name);
    if (topic !== undefined) existing.set(name, { id: topic.id, partitions: topic.partitions });
  }
  return existing;
}

/** As much of the catalog as the group saw when it looked last: its own topics. */
export function seenCatalog({ catalogRevision, subscribedTopics }: ConsumerGroup): Catalog {
  let seen = seenCatalogs.get(subscribedTopics);
  if (seen?.revision !== catalogRevision) {
    const topics = new Map([...subscribedTopics].map(([name, topic]) => [name, { name, ...topic }]));
    seenCatalogs.set(subscribedTopics, (seen = { revision: catalogRevision, topics }));
  }
  return seen;
}

const seenCatalogs = new WeakMap<ConsumerGroup['subscribedTopics'], Catalog>();

/** Names that members subscribe to and that the cluster does not have, ascending. */
export function unknownTopicsOf(members: Iterable<ConsumerMember>, catalog: Catalog): readonly string[] {
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
): 'topic-deleted' | 'topic-created' | 'partitions-grown' | undefined {
  for (const [name, { id }] of before) if (after.get(name)?.id !== id) return 'topic-deleted';
  for (const name of after.keys()) if (!before.has(name)) return 'topic-created';
  for (const [name, { partitions }] of after)
    if (before.get(name)!.partitions !== partitions) return 'partitions-grown';
  return undefined;
}

/** Whether two subscriptions are the same, as far as a group epoch cares: the set of names and the pattern. */
export function sameSubscription(a: Subscription, b: Subscription): boolean {
  if (a === b) return true;
  if (a.pattern !== b.pattern || a.topics.length !== b.topics.length) return false;
  const names = new Set(a.topics);
  return b.topics.every((name) => names.has(name));
}
