import type { ClassicMember, ConsumerMember, Group, GroupMember, OwnedPartitions } from '@allot/coordinator';
import type { OwnershipKind } from './group-rows.js';

/** A partition with its holder. */
export interface Holding {
  readonly topic: string;
  readonly partition: number;
  readonly memberId: string;
  readonly kind: OwnershipKind;
  readonly epoch: number;
}

/** The rows in which two states of a group differ. */
export interface GroupDiff {
  readonly removedMembers: readonly string[];
  readonly savedMembers: readonly (ConsumerMember | ClassicMember)[];
  /** Members of `savedMembers` that the old state did not have. */
  readonly addedMembers: readonly string[];
  /** No longer held by this member. */
  readonly released: readonly Holding[];
  /** Held by the same member in another way or since another epoch. */
  readonly altered: readonly Holding[];
  /** Newly held. */
  readonly acquired: readonly Holding[];
}

/** Compares by identity first: a step shares what it did not touch, so the cost is that of the change, not of the group. */
export function diffGroups(before: Group | undefined, after: Group): GroupDiff {
  const old: ReadonlyMap<string, GroupMember> = before?.members ?? new Map();
  const savedMembers: (ConsumerMember | ClassicMember)[] = [];
  const addedMembers: string[] = [];
  const released: Holding[] = [];
  const altered: Holding[] = [];
  const acquired: Holding[] = [];
  const removedMembers: string[] = [];
  for (const [memberId, member] of old) {
    if (after.members.has(memberId)) continue;
    removedMembers.push(memberId);
    for (const holding of holdings(member).values()) released.push(holding);
  }
  for (const [memberId, member] of after.members) {
    const previous = old.get(memberId);
    if (previous === member) continue;
    savedMembers.push(member);
    if (previous === undefined) addedMembers.push(memberId);
    if (previous?.assigned === member.assigned && previous.pendingRevocation === member.pendingRevocation) continue;
    const held = previous === undefined ? new Map<string, Holding>() : holdings(previous);
    for (const [key, holding] of holdings(member)) {
      const was = held.get(key);
      held.delete(key);
      if (was === undefined) acquired.push(holding);
      else if (was.kind !== holding.kind || was.epoch !== holding.epoch) altered.push(holding);
    }
    for (const holding of held.values()) released.push(holding);
  }
  return { removedMembers, savedMembers, addedMembers, released, altered, acquired };
}

/** Everything a member holds. A partition in both of its sets would be written as one row that loses the other: refused. */
function holdings(member: GroupMember): Map<string, Holding> {
  const all = new Map<string, Holding>();
  const add = (owned: OwnedPartitions, kind: OwnershipKind) => {
    for (const [topic, partitions] of owned) {
      for (const [partition, epoch] of partitions) {
        const key = `${partition}:${topic}`;
        if (all.has(key)) {
          throw new Error(`Member ${member.memberId} holds ${topic}-${partition} both to work on and to give up.`);
        }
        all.set(key, { topic, partition, memberId: member.memberId, kind, epoch });
      }
    }
  };
  add(member.assigned, 'assigned');
  add(member.pendingRevocation, 'revoking');
  return all;
}
