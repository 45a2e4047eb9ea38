import type { AssignmentWarning } from '../assignor.js';
import type { ClientGroup } from '../client-group.js';
import { membersInHashOrder } from '../client-group.js';
import { NOBODY } from '../owners.js';
import type { SubscriptionPattern } from '../subscription-patterns.js';

/** The generation of a member that names none. */
const NO_GENERATION = -1;

/** What members say they own from before, after conflicts are settled. */
export interface Claims {
  /** Whether anybody claims anything that exists. */
  readonly any: boolean;
  /** Whether some subscription is empty or repeats a name, which Kafka may take for equal to others. */
  readonly odd: boolean;
  /** Members as Kafka walks their subscriptions; in any order where that makes no difference. */
  readonly walk: Int32Array;
  /** The member whose claim to each partition stands, or NOBODY. Empty when there are no claims; so is `contested`. */
  readonly owned: Int32Array;
  /** 1 where members of one generation claimed the same partition: nobody keeps it, and it counts as changing hands. */
  readonly contested: Uint8Array;
  /** Generation of each member. */
  readonly generations: Int32Array;
  /** Highest generation of all. */
  readonly newest: number;
  readonly warnings: readonly AssignmentWarning[];
}

/**
 * Settles who owned what. Members are walked in hash order; a later claim beats an earlier one of an older generation, loses
 * to one of a newer generation, and cancels one of the same generation (KAFKA-12984, KAFKA-14639, KAFKA-15106). Whether the
 * member still subscribes to the topic is not asked here.
 */
export function settleClaims(group: ClientGroup): Claims {
  const { members, patterns, partitionCount } = group;
  const any = members.some(({ owned }) => owned !== undefined && owned.size > 0);
  const odd = patterns.some(isOdd);
  const walk = any || odd ? membersInHashOrder(group) : group.arrival;
  const generations = Int32Array.from(members, ({ generation }) => generation ?? NO_GENERATION);
  const newest = generations.reduce((a, b) => Math.max(a, b), NO_GENERATION);
  const owned = new Int32Array(any ? partitionCount : 0).fill(NOBODY);
  const contested = new Uint8Array(owned.length);
  const warnings: AssignmentWarning[] = [];
  if (!any) return { any, odd, walk, owned, contested, generations, newest, warnings };

  const latest = new Int32Array(partitionCount).fill(NOBODY);
  for (const member of walk) {
    const generation = generations[member]!;
    const settle = (partition: number): void => {
      const other = latest[partition]!;
      if (other === NOBODY) {
        owned[partition] = latest[partition] = member;
        return;
      }
      const theirs = generations[other]!;
      if (generation < theirs) return;
      latest[partition] = member;
      owned[partition] = generation > theirs ? member : NOBODY;
      if (generation === theirs) contested[partition] = 1;
    };
    forEachClaim(group, member, settle, (topic, number) => {
      const { name, partitions } = group.topics[topic]!;
      warnings.push({
        code: 'unknown-owned-partition',
        message: `Member "${members[member]!.id}" claims partition ${number} of topic "${name}", which has ${partitions} partitions; the claim is ignored.`,
      });
    });
  }
  warnOfStaleClaims(group, generations, newest, warnings);
  return { any, odd, walk, owned, contested, generations, newest, warnings };
}

/** Whether a subscription is empty or repeats a name: then it matters whose subscription is walked first. */
function isOdd({ names, topics, distinct }: SubscriptionPattern): boolean {
  if (names.length === 0 || topics !== distinct) return true;
  const unknown = names.length - topics.length;
  return unknown > 1 && new Set(names).size < names.length;
}

/**
 * Visits the dense partitions a member claims. Topics to which nobody subscribes are left out, and so are numbers that do not
 * exist, after `refuse` has been told.
 */
export function forEachClaim(
  group: ClientGroup,
  member: number,
  visit: (partition: number) => void,
  refuse?: (topic: number, number: number) => void,
): void {
  const { owned } = group.members[member]!;
  if (owned === undefined) return;
  for (const [name, numbers] of owned) {
    const topic = group.topicIndex.get(name);
    if (topic === undefined) continue;
    const first = group.partitionOffset[topic]!;
    const count = group.partitionOffset[topic + 1]! - first;
    for (const number of numbers) {
      if (number >= 0 && number < count) visit(first + number);
      else refuse?.(topic, number);
    }
  }
}

function warnOfStaleClaims(
  { members }: ClientGroup,
  generations: Int32Array,
  newest: number,
  warnings: AssignmentWarning[],
): void {
  members.forEach(({ id, owned }, member) => {
    const generation = generations[member]!;
    if (generation >= newest || owned === undefined || owned.size === 0) return;
    const age = generation === NO_GENERATION ? 'without a generation' : `from generation ${generation}`;
    warnings.push({
      code: 'stale-claim',
      message: `Member "${id}" claims partitions ${age}, while the newest generation is ${newest}: its ownership was interrupted, and a newer claim to the same partition wins.`,
    });
  });
}

/**
 * Who owned each partition in an older round: of the claims with a generation below the newest, the one with the highest
 * generation, the first walked among equals. Undefined when every member is of the newest generation.
 */
export function earlierOwners(group: ClientGroup, { walk, generations, newest }: Claims): Int32Array | undefined {
  let earlier: Int32Array | undefined;
  for (const member of walk) {
    const generation = generations[member]!;
    if (generation >= newest) continue;
    forEachClaim(group, member, (partition) => {
      earlier ??= new Int32Array(group.partitionCount).fill(NOBODY);
      const other = earlier[partition]!;
      if (other === NOBODY || generation > generations[other]!) earlier[partition] = member;
    });
  }
  return earlier;
}

/**
 * Whether Kafka takes the subscriptions for equal: every list has as many names as the first list that is not empty, and
 * only names of it. Members walked before that one have no subscription and are not compared, which is a fault of Kafka's:
 * they get partitions like everyone else.
 */
export function subscriptionsCountAsEqual({ patterns, patternOf }: ClientGroup, walk: Int32Array): boolean {
  if (patterns.length === 1) return new Set(patterns[0]!.names).size === patterns[0]!.names.length || walk.length === 1;
  const start = walk.findIndex((member) => patterns[patternOf[member]!]!.names.length > 0);
  if (start < 0) return true;
  const reference = new Set(patterns[patternOf[walk[start]!]!]!.names);
  const equal = patterns.map(
    ({ names }) => names.length === reference.size && names.every((name) => reference.has(name)),
  );
  return walk.subarray(start + 1).every((member) => equal[patternOf[member]!]!);
}
