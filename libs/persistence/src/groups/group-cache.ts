import type { Group, GroupRef } from '@allot/coordinator';

export interface CachedGroup {
  readonly pk: bigint;
  readonly group: Group;
}

/** Partitions and members that all cached groups may have together; a partition's share is about 100 bytes. */
const CAPACITY = 1_000_000;

/**
 * The last known state of groups, for saving a read: whoever uses an entry has just seen the row's key and revision, and an
 * entry with other ones is worth nothing. The groups that were not used for the longest time make room.
 */
export class GroupCache {
  readonly #entries = new Map<string, CachedGroup & { readonly weight: number }>();
  #weight = 0;

  constructor(private readonly capacity: number = CAPACITY) {}

  get(ref: GroupRef): CachedGroup | undefined {
    const key = keyOf(ref);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  set(ref: GroupRef, pk: bigint, group: Group): void {
    const present = this.#entries.get(keyOf(ref));
    // A reader that was slow must not replace what a writer has learned since.
    if (present?.pk === pk && !isNewer(group, present.group)) return;
    this.delete(ref);
    const weight = weightOf(group);
    this.#entries.set(keyOf(ref), { pk, group, weight });
    this.#weight += weight;
    for (const [key, oldest] of this.#entries) {
      if (this.#weight <= this.capacity) break;
      this.#entries.delete(key);
      this.#weight -= oldest.weight;
    }
  }

  delete(ref: GroupRef): void {
    const key = keyOf(ref);
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}

/** Within a revision only the catalog that the group has looked at moves. */
function isNewer(a: Group, b: Group): boolean {
  return a.revision > b.revision || (a.revision === b.revision && a.catalogRevision > b.catalogRevision);
}

export function keyOf(ref: GroupRef): string {
  return JSON.stringify([ref.cluster, ref.groupId]);
}

function weightOf(group: Group): number {
  let weight = 10;
  for (const { assigned, pendingRevocation, target } of group.members.values()) {
    weight += 10;
    for (const partitions of assigned.values()) weight += partitions.size;
    for (const partitions of pendingRevocation.values()) weight += partitions.size;
    for (const partitions of target.values()) weight += partitions.length;
  }
  return weight;
}
