import { NOBODY } from '../owners.js';

/** Kafka 4.0 gives the larger quotas to the members that it walks first; later versions to those that need them. */
export type QuotaRule = 'first-walked' | 'as-needed';

/** A group whose members all subscribe to the same topics, in dense integers. */
export interface HomogeneousGroup {
  /** Members in the order in which the broker walks them. */
  readonly memberWalk: Int32Array;
  /** Topics in the order in which the broker walks them. */
  readonly topicWalk: Int32Array;
  /** First partition of each topic, and one more entry: the number of partitions. */
  readonly partitionOffset: Int32Array;
  /** Previous owner of each partition, or NOBODY. */
  readonly previous: Int32Array;
  /** All that a member has in `previous`, in the order in which the broker walks it; asked only of members with too much. */
  walkOwned(member: number): Int32Array;
}

/**
 * The owner of each partition. Every member has a quota, partitions divided by members, the rest going one each to some of
 * them. A member keeps what it has up to its quota, in the order of its walk, and gives up the remainder. Then everything
 * without an owner, first what never had one, in topic order, then what was given up, fills the members below their quota,
 * one after the other.
 *
 * Only who gets a larger quota depends on the rule. With 'first-walked' it is whoever comes first, even when it has less, so
 * that a balanced group may still move. With 'as-needed' a member that does not own so much is passed over while enough
 * others are left, so that a balanced group stays as it is (KAFKA-18688).
 *
 * Two passes over the partitions.
 */
export function assignHomogeneous(group: HomogeneousGroup, rule: QuotaRule): Int32Array {
  const { memberWalk, previous } = group;
  const owners = previous.slice();
  const free = new Int32Array(previous.length);
  const owned = new Int32Array(memberWalk.length);
  let freeCount = takeStock(group, owned, free);

  const quotas = quotasOf(memberWalk, owned, previous.length, rule);
  for (const member of memberWalk) {
    const quota = quotas[member]!;
    if (owned[member]! <= quota) continue;
    for (const partition of group.walkOwned(member).subarray(quota)) {
      owners[partition] = NOBODY;
      free[freeCount++] = partition;
    }
  }

  let next = 0;
  for (const member of memberWalk) {
    const end = Math.min(next + quotas[member]! - owned[member]!, freeCount);
    while (next < end) owners[free[next++]!] = member;
  }
  return owners;
}

/** Counts what each member owns and lists what nobody owns, in topic order; answers how many those are. */
function takeStock(
  { topicWalk, partitionOffset, previous }: HomogeneousGroup,
  owned: Int32Array,
  free: Int32Array,
): number {
  let freeCount = 0;
  for (const topic of topicWalk) {
    const end = partitionOffset[topic + 1]!;
    for (let partition = partitionOffset[topic]!; partition < end; partition++) {
      const owner = previous[partition]!;
      if (owner === NOBODY) free[freeCount++] = partition;
      else owned[owner]!++;
    }
  }
  return freeCount;
}

function quotasOf(memberWalk: Int32Array, owned: Int32Array, partitions: number, rule: QuotaRule): Int32Array {
  const members = memberWalk.length;
  const quota = Math.floor(partitions / members);
  let larger = partitions % members;
  const quotas = new Int32Array(members).fill(quota);
  for (let place = 0; larger > 0; place++) {
    const member = memberWalk[place]!;
    const passedOver = rule === 'as-needed' && owned[member]! <= quota && members - place > larger;
    if (passedOver) continue;
    quotas[member] = quota + 1;
    larger--;
  }
  return quotas;
}
