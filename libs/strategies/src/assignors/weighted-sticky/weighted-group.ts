import type { GroupSpec, TopicPartition } from '@allot/model';
import { invalidRequest } from '@allot/model';

import type { AssignmentWarning } from '../assignor.js';
import type { ClientGroup } from '../client-group.js';
import { indexClientGroup, subscribersByTopic } from '../client-group.js';
import { NOBODY } from '../owners.js';
import type { Pin } from '../pins.js';
import { resolvePins } from '../pins.js';
import { previousOwners } from '../server-group.js';

/**
 * A group with loads and capacities, in dense integers. Topics with the same subscribers make a class: their partitions are
 * interchangeable, so that classes, which are few, are what balancing has to look at.
 */
export interface WeightedGroup extends ClientGroup {
  /** Previous owner of each partition, or NOBODY; of a pinned one the member that it is pinned to. */
  readonly previous: Int32Array;
  /** Load of each partition; 0 where it is not known. */
  readonly load: Float64Array;
  /** Capacity of each member, 1 for an average one. */
  readonly capacity: Float64Array;
  /** 1 for partitions that stay with their previous owner. */
  readonly fixed: Uint8Array;
  /** Class of each topic. */
  readonly classOf: Int32Array;
  /** Subscribers of each class, ascending. */
  readonly subscribersOf: readonly Int32Array[];
}

/** @throws INVALID_REQUEST for a capacity or a load that is none, and for a cooling partition that does not exist */
export function indexWeightedGroup(
  spec: GroupSpec,
  coolingDown: readonly TopicPartition[],
  pins: readonly Pin[],
): WeightedGroup {
  const group = indexClientGroup(spec);
  const warnings = [...group.warnings];
  const { classOf, subscribersOf } = classesOf(group);
  const { previous } = previousOwners(group, newestClaimsFirst(group), warnings);
  const fixed = fixedPartitions(group, coolingDown);
  resolvePins(group, pins).memberOf.forEach((member, partition) => {
    if (member === NOBODY) return;
    previous[partition] = member;
    fixed[partition] = 1;
  });
  return {
    ...group,
    warnings,
    previous,
    load: loadsOf(group, warnings),
    capacity: capacitiesOf(group),
    fixed,
    classOf,
    subscribersOf,
  };
}

/** Members by generation, the newest first, then by id, so that of two claims the newer one counts. */
function newestClaimsFirst({ members }: ClientGroup): Int32Array {
  const generation = (member: number): number => members[member]!.generation ?? -1;
  return Int32Array.from([...members.keys()].sort((a, b) => generation(b) - generation(a)));
}

function loadsOf(
  { topics, partitionOffset, partitionCount }: ClientGroup,
  warnings: AssignmentWarning[],
): Float64Array {
  if (topics.every(({ weights }) => weights === undefined)) return new Float64Array(partitionCount).fill(1);
  const load = new Float64Array(partitionCount);
  topics.forEach(({ name, partitions, weights }, topic) => {
    if (weights === undefined) {
      warnings.push({
        code: 'unknown-load',
        message: `Topic "${name}" has no weights while others have; its partitions count as without load.`,
      });
      return;
    }
    if (weights.length !== partitions || !weights.every((weight) => Number.isFinite(weight) && weight >= 0))
      throw invalidRequest(`Topic "${name}" needs ${partitions} weights, one a partition, each a number of 0 or more.`);
    load.set(weights, partitionOffset[topic]!);
  });
  return load;
}

function capacitiesOf({ members }: ClientGroup): Float64Array {
  const capacity = Float64Array.from(members, ({ id, weight = 1 }) => {
    if (Number.isFinite(weight) && weight > 0) return weight;
    throw invalidRequest(`Member "${id}" has the weight ${weight}; it needs a number above 0.`);
  });
  const average = capacity.reduce((sum, weight) => sum + weight, 0) / capacity.length;
  return capacity.map((weight) => weight / average);
}

function fixedPartitions(group: ClientGroup, coolingDown: readonly TopicPartition[]): Uint8Array {
  const fixed = new Uint8Array(group.partitionCount);
  for (const { topic: name, partition } of coolingDown) {
    const topic = group.topicIndex.get(name);
    if (topic === undefined) continue;
    if (!(partition >= 0 && partition < group.topics[topic]!.partitions))
      throw invalidRequest(`${name}-${partition} is said to cool down, but does not exist.`);
    fixed[group.partitionOffset[topic]! + partition] = 1;
  }
  return fixed;
}

function classesOf(group: ClientGroup): { classOf: Int32Array; subscribersOf: Int32Array[] } {
  const subscribersOf: Int32Array[] = [];
  const byContent = new Map<string, number>();
  const byIdentity = new Map<Int32Array, number>();
  const classOf = Int32Array.from(subscribersByTopic(group, Int32Array.from(group.members.keys())), (members) => {
    let found = byIdentity.get(members);
    if (found === undefined) {
      const content = members.join();
      found = byContent.get(content) ?? subscribersOf.push(members) - 1;
      byContent.set(content, found);
      byIdentity.set(members, found);
    }
    return found;
  });
  return { classOf, subscribersOf };
}

/** The class of each dense partition. */
export function partitionClasses({ partitionCount, partitionOffset, classOf }: WeightedGroup): Int32Array {
  const classes = new Int32Array(partitionCount);
  classOf.forEach((found, topic) => classes.fill(found, partitionOffset[topic]!, partitionOffset[topic + 1]!));
  return classes;
}

/** The topic of each dense partition. */
export function partitionTopics({ partitionCount, partitionOffset, topics }: WeightedGroup): Int32Array {
  const topicOf = new Int32Array(partitionCount);
  for (let topic = 0; topic < topics.length; topic++)
    topicOf.fill(topic, partitionOffset[topic]!, partitionOffset[topic + 1]!);
  return topicOf;
}

/** Partitions by load, the heaviest first; equal ones by topic and number. */
export function heaviestFirst(partitions: readonly number[], load: Float64Array): number[] {
  return [...partitions].sort((a, b) => load[b]! - load[a]! || a - b);
}
