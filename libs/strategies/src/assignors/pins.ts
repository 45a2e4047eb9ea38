import type { GroupAssignment, GroupSpec } from '@allot/model';
import { invalidRequest } from '@allot/model';

import type { AssignmentResult, AssignmentWarning, Assignor } from './assignor.js';
import type { ClientGroup } from './client-group.js';
import { indexClientGroup } from './client-group.js';
import { NOBODY, ownersToAssignment } from './owners.js';
import { threadGroup } from './threads.js';

/** A partition that belongs to one member, whatever the assignor says. */
export interface Pin {
  readonly topic: string;
  readonly partition: number;
  /** Member id, or the instance id of a static member, which survives a restart; a thread id where threads own partitions. */
  readonly member: string;
}

/**
 * The same assignor, with pins. A pinned partition goes to its member, and the rest is balanced around it: whoever would have
 * had it gets another partition for it, from the pinned member if that has one to give, of the same topic if possible; else
 * from a member that has two more than it. So everyone keeps the number of partitions that the assignor meant for it, unless
 * a member has more pins than that.
 *
 * A pin that cannot be kept, because its member is not there or does not subscribe to the topic, or because there is no such
 * partition, has no effect and gives a warning `pin-not-kept`.
 *
 * With `cooperative-sticky` a partition that moves because of a pin is handed out once nobody else claims it.
 *
 * @throws INVALID_REQUEST when a partition is pinned to two members
 */
export function withPins(assignor: Assignor, pins: readonly Pin[]): Assignor {
  refuseContradictions(pins);
  return {
    ...assignor,
    assign(spec, options = {}) {
      const group = indexClientGroup(assignor.owners === 'threads' ? threadGroup(spec) : spec);
      const { memberOf, warnings } = resolvePins(group, pins);
      const result = assignor.assign(spec, { ...options, pins });
      const changed = applyPins(group, memberOf, result.target);
      const allWarnings = [...result.warnings, ...warnings];
      if (changed === undefined) return { ...result, warnings: allWarnings };
      const target = ownersToAssignment(group, changed.owners);
      if (assignor.name !== 'cooperative-sticky') return { assignment: target, target, warnings: allWarnings };
      return { assignment: handedOut(group, spec, changed, result), target, warnings: allWarnings };
    },
  };
}

function refuseContradictions(pins: readonly Pin[]): void {
  const memberOf = new Map<string, string>();
  pins.forEach(({ topic, partition, member }, place) => {
    const key = `${partition} ${topic}`;
    const other = memberOf.get(key);
    if (other !== undefined && other !== member)
      throw invalidRequest(`${topic}-${partition} is pinned to both "${other}" and "${member}".`, [
        { pointer: `/pins/${place}`, detail: `It is also pinned to "${other}".` },
      ]);
    memberOf.set(key, member);
  });
}

/** The member to which each dense partition is pinned, or NOBODY. */
export function resolvePins(
  { members, topics, topicIndex, partitionOffset, partitionCount }: ClientGroup,
  pins: readonly Pin[],
): { memberOf: Int32Array; warnings: AssignmentWarning[] } {
  const memberOf = new Int32Array(partitionCount).fill(NOBODY);
  const warnings: AssignmentWarning[] = [];
  const named = new Map<string, number>();
  members.forEach(({ instanceId }, index) => instanceId !== undefined && named.set(instanceId, index));
  members.forEach(({ id }, index) => named.set(id, index));
  for (const { topic: name, partition, member: wanted } of pins) {
    const member = named.get(wanted);
    const topic = topicIndex.get(name);
    const why =
      member === undefined
        ? 'there is no such member'
        : !members[member]!.topics.includes(name)
          ? 'the member does not subscribe to the topic'
          : topic === undefined || !(partition >= 0 && partition < topics[topic]!.partitions)
            ? 'there is no such partition'
            : undefined;
    if (why === undefined) memberOf[partitionOffset[topic!]! + partition] = member!;
    else
      warnings.push({
        code: 'pin-not-kept',
        message: `${name}-${partition} is pinned to "${wanted}", but ${why}.`,
      });
  }
  return { memberOf, warnings };
}

interface Changed {
  readonly owners: Int32Array;
  /** 1 for partitions that have another owner than the assignor gave them. */
  readonly isChanged: Uint8Array;
}

/** The owners with every pin kept; undefined when the assignor has kept them all itself. */
function applyPins(group: ClientGroup, memberOf: Int32Array, target: GroupAssignment): Changed | undefined {
  const meant = ownersOf(group, target);
  if (memberOf.every((member, partition) => member === NOBODY || member === meant[partition])) return undefined;
  const exchange = new Exchange(group, memberOf, meant);
  memberOf.forEach((member, partition) => {
    if (member !== NOBODY) exchange.keep(partition, member);
  });
  exchange.repay();
  const isChanged = Uint8Array.from(meant, (owner, partition) => (owner === exchange.owners[partition] ? 0 : 1));
  return { owners: exchange.owners, isChanged };
}

function ownersOf(
  { members, topicIndex, partitionOffset, partitionCount }: ClientGroup,
  target: GroupAssignment,
): Int32Array {
  const owners = new Int32Array(partitionCount).fill(NOBODY);
  members.forEach(({ id }, member) => {
    for (const [name, partitions] of target.get(id) ?? []) {
      const first = partitionOffset[topicIndex.get(name)!]!;
      for (const partition of partitions) owners[first + partition] = member;
    }
  });
  return owners;
}

/** Gives pinned partitions to their members, and other partitions to those that lose by it. */
class Exchange {
  readonly owners: Int32Array;
  readonly #held: Set<number>[];
  readonly #topicOf: Int32Array;
  readonly #subscribed: readonly Set<number>[];
  readonly #owed: number[] = [];

  constructor(
    group: ClientGroup,
    private readonly memberOf: Int32Array,
    meant: Int32Array,
  ) {
    this.owners = meant.slice();
    this.#held = group.members.map(() => new Set());
    meant.forEach((owner, partition) => owner !== NOBODY && this.#held[owner]!.add(partition));
    this.#topicOf = new Int32Array(meant.length);
    group.topics.forEach((_, topic) =>
      this.#topicOf.fill(topic, group.partitionOffset[topic]!, group.partitionOffset[topic + 1]!),
    );
    const topicsOfPattern = group.patterns.map(({ topics }) => new Set(topics));
    this.#subscribed = Array.from(group.patternOf, (pattern) => topicsOfPattern[pattern]!);
  }

  keep(partition: number, member: number): void {
    const loser = this.owners[partition]!;
    if (loser === member) return;
    this.#give(partition, member);
    if (loser === NOBODY) return;
    const inReturn = this.#best(member, loser, this.#topicOf[partition]!);
    if (inReturn === undefined) this.#owed.push(loser);
    else this.#give(inReturn, loser);
  }

  /** Those who lost a partition for nothing get one from whoever has most, if that has two more than they. */
  repay(): void {
    for (const loser of this.#owed) {
      let giver = NOBODY;
      let partition: number | undefined;
      for (let member = 0; member < this.#held.length; member++) {
        if (this.#held[member]!.size <= (giver === NOBODY ? this.#held[loser]!.size + 1 : this.#held[giver]!.size))
          continue;
        const candidate = this.#best(member, loser, NOBODY);
        if (candidate === undefined) continue;
        giver = member;
        partition = candidate;
      }
      if (partition !== undefined) this.#give(partition, loser);
    }
  }

  /** A partition of the giver that is not pinned and that the taker may have: of the wanted topic if possible, the highest. */
  #best(giver: number, taker: number, topic: number): number | undefined {
    let best: number | undefined;
    for (const partition of this.#held[giver]!) {
      if (this.memberOf[partition] !== NOBODY || !this.#subscribed[taker]!.has(this.#topicOf[partition]!)) continue;
      const isWanted = this.#topicOf[partition] === topic;
      const wasWanted = best !== undefined && this.#topicOf[best] === topic;
      if (best === undefined || (isWanted === wasWanted ? partition > best : isWanted)) best = partition;
    }
    return best;
  }

  #give(partition: number, member: number): void {
    const owner = this.owners[partition]!;
    if (owner !== NOBODY) this.#held[owner]!.delete(partition);
    this.owners[partition] = member;
    this.#held[member]!.add(partition);
  }
}

/** What a cooperative round hands out: what it meant to, and changed partitions that no other member claims. */
function handedOut(
  group: ClientGroup,
  spec: GroupSpec,
  { owners, isChanged }: Changed,
  result: AssignmentResult,
): GroupAssignment {
  const out = ownersOf(group, result.assignment);
  const claimed = new Map<string, Set<string>>();
  for (const { id, owned = new Map<string, number[]>() } of spec.members)
    for (const [name, partitions] of owned)
      for (const partition of partitions) {
        const key = `${partition} ${name}`;
        claimed.set(key, (claimed.get(key) ?? new Set()).add(id));
      }
  group.topics.forEach(({ name, partitions }, topic) => {
    for (let partition = 0; partition < partitions; partition++) {
      const dense = group.partitionOffset[topic]! + partition;
      if (isChanged[dense] === 0) continue;
      const claimants = claimed.get(`${partition} ${name}`);
      const others = (claimants?.size ?? 0) - (claimants?.has(group.members[owners[dense]!]!.id) ? 1 : 0);
      out[dense] = others > 0 ? NOBODY : owners[dense]!;
    }
  });
  return ownersToAssignment(group, out);
}
