import type { GroupAssignment, GroupSpec, MemberSpec, SubscriptionIndex } from '@allot/model';
import { compareText, rackLocality, skewOf, unownedPartitions, weightedSkew } from '@allot/model';
import type { AssignmentResult, AssignOptions } from '@allot/strategies';
import { findAssignor } from '@allot/strategies';
import { applyChanges } from './apply-changes.js';
import { optionsOf, pinning } from './assignment-rules.js';
import { chooseAssignor, usualProtocol } from './assignor-choice.js';
import type { ChosenAssignor } from './assignor-choice.js';
import type { ReplicatedGroup } from './brokers.js';
import { checkGroup } from './check-group.js';
import { weighClaims, withClaimGenerations, withOwned, withTenableClaims } from './current-assignment.js';
import type { Claims } from './current-assignment.js';
import { disruptions } from './disruption.js';
import { explainIdle } from './idle-members.js';
import type { AssignorLookup, PlanInput, PlanResult } from './plan-types.js';
import { ownersOf } from './owners.js';
import { planWarnings } from './plan-warnings.js';
import { resizedTopics } from './resized-topics.js';
import { measureRound } from './round.js';
import { settle } from './settle.js';

/** The generation in which a computed current assignment counts as taken up. */
const COMPUTED_GENERATION = 1;

/**
 * What a group would look like after some changes, and what it would take to get there. Pure: the same input gives the same
 * answer, nothing is mutated, and the assignor is called exactly as a running group calls it, so a preview is what happens.
 *
 * Without changes the target is what a rebalance of the group as it is would give. Throws `AllotError` INVALID_REQUEST with
 * JSON pointers for input that is wrong in itself, UNSUPPORTED_ASSIGNOR for an unknown name; subscriptions to topics that do
 * not exist, empty groups, topics without partitions and odd claims are answered, with warnings.
 */
export function plan(input: PlanInput, lookup: AssignorLookup = findAssignor): PlanResult {
  checkGroup(input);
  const resolve = pinning(lookup, input.pins);
  const changes = input.changes ?? [];
  const options = optionsOf(input);
  const { chosen, claims, computed, current, before } = startingPoint(input, options, resolve);
  const changed = applyChanges(before, input.assignor, changes);
  const { pins = input.pins ?? [] } = changed;
  const then = changed.pins === undefined ? resolve : pinning(lookup, pins);
  const { assignor, passedOver } =
    changed.assignor === input.assignor && then === resolve
      ? chosen
      : chooseAssignor(changed.assignor, then, changed.assignorPointer);
  const members = input.live === true ? withTenableClaims(changed) : changed.members;
  const after: GroupSpec = { topics: changed.topics, members };
  // A group that was computed a moment ago and does not change needs no second run, and must not get another answer.
  const outcome = computed !== undefined && changes.length === 0 ? computed : assignor.assign(after, options);

  // Equal subscriptions never take a third round; with different ones only the assignor can tell.
  const settled =
    outcome.assignment === outcome.target || haveEqualSubscriptions(members)
      ? { outcome, rounds: 0 }
      : settle(after, assignor, options, generationOf(members), outcome);
  const owners = { before: ownersOf(chosen.assignor, before), after: ownersOf(assignor, after) };
  const { index, diff, moves, forcedMoves } = measureRound(current, owners.after, outcome.target);
  const facts = {
    assignor: assignor.name,
    kafkaVersions: assignor.kafkaVersions,
    rule: assignor.summary,
    sticky: assignor.sticky,
    pins,
    protocol: input.protocol ?? (input.live === true ? 'consumer' : usualProtocol(assignor)),
    before,
    after,
    owners,
    currentSource: computed === undefined ? ('owned' as const) : ('computed' as const),
    current,
    target: outcome.target,
    assignment: outcome.assignment,
    diff,
    moves,
    forcedMoves,
    idle: explainIdle(owners.after, outcome.target, index),
    unowned: unownedPartitions(after.topics, outcome.target),
    unknownTopics: unknownTopics(owners.after.members, index),
    skew: { before: skewOf(owners.before, current), after: skewOf(owners.after, outcome.target, index) },
    rackLocality: { before: rackLocality(owners.before, current), after: rackLocality(owners.after, outcome.target) },
    weightedSkew: weightedSkews(owners, current, outcome.target),
    resizedTopics: resizedTopics(before.topics, after.topics),
    disruption: withRounds(disruptions(current, diff, changes.length > 0, owners.after), settled.rounds),
    addedMembers: changed.added,
    removedMembers: changed.removed,
  };
  return {
    ...facts,
    warnings: planWarnings(
      { ...facts, claims, changed, passedOver, outcome, settled: settled.outcome, index, options },
      then,
    ),
  };
}

/** Where the group is before the changes. */
interface StartingPoint {
  readonly chosen: ChosenAssignor;
  readonly claims: Claims;
  /** The assignor's answer where nobody claims anything. */
  readonly computed: AssignmentResult | undefined;
  readonly current: GroupAssignment;
  readonly before: ReplicatedGroup;
}

function startingPoint(input: PlanInput, options: AssignOptions, resolve: AssignorLookup): StartingPoint {
  const chosen = chooseAssignor(input.assignor, resolve);
  const { brokers, topics } = input;
  const cluster = { topics, ...(brokers !== undefined && { brokers }) };
  const given: ReplicatedGroup = { ...cluster, members: withClaimGenerations(input.members) };
  const claims = weighClaims(given);
  // Consumers of the first generation, whose threads own partitions, cannot say what they had.
  if (claims.any && chosen.assignor.owners !== 'threads') {
    return { chosen, claims, computed: undefined, current: claims.current, before: given };
  }
  const computed = chosen.assignor.assign(given, options);
  const members = withOwned(given.members, computed.target, COMPUTED_GENERATION);
  return { chosen, claims, computed, current: computed.target, before: { ...cluster, members } };
}

function haveEqualSubscriptions(members: readonly MemberSpec[]): boolean {
  const [first] = members;
  if (first === undefined) return true;
  const topics = new Set(first.topics);
  return members.every((member) => member.topics === first.topics || isSame(new Set(member.topics), topics));
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((name) => b.has(name));
}

function generationOf(members: readonly MemberSpec[]): number {
  return members.reduce((most, { generation }) => Math.max(most, generation ?? 0), COMPUTED_GENERATION);
}

/** The rebalances of a cooperative group were counted as if its second round were its last. */
function withRounds({ cooperative, ...others }: PlanResult['disruption'], rounds: number): PlanResult['disruption'] {
  return { ...others, cooperative: { ...cooperative, rebalances: Math.max(cooperative.rebalances, rounds) } };
}

function weightedSkews(
  { before, after }: PlanResult['owners'],
  current: GroupAssignment,
  target: GroupAssignment,
): PlanResult['weightedSkew'] {
  const [old, now] = [weightedSkew(before, current), weightedSkew(after, target)];
  // A change may be the first to give weights, so each side counts as 1 a partition what the other one weighs.
  return old === undefined && now === undefined
    ? null
    : { before: old ?? skewOf(before, current).overall, after: now ?? skewOf(after, target).overall };
}

function unknownTopics(members: readonly MemberSpec[], { topics, byMember }: SubscriptionIndex): string[] {
  const unknown = new Set<string>();
  for (const [i, member] of members.entries()) {
    // The index has the topics that exist, each once: as many as are subscribed leaves none out.
    if (byMember[i]!.length === member.topics.length) continue;
    for (const topic of member.topics) if (!topics.has(topic)) unknown.add(topic);
  }
  return [...unknown].sort(compareText);
}
