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
  /** How many partitions each member has in `previous`. */
  readonly counts: Int32Array;
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
 * One pass over the partitions, or none when everything has an owner, and steps a member.
 */
export function assignHomogeneous(group: HomogeneousGroup, rule: QuotaRule): Int32Array {
  const { memberWalk, previous, counts } = group;
  let owned = 0;
  for (let member = 0; member < counts.length; member++) owned += counts[member]!;
  const room = roomOf(group, rule);
  if (owned === 0) return giveOutAll(group, room);

  const owners = previous.slice();
  const takers = new Takers(memberWalk, room);
  if (owned < previous.length) giveOutFree(group, owners, takers);
  for (let place = 0; place < memberWalk.length; place++) {
    const member = memberWalk[place]!;
    const excess = room[member]!;
    if (excess >= 0) continue;
    for (const partition of group.walkOwned(member).subarray(excess)) owners[partition] = takers.next();
  }
  return owners;
}

/** A first round: whole runs of each topic to one member after the other. */
function giveOutAll(
  { memberWalk, topicWalk, partitionOffset, previous }: HomogeneousGroup,
  room: Int32Array,
): Int32Array {
  const owners = new Int32Array(previous.length);
  let place = -1;
  let member = NOBODY;
  let left = 0;
  for (let i = 0; i < topicWalk.length; i++) {
    const end = partitionOffset[topicWalk[i]! + 1]!;
    for (let partition = partitionOffset[topicWalk[i]!]!; partition < end;) {
      while (left === 0) {
        member = memberWalk[++place]!;
        left = room[member]!;
      }
      const runEnd = Math.min(end, partition + left);
      left -= runEnd - partition;
      while (partition < runEnd) owners[partition++] = member;
    }
  }
  return owners;
}

function giveOutFree({ topicWalk, partitionOffset }: HomogeneousGroup, owners: Int32Array, takers: Takers): void {
  for (let i = 0; i < topicWalk.length; i++) {
    const end = partitionOffset[topicWalk[i]! + 1]!;
    for (let partition = partitionOffset[topicWalk[i]!]!; partition < end; partition++)
      if (owners[partition] === NOBODY) owners[partition] = takers.next();
  }
}

/** The members with room, one after the other. There is as much room in all as there is to give out. */
class Takers {
  #place = -1;
  #left = 0;

  constructor(
    private readonly memberWalk: Int32Array,
    /** How many partitions each member has to get; less than nothing when it has to give some up. */
    private readonly room: Int32Array,
  ) {}

  /** The member that gets the next partition. */
  next(): number {
    while (this.#left <= 0) this.#left = this.room[this.memberWalk[++this.#place]!]!;
    this.#left--;
    return this.memberWalk[this.#place]!;
  }
}

/** How many partitions each member has to get; less than nothing when it has to give some up. */
function roomOf({ memberWalk, previous, counts }: HomogeneousGroup, rule: QuotaRule): Int32Array {
  const members = memberWalk.length;
  const quota = Math.floor(previous.length / members);
  const room = new Int32Array(members);
  for (let member = 0; member < members; member++) room[member] = quota - counts[member]!;
  let larger = previous.length % members;
  for (let place = 0; larger > 0; place++) {
    const member = memberWalk[place]!;
    const passedOver = rule === 'as-needed' && room[member]! >= 0 && members - place > larger;
    if (passedOver) continue;
    room[member]!++;
    larger--;
  }
  return room;
}
