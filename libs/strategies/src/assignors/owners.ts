import type { Assignment, GroupAssignment, MemberSpec, TopicSpec } from '@allot/model';

/** The owner (index of a member) of each dense partition, or this: nobody. */
export const NOBODY = -1;

/** The names behind dense integers. */
export interface DenseNames {
  readonly members: readonly MemberSpec[];
  /** Member indexes in the order in which they are to be listed. */
  readonly arrival: Int32Array;
  readonly topics: readonly TopicSpec[];
  /** First dense partition of each topic, and one more entry: the number of partitions. */
  readonly partitionOffset: Int32Array;
}

/**
 * The named form of dense owners: every member has an entry, topics in code unit order, partitions ascending. Names are put
 * together only for the members that somebody asks for, since a million partitions take a hundred times longer to name than
 * to assign.
 *
 * The owners must not change afterwards.
 */
export function ownersToAssignment(names: DenseNames, owners: Int32Array): GroupAssignment {
  return new OwnersByName(names, owners);
}

/** A map from member ids to maps; the inner ones are ordinary maps, made when they are first asked for. */
class OwnersByName implements ReadonlyMap<string, Assignment> {
  readonly #names: DenseNames;
  readonly #owners: Int32Array;
  #indexOf: ReadonlyMap<string, number> | undefined;
  #runs: PartitionRuns | undefined;
  readonly #made: (Assignment | undefined)[];

  constructor(names: DenseNames, owners: Int32Array) {
    this.#names = names;
    this.#owners = owners;
    this.#made = new Array<Assignment | undefined>(names.members.length);
  }

  get size(): number {
    return this.#names.members.length;
  }

  has(id: string): boolean {
    return this.#index(id) !== undefined;
  }

  get(id: string): Assignment | undefined {
    const member = this.#index(id);
    return member === undefined ? undefined : this.#assignmentOf(member);
  }

  *keys(): MapIterator<string> {
    for (const member of this.#names.arrival) yield this.#names.members[member]!.id;
  }

  *values(): MapIterator<Assignment> {
    for (const member of this.#names.arrival) yield this.#assignmentOf(member);
  }

  *entries(): MapIterator<[string, Assignment]> {
    for (const member of this.#names.arrival) yield [this.#names.members[member]!.id, this.#assignmentOf(member)];
  }

  [Symbol.iterator](): MapIterator<[string, Assignment]> {
    return this.entries();
  }

  forEach(visit: (assignment: Assignment, id: string, map: GroupAssignment) => void): void {
    for (const [id, assignment] of this) visit(assignment, id, this);
  }

  #index(id: string): number | undefined {
    this.#indexOf ??= new Map(this.#names.members.map((member, index) => [member.id, index]));
    return this.#indexOf.get(id);
  }

  #assignmentOf(member: number): Assignment {
    let assignment = this.#made[member];
    if (assignment === undefined) {
      this.#runs ??= groupByOwner(this.#owners, this.size);
      this.#made[member] = assignment = name(this.#names, this.#runs, member);
    }
    return assignment;
  }
}

/** Dense partitions by owner: those of member m are at `start[m]` up to `start[m + 1]`, ascending. */
interface PartitionRuns {
  readonly start: Int32Array;
  readonly partitions: Int32Array;
}

function groupByOwner(owners: Int32Array, members: number): PartitionRuns {
  const start = new Int32Array(members + 1);
  // By index: a typed array walked with for-of takes four times as long.
  for (let partition = 0; partition < owners.length; partition++)
    if (owners[partition] !== NOBODY) start[owners[partition]! + 1]!++;
  for (let member = 0; member < members; member++) start[member + 1]! += start[member]!;
  const next = start.slice();
  const partitions = new Int32Array(start[members]!);
  for (let partition = 0; partition < owners.length; partition++) {
    const owner = owners[partition]!;
    if (owner !== NOBODY) partitions[next[owner]!++] = partition;
  }
  return { start, partitions };
}

function name(
  { topics, partitionOffset }: DenseNames,
  { start, partitions }: PartitionRuns,
  member: number,
): Assignment {
  const assignment = new Map<string, number[]>();
  const end = start[member + 1]!;
  let topic = 0;
  for (let i = start[member]!; i < end;) {
    if (partitions[i]! >= partitionOffset[topic + 1]!) topic = topicAt(partitionOffset, partitions[i]!, topic + 1);
    const first = partitionOffset[topic]!;
    const topicEnd = partitionOffset[topic + 1]!;
    let runEnd = i + 1;
    while (runEnd < end && partitions[runEnd]! < topicEnd) runEnd++;
    // Of the right length at once: a list that grows by pushing begins with room for seventeen numbers.
    const numbers = new Array<number>(runEnd - i);
    for (let at = 0; i < runEnd;) numbers[at++] = partitions[i++]! - first;
    assignment.set(topics[topic]!.name, numbers);
  }
  return assignment;
}

/** The topic of a dense partition, known to be `from` or a later one: by steps that double, then halve. */
function topicAt(partitionOffset: Int32Array, partition: number, from: number): number {
  let step = 1;
  let low = from;
  while (low + step < partitionOffset.length - 1 && partitionOffset[low + step]! <= partition) {
    low += step;
    step *= 2;
  }
  for (; step >= 1; step /= 2) {
    if (low + step < partitionOffset.length - 1 && partitionOffset[low + step]! <= partition) low += step;
  }
  return low;
}
