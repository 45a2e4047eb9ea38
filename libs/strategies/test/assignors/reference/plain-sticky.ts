/**
 * A plain, slow telling of Kafka's sticky rule: text keys, lists, sorting whenever an order is asked for, and the balance
 * test spelled out. The quick one in src/assignors/sticky must give the same answer on every input; the tests compare them.
 */
import type { GroupSpec, MemberSpec } from '@allot/model';
import { compareText } from '@allot/model';

import { javaHashOrder, JavaHashMap, javaStringHashCode } from '../../../src/hashing/java-hash-map.js';

type Lists = Map<string, string[]>;

export interface PlainAnswer {
  /** Member id -> `topic:partition` texts. */
  readonly target: Lists;
  /** Partitions that someone must give up first. */
  readonly withheld: ReadonlySet<string>;
}

const NO_GENERATION = -1;

const key = (topic: string, partition: number): string => `${topic}:${partition}`;
const topicOf = (tp: string): string => tp.slice(0, tp.lastIndexOf(':'));
const numberOf = (tp: string): number => Number(tp.slice(tp.lastIndexOf(':') + 1));
const remove = (list: string[], item: string): void => {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
};

interface Setting {
  readonly members: ReadonlyMap<string, MemberSpec>;
  /** Member ids as the map of subscriptions is walked. */
  readonly walk: readonly string[];
  /** Partition counts of subscribed topics that have partitions. */
  readonly counts: ReadonlyMap<string, number>;
  readonly racks: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  readonly claims: ReadonlyMap<string, readonly string[]>;
  readonly generations: ReadonlyMap<string, number>;
}

export function plainSticky(group: GroupSpec): PlainAnswer {
  const setting = read(group);
  const { owned, contested, equal } = resolveClaims(setting);
  if (equal) return assignEqual(setting, owned, contested);
  const target = assignMixed(setting, owned);
  return { target, withheld: revokedElsewhere(setting, target) };
}

function read(group: GroupSpec): Setting {
  const members = new Map<string, MemberSpec>();
  for (const member of group.members) if (!members.has(member.id)) members.set(member.id, member);
  const subscribed = new Set([...members.values()].flatMap(({ topics }) => topics));
  const topics = group.topics.filter(({ name, partitions }) => partitions > 0 && subscribed.has(name));
  const counts = new Map(topics.map(({ name, partitions }) => [name, partitions]));
  const claims = new Map<string, string[]>();
  for (const member of members.values()) {
    const claimed = [...(member.owned ?? [])].flatMap(([topic, numbers]) => numbers.map((p) => key(topic, p)));
    claims.set(
      member.id,
      claimed.filter(
        (tp) => !counts.has(topicOf(tp)) || (numberOf(tp) >= 0 && numberOf(tp) < counts.get(topicOf(tp))!),
      ),
    );
  }
  const racks = new Map<string, ReadonlySet<string>>();
  for (const { name, partitions, racks: all } of topics)
    for (let p = 0; p < partitions; p++) racks.set(key(name, p), new Set(all?.[p] ?? []));
  const everyRack = new Set([...racks.values()].flatMap((set) => [...set]));
  const matter =
    [...members.values()].some(({ rack }) => rack && everyRack.has(rack)) &&
    [...racks.values()].some((set) => set.size !== everyRack.size);
  return {
    members,
    walk: javaHashOrder(members.keys()),
    counts,
    racks: matter ? racks : undefined,
    claims,
    generations: new Map([...members.values()].map(({ id, generation }) => [id, generation ?? NO_GENERATION])),
  };
}

function mismatch({ racks, members }: Setting, member: string, tp: string): boolean {
  const rack = members.get(member)!.rack;
  return racks !== undefined && !!rack && !racks.get(tp)!.has(rack);
}

function resolveClaims({ members, walk, counts, claims, generations }: Setting): {
  owned: Lists;
  contested: Set<string>;
  equal: boolean;
} {
  const owned: Lists = new Map();
  const contested = new Set<string>();
  const claimant = new Map<string, string>();
  let equal = true;
  let reference = new Set<string>();
  for (const id of walk) {
    const { topics } = members.get(id)!;
    if (reference.size === 0) reference = new Set(topics);
    else if (topics.length !== reference.size || topics.some((topic) => !reference.has(topic))) equal = false;
    const mine: string[] = [];
    owned.set(id, mine);
    for (const tp of claims.get(id)!) {
      if (!counts.has(topicOf(tp))) continue;
      const other = claimant.get(tp);
      if (other === undefined) {
        mine.push(tp);
        claimant.set(tp, id);
        continue;
      }
      const theirs = generations.get(other)!;
      if (generations.get(id)! < theirs) continue;
      remove(owned.get(other)!, tp);
      claimant.set(tp, id);
      if (generations.get(id)! === theirs) contested.add(tp);
      else mine.push(tp);
    }
  }
  return { owned, contested, equal };
}

function allPartitions({ counts }: Setting, topics: readonly string[]): string[] {
  return topics.flatMap((topic) => Array.from({ length: counts.get(topic)! }, (_, p) => key(topic, p)));
}

// ---------------------------------------------------------------------------------------------- equal subscriptions

function assignEqual(setting: Setting, owned: Lists, contested: ReadonlySet<string>): PlainAnswer {
  const topics = [...setting.counts.keys()].sort(compareText);
  const everything = allPartitions(setting, topics);
  const quota = Math.floor(everything.length / owned.size);
  const ceiling = Math.ceil(everything.length / owned.size);
  const wantedAbove = everything.length % owned.size;
  let above = 0;
  let below: string[] = [];
  let exact: string[] = [];
  const target: Lists = new Map();
  const givenUp = new Map<string, string>();
  const withheld = new Set<string>();

  for (const id of javaHashOrder(owned.keys())) {
    const fitting = owned.get(id)!.filter((tp) => !mismatch(setting, id, tp));
    for (const tp of owned.get(id)!) if (!fitting.includes(tp)) givenUp.set(tp, id);
    const kept = fitting
      .sort((a, b) => numberOf(a) - numberOf(b) || compareText(topicOf(a), topicOf(b)))
      .filter((tp) => !contested.has(tp));
    let keep = kept.length;
    if (kept.length < quota) below.push(id);
    else if (kept.length >= ceiling && above < wantedAbove) {
      keep = ceiling;
      if (++above === wantedAbove) exact = [];
    } else {
      keep = quota;
      if (above < wantedAbove) exact.push(id);
    }
    target.set(id, kept.slice(0, keep));
    for (const tp of kept.slice(keep)) givenUp.set(tp, id);
  }

  const taken = new Set([...target.values()].flat());
  const free = everything.filter((tp) => !taken.has(tp));
  below.sort(compareText);
  exact.sort(compareText);
  const give = (tp: string, id: string): number => {
    if ((givenUp.has(tp) && givenUp.get(tp) !== id) || contested.has(tp)) withheld.add(tp);
    return target.get(id)!.push(tp);
  };

  let rest = free;
  if (setting.racks !== undefined) {
    const racks = setting.racks;
    const neighbours = (tp: string): number =>
      [...setting.members.values()].filter(({ rack }) => rack && racks.get(tp)!.has(rack)).length;
    const near = (tp: string, list: string[], from: number): number => {
      for (let i = 0; i < list.length; i++) {
        const at = (from + i) % list.length;
        const rack = setting.members.get(list[at]!)!.rack;
        if (rack && racks.get(tp)!.has(rack)) return at;
      }
      return -1;
    };
    rest = [];
    let turn = 0;
    for (const tp of [...free].sort((a, b) => neighbours(a) - neighbours(b))) {
      let at = near(tp, below, turn);
      let id: string | undefined;
      if (at >= 0) {
        id = below[at]!;
        const size = target.get(id)!.length + 1;
        if (size >= quota) {
          below = below.filter((other) => other !== id);
          if (size < ceiling && above < wantedAbove) exact.push(id);
        } else at++;
        turn = below.length === 0 ? 0 : at % below.length;
      } else {
        at = near(tp, exact, 0);
        if (at >= 0) {
          id = exact[at]!;
          exact.splice(at, 1);
          if (++above === wantedAbove) exact = [];
        }
      }
      if (id === undefined) rest.push(tp);
      else give(tp, id);
    }
  }

  let turn = 0;
  for (const tp of rest) {
    if (turn >= below.length) turn = 0;
    const id = below.length > 0 ? below[turn]! : exact.shift()!;
    const fromBelow = below.length > 0;
    if (give(tp, id) === quota && fromBelow) {
      below.splice(turn, 1);
      exact.push(id);
    } else turn++;
  }
  return { target, withheld };
}

// ---------------------------------------------------------------------------------------------- mixed subscriptions

function assignMixed(setting: Setting, owned: Lists): Lists {
  const { members, walk, counts, claims, generations } = setting;
  const current = owned;
  const subscribers: Lists = new Map([...counts.keys()].map((topic) => [topic, []]));
  for (const id of walk) for (const topic of members.get(id)!.topics) subscribers.get(topic)?.push(id);
  const has = (id: string, topic: string): boolean => members.get(id)!.topics.includes(topic);

  // earlier owners, by the newest generation below the newest of all
  const newest = Math.max(NO_GENERATION, ...generations.values());
  const earlier = new Map<string, string>();
  for (const id of walk) {
    if (generations.get(id)! >= newest) continue;
    for (const tp of claims.get(id)!)
      if (!earlier.has(tp) || generations.get(id)! > generations.get(earlier.get(tp)!)!) earlier.set(tp, id);
  }

  let revoked = false;
  const ownerOf = new Map<string, string>();
  for (const [id, list] of current) {
    const valid = list.filter((tp) => has(id, topicOf(tp)) && !mismatch(setting, id, tp));
    if (valid.length < list.length) revoked = true;
    current.set(id, valid);
    for (const tp of valid) ownerOf.set(tp, id);
  }
  const order = [...counts.keys()].sort(
    (a, b) => subscribers.get(a)!.length - subscribers.get(b)!.length || compareText(a, b),
  );
  let everything = allPartitions(setting, order);
  let free = everything.filter((tp) => !ownerOf.has(tp));

  let scope = [...walk];
  const size = (id: string): number => current.get(id)!.length;
  const sorted = (): string[] => [...scope].sort((a, b) => size(a) - size(b) || compareText(a, b));
  const initializing = scope.every((id) => size(id) === 0);

  const assign = (tp: string, nearOnly: boolean): void => {
    const id = sorted().find((m) => has(m, topicOf(tp)) && !(nearOnly && mismatch(setting, m, tp)));
    if (id === undefined) return;
    current.get(id)!.push(tp);
    ownerOf.set(tp, id);
  };
  if (setting.racks !== undefined) for (const tp of free) assign(tp, true);
  for (const tp of free) if (!ownerOf.has(tp)) assign(tp, false);

  const movable = (topic: string): boolean => subscribers.get(topic)!.length >= 2;
  everything = everything.filter((tp) => movable(topicOf(tp)));
  free = free.filter((tp) => movable(topicOf(tp)));
  const known = (id: string): string[] => members.get(id)!.topics.filter((topic) => counts.has(topic));
  const most = (id: string): number => {
    const topics = known(id).length === counts.size ? [...counts.keys()] : known(id);
    return topics.reduce((sum, topic) => sum + counts.get(topic)!, 0);
  };
  const fixed = scope.filter((id) => size(id) >= most(id) && !current.get(id)!.some((tp) => movable(topicOf(tp))));
  const settled = new Map(fixed.map((id) => [id, current.get(id)!]));
  scope = scope.filter((id) => !settled.has(id));
  for (const id of fixed) current.delete(id);

  const before = new Map([...current].map(([id, list]) => [id, [...list]]));
  const balanced = (): boolean => {
    const line = sorted();
    if (line.length === 0 || size(line[0]!) >= size(line.at(-1)!) - 1) return true;
    return line.every(
      (id) =>
        size(id) === most(id) ||
        allPartitions(setting, known(id)).every(
          (tp) => current.get(id)!.includes(tp) || size(id) + 1 >= size(ownerOf.get(tp)!),
        ),
    );
  };

  const moves = new Moves();
  const move = (tp: string, to: string): void => {
    const actual = moves.partitionToMove(tp, ownerOf.get(tp)!, to);
    const from = ownerOf.get(actual)!;
    moves.record(actual, from, to);
    remove(current.get(from)!, actual);
    current.get(to)!.push(actual);
    ownerOf.set(actual, to);
  };
  const improve = (partitions: readonly string[]): boolean => {
    let any = false;
    for (let again = true; again;) {
      again = false;
      for (const tp of partitions) {
        if (balanced()) break;
        const count = size(ownerOf.get(tp)!);
        const before = earlier.get(tp);
        let to: string | undefined;
        if (before !== undefined && current.has(before) && count > size(before) + 1) to = before;
        else if (subscribers.get(topicOf(tp))!.some((id) => count > size(id) + 1))
          to = sorted().find((id) => has(id, topicOf(tp)));
        if (to === undefined) continue;
        move(tp, to);
        any = again = true;
      }
    }
    return any;
  };
  if (!revoked) improve(free);
  const moved = improve(everything);
  const result = !initializing && moved && score(current) >= score(before) ? before : current;
  for (const [id, list] of settled) result.set(id, list);
  return result;
}

/** Sum of the differences of all pairs, in Java's 32-bit arithmetic. */
function score(lists: Lists): number {
  const sizes = [...lists.values()].map((list) => list.length);
  let sum = 0;
  for (let i = 0; i < sizes.length; i++)
    for (let j = i + 1; j < sizes.length; j++) sum = (sum + Math.abs(sizes[i]! - sizes[j]!)) | 0;
  return sum;
}

/** Which partitions have moved between whom, so that a move back is preferred to a second move of another partition. */
class Moves {
  readonly #pairOf = new Map<string, { from: string; to: string }>();
  readonly #partitions = new Map<string, JavaHashMap<string, true>>();

  #set(topic: string, from: string, to: string): string {
    return JSON.stringify([topic, from, to]);
  }

  partitionToMove(tp: string, owner: string, to: string): string {
    const from = this.#pairOf.get(tp)?.from ?? owner;
    const back = this.#partitions.get(this.#set(topicOf(tp), to, from));
    return back === undefined ? tp : back.keys().next().value!;
  }

  record(tp: string, from: string, to: string): void {
    const known = this.#pairOf.get(tp);
    let source = from;
    if (known !== undefined) {
      const name = this.#set(topicOf(tp), known.from, known.to);
      this.#partitions.get(name)!.delete(tp);
      if (this.#partitions.get(name)!.size === 0) this.#partitions.delete(name);
      this.#pairOf.delete(tp);
      if (known.from === to) return;
      source = known.from;
    }
    this.#pairOf.set(tp, { from: source, to });
    const name = this.#set(topicOf(tp), source, to);
    if (!this.#partitions.has(name)) this.#partitions.set(name, new JavaHashMap(TOPIC_PARTITIONS));
    this.#partitions.get(name)!.set(tp, true);
  }
}

const TOPIC_PARTITIONS = {
  hashCode: (tp: string) => (Math.imul(31, 31 + numberOf(tp)) + javaStringHashCode(topicOf(tp))) | 0,
  compare: compareText,
};

function revokedElsewhere({ claims }: Setting, target: Lists): Set<string> {
  const revoked = new Set<string>();
  for (const [id, claimed] of claims) for (const tp of claimed) if (!target.get(id)!.includes(tp)) revoked.add(tp);
  const withheld = new Set<string>();
  for (const [id, list] of target)
    for (const tp of list) if (revoked.has(tp) && !claims.get(id)!.includes(tp)) withheld.add(tp);
  return withheld;
}
