import type { MemberSpec } from '@allot/model';

/** One distinct subscription; members with the same list share it. */
export interface SubscriptionPattern {
  /** The list as the members gave it, names without metadata included. */
  readonly names: readonly string[];
  /** Indexes of those topics that have partitions, in the list's order. */
  readonly topics: Int32Array;
  /** The same without repeats; the same array where there are none. */
  readonly distinct: Int32Array;
}

/** How many of the latest patterns a new list is compared with before it counts as one of its own. */
const COMPARED_PATTERNS = 8;

/**
 * Distinct subscription lists. Members often share one array, or hold copies of few: an array seen before is recognised by
 * identity, a copy by comparing it with the latest patterns. A copy that is missed only costs time.
 */
export function findSubscriptionLists(members: readonly MemberSpec[]): {
  lists: (readonly string[])[];
  patternOf: Int32Array;
} {
  const lists: (readonly string[])[] = [];
  const byIdentity = new Map<readonly string[], number>();
  const patternOf = new Int32Array(members.length);
  let latest: readonly string[] | undefined;
  for (let member = 0; member < members.length; member++) {
    const list = members[member]!.topics;
    if (list === latest) {
      patternOf[member] = patternOf[member - 1]!;
      continue;
    }
    latest = list;
    let pattern = byIdentity.get(list);
    if (pattern === undefined) {
      pattern = lists.length;
      for (let i = lists.length - 1; i >= Math.max(0, lists.length - COMPARED_PATTERNS); i--) {
        if (sameList(lists[i]!, list)) pattern = i;
      }
      if (pattern === lists.length) lists.push(list);
      byIdentity.set(list, pattern);
    }
    patternOf[member] = pattern;
  }
  return { lists, patternOf };
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Which of the names the lists mention, and the lists in numbers: the place of each known name among the mentioned ones.
 *
 * @param placeOf the place of each name in `names`
 */
export function numberSubscriptions(
  lists: readonly (readonly string[])[],
  names: readonly string[],
  placeOf: ReadonlyMap<string, number>,
): { patterns: SubscriptionPattern[]; mentioned: Uint8Array } {
  const mentioned = new Uint8Array(names.length);
  // One array for all lists: ten thousand typed arrays of their own would keep the garbage collector busy.
  const numbers = new Int32Array(lists.reduce((sum, list) => sum + list.length, 0));
  const ends = new Int32Array(lists.length);
  let end = 0;
  for (let list = 0; list < lists.length; list++) {
    let previous = -1;
    for (const name of lists[list]!) {
      // Lists mostly follow the order of the names, perhaps with gaps, so the next places are tried before the hash table.
      let place: number | undefined = previous + 1;
      if (names[place] !== name && names[++place] !== name) place = placeOf.get(name);
      if (place === undefined) continue;
      numbers[end++] = previous = place;
      mentioned[place] = 1;
    }
    ends[list] = end;
  }

  if (mentioned.includes(0)) {
    const renumbered = new Int32Array(names.length);
    for (let i = 0, next = 0; i < names.length; i++) renumbered[i] = mentioned[i] === 1 ? next++ : -1;
    for (let i = 0; i < end; i++) numbers[i] = renumbered[numbers[i]!]!;
  }
  const latest = new Int32Array(names.length).fill(-1);
  const patterns = lists.map((list, index) => {
    const topics = numbers.subarray(index === 0 ? 0 : ends[index - 1]!, ends[index]!);
    return { names: list, topics, distinct: withoutRepeats(topics, latest, index) };
  });
  return { patterns, mentioned };
}

/** @param latest for each topic the last list that had it, filled as lists are looked at */
function withoutRepeats(topics: Int32Array, latest: Int32Array, list: number): Int32Array {
  let repeats = 0;
  // By index: a typed array walked with for-of takes four times as long.
  for (let i = 0; i < topics.length; i++) {
    if (latest[topics[i]!] === list) repeats++;
    latest[topics[i]!] = list;
  }
  return repeats === 0 ? topics : Int32Array.from(new Set(topics));
}
