import type { MemberSpec } from '@allot/model';
import { AllotError, compareText, countPartitions, EMPTY_ASSIGNMENT } from '@allot/model';
import { describePassedOver, passedOver } from './passed-over.js';
import type { PassedOver } from './passed-over.js';
import type { PlanResult } from './plan-types.js';
import { describeOrder } from './rule-order.js';

/** Why a partition is where it is in a plan's target. */
export type Cause =
  /** It stays with its owner. */
  | 'kept'
  /** It had no owner before. */
  | 'first-owner'
  /** Its owner left the group. */
  | 'owner-left'
  /** Its owner no longer subscribes to the topic. */
  | 'owner-unsubscribed'
  /** It is pinned to its new owner. */
  | 'pinned'
  /** Its old owner has a rack without a replica, its new one a rack with one. */
  | 'rack'
  /** Its old owner had more than its new one: it moves to even them out. */
  | 'balance'
  /** The rule places it anew from names and order, whoever had it; or it evens out the whole group, and these two do not show it. */
  | 'rule'
  /** Nobody subscribes to the topic. */
  | 'no-subscriber'
  /** The partition does not exist any more. */
  | 'partition-gone';

/** A member that subscribes to the topic, before and after. */
export interface Candidate {
  readonly member: string;
  /** Its partitions before, over all topics; null if it was not in the group. */
  readonly loadBefore: number | null;
  readonly loadAfter: number;
  /** Of these, partitions of the topic. */
  readonly inTopic: number;
  /** Whether a replica of the partition is in its rack; null when a rack is not known. */
  readonly rackMatches: boolean | null;
  /** Why it did not get the partition; null for the one that did. */
  readonly passedOver: PassedOver | null;
}

export interface Claim {
  readonly member: string;
  /** -1 is a claim without a generation. */
  readonly generation: number;
  /** Whether it decided who the owner was. */
  readonly won: boolean;
}

/** The facts behind one partition of a plan, in data and in words. */
export interface Explanation {
  readonly topic: string;
  readonly partition: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly cause: Cause;
  /** Whether another assignor could have left it where it was. */
  readonly forced: boolean;
  readonly assignor: string;
  /** What the assignor does, in a sentence or two. */
  readonly rule: string;
  /** The even share: partitions that the topic's subscribers have, divided by their number, rounded down and up. */
  readonly evenShare: readonly [number, number];
  readonly candidates: readonly Candidate[];
  /** All claims on the partition, the newest generation first. */
  readonly claims: readonly Claim[];
  /** Racks of the partition's replicas; empty when not known. */
  readonly racks: readonly string[];
  readonly text: string;
}

/**
 * Explains one partition from the plan's own result: what is told are the inputs that the assignor had and what came out,
 * not a second run of its rule. Throws `AllotError` UNKNOWN_TOPIC_OR_PARTITION for a partition that neither the group before
 * nor the one after has.
 */
export function explainPartition(result: PlanResult, topic: string, partition: number): Explanation {
  const spec = result.after.topics.find(({ name }) => name === topic);
  const old = result.before.topics.find(({ name }) => name === topic);
  const exists = (count: number | undefined): boolean =>
    Number.isInteger(partition) && partition >= 0 && partition < (count ?? 0);
  if (!exists(spec?.partitions) && !exists(old?.partitions)) {
    throw new AllotError(
      'UNKNOWN_TOPIC_OR_PARTITION',
      `The plan has no partition ${topic}-${partition}; check the name and the number.`,
      {
        action: 'fix-request',
      },
    );
  }
  const [from, to] = [ownerOf(result.current, topic, partition), ownerOf(result.target, topic, partition)];
  const racks = (spec ?? old)?.racks?.[partition] ?? [];
  const seen = candidatesFor(result, topic, racks);
  const subscribers = seen.length;
  const shared = seen.reduce((sum, { loadAfter }) => sum + loadAfter, 0);
  const evenShare =
    subscribers === 0
      ? ([0, 0] as const)
      : ([Math.floor(shared / subscribers), Math.ceil(shared / subscribers)] as const);
  const cause = exists(spec?.partitions) ? causeOf(result, topic, partition, from, to, seen) : 'partition-gone';
  const owner = seen.find(({ member }) => member === to);
  const pinned = to !== null && isPinned(result, topic, partition, to);
  const choice = { to, kept: from === to, pinned, evenShare };
  const candidates = seen.map((candidate) => ({
    ...candidate,
    passedOver: passedOver(candidate, owner, choice, result),
  }));
  const facts = {
    topic,
    partition,
    from,
    to,
    cause,
    forced: cause === 'owner-left' || cause === 'owner-unsubscribed',
    assignor: result.assignor,
    rule: result.rule,
    evenShare,
    candidates,
    claims: claimsOn(result, topic, partition, from),
    racks,
  };
  return {
    ...facts,
    text: describe(
      facts,
      result,
      describeOrder(result, topic, partition, seen.length),
      describeUnkeptPin(result, topic, partition, to),
    ),
  };
}

function ownerOf(assignment: PlanResult['current'], topic: string, partition: number): string | null {
  for (const [member, owned] of assignment) if (owned.get(topic)?.includes(partition)) return member;
  return null;
}

type Seen = Omit<Candidate, 'passedOver'>;

function candidatesFor(result: PlanResult, topic: string, racks: readonly string[]): Seen[] {
  return result.owners.after.members
    .filter(({ topics }) => topics.includes(topic))
    .map(({ id, rack }) => {
      const before = result.current.get(id);
      return {
        member: id,
        loadBefore: before === undefined ? null : countPartitions(before),
        loadAfter: countPartitions(result.target.get(id) ?? EMPTY_ASSIGNMENT),
        inTopic: result.target.get(id)?.get(topic)?.length ?? 0,
        rackMatches: rack === undefined || racks.length === 0 ? null : racks.includes(rack),
      };
    });
}

function causeOf(
  result: PlanResult,
  topic: string,
  partition: number,
  from: string | null,
  to: string | null,
  candidates: readonly Seen[],
): Cause {
  if (to === null) return 'no-subscriber';
  if (from === to) return 'kept';
  if (from === null) return 'first-owner';
  const owner: MemberSpec | undefined = result.owners.after.members.find(({ id }) => id === from);
  if (owner === undefined) return 'owner-left';
  if (!owner.topics.includes(topic)) return 'owner-unsubscribed';
  if (isPinned(result, topic, partition, to)) return 'pinned';
  const [before, after] = [candidates.find((c) => c.member === from), candidates.find((c) => c.member === to)];
  if (before?.rackMatches === false && after?.rackMatches === true) return 'rack';
  const movedDown = before !== undefined && after !== undefined && (before.loadBefore ?? 0) > (after.loadBefore ?? 0);
  if (result.sticky && movedDown) return 'balance';
  const loads = loadsByWeight(result, from, to);
  return loads !== undefined && loads.from > loads.to ? 'balance' : 'rule';
}

/** What two members carried before: what their partitions weigh, divided by the member's own weight. Only weighted-sticky looks at it. */
function loadsByWeight(
  { assignor, current, owners }: PlanResult,
  from: string,
  to: string,
): { readonly from: number; readonly to: number } | undefined {
  if (assignor !== 'weighted-sticky') return undefined;
  const weights = new Map(owners.after.topics.map((topic) => [topic.name, topic.weights]));
  const loadOf = (id: string): number => {
    let load = 0;
    for (const [topic, partitions] of current.get(id) ?? EMPTY_ASSIGNMENT) {
      for (const partition of partitions) load += weights.get(topic)?.[partition] ?? 1;
    }
    return load / (owners.after.members.find((member) => member.id === id)?.weight ?? 1);
  };
  return { from: loadOf(from), to: loadOf(to) };
}

/** The sentence on balance. Where numbers of partitions do not show it, what they weigh does. */
function describeBalance(result: PlanResult, from: Candidate, to: Candidate, share: string): string {
  const had = ({ member, loadBefore, loadAfter }: Candidate): string =>
    `${member} had ${loadBefore ?? 0} partitions and has ${loadAfter} now`;
  const loads = loadsByWeight(result, from.member, to.member);
  if (loads === undefined) return `${had(from)}, ${had(to)}; the even share is ${share}`;
  const [high, low] = [loads.from, loads.to].map((load) => Math.round(load * 100) / 100);
  return `${had(from)}, ${had(to)}; by weight ${from.member} carried ${high} and ${to.member} ${low}`;
}

function isNew({ before }: PlanResult, topic: string, partition: number): boolean {
  return partition >= (before.topics.find(({ name }) => name === topic)?.partitions ?? 0);
}

function isPinned({ pins, owners }: PlanResult, topic: string, partition: number, to: string): boolean {
  const pin = pins.find((it) => it.topic === topic && it.partition === partition);
  const instanceId = owners.after.members.find(({ id }) => id === to)?.instanceId;
  return pin !== undefined && (pin.member === to || pin.member === instanceId);
}

/** A pin that has no effect, and why: there is nobody of that name who could have the partition. */
function describeUnkeptPin({ pins, owners }: PlanResult, topic: string, partition: number, to: string | null): string {
  const pin = pins.find((it) => it.topic === topic && it.partition === partition);
  if (pin === undefined || to === null) return '';
  const could = owners.after.members.some(
    ({ id, instanceId, topics }) => [id, instanceId].includes(pin.member) && topics.includes(topic),
  );
  return could ? '' : ` It is pinned to ${pin.member}, but no such member subscribes to ${topic}.`;
}

function claimsOn({ before }: PlanResult, topic: string, partition: number, owner: string | null): Claim[] {
  return before.members
    .filter(({ owned }) => owned?.get(topic)?.includes(partition))
    .map(({ id, generation }) => ({ member: id, generation: generation ?? -1, won: id === owner }))
    .sort((a, b) => b.generation - a.generation || compareText(a.member, b.member));
}

function describe(facts: Omit<Explanation, 'text'>, result: PlanResult, order: string, unkeptPin: string): string {
  const { from, to, assignor, cause, candidates, evenShare, claims } = facts;
  const name = `${facts.topic}-${facts.partition}`;
  const load = (id: string | null): Candidate | undefined => candidates.find(({ member }) => member === id);
  const share = evenShare[0] === evenShare[1] ? `${evenShare[0]}` : `${evenShare[0]} or ${evenShare[1]}`;
  const [giver, taker] = [load(from), load(to)];
  const balance = giver && taker ? `: ${describeBalance(result, giver, taker, share)}` : '';
  const reasons: Record<Cause, string> = {
    kept: result.sticky
      ? `${name} stays with ${to}: ${assignor} moves no more than balance asks for.`
      : `${name} stays with ${to}.`,
    'first-owner': `${name} ${isNew(result, facts.topic, facts.partition) ? 'is new' : 'had no owner'}; ${assignor} gives it to ${to}.`,
    'owner-left': `${name} goes from ${from} to ${to} because ${from} left the group.`,
    'owner-unsubscribed': `${name} goes from ${from} to ${to} because ${from} no longer subscribes to ${facts.topic}.`,
    pinned: `${name} goes from ${from} to ${to}, to which it is pinned.`,
    rack: `${name} goes from ${from} to ${to}, which has a replica in its own rack; ${from} has none (the replicas are in ${facts.racks.join(', ')}).`,
    balance: `${name} goes from ${from} to ${to} to even them out${balance}.`,
    rule: result.sticky
      ? `${name} goes from ${from} to ${to}: ${assignor} moved it in evening out the whole group; the numbers of these two alone do not show it.`
      : `${name} goes from ${from} to ${to}: ${assignor} places partitions by its own order of members and topics, whoever had them.`,
    'no-subscriber': `Nobody subscribes to ${facts.topic}, so ${name} has no owner.`,
    'partition-gone': `${name} does not exist after the changes; ${from ?? 'nobody'} had it.`,
  };
  const lost = claims.filter(({ won }) => !won);
  const contest =
    lost.length === 0
      ? ''
      : from === null
        ? ` ${claims.map(({ member }) => member).join(' and ')} claimed it with the same generation, so none of them kept it.`
        : ` ${from} counted as its owner, with the newest generation; older claims of ${lost.map(({ member }) => member).join(', ')} lost.`;
  // Why the owner before lost it is what the sentence says.
  const others = candidates.filter(({ member }) => member !== from);
  return reasons[cause] + order + describePassedOver(others, order !== '') + unkeptPin + contest;
}
