import type { AssignmentJson, GroupAssignment, GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import { assignmentFromJson, compareText } from '@allot/model';

/** A member in short: its topics in one text, or its topics with the rest. */
export type ShortMember =
  string | (Omit<MemberSpec, 'id' | 'topics' | 'owned'> & { readonly topics: string; readonly owned?: AssignmentJson });

/** A topic in short: its partition count, or the racks of each partition's replicas. */
export type ShortTopic = number | readonly (readonly string[])[];

/** `group({ t: 2 }, { a: 't', b: { topics: 't u', owned: { t: [0] }, generation: 1 } })` */
export function group(
  topics: Readonly<Record<string, ShortTopic>>,
  members: Readonly<Record<string, ShortMember>>,
): GroupSpec {
  return {
    topics: Object.entries(topics).map(([name, short]): TopicSpec => {
      return typeof short === 'number' ? { name, partitions: short } : { name, partitions: short.length, racks: short };
    }),
    members: Object.entries(members).map(([id, short]): MemberSpec => {
      if (typeof short === 'string') return { id, topics: words(short) };
      const { topics: names, owned, ...rest } = short;
      return {
        id,
        topics: words(names),
        ...rest,
        ...(owned === undefined ? {} : { owned: assignmentFromJson(owned) }),
      };
    }),
  };
}

/** Members whose ids are numbered, all with one subscription: `count(3, 't')` is c0, c1, c2. */
export function count(members: number, topics: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: members }, (_, i) => [`c${i}`, topics]));
}

/** An assignment as text: `{ a: 't-0 t-1 u-0', b: '' }`. */
export function text(assignment: GroupAssignment): Record<string, string> {
  const lines: [string, string][] = [];
  for (const [member, topics] of assignment) {
    const names = [...topics.keys()].sort(compareText);
    lines.push([member, names.flatMap((name) => topics.get(name)!.map((p) => `${name}-${p}`)).join(' ')]);
  }
  return Object.fromEntries(lines);
}

/** Partitions by member, whatever they are. */
export function sizes(assignment: GroupAssignment): Record<string, number> {
  return Object.fromEntries(Object.entries(text(assignment)).map(([id, line]) => [id, words(line).length]));
}

/** The group one round later: everybody owns what it was handed, in the given generation. */
export function nextRound(spec: GroupSpec, assignment: GroupAssignment, generation: number): GroupSpec {
  return {
    ...spec,
    members: spec.members.map((member) => ({ ...member, owned: assignment.get(member.id)!, generation })),
  };
}

export function without(spec: GroupSpec, ...ids: readonly string[]): GroupSpec {
  return { ...spec, members: spec.members.filter(({ id }) => !ids.includes(id)) };
}

export function joined(spec: GroupSpec, members: Readonly<Record<string, ShortMember>>): GroupSpec {
  return { ...spec, members: [...spec.members, ...group({}, members).members] };
}

/** Partitions (`t-0`) whose owner differs between two assignments, with both owners. */
export function changes(before: GroupAssignment, after: GroupAssignment): Record<string, string> {
  const owners = new Map<string, string>();
  for (const [id, line] of Object.entries(text(before))) for (const tp of words(line)) owners.set(tp, id);
  const moved: [string, string][] = [];
  for (const [id, line] of Object.entries(text(after)))
    for (const tp of words(line)) if (owners.get(tp) !== id) moved.push([tp, `${owners.get(tp) ?? 'nobody'} -> ${id}`]);
  return Object.fromEntries(moved);
}

function words(line: string): string[] {
  return line.split(' ').filter((word) => word !== '');
}
