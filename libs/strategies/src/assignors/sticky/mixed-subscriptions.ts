import type { AssignmentWarning } from '../assignor.js';
import type { ClientGroup } from '../client-group.js';
import { subscribersByTopic } from '../client-group.js';
import { NOBODY } from '../owners.js';
import type { RackView } from '../racks.js';
import { isFarFrom } from '../racks.js';
import type { Claims } from './claims.js';
import { earlierOwners } from './claims.js';
import { Contests } from './contests.js';
import { assignFree, assignFreeWithinRacks } from './fill-mixed.js';
import { Improvement } from './improvement.js';

/** An assignment in the making. */
export interface MixedState {
  readonly group: ClientGroup;
  /** Subscribers of each topic, by id. */
  readonly subscribers: readonly Int32Array[];
  /** Topics by the number of subscriptions, then by name. */
  readonly topicOrder: readonly number[];
  /** Whether several members can have the topic's partitions. */
  readonly isShared: readonly boolean[];
  readonly owners: Int32Array;
  /** Partitions of each member. */
  readonly counts: Int32Array;
}

/**
 * The owners when subscriptions differ, and whether a stale claim may have made one of them own what it does not subscribe to.
 *
 * 1. Everybody keeps what it owned, as long as it subscribes to the topic and, with racks, is near.
 * 2. Free partitions go to the subscriber with the fewest partitions, the lower id among equals: topics with few subscribers
 *    first, and with racks near subscribers first.
 * 3. Partition after partition is moved to the subscriber with the fewest, or back to its owner of an older generation, while
 *    that member has at least two fewer; over and over until nothing moves. Partitions that were free come first.
 * 4. If that has not lowered the sum of the differences of all pairs of members, it is undone, unless nobody owned anything.
 */
export function assignMixedSubscriptions(
  group: ClientGroup,
  claims: Claims,
  racks: RackView | undefined,
  warnings: AssignmentWarning[],
): { owners: Int32Array; mayStray: boolean } {
  const state = newState(group);
  const { owners, counts } = state;
  const earlier = earlierOwners(group, claims);
  const { revoked, irregular } = keepOwned(state, claims, earlier, racks);
  const wasFree = claims.any ? freeFlags(owners) : undefined;
  const initializing = counts.every((count) => count === 0);
  if (racks !== undefined) assignFreeWithinRacks(state, racks);
  const contests = new Contests(counts, state.subscribers);
  assignFree(state, contests);

  const most = mostPartitions(group);
  const settled = settledMembers(state, most);
  const ownersBefore = owners.slice();
  const scoreBefore = balanceScore(counts, settled);
  const improvement = new Improvement(state, contests, earlier, settled, irregular ? most : undefined);
  if (!revoked) improvement.run(wasFree);
  const moved = improvement.run();
  warnings.push(...improvement.warnings);
  const undone = !initializing && moved && balanceScore(counts, settled) >= scoreBefore;
  return { owners: undone ? ownersBefore : owners, mayStray: irregular };
}

/** 1 for partitions without an owner. */
function freeFlags(owners: Int32Array): Uint8Array {
  const flags = new Uint8Array(owners.length);
  for (let partition = 0; partition < owners.length; partition++)
    if (owners[partition] === NOBODY) flags[partition] = 1;
  return flags;
}

function newState(group: ClientGroup): MixedState {
  const subscriptions = new Int32Array(group.topics.length);
  const membersOf = new Int32Array(group.patterns.length);
  for (const pattern of group.patternOf) membersOf[pattern]!++;
  group.patterns.forEach(({ topics }, pattern) => {
    for (const topic of topics) subscriptions[topic]! += membersOf[pattern]!;
  });
  return {
    group,
    subscribers: subscribersByTopic(group, Int32Array.from(group.members.keys())),
    topicOrder: [...group.topics.keys()].sort((a, b) => subscriptions[a]! - subscriptions[b]! || a - b),
    isShared: Array.from(subscriptions, (count) => count >= 2),
    owners: new Int32Array(group.partitionCount).fill(NOBODY),
    counts: new Int32Array(group.members.length),
  };
}

/**
 * Leaves partitions with members that still may have them. `revoked`: some partition had to be taken away. `irregular`: a
 * member may come to own a partition without subscribing to its topic, or names a topic twice.
 */
function keepOwned(
  { group, subscribers, owners, counts }: MixedState,
  { any, owned }: Claims,
  earlier: Int32Array | undefined,
  racks: RackView | undefined,
): { revoked: boolean; irregular: boolean } {
  let revoked = false;
  let irregular = group.patterns.some(({ topics, distinct }) => topics !== distinct);
  if (!any) return { revoked, irregular };
  const subscribedTo = new Int32Array(group.members.length).fill(-1);
  for (let topic = 0; topic < group.topics.length; topic++) {
    for (const member of subscribers[topic]!) subscribedTo[member] = topic;
    const end = group.partitionOffset[topic + 1]!;
    for (let partition = group.partitionOffset[topic]!; partition < end; partition++) {
      const before = earlier === undefined ? NOBODY : earlier[partition]!;
      if (before !== NOBODY && subscribedTo[before] !== topic) irregular = true;
      const member = owned[partition]!;
      if (member === NOBODY) continue;
      if (subscribedTo[member] !== topic || (racks !== undefined && isFarFrom(racks, member, partition)))
        revoked = true;
      else {
        owners[partition] = member;
        counts[member]!++;
      }
    }
  }
  return { revoked, irregular };
}

/** How many partitions each member could have at most. A list as long as the list of topics is taken to name them all. */
function mostPartitions({ members, patterns, patternOf, topics, partitionCount }: ClientGroup): Int32Array {
  const mostOf = patterns.map((pattern) => {
    if (pattern.topics.length === topics.length) return partitionCount;
    return pattern.topics.reduce((sum, topic) => sum + topics[topic]!.partitions, 0);
  });
  return Int32Array.from(members, (_, member) => mostOf[patternOf[member]!]!);
}

/** 1 for members that can neither get nor lose anything: they have all they could, and nobody else could have any of it. */
function settledMembers({ group, isShared, owners, counts }: MixedState, most: Int32Array): Uint8Array {
  const settled = Uint8Array.from(counts, (count, member) => (count < most[member]! ? 0 : 1));
  for (let topic = 0; topic < group.topics.length; topic++) {
    if (!isShared[topic]) continue;
    const end = group.partitionOffset[topic + 1]!;
    for (let partition = group.partitionOffset[topic]!; partition < end; partition++) settled[owners[partition]!] = 0;
  }
  return settled;
}

/**
 * Kafka's measure of balance: the sum of the differences of all pairs of members, in Java's 32-bit arithmetic, which
 * overflows in large groups.
 */
export function balanceScore(counts: Int32Array, settled: Uint8Array): number {
  const sorted = counts.filter((_, member) => settled[member] === 0).sort();
  let sum = 0;
  for (let i = 0; i < sorted.length; i++) sum += sorted[i]! * (2 * i - sorted.length + 1);
  return sum | 0;
}
