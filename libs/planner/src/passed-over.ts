import type { Candidate } from './explain.js';
import type { PlanResult } from './plan-types.js';

/** Why a member that subscribes to the topic did not get the partition. */
export type PassedOver =
  /** The partition is pinned to its owner. */
  | 'pinned-to-owner'
  /** No replica is in its rack, and one is in the owner's. */
  | 'no-replica-in-rack'
  /** The owner had it and keeps it: the rule moves nothing without need. */
  | 'owner-keeps-it'
  /** It has the even share of partitions, rounded up, without this one. */
  | 'has-its-share'
  /** It has no fewer partitions than the owner. */
  | 'has-as-many'
  /** It had more partitions than the owner before: the rule gives to those that have little. */
  | 'had-more'
  /** The rule's own order of members and partitions led elsewhere. */
  | 'rule-order';

/** What of a partition's explanation decides who was passed over. */
export interface Choice {
  readonly to: string | null;
  readonly kept: boolean;
  readonly pinned: boolean;
  readonly evenShare: readonly [number, number];
}

type Seen = Omit<Candidate, 'passedOver'>;

/**
 * Why a candidate was passed over, from what the assignor was given and what came out; null for the owner, or where nobody got
 * it. Numbers of partitions say nothing where loads are weighed, or where the rule does not balance.
 */
export function passedOver(
  candidate: Seen,
  owner: Seen | undefined,
  { to, kept, pinned, evenShare }: Choice,
  { sticky, assignor }: PlanResult,
): PassedOver | null {
  if (to === null || candidate.member === to) return null;
  if (pinned) return 'pinned-to-owner';
  if (candidate.rackMatches === false && owner?.rackMatches === true) return 'no-replica-in-rack';
  const balances = sticky && assignor !== 'weighted-sticky';
  if (balances && candidate.loadAfter >= evenShare[1]) return 'has-its-share';
  if (sticky && kept) return 'owner-keeps-it';
  if (balances && owner !== undefined && candidate.loadAfter >= owner.loadAfter) return 'has-as-many';
  if (balances && (candidate.loadBefore ?? 0) > (owner?.loadBefore ?? 0)) return 'had-more';
  return 'rule-order';
}

const WORDS: Readonly<Record<PassedOver, (names: string, many: boolean) => string>> = {
  'pinned-to-owner': (names) => `${names}: it is pinned`,
  'no-replica-in-rack': (names, many) =>
    `${names} ${many ? 'have no replica in their racks' : 'has no replica in its rack'}`,
  'owner-keeps-it': (names) => `${names}: the owner keeps what it has`,
  'has-its-share': (names, many) => `${names} ${many ? 'have their' : 'has its'} share`,
  'has-as-many': (names, many) => `${names} ${many ? 'have' : 'has'} as many as the owner or more`,
  'had-more': (names) => `${names} had more than the owner before`,
  'rule-order': (names) => `${names}: equally good, the rule's order of members decides`,
};

/**
 * One sentence on all who were passed over, those with the same reason together; empty when nobody was, or only by an order that
 * has been told.
 */
export function describePassedOver(candidates: readonly Candidate[], orderIsTold: boolean): string {
  const groups = new Map<PassedOver, string[]>();
  for (const { member, passedOver: why } of candidates) {
    if (why !== null && !(orderIsTold && why === 'rule-order')) groups.set(why, [...(groups.get(why) ?? []), member]);
  }
  if (groups.size === 0) return '';
  const parts = [...groups].map(([why, members]) => WORDS[why](some(members), members.length > 1));
  return ` Passed over: ${parts.join('; ')}.`;
}

function some(names: readonly string[]): string {
  if (names.length > 4) return `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
