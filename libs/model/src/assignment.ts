/**
 * Who owns what. Inside the libraries an assignment is a map, because topic names and member ids are arbitrary text and
 * `__proto__` is a legal Kafka topic name; at the borders it is JSON, `{"orders": [0, 1]}`, topics and numbers sorted.
 */

/** Topic name -> partition numbers, ascending, without repeats. A topic without partitions has no entry. */
export type Assignment = ReadonlyMap<string, readonly number[]>;

/** Member id -> its assignment. Every member of the group has an entry; an idle member's is empty. */
export type GroupAssignment = ReadonlyMap<string, Assignment>;

/** The JSON form of an `Assignment`: topic -> sorted partition numbers, topics in code unit order. */
export type AssignmentJson = Readonly<Record<string, readonly number[]>>;

export const EMPTY_ASSIGNMENT: Assignment = new Map();

/** Reads the JSON form; sorts and removes repeats. Partition numbers are taken as they are, so validate them before. */
export function assignmentFromJson(json: AssignmentJson): Assignment {
  const assignment = new Map<string, readonly number[]>();
  for (const topic of Object.keys(json)) {
    const partitions = [...new Set(json[topic])].sort((a, b) => a - b);
    if (partitions.length > 0) assignment.set(topic, partitions);
  }
  return assignment;
}

/** Writes the JSON form into an object without a prototype, so that every topic name is an ordinary key. */
export function assignmentToJson(assignment: Assignment): AssignmentJson {
  const json = Object.create(null) as Record<string, readonly number[]>;
  for (const topic of [...assignment.keys()].sort(compareText)) json[topic] = assignment.get(topic)!;
  return json;
}

/** The number of partitions in an assignment. */
export function countPartitions(assignment: Assignment): number {
  let count = 0;
  for (const partitions of assignment.values()) count += partitions.length;
  return count;
}

/** Whether two assignments hold exactly the same partitions. */
export function sameAssignment(a: Assignment, b: Assignment): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [topic, partitions] of a) {
    const others = b.get(topic);
    if (others === undefined || others.length !== partitions.length) return false;
    for (let i = 0; i < partitions.length; i++) if (partitions[i] !== others[i]) return false;
  }
  return true;
}

/** Whether an assignment holds a partition; binary search, since topics of 10,000 partitions exist. */
export function holds(assignment: Assignment, topic: string, partition: number): boolean {
  const partitions = assignment.get(topic);
  if (partitions === undefined) return false;
  let low = 0;
  let high = partitions.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = partitions[middle]!;
    if (found === partition) return true;
    if (found < partition) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** The partitions of `a` that satisfy `keep(topic, partition)`; topics left without partitions disappear. */
export function filterAssignment(a: Assignment, keep: (topic: string, partition: number) => boolean): Assignment {
  const kept = new Map<string, readonly number[]>();
  for (const [topic, partitions] of a) {
    const rest = partitions.filter((partition) => keep(topic, partition));
    if (rest.length > 0) kept.set(topic, rest);
  }
  return kept;
}

/** a ∖ b. */
export function subtractAssignment(a: Assignment, b: Assignment): Assignment {
  return filterAssignment(a, (topic, partition) => !holds(b, topic, partition));
}

/** a ∩ b. */
export function intersectAssignment(a: Assignment, b: Assignment): Assignment {
  return filterAssignment(a, (topic, partition) => holds(b, topic, partition));
}

/** a ∪ b. */
export function unionAssignment(a: Assignment, b: Assignment): Assignment {
  if (b.size === 0) return a;
  const union = new Map(a);
  for (const [topic, partitions] of b) {
    const mine = union.get(topic);
    union.set(topic, mine ? [...new Set([...mine, ...partitions])].sort((x, y) => x - y) : partitions);
  }
  return union;
}

/**
 * Orders text by UTF-16 code units, as Java's String.compareTo does. Never compare names with localeCompare: the result
 * would depend on the machine's locale.
 */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
