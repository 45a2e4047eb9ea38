import type { GroupAssignment, GroupSpec } from '@allot/model';

import type { AssignmentResult, AssignmentWarning } from '../assignor.js';
import type { ClientGroup } from '../client-group.js';
import { indexClientGroup } from '../client-group.js';
import { NOBODY, ownersToAssignment } from '../owners.js';
import type { RackView } from '../racks.js';
import { racksMatter, racksOf, readRacks } from '../racks.js';
import type { Claims } from './claims.js';
import { settleClaims, subscriptionsCountAsEqual } from './claims.js';
import { assignEqualSubscriptions } from './equal-subscriptions.js';
import { assignMixedSubscriptions } from './mixed-subscriptions.js';

/**
 * The rule that `sticky` and `cooperative-sticky` share.
 *
 * @param cooperative whether partitions that another member must give up first are left out of this round
 */
export function assignSticky(spec: GroupSpec, cooperative: boolean): AssignmentResult {
  const group = indexClientGroup(spec);
  const claims = settleClaims(group);
  const racks = racksThatMatter(group);
  const warnings = [...group.warnings, ...claims.warnings];
  const equal = subscriptionsCountAsEqual(group, claims.walk);
  const { owners, mayStray } = equal
    ? {
        owners: assignEqualSubscriptions(group, claims, racks),
        mayStray: claims.odd,
      }
    : assignMixedSubscriptions(group, claims, racks, warnings);
  if (mayStray) warnOfNonSubscribers(group, owners, warnings);

  const target = ownersToAssignment(group, owners);
  let assignment: GroupAssignment = target;
  if (cooperative) {
    const round = equal ? withoutChangingHands(owners, claims) : withoutRevoked(claims, owners);
    if (round !== undefined) assignment = ownersToAssignment(group, round);
  }
  return { assignment, target, warnings };
}

function racksThatMatter(group: ClientGroup): RackView | undefined {
  const racks = readRacks(group);
  if (racks === undefined) return undefined;
  return racksMatter(racks, racksOf(racks, group.arrival), 0, group.partitionCount) ? racks : undefined;
}

/** Leaves out what another member owned by a claim that stood, and what several claimed. Undefined when there is none. */
function withoutChangingHands(owners: Int32Array, { any, owned, contested }: Claims): Int32Array | undefined {
  if (!any) return undefined;
  let round: Int32Array | undefined;
  for (let partition = 0; partition < owners.length; partition++) {
    const before = owned[partition]!;
    if (contested[partition] === 0 && (before === NOBODY || before === owners[partition])) continue;
    round ??= owners.slice();
    round[partition] = NOBODY;
  }
  return round;
}

/** Leaves out what a member that does not get it claims, unless the one that gets it claims it too; stale or not. */
function withoutRevoked({ lists: { start, partitions } }: Claims, owners: Int32Array): Int32Array | undefined {
  const keeps = new Uint8Array(owners.length);
  const loses = new Uint8Array(owners.length);
  for (let member = 0; member + 1 < start.length; member++) {
    for (let i = start[member]!; i < start[member + 1]!; i++) {
      const partition = partitions[i]!;
      if (owners[partition] === member) keeps[partition] = 1;
      else loses[partition] = 1;
    }
  }
  let round: Int32Array | undefined;
  for (let partition = 0; partition < owners.length; partition++) {
    if (loses[partition] === 0 || keeps[partition] === 1) continue;
    round ??= owners.slice();
    round[partition] = NOBODY;
  }
  return round;
}

/** Kafka's faults, shown as they are: see `subscriptionsCountAsEqual` and the former owners of `Improvement`. */
function warnOfNonSubscribers(group: ClientGroup, owners: Int32Array, warnings: AssignmentWarning[]): void {
  const { members, topics, patterns, patternOf, partitionOffset } = group;
  const topicsOf = patterns.map((pattern) => new Set(pattern.topics));
  for (let topic = 0; topic < topics.length; topic++) {
    const strangers = new Set<number>();
    for (let partition = partitionOffset[topic]!; partition < partitionOffset[topic + 1]!; partition++) {
      const owner = owners[partition]!;
      if (!topicsOf[patternOf[owner]!]!.has(topic)) strangers.add(owner);
    }
    for (const stranger of strangers) {
      warnings.push({
        code: 'assigned-to-non-subscriber',
        message: `Kafka's assignor gives partitions of topic "${topics[topic]!.name}" to member "${members[stranger]!.id}", which does not subscribe to it.`,
      });
    }
  }
}
