import type { Assignment, GroupAssignment, GroupSpec, MemberSpec } from '@allot/model';
import { countPartitions, EMPTY_ASSIGNMENT, filterAssignment } from '@allot/model';

/** The generation of a claim that names none, as Kafka's assignors have it. */
const NO_GENERATION = -1;

/** What the members' claims say about who owns what. */
export interface Claims {
  /** Whether anybody claims anything at all. */
  readonly any: boolean;
  /** The claims that win: of the highest generation, and nobody else's of that generation. Every member has an entry. */
  readonly current: GroupAssignment;
  /** By member: the number of its claims that lost to a higher generation. */
  readonly stale: ReadonlyMap<string, number>;
  /** Partitions that two members claim with the same, highest generation: nobody keeps them. */
  readonly conflicting: ReadonlyMap<string, readonly number[]>;
  /** By member: the number of its claims on partitions that do not exist. */
  readonly dangling: ReadonlyMap<string, number>;
  /** Members that claim partitions from an older generation than the group's newest. */
  readonly gaps: readonly { readonly member: string; readonly generation: number; readonly newest: number }[];
}

const NOBODY = -1;
const CONFLICT = -2;

/**
 * Decides between the claims on each partition by the rule of Kafka's sticky assignors (KAFKA-14639, KAFKA-15106): the
 * highest generation wins per partition, and equal generations cancel each other.
 */
export function weighClaims(group: GroupSpec): Claims {
  const owners = new Map(group.topics.map(({ name, partitions }) => [name, new Int32Array(partitions).fill(NOBODY)]));
  const generations = new Map(group.topics.map(({ name, partitions }) => [name, new Int32Array(partitions)]));
  const stale = new Map<string, number>();
  const dangling = new Map<string, number>();
  const lose = (losers: Map<string, number>, id: string): void => void losers.set(id, (losers.get(id) ?? 0) + 1);
  let any = false;

  for (const [position, member] of group.members.entries()) {
    const generation = member.generation ?? NO_GENERATION;
    for (const [topic, partitions] of member.owned ?? EMPTY_ASSIGNMENT) {
      const topicOwners = owners.get(topic);
      const topicGenerations = generations.get(topic);
      for (const partition of partitions) {
        any = true;
        const other = topicOwners?.[partition];
        if (other === undefined) {
          lose(dangling, member.id);
        } else if (other === NOBODY || generation > topicGenerations![partition]!) {
          if (other >= 0) lose(stale, group.members[other]!.id);
          topicOwners![partition] = position;
          topicGenerations![partition] = generation;
        } else if (generation < topicGenerations![partition]!) {
          lose(stale, member.id);
        } else if (other !== position) {
          topicOwners![partition] = CONFLICT;
        }
      }
    }
  }
  return {
    any,
    current: ownedBy(group.members, owners),
    stale,
    conflicting: conflicts(owners),
    dangling,
    gaps: gapsOf(group.members),
  };
}

function ownedBy(members: readonly MemberSpec[], owners: ReadonlyMap<string, Int32Array>): GroupAssignment {
  const owned = members.map(() => new Map<string, number[]>());
  for (const [topic, topicOwners] of owners) {
    for (const [partition, owner] of topicOwners.entries()) {
      if (owner < 0) continue;
      const list = owned[owner]!.get(topic);
      if (list === undefined) owned[owner]!.set(topic, [partition]);
      else list.push(partition);
    }
  }
  return new Map(members.map(({ id }, position) => [id, owned[position]!]));
}

function conflicts(owners: ReadonlyMap<string, Int32Array>): ReadonlyMap<string, readonly number[]> {
  const conflicting = new Map<string, readonly number[]>();
  for (const [topic, topicOwners] of owners) {
    const partitions: number[] = [];
    for (const [partition, owner] of topicOwners.entries()) if (owner === CONFLICT) partitions.push(partition);
    if (partitions.length > 0) conflicting.set(topic, partitions);
  }
  return conflicting;
}

function gapsOf(members: readonly MemberSpec[]): Claims['gaps'] {
  const newest = members.reduce((most, { generation }) => Math.max(most, generation ?? NO_GENERATION), NO_GENERATION);
  const gaps: { member: string; generation: number; newest: number }[] = [];
  for (const { id, generation, owned } of members) {
    const claims = owned !== undefined && countPartitions(owned) > 0;
    if (claims && (generation ?? NO_GENERATION) < newest) {
      gaps.push({ member: id, generation: generation ?? NO_GENERATION, newest });
    }
  }
  return gaps;
}

/**
 * The members with the given assignment as their claims, all of one generation: how the next round of a group looks to its
 * assignor after everybody took up the assignment.
 */
export function withOwned(
  members: readonly MemberSpec[],
  assignment: GroupAssignment,
  generation: number,
): MemberSpec[] {
  return members.map((member) => ({ ...member, owned: assignment.get(member.id) ?? EMPTY_ASSIGNMENT, generation }));
}

/** The members without claims on topics that they do not subscribe to or partitions that do not exist. */
export function withTenableClaims({ topics, members }: GroupSpec): readonly MemberSpec[] {
  const counts = new Map(topics.map(({ name, partitions }) => [name, partitions]));
  return members.map((member) => {
    if (!hasClaims(member.owned)) return member;
    const subscribed = new Set(member.topics);
    const owned = filterAssignment(member.owned!, (topic, partition) => {
      return subscribed.has(topic) && partition < (counts.get(topic) ?? 0);
    });
    return { ...member, owned };
  });
}

/** Gives claims without a generation the one that Kafka's assignors take for them. */
export function withClaimGenerations(members: readonly MemberSpec[]): MemberSpec[] {
  return members.map((member) =>
    member.generation === undefined && hasClaims(member.owned) ? { ...member, generation: NO_GENERATION } : member,
  );
}

function hasClaims(owned: Assignment | undefined): boolean {
  return owned !== undefined && countPartitions(owned) > 0;
}
