import type { Assignment, GroupSpec, SubscriptionIndex } from '@allot/model';
import {
  AllotError,
  countPartitions,
  diffByPartition,
  EMPTY_ASSIGNMENT,
  findViolations,
  idleMembers,
  summarizeLoads,
} from '@allot/model';
import type { AssignmentResult, AssignOptions } from '@allot/strategies';
import type { ChangedGroup } from './apply-changes.js';
import { brokerWarnings } from './broker-warnings.js';
import type { Claims } from './current-assignment.js';
import type { Alternative, AssignorLookup, PlanResult, PlanWarning } from './plan-types.js';
import { some } from './some.js';

/** Everything a warning may look at. */
interface PlanFacts extends Omit<PlanResult, 'warnings'> {
  readonly claims: Claims;
  readonly changed: ChangedGroup;
  /** Assignors that were preferred but are not known here. */
  readonly passedOver: readonly string[];
  readonly outcome: AssignmentResult;
  /** The last round, where a cooperative group takes several. */
  readonly settled: AssignmentResult;
  readonly index: SubscriptionIndex;
  readonly options: AssignOptions;
}

/** The busiest member may have this much more than the mean, and at least two partitions more than the least busy one, before a plan warns of skew. */
export const SKEW_WARNING_RATIO = 1.25;

/** What a person should know before carrying out the plan: first reasons to look again, then what will happen. */
export function planWarnings(facts: PlanFacts, resolve: AssignorLookup): PlanWarning[] {
  const warnings = [
    ...balanceWarnings(facts, resolve),
    ...topicWarnings(facts),
    ...resizeWarnings(facts.resizedTopics),
    ...claimWarnings(facts.claims),
    ...nonSubscriberWarnings(facts),
    ...assumptionWarnings(facts.changed),
    ...brokerWarnings(facts.before.topics, facts.changed),
    ...passedOverWarnings(facts),
    ...roundWarnings(facts),
    ...disruptionWarnings(facts),
  ];
  const known = new Set(warnings.map(({ code }) => code));
  for (const { code, message } of facts.outcome.warnings) {
    if (!known.has(code)) warnings.push({ code, severity: 'warning', message });
  }
  return warnings.sort((a, b) => Number(a.severity === 'info') - Number(b.severity === 'info'));
}

function balanceWarnings(facts: PlanFacts, resolve: AssignorLookup): PlanWarning[] {
  const { owners, target, idle, index } = facts;
  const loads = eligibleLoads(owners.after, target, index);
  const { least, most, mean } = summarizeLoads(loads);
  const skewed = most - least >= 2 && most > mean * SKEW_WARNING_RATIO;
  if (idle.length === 0 && !skewed) return [];

  // Threads cannot take up what an assignor of members gives.
  const comparable = owners.after === facts.after;
  const avoidable = skewed || idle.some(({ reason }) => reason === 'assignor-rule');
  const alternatives =
    comparable && avoidable ? betterAlternatives(facts, { idle: idle.length, least, most }, resolve) : [];
  const extra = alternatives.length > 0 ? { alternatives } : {};
  const instead = alternatives.map(describeAlternative).join(' ');
  const warnings: PlanWarning[] = [];
  if (idle.length > 0) {
    const members = idle.map(({ member }) => member);
    const why = [...new Set(idle.map(({ reason }) => reason))].map((reason) => IDLE_REASONS[reason]).join(' ');
    const message = `${plural(idle.length, 'member')} would have nothing to do: ${some(members)}. ${why}${instead && ` ${instead}`}`;
    warnings.push({ code: 'idle-members', severity: 'warning', message, count: idle.length, members, ...extra });
  }
  if (skewed) {
    const message = `The busiest member would have ${most} partitions, the least busy one ${least}, the mean is ${round(mean)}.${instead && ` ${instead}`}`;
    warnings.push({ code: 'skew', severity: 'warning', message, count: most - least, ...extra });
  }
  return warnings;
}

const IDLE_REASONS = {
  'no-subscription': 'A member without a subscription gets nothing.',
  'no-partitions': 'None of the topics it subscribes to has partitions.',
  'more-members-than-partitions':
    'There are more members than partitions for them, and a partition has one owner: add partitions or remove members.',
  'assignor-rule': 'There are partitions enough, but the rule of this assignor leaves members without.',
} as const;

/** Loads of the members that could get something; the others say nothing about the assignor. */
function eligibleLoads(group: GroupSpec, target: PlanResult['target'], index: SubscriptionIndex): number[] {
  return group.members
    .filter((_, position) => index.byMember[position]!.some((topic) => group.topics[topic]!.partitions > 0))
    .map(({ id }) => countPartitions(target.get(id) ?? EMPTY_ASSIGNMENT));
}

const ALTERNATIVES = ['roundrobin', 'sticky'];

function betterAlternatives(
  facts: PlanFacts,
  mine: Omit<Alternative, 'assignor'>,
  resolve: AssignorLookup,
): Alternative[] {
  return ALTERNATIVES.flatMap((name) => {
    const other = name === facts.assignor ? undefined : tryAssignor(name, facts, resolve);
    if (other === undefined) return [];
    const fewerIdle = other.idle < mine.idle && other.most <= mine.most;
    const lessSkew = other.most - other.least < mine.most - mine.least && other.idle <= mine.idle;
    return fewerIdle || lessSkew ? [other] : [];
  });
}

/** Undefined where the assignor is not there, or refuses the group or the Kafka version: then it is no alternative. */
function tryAssignor(
  name: string,
  { after, index, options }: PlanFacts,
  resolve: AssignorLookup,
): Alternative | undefined {
  try {
    const target = resolve(name)?.assign(after, options).target;
    if (target === undefined) return undefined;
    const { least, most } = summarizeLoads(eligibleLoads(after, target, index));
    return { assignor: name, idle: idleMembers(after, target).length, least, most };
  } catch (error) {
    if (error instanceof AllotError) return undefined;
    throw error;
  }
}

function describeAlternative({ assignor, idle, least, most }: Alternative): string {
  const each = least === most ? `${most} each` : `${least} to ${most} each`;
  return `${assignor} would give ${each}${idle > 0 ? `, ${idle} idle` : ''}.`;
}

function topicWarnings({ after, unknownTopics, index }: PlanFacts): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  const add = (code: string, severity: PlanWarning['severity'], topics: readonly string[], message: string): void => {
    if (topics.length > 0) warnings.push({ code, severity, message, count: topics.length, topics });
  };
  const names = (keep: (partitions: number, subscribers: number) => boolean): string[] =>
    after.topics.filter(({ partitions }, i) => keep(partitions, index.subscribers[i]!)).map(({ name }) => name);
  const empty = names((partitions, subscribers) => partitions === 0 && subscribers > 0);
  const unwanted = names((partitions, subscribers) => partitions > 0 && subscribers === 0);
  add(
    'unknown-topic',
    'warning',
    unknownTopics,
    `Subscribed but not existing: ${some(unknownTopics)}. Check the spelling, or create the topic; until then it gives nobody work.`,
  );
  add('empty-topic', 'warning', empty, `Subscribed but without partitions: ${some(empty)}.`);
  add(
    'topic-without-subscriber',
    'info',
    unwanted,
    `Nobody subscribes to ${some(unwanted)}: its partitions stay without an owner.`,
  );
  return warnings;
}

function resizeWarnings(resized: PlanResult['resizedTopics']): PlanWarning[] {
  const remapped = resized.filter(({ keysRemapped }) => keysRemapped > 0);
  if (remapped.length === 0) return [];
  const topics = remapped.map(({ topic }) => topic);
  const each = some(remapped.map(({ topic, keysRemapped }) => `${Math.round(keysRemapped * 100)}% in ${topic}`));
  const message = `Records with a key go to another partition than before for many keys: ${each}. Their order across the change is lost; keyed state must be moved or rebuilt.`;
  return [{ code: 'keys-remapped', severity: 'warning', message, count: topics.length, topics }];
}

function claimWarnings({ stale, conflicting, dangling, gaps }: Claims): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  const total = (losers: ReadonlyMap<string, number>): number =>
    [...losers.values()].reduce((sum, count) => sum + count, 0);
  if (gaps.length > 0) {
    const members = gaps.map(({ member }) => member);
    const listed = some(gaps.map(({ member, generation }) => `${member} (${generation < 0 ? 'none' : generation})`));
    const message = `Ownership was interrupted: the group is at generation ${gaps[0]!.newest}, but these members come back with an older one: ${listed}. What they owned may have had another owner meanwhile; they must not go on from what they have in memory.`;
    warnings.push({ code: 'generation-gap', severity: 'warning', message, count: gaps.length, members });
  }
  if (stale.size > 0) {
    const members = [...stale.keys()];
    const message = `${plural(total(stale), 'claim')} of ${some(members)} lost to a claim of a newer generation.`;
    warnings.push({ code: 'stale-claim', severity: 'warning', message, count: total(stale), members });
  }
  if (conflicting.size > 0) {
    const count = countPartitions(conflicting);
    const message = `Two members claim the same ${plural(count, 'partition')} with the same generation, so neither keeps it: ${some(list(conflicting))}. Two owners at once is a fault in the group, look for a member that did not stop.`;
    warnings.push({ code: 'conflicting-claims', severity: 'warning', message, count, topics: [...conflicting.keys()] });
  }
  if (dangling.size > 0) {
    const members = [...dangling.keys()];
    const message = `${plural(total(dangling), 'claim')} of ${some(members)} on partitions that do not exist are ignored.`;
    warnings.push({ code: 'claim-without-partition', severity: 'warning', message, count: total(dangling), members });
  }
  return warnings;
}

function nonSubscriberWarnings({ owners, target, index, assignor }: PlanFacts): PlanWarning[] {
  const wrong = findViolations(owners.after, target, { complete: false }, index).flatMap((v) =>
    v.kind === 'not-subscribed' ? [v] : [],
  );
  if (wrong.length === 0) return [];
  const members = [...new Set(wrong.map(({ member }) => member))];
  const topics = [...new Set(wrong.map(({ topic }) => topic))];
  const message = `${assignor} would give ${plural(wrong.length, 'partition')} of ${some(topics)} to ${some(members)}, which does not subscribe there. Kafka would do this too, it is a fault of its rule: an old claim wins, or a member with no subscription is met first. Have that member rejoin with its topics and without its old claims.`;
  return [{ code: 'assigned-to-non-subscriber', severity: 'warning', message, count: wrong.length, members, topics }];
}

function assumptionWarnings({ assumed, unknownRacks }: ChangedGroup): PlanWarning[] {
  const warnings: PlanWarning[] = assumed.map(({ topics, basis }) => ({
    code: 'assumed-subscription',
    severity: 'warning',
    topics,
    message:
      basis === 'all-topics'
        ? `The group has no member to go by, so new members subscribe to every topic: ${some(topics)}. Name others with "topics".`
        : `Members subscribe to different topics; new ones subscribe as most do: ${some(topics)}. Name others with "topics".`,
  }));
  if (unknownRacks.length > 0) {
    const message = `The racks of the new partitions of ${some(unknownRacks)} are not known; give "racks" for a rack-aware answer.`;
    warnings.push({
      code: 'unknown-racks',
      severity: 'warning',
      message,
      count: unknownRacks.length,
      topics: unknownRacks,
    });
  }
  return warnings;
}

function passedOverWarnings({ passedOver, assignor }: PlanFacts): PlanWarning[] {
  if (passedOver.length === 0) return [];
  const message = `${some(passedOver)} is preferred but not known here, so ${assignor} was used. A Kafka group whose members all have it would use it instead.`;
  return [{ code: 'assignor-passed-over', severity: 'warning', message, count: passedOver.length }];
}

/** A later round of a group with different subscriptions may come to another target than the first one was on its way to. */
function roundWarnings({ assignor, target, settled, disruption }: PlanFacts): PlanWarning[] {
  if (settled.target === target) return [];
  const count = diffByPartition(target, settled.target).length;
  if (count === 0) return [];
  const message = `${assignor} changes its mind on the way: when the group has come to rest, after ${disruption.cooperative.rebalances} rebalances, ${count} partitions are elsewhere than this target says. Kafka's members do the same.`;
  return [{ code: 'target-moves-again', severity: 'warning', message, count }];
}

function disruptionWarnings({ protocol, disruption, diff }: PlanFacts): PlanWarning[] {
  const { partitionsPaused, rebalances } = disruption[protocol];
  if (partitionsPaused === 0) return [];
  if (protocol === 'eager') {
    const leaving = diff.filter(({ from }) => from !== null).length;
    const pausing = `With an eager assignor every member stops: ${plural(partitionsPaused, 'partition')} ${partitionsPaused === 1 ? 'pauses' : 'pause'}`;
    const message =
      leaving >= partitionsPaused
        ? `${pausing}.`
        : `${pausing}, and ${leaving === 0 ? 'none' : leaving} of them ${leaving > 1 ? 'change' : 'changes'} hands. A cooperative or consumer group pauses only those.`;
    return [{ code: 'eager-stops-the-world', severity: 'info', message, count: partitionsPaused }];
  }
  const message = `${plural(partitionsPaused, 'partition')} pause while they change hands, the rest goes on; ${plural(rebalances, 'rebalance')}.`;
  return [{ code: 'partitions-paused', severity: 'info', message, count: partitionsPaused }];
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function list(partitions: Assignment): string[] {
  return [...partitions].flatMap(([topic, numbers]) => numbers.map((partition) => `${topic}-${partition}`));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
