import { AllotError, EMPTY_ASSIGNMENT, filterAssignment, findViolations, sameAssignment } from '@allot/model';
import type { Assignment, GroupAssignment, GroupSpec, MemberSpec, TopicSpec } from '@allot/model';
import { withPins, type AssignOptions, type Assignor } from '@allot/strategies';
import type { Catalog } from '../catalog/catalog.js';
import type { GroupFrame, GroupMember } from '../group.js';
import { LARGE_GROUP_MEMBERS, type GroupSettings } from '../group-settings.js';
import { OUTDATED_BY_TARGET, remember, type Calm, type DeferredMove, type RecentMove } from './calm.js';
import { isServed, type ConsumerGroup, type ConsumerMember } from './consumer-group.js';
import { withoutManual } from './manual-members.js';
import { continueMoves, limitMoves, movesBetween, type LimitedTarget, type Move } from './move-budget.js';
import { resolveSubscription } from './subscriptions.js';

/** Finds an assignor by its wire name or alias; throws UNSUPPORTED_ASSIGNOR for an unknown one. */
export type ResolveAssignor = (name: string) => Assignor;

/** Those of the names that are known, as their wire names, once each. @throws AllotError UNSUPPORTED_ASSIGNOR when none is. */
export function knownAssignors(names: readonly string[], resolve: ResolveAssignor): readonly string[] {
  const known: string[] = [];
  let firstError: unknown;
  for (const name of names) {
    try {
      known.push(resolve(name).name);
    } catch (error) {
      firstError ??= error;
    }
  }
  if (known.length === 0) throw firstError;
  return [...new Set(known)];
}

/**
 * Refuses an assignor that could never give a group of members its target: one that answers by threads, one without a rule for
 * the Kafka version, pins that contradict one another, and options that `weighted-sticky` would refuse.
 * @throws AllotError UNSUPPORTED_ASSIGNOR, UNSUPPORTED_KAFKA_VERSION, INVALID_REQUEST
 */
export function checkAssignor(settings: GroupSettings, resolve: ResolveAssignor): void {
  const { assignors, kafkaVersion, pins, weightedSticky } = settings;
  const assignor = resolve(assignors[0]!);
  if (assignor.owners === 'threads') {
    throw new AllotError(
      'UNSUPPORTED_ASSIGNOR',
      `The assignor ${assignor.name} gives partitions to threads, and groups have members. It can be used in plans.`,
      { action: 'fix-request', errors: [{ pointer: '/assignor', detail: 'must give partitions to members' }] },
    );
  }
  if (pins !== undefined) withPins(assignor, pins);
  const nobody = { topics: [], members: [] };
  if (weightedSticky !== undefined) resolve('weighted-sticky').assign(nobody, { weightedSticky });
  if (kafkaVersion === undefined) return;
  try {
    assignor.assign(nobody, { kafkaVersion });
  } catch (error) {
    // Whatever else an assignor cannot do with an empty group does not matter here.
    if (error instanceof AllotError && error.code === 'UNSUPPORTED_KAFKA_VERSION') throw error;
  }
}

/**
 * The group as an assignor sees it. What a member "owns" is its part of the target before, as Kafka's broker passes it on:
 * claims of the members themselves play no part, so a stale one can never win a partition. Members that are to get nothing from an
 * assignor (draining, superseded, manual) are absent, so to every assignor their partitions are those of a member that has left.
 */
export function groupSpecOf(group: GroupFrame, catalog: Catalog): GroupSpec {
  const topics: TopicSpec[] = [];
  for (const name of group.subscribedTopics.keys()) {
    const topic = catalog.topics.get(name);
    if (topic !== undefined) topics.push(topic);
  }
  const served = inJoinOrder(group).filter(isServed);
  return { topics, members: served.map((member) => memberSpecOf(member, group.assignmentEpoch, catalog)) };
}

function memberSpecOf(member: GroupMember, generation: number, catalog: Catalog): MemberSpec {
  const topics = resolveSubscription(member.subscription, catalog);
  const subscribed = new Set(topics);
  const owned = filterAssignment(member.target, (topic, partition) => {
    return subscribed.has(topic) && partition < (catalog.topics.get(topic)?.partitions ?? 0);
  });
  return {
    id: member.memberId,
    topics,
    ...(member.instanceId !== undefined && { instanceId: member.instanceId }),
    ...(member.rackId !== undefined && { rack: member.rackId }),
    ...(member.weight !== undefined && { weight: member.weight }),
    ...(owned.size > 0 && { owned, generation }),
  };
}

/** What an assignor is told beside the group, pins included: the settings, and what cools down at this time. */
export function assignOptionsOf(
  { settings, calm }: { readonly settings: GroupSettings; readonly calm?: Calm },
  now: number,
): AssignOptions {
  const { kafkaVersion, pins, partitionOrder } = settings;
  const { cooldownMs, ...weightedSticky } = settings.weightedSticky ?? {};
  const coolingDown = cooldownMs === undefined ? [] : coolingDownAt(calm, cooldownMs, now);
  return {
    ...(kafkaVersion !== undefined && { kafkaVersion }),
    ...(pins !== undefined && { pins }),
    ...(partitionOrder !== undefined && { partitionOrder }),
    ...(settings.weightedSticky !== undefined && {
      weightedSticky: { ...weightedSticky, ...(coolingDown.length > 0 && { coolingDown }) },
    }),
  };
}

function coolingDownAt(calm: Calm | undefined, cooldownMs: number, now: number) {
  const recent = (calm?.recentMoves ?? []).filter(({ at }) => at + cooldownMs > now);
  return recent.map(({ topic, partition }) => ({ topic, partition }));
}

/** Members in the order in which they joined; that is the order in which an assignor meets them. */
export function inJoinOrder<M extends GroupMember>(group: Pick<GroupFrame<M>, 'members'>): M[] {
  return [...group.members.values()].sort((a, b) => a.joinOrder - b.joinOrder);
}

/**
 * Computes the target of the group's epoch, or as much of it as the move budget allows. An assignor that throws or whose answer is not
 * legal changes nothing: the old target stays, `assignorFault` says why, and the group stays behind its epoch (ASSIGNING) until a later
 * computation succeeds.
 */
export function computeTarget(
  group: ConsumerGroup,
  catalog: Catalog,
  resolve: ResolveAssignor,
  now: number,
): ConsumerGroup {
  const spec = groupSpecOf(group, catalog);
  const answer = runAssignor(group, spec, resolve, now);
  if (typeof answer === 'string') return withFault(group, answer, now);
  const keepable = new Map(spec.members.map(({ id, owned = EMPTY_ASSIGNMENT }) => [id, owned]));
  return withTarget(
    group,
    limitMoves(keepable, withoutManual(group, answer), group.settings.moveBudget ?? Infinity),
    now,
  );
}

/** The next target on the way to what the assignor answered, for the group's epoch. */
export function continueTarget(group: ConsumerGroup, now: number): ConsumerGroup {
  const target = new Map([...group.members].map(([memberId, member]) => [memberId, member.target]));
  const wanted = new Map<string, Map<string, number[]>>();
  for (const { topic, partition, to } of group.calm?.deferred ?? []) {
    const topics = wanted.get(to) ?? new Map<string, number[]>();
    wanted.set(to, topics.set(topic, [...(topics.get(topic) ?? []), partition]));
  }
  const limited = continueMoves(target, movesBetween(target, wanted), group.settings.moveBudget ?? Infinity);
  return withTarget(group, limited, now);
}

/** Gives the group a target of its epoch. Members that no assignor serves keep theirs, or have none. */
export function withTarget(group: ConsumerGroup, { target, deferred }: LimitedTarget, now: number): ConsumerGroup {
  const members = new Map<string, ConsumerMember>();
  for (const [memberId, member] of group.members) {
    const wanted = member.manual ? member.target : isServed(member) ? target.get(memberId) : undefined;
    const mine = wanted ?? EMPTY_ASSIGNMENT;
    members.set(memberId, sameAssignment(mine, member.target) ? member : { ...member, target: mine });
  }
  const { assignorFault, nextAssignmentAt, calm, ...rest } = group;
  const remembered = remember(calm, {
    ...OUTDATED_BY_TARGET,
    deferred: deferred.map(({ topic, partition, to }: Move): DeferredMove => ({ topic, partition, to })),
    recentMoves: recentMovesOf(group, members, now),
  });
  return {
    ...rest,
    members,
    assignmentEpoch: group.groupEpoch,
    ...(remembered !== undefined && { calm: remembered }),
    ...(isLarge(group) && { nextAssignmentAt: now + group.settings.assignmentIntervalMs }),
  };
}

/** Whether targets of the group have a shortest time between them. */
export function isLarge({ members, settings }: ConsumerGroup): boolean {
  return members.size >= (settings.assignmentIntervalFromMembers ?? LARGE_GROUP_MEMBERS);
}

function recentMovesOf(
  { settings, calm, members: before }: ConsumerGroup,
  after: ReadonlyMap<string, ConsumerMember>,
  now: number,
): readonly RecentMove[] | undefined {
  const cooldownMs = settings.weightedSticky?.cooldownMs;
  if (cooldownMs === undefined) return undefined;
  const targets = (members: ReadonlyMap<string, ConsumerMember>) =>
    new Map([...members].map(([memberId, { target }]) => [memberId, target]));
  const moves = movesBetween(targets(before), targets(after)).map(({ topic, partition }) => ({
    topic,
    partition,
    at: now,
  }));
  const moved = new Set(moves.map(({ topic, partition }) => `${partition} ${topic}`));
  const cooling = (calm?.recentMoves ?? []).filter(({ topic, partition, at }) => {
    return at + cooldownMs > now && !moved.has(`${partition} ${topic}`);
  });
  return [...cooling, ...moves];
}

/** The longest pause between two attempts. */
const LONGEST_PAUSE_MS = 60_000;

/** Each pause is as long as all before it together, so an assignor that fails for long is asked ever more rarely. */
function withFault(group: ConsumerGroup, assignorFault: string, now: number): ConsumerGroup {
  const { calm, settings } = group;
  const since = calm?.faultSince ?? now;
  const pause = Math.min(Math.max(settings.assignmentIntervalMs, now - since), LONGEST_PAUSE_MS);
  const remembered = calm?.faultSince === undefined ? remember(calm, { faultSince: now })! : calm;
  return { ...group, calm: remembered, assignorFault, nextAssignmentAt: now + pause };
}

/** Whether the group needs a target and may have it now. */
export function isTargetDue({ groupEpoch, assignmentEpoch, nextAssignmentAt = 0, calm }: ConsumerGroup, now: number) {
  return groupEpoch > assignmentEpoch && calm?.freeze === undefined && now >= nextAssignmentAt;
}

/** The assignor's complete answer, or the reason why there is none. */
function runAssignor(
  group: ConsumerGroup,
  spec: GroupSpec,
  resolve: ResolveAssignor,
  now: number,
): GroupAssignment | string {
  const name = group.settings.assignors[0]!;
  try {
    const { pins, ...options } = assignOptionsOf(group, now);
    const assignor = pins === undefined ? resolve(name) : withPins(resolve(name), pins);
    const { target } = assignor.assign(spec, options);
    const [violation] = findViolations(spec, target);
    return violation === undefined
      ? target
      : `The assignor ${name} gave an illegal answer: ${JSON.stringify(violation)}.`;
  } catch (error) {
    const why =
      error instanceof AllotError
        ? error.message
        : `${(error as Error)?.name ?? 'error'}: ${String((error as Error)?.message ?? error)}`;
    return `The assignor ${name} failed: ${why}`;
  }
}

/** Partitions of the subscribed topics that nobody holds, assigned or yet to be revoked. */
export function unownedPartitionsOf(group: GroupFrame): Assignment {
  const held = new Map<string, Set<number>>();
  for (const member of group.members.values()) {
    for (const owned of [member.assigned, member.pendingRevocation]) {
      for (const [topic, partitions] of owned) {
        let set = held.get(topic);
        if (set === undefined) held.set(topic, (set = new Set()));
        for (const partition of partitions.keys()) set.add(partition);
      }
    }
  }
  const unowned = new Map<string, readonly number[]>();
  for (const [topic, { partitions }] of group.subscribedTopics) {
    const free: number[] = [];
    for (let partition = 0; partition < partitions; partition++)
      if (!held.get(topic)?.has(partition)) free.push(partition);
    if (free.length > 0) unowned.set(topic, free);
  }
  return unowned;
}
