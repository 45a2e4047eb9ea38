import { NOBODY } from '../owners.js';

/** Kafka 4.0.0 gives the larger quotas to the members that it walks first; later versions to those that need them. */
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
 * One pass over the partitions to count, and a second one over the topics that have something to give out.
 */
export function assignHomogeneous(group: HomogeneousGroup, rule: QuotaRule): Int32Array {
  const { memberWalk, topicWalk, partitionOffset, previous } = group;
  const owners = previous.slice();
  const { owned, freeIn } = takeStock(group);
  const room = roomOf(memberWalk, owned, previous.length, rule);

  let place = -1;
  let member = NOBODY;
  let left = 0;
  for (let i = 0; i < topicWalk.length; i++) {
    const topic = topicWalk[i]!;
    if (freeIn[topic] === 0) continue;
    const end = partitionOffset[topic + 1]!;
    const isAllFree = freeIn[topic] === end - partitionOffset[topic]!;
    for (let partition = partitionOffset[topic]!; partition < end;) {
      if (!isAllFree && owners[partition] !== NOBODY) {
        partition++;
        continue;
      }
      while (left <= 0) left = room[(member = memberWalk[++place]!)]!;
      const runEnd = isAllFree ? Math.min(end, partition + left) : partition + 1;
      left -= runEnd - partition;
      while (partition < runEnd) owners[partition++] = member;
    }
  }

  for (const crowded of memberWalk) {
    if (room[crowded]! >= 0) continue;
    for (const partition of group.walkOwned(crowded).subarray(room[crowded]!)) {
      while (left <= 0) left = room[(member = memberWalk[++place]!)]!;
      owners[partition] = member;
      left--;
    }
  }
  return owners;
}

/** How much each member owns, and how much of each topic nobody does. */
function takeStock({ memberWalk, partitionOffset, previous }: HomogeneousGroup): {
  owned: Int32Array;
  freeIn: Int32Array;
} {
  const owned = new Int32Array(memberWalk.length);
  const freeIn = new Int32Array(partitionOffset.length - 1);
  for (let topic = 0; topic < freeIn.length; topic++) {
    const end = partitionOffset[topic + 1]!;
    let free = 0;
    for (let partition = partitionOffset[topic]!; partition < end; partition++) {
      const owner = previous[partition]!;
      if (owner === NOBODY) free++;
      else owned[owner]!++;
    }
    freeIn[topic] = free;
  }
  return { owned, freeIn };
}

/** How many partitions each member has to get; less than nothing when it has to give some up. */
function roomOf(memberWalk: Int32Array, owned: Int32Array, partitions: number, rule: QuotaRule): Int32Array {
  const members = memberWalk.length;
  const quota = Math.floor(partitions / members);
  const room = new Int32Array(members);
  for (let member = 0; member < members; member++) room[member] = quota - owned[member]!;
  let larger = partitions % members;
  for (let place = 0; larger > 0; place++) {
    const member = memberWalk[place]!;
    const passedOver = rule === 'as-needed' && room[member]! >= 0 && members - place > larger;
    if (passedOver) continue;
    room[member]!++;
    larger--;
  }
  return room;
}
