import { EMPTY_ASSIGNMENT, countPartitions, holds, type Assignment, type GroupAssignment } from '@allot/model';

/** A partition that goes from one member that could keep it to another. */
export interface Move {
  readonly topic: string;
  readonly partition: number;
  readonly from: string;
  readonly to: string;
}

export interface LimitedTarget {
  readonly target: GroupAssignment;
  /** What is left to do; empty when the target is the assignor's own answer. */
  readonly deferred: readonly Move[];
}

/**
 * The part of an assignor's answer that one target may carry out: at most `budget` partitions leave a member that could keep them.
 * `keepable` is what each member has now and could keep: it is still there, subscribed, and the partition exists. A partition that
 * nobody has, or whose member is gone, goes to its new owner in any case. Applying what is deferred, `budget` moves at a time, leads to
 * exactly the answer in ceil(moves / budget) targets, each of them complete and legal: either end of a move subscribes to the topic.
 */
export function limitMoves(keepable: GroupAssignment, answer: GroupAssignment, budget: number): LimitedTarget {
  const moves = movesBetween(keepable, answer);
  if (moves.length <= budget) return { target: answer, deferred: [] };
  const held = applyMoves(answer, moves.map(reversed));
  const { now, later } = pickMoves(held, moves, budget);
  return { target: applyMoves(held, now), deferred: later };
}

/** The next target on the way to an answer of which `deferred` is left. */
export function continueMoves(target: GroupAssignment, deferred: readonly Move[], budget: number): LimitedTarget {
  const { now, later } = pickMoves(target, deferred, budget);
  return { target: applyMoves(target, now), deferred: later };
}

/** What has another member in `after` than in `before`; partitions that `before` gives to nobody are not among them. */
export function movesBetween(before: GroupAssignment, after: GroupAssignment): Move[] {
  const owners = new Map<string, Map<number, string>>();
  for (const [from, assignment] of before) {
    for (const [topic, partitions] of assignment) {
      let byPartition = owners.get(topic);
      if (byPartition === undefined) owners.set(topic, (byPartition = new Map()));
      for (const partition of partitions) byPartition.set(partition, from);
    }
  }
  const moves: Move[] = [];
  for (const [to, assignment] of after) {
    for (const [topic, partitions] of assignment) {
      for (const partition of partitions) {
        const from = owners.get(topic)?.get(partition);
        if (from !== undefined && from !== to) moves.push({ topic, partition, from, to });
      }
    }
  }
  return moves;
}

/** Who has least is served first, and by who has most, so that each round evens out as much as it can. */
function pickMoves(
  target: GroupAssignment,
  moves: readonly Move[],
  budget: number,
): { readonly now: readonly Move[]; readonly later: readonly Move[] } {
  const counts = new Map([...target].map(([member, assignment]) => [member, countPartitions(assignment)]));
  const count = (member: string) => counts.get(member) ?? 0;
  const waiting = new Map<string, Move[]>();
  for (const move of moves) {
    const list = waiting.get(move.to);
    if (list === undefined) waiting.set(move.to, [move]);
    else list.push(move);
  }
  const now: Move[] = [];
  while (now.length < budget && waiting.size > 0) {
    let to: string | undefined;
    for (const member of waiting.keys()) if (to === undefined || count(member) < count(to)) to = member;
    const list = waiting.get(to!)!;
    let best = 0;
    for (const [place, { from }] of list.entries()) if (count(from) > count(list[best]!.from)) best = place;
    const [move] = list.splice(best, 1);
    if (list.length === 0) waiting.delete(to!);
    counts.set(move!.from, count(move!.from) - 1);
    counts.set(move!.to, count(move!.to) + 1);
    now.push(move!);
  }
  const chosen = new Set(now);
  return { now, later: moves.filter((move) => !chosen.has(move)) };
}

function reversed({ topic, partition, from, to }: Move): Move {
  return { topic, partition, from: to, to: from };
}

function applyMoves(target: GroupAssignment, moves: readonly Move[]): GroupAssignment {
  if (moves.length === 0) return target;
  const changed = new Map<string, Map<string, Set<number>>>();
  const listOf = (member: string, topic: string): Set<number> => {
    let topics = changed.get(member);
    if (topics === undefined) changed.set(member, (topics = new Map()));
    let partitions = topics.get(topic);
    if (partitions === undefined) topics.set(topic, (partitions = new Set(target.get(member)?.get(topic))));
    return partitions;
  };
  for (const { topic, partition, from, to } of moves) {
    listOf(from, topic).delete(partition);
    listOf(to, topic).add(partition);
  }
  const result = new Map(target);
  for (const [member, topics] of changed) result.set(member, withTopics(target.get(member), topics));
  return result;
}

function withTopics(assignment: Assignment = EMPTY_ASSIGNMENT, topics: ReadonlyMap<string, ReadonlySet<number>>) {
  const next = new Map(assignment);
  for (const [topic, partitions] of topics) {
    if (partitions.size === 0) next.delete(topic);
    else
      next.set(
        topic,
        [...partitions].sort((a, b) => a - b),
      );
  }
  return next;
}

/** Whether what is left to do still fits: nobody but its giver has a partition that is to move. */
export function fitMoves(target: GroupAssignment, moves: readonly Move[]): boolean {
  return moves.every(({ topic, partition, from }) => holds(target.get(from) ?? EMPTY_ASSIGNMENT, topic, partition));
}
