import type { AssignmentWarning } from '../assignor.js';
import type { ClientGroup } from '../client-group.js';
import { membersInHashOrder } from '../client-group.js';
import { NOBODY } from '../owners.js';
import type { SubscriptionPattern } from '../subscription-patterns.js';
import type { ClaimLists } from './claim-lists.js';
import { listClaims } from './claim-lists.js';

/** The generation of a member that names none. */
const NO_GENERATION = -1;

/** What members say they own from before, after conflicts are settled. */
export interface Claims {
  readonly lists: ClaimLists;
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
  const warnings: AssignmentWarning[] = [];
  const lists = listClaims(group, warnings);
  const { start, partitions } = lists;
  const any = start[members.length]! > 0;
  const odd = patterns.some(isOdd);
  const walk = any || odd ? membersInHashOrder(group) : group.arrival;
  const generations = new Int32Array(members.length);
  let newest = NO_GENERATION;
  for (let member = 0; member < members.length; member++) {
    generations[member] = members[member]!.generation ?? NO_GENERATION;
    newest = Math.max(newest, generations[member]!);
  }
  warnOfStaleClaims(group, generations, newest, warnings);
  const owned = new Int32Array(any ? partitionCount : 0).fill(NOBODY);
  const contested = new Uint8Array(owned.length);
  if (!any) return { lists, any, odd, walk, owned, contested, generations, newest, warnings };

  const latest = new Int32Array(partitionCount).fill(NOBODY);
  for (const member of walk) {
    const generation = generations[member]!;
    for (let i = start[member]!; i < start[member + 1]!; i++) {
      const partition = partitions[i]!;
      const other = latest[partition]!;
      const theirs = other === NOBODY ? -Infinity : generations[other]!;
      if (generation < theirs) continue;
      latest[partition] = member;
      owned[partition] = generation > theirs ? member : NOBODY;
      if (generation === theirs) contested[partition] = 1;
    }
  }
  return { lists, any, odd, walk, owned, contested, generations, newest, warnings };
}

/** Whether a subscription is empty or repeats a name: then it matters whose subscription is walked first. */
function isOdd({ names, topics, distinct }: SubscriptionPattern): boolean {
  if (names.length === 0 || topics !== distinct) return true;
  const unknown = names.length - topics.length;
  return unknown > 1 && new Set(names).size < names.length;
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
 * generation, the first walked among equals. Undefined when there is no such claim.
 */
export function earlierOwners(group: ClientGroup, claims: Claims): Int32Array | undefined {
  const { walk, generations, newest, lists } = claims;
  let earlier: Int32Array | undefined;
  for (const member of walk) {
    const generation = generations[member]!;
    if (generation === newest) continue;
    for (let i = lists.start[member]!; i < lists.start[member + 1]!; i++) {
      const partition = lists.partitions[i]!;
      earlier ??= new Int32Array(group.partitionCount).fill(NOBODY);
      const other = earlier[partition]!;
      if (other === NOBODY || generation > generations[other]!) earlier[partition] = member;
    }
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
