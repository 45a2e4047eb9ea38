import type { Assignment, GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import { countPartitions, indexSubscriptions, invalidRequest } from '@allot/model';
import type { Assignor } from '@allot/strategies';
import { findAssignor } from '@allot/strategies';
import { applyChanges } from './apply-changes.js';
import { optionsOf, pinning } from './assignment-rules.js';
import { chooseAssignor } from './assignor-choice.js';
import { checkGroup, PLAN_LIMITS } from './check-group.js';
import type { AssignorLookup, PlanInput } from './plan-types.js';
import { RunBudget } from './run-budget.js';

/** Member counts that are tried when the caller names no limit. */
const DEFAULT_UP_TO = 512;

/** A member count at which the busiest member has less than at every smaller count. */
export interface HelpfulSize {
  readonly members: number;
  /** Load of the busiest member (or thread): partitions, or the sum of their weights where topics have weights. */
  readonly busiest: number;
  readonly idle: number;
}

export interface RightSize {
  readonly assignor: string;
  readonly sizes: readonly HelpfulSize[];
  /** The counts tried are 1 to this. */
  readonly evaluatedUpTo: number;
  /** Whether a higher count cannot help, because there is a member a partition already. */
  readonly exhaustive: boolean;
  /** What the group has now, and the smallest count that is as good for its busiest member. */
  readonly now: { readonly members: number; readonly busiest: number; readonly enough: number } | undefined;
}

/**
 * The member counts that really help: each is tried with the real assignor on a group that starts from nothing, with the
 * group's first members and then more like them. Never more members than partitions, unless `upTo` asks for idle spares.
 * Throws `AllotError` as `plan` does, and LIMIT_EXCEEDED before it does more work than `WORK_LIMIT`.
 */
export function rightSize(input: PlanInput, upTo?: number, resolve: AssignorLookup = findAssignor): RightSize {
  checkGroup(input);
  const changed = applyChanges(input, input.assignor, input.changes ?? []);
  const { assignor } = chooseAssignor(
    changed.assignor,
    pinning(resolve, changed.pins ?? input.pins),
    changed.assignorPointer,
  );
  const useful = usefulPartitions(changed.topics, changed.members);
  const evaluatedUpTo = checkLimit(upTo) ?? Math.min(countPartitions(useful), DEFAULT_UP_TO);
  const weigh = weigher(changed.topics);
  const measure = measurer(input, assignor, changed, evaluatedUpTo, weigh);

  const least = lowerBound(useful, weigh);
  const sizes: HelpfulSize[] = [];
  for (let count = 1; count <= evaluatedUpTo; count++) {
    const best = sizes.at(-1)?.busiest ?? Infinity;
    // No rule can do better than this, so a count that would not help even then need not be tried.
    if (least(count) >= best) continue;
    const size = measure(count);
    if (size.busiest < best) sizes.push(size);
  }
  return {
    assignor: assignor.name,
    sizes,
    evaluatedUpTo,
    exhaustive: evaluatedUpTo >= countPartitions(useful),
    now: changed.members.length === 0 ? undefined : compareWithNow(measure(changed.members.length), sizes),
  };
}

/** Runs the assignor on the first so many of the group's members, and of more like them, none of which owns anything. */
function measurer(
  input: PlanInput,
  assignor: Assignor,
  group: GroupSpec,
  most: number,
  weigh: (owned: Assignment) => number,
): (count: number) => HelpfulSize {
  const options = optionsOf(input);
  const missing = Math.max(0, most - group.members.length);
  const { members } = applyChanges(group, input.assignor, [{ addMembers: missing }]);
  const fresh = members.map(({ owned: _, generation: __, ...member }): MemberSpec => member);
  const budget = new RunBudget();
  return (count) => {
    const tried = { topics: group.topics, members: fresh.slice(0, count) };
    budget.spend(1, tried, '/upTo', `The counts up to ${count - 1} were within the limit; name a smaller upTo.`);
    const { target } = assignor.assign(tried, options);
    const owners = [...target.values()];
    const busiest = owners.reduce((heaviest, owned) => Math.max(heaviest, weigh(owned)), 0);
    return { members: count, busiest, idle: owners.filter((owned) => countPartitions(owned) === 0).length };
  };
}

function compareWithNow({ members, busiest }: HelpfulSize, sizes: readonly HelpfulSize[]): RightSize['now'] {
  const enough = sizes.find((size) => size.busiest <= busiest)?.members ?? members;
  return { members, busiest, enough: Math.min(enough, members) };
}

function checkLimit(upTo: number | undefined): number | undefined {
  if (upTo === undefined || (Number.isInteger(upTo) && upTo >= 1 && upTo <= PLAN_LIMITS.members)) return upTo;
  const detail = `upTo is a number of members from 1 to ${PLAN_LIMITS.members}, not ${upTo}.`;
  throw invalidRequest(detail, [{ pointer: '/upTo', detail }]);
}

/** Partitions that somebody subscribes to; all of them while there are no members. */
function usefulPartitions(topics: readonly TopicSpec[], members: readonly MemberSpec[]): Assignment {
  const { subscribers } = indexSubscriptions({ topics, members });
  const counted = topics.filter(({ partitions }, i) => partitions > 0 && (members.length === 0 || subscribers[i]! > 0));
  return new Map(counted.map(({ name, partitions }) => [name, Array.from({ length: partitions }, (_, i) => i)]));
}

/**
 * By member count, what the busiest member has at the least: the even share, in whole numbers where weights are whole, or the
 * heaviest partition.
 */
function lowerBound(useful: Assignment, weigh: (owned: Assignment) => number): (count: number) => number {
  let [heaviest, whole] = [0, true];
  for (const [topic, partitions] of useful) {
    for (const partition of partitions) {
      const weight = weigh(new Map([[topic, [partition]]]));
      heaviest = Math.max(heaviest, weight);
      whole &&= Number.isInteger(weight);
    }
  }
  const total = weigh(useful);
  return (count) => Math.max(heaviest, whole ? Math.ceil(total / count) : total / count);
}

/** What partitions weigh together: their weights where the topic has some, else one each. */
function weigher(topics: readonly TopicSpec[]): (owned: Assignment) => number {
  const weights = new Map(topics.map((topic) => [topic.name, topic.weights]));
  return (owned) => {
    let load = 0;
    for (const [topic, partitions] of owned) {
      const list = weights.get(topic);
      for (const partition of partitions) load += list?.[partition] ?? 1;
    }
    return load;
  };
}
