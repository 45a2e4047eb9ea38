import type { GroupSpec, MemberSpec } from '@allot/model';
import { invalidRequest } from '@allot/model';

import { findRepeats, hashWalk, spreadHashes } from '../hashing/hash-walk.js';
import { STRING_KEYS } from '../hashing/java-hash-map.js';
import type { UuidWords } from '../hashing/uuid-hash.js';
import { parseUuid, uuidOfName } from '../hashing/uuid-hash.js';
import type { AssignmentWarning } from './assignor.js';
import type { ClientGroup } from './client-group.js';
import { duplicateMember, indexTopics } from './client-group.js';
import { NOBODY } from './owners.js';

/**
 * A group as the broker's assignors (KIP-848) see it. The dense integers are those of `ClientGroup`; in addition topics have
 * ids, members have the place that Java's hash map gives them, and partitions have the owner of the previous target.
 */
export interface ServerGroup extends ClientGroup {
  /** Topic ids by dense topic; a topic given without an id has one made from its name. */
  readonly topicIds: readonly UuidWords[];
  /** Members in the order in which the broker walks them. */
  readonly memberWalk: Int32Array;
  /** Whether all members subscribe to the same set of names, which decides the rule. */
  readonly homogeneous: boolean;
  /** The owner of each dense partition in the previous target, among the members that still subscribe to its topic. */
  readonly previous: Int32Array;
  /** How many partitions each member has in `previous`. */
  readonly counts: Int32Array;
}

/** Reads a group once, with topic ids and previous owners. Linear in what the group lists. */
export function indexServerGroup(spec: GroupSpec): ServerGroup {
  const { members, ids, hashes, warnings } = firstOfEachId(spec.members);
  const group: ClientGroup = {
    members,
    // Nothing here wants members by id, and ten thousand ids take longer to sort than to assign for.
    arrival: countingUp(members.length),
    ...indexTopics(members, spec.topics),
    warnings,
  };
  refuseSharedIds(group);
  return {
    ...group,
    topicIds: group.topics.map(({ id, name }) => (id === undefined ? uuidOfName(name) : parseUuid(id))),
    memberWalk: hashWalk(ids, STRING_KEYS, undefined, hashes),
    homogeneous: haveSameSubscription(group),
    ...previousOwners(group, group.arrival, warnings),
  };
}

/** Members without those whose id was listed before, their ids, and the hashes of these. */
function firstOfEachId(listed: readonly MemberSpec[]): {
  members: readonly MemberSpec[];
  ids: readonly string[];
  hashes: Int32Array;
  warnings: AssignmentWarning[];
} {
  const ids = new Array<string>(listed.length);
  for (let place = 0; place < ids.length; place++) ids[place] = listed[place]!.id;
  const hashes = spreadHashes(ids, STRING_KEYS);
  const repeats = new Set(findRepeats(ids, hashes));
  if (repeats.size === 0) return { members: listed, ids, hashes, warnings: [] };
  const isFirst = (_: unknown, place: number): boolean => !repeats.has(place);
  return {
    members: listed.filter(isFirst),
    ids: ids.filter(isFirst),
    hashes: hashes.filter(isFirst),
    warnings: [...repeats].map((place) => duplicateMember(ids[place]!)),
  };
}

function countingUp(count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}

function refuseSharedIds({ topics }: ClientGroup): void {
  const nameOf = new Map<string, string>();
  for (const { id, name } of topics) {
    if (id === undefined) continue;
    const other = nameOf.get(id);
    if (other !== undefined) throw invalidRequest(`Topics "${other}" and "${name}" have the same id ${id}.`);
    nameOf.set(id, name);
  }
}

/** Kafka compares names, so a name without metadata counts. */
function haveSameSubscription({ patterns }: ClientGroup): boolean {
  if (patterns.length < 2) return true;
  const first = new Set(patterns[0]!.names);
  return patterns.every(({ names }) => {
    const distinct = new Set(names);
    return distinct.size === first.size && names.every((name) => first.has(name));
  });
}

/**
 * Who owned each dense partition before, as far as that member is here and subscribes to the topic, and how many each member
 * had. Of two claims on one partition that of the member who comes first in `order` counts.
 */
export function previousOwners(
  group: ClientGroup,
  order: Int32Array,
  warnings: AssignmentWarning[],
): { previous: Int32Array; counts: Int32Array } {
  const { members, partitionOffset, partitionCount, patterns, patternOf } = group;
  const previous = new Int32Array(partitionCount).fill(NOBODY);
  const counts = new Int32Array(members.length);
  const flagsOf = new Array<Uint8Array | undefined>(patterns.length);
  for (const member of order) {
    const { owned } = members[member]!;
    if (owned === undefined || owned.size === 0) continue;
    const pattern = patternOf[member]!;
    const flags = (flagsOf[pattern] ??= flagsFor(patterns[pattern]!.topics, group.topics.length));
    for (const [name, partitions] of owned) {
      const topic = group.topicIndex.get(name);
      if (topic === undefined || flags[topic] === 0) continue;
      const first = partitionOffset[topic]!;
      const count = partitionOffset[topic + 1]! - first;
      for (const partition of partitions) {
        if (!(partition >= 0 && partition < count)) warnings.push(noSuchPartition(members[member]!, name, partition));
        else if (previous[first + partition] === NOBODY) {
          previous[first + partition] = member;
          counts[member]!++;
        } else if (previous[first + partition] !== member)
          warnings.push(twoOwners(members[previous[first + partition]!]!, members[member]!, name, partition));
      }
    }
  }
  return { previous, counts };
}

/** 1 for each of these topics. */
function flagsFor(topics: Int32Array, topicCount: number): Uint8Array {
  const flags = new Uint8Array(topicCount);
  for (const topic of topics) flags[topic] = 1;
  return flags;
}

function noSuchPartition({ id }: MemberSpec, topic: string, partition: number): AssignmentWarning {
  return {
    code: 'unknown-owned-partition',
    message: `Member "${id}" is said to own ${topic}-${partition}, which does not exist; that is ignored.`,
  };
}

function twoOwners(first: MemberSpec, second: MemberSpec, topic: string, partition: number): AssignmentWarning {
  return {
    code: 'conflicting-claim',
    message: `Both "${first.id}" and "${second.id}" are said to own ${topic}-${partition}; only the first counts.`,
  };
}
