import {
  assignmentFromJson,
  filterAssignment,
  holds,
  sameAssignment,
  subtractAssignment,
  type Assignment,
} from '@allot/model';
import type {
  Catalog,
  ConsumerGroup,
  ConsumerMember,
  Group,
  GroupChange,
  GroupMember,
  MemberChange,
} from '../../src/index.js';
import { checkOwnership, groupState, resolveSubscription, withoutEpochs } from '../../src/index.js';
import { isServed } from '../../src/consumer/consumer-group.js';
import { indexHolders, isCoveredBy } from '../../src/consumer/owned-partitions.js';
import type { World } from './exploration-world.js';

/**
 * Who held a partition that nobody holds now, and up to which member epoch. An entry below the assignment epoch is dropped: no later
 * grant can be at such an epoch.
 */
export type LastHolders = ReadonlyMap<
  string,
  { readonly holder: string; readonly memberId?: string; readonly epoch: number }
>;

interface Holding {
  readonly holder: string;
  readonly memberId: string;
  /** The group epoch at which the holder received it, and the member epoch up to which it has held it. */
  readonly since: number;
  readonly epoch: number;
}

/** A static member is the same holder under every member id, unless another process took its place while it was there. */
function identityOf({ instanceId, memberId }: Pick<ConsumerMember, 'instanceId' | 'memberId'>): string {
  return instanceId ?? memberId;
}

function holdingsOf(group: ConsumerGroup | undefined): Map<string, Holding> {
  const holdings = new Map<string, Holding>();
  for (const member of group?.members.values() ?? []) {
    for (const owned of [member.assigned, member.pendingRevocation]) {
      for (const [topic, partitions] of owned) {
        for (const [partition, since] of partitions) {
          const epoch = Math.max(member.memberEpoch, since);
          const { memberId } = member;
          holdings.set(`${topic}-${partition}`, { holder: identityOf(member), memberId, since, epoch });
        }
      }
    }
  }
  return holdings;
}

/** What is to be known of the past to judge the next step. */
export interface Past {
  readonly group: ConsumerGroup | undefined;
  readonly lastHolders: LastHolders;
}

export function lastHolders(before: Past, group: ConsumerGroup): LastHolders {
  if (before.group === group) return before.lastHolders;
  const now = holdingsOf(group);
  const past = new Map([...before.lastHolders, ...holdingsOf(before.group)]);
  return new Map([...past].filter(([key, { epoch }]) => !now.has(key) && epoch >= group.assignmentEpoch));
}

/** @throws Error that says which promise of the protocol the step from one world to the next breaks. */
export function checkStep(before: World, after: World): void {
  checkWorkers(after);
  if (after.group === undefined) return;
  checkGroup(before, after.group);
  if (before.group !== undefined) checkCalm(before.group, after.group);
}

/** The part of it that the books alone show. @throws Error */
export function checkGroup(before: Past, after: ConsumerGroup): void {
  if (after === before.group) return;
  indexHolders(after);
  checkEpochs(before.group, after);
  checkHoldings(before, after);
}

/** A frozen group gets no target, a draining member no partition, and a target moves no more than the budget. */
function checkCalm(before: ConsumerGroup, after: ConsumerGroup): void {
  const newTarget = after.assignmentEpoch > before.assignmentEpoch;
  if (newTarget && after.calm?.freeze !== undefined) throw new Error('a frozen group got a target');
  const { moveBudget = Infinity } = after.settings;
  const owners = new Map<string, string>();
  for (const [memberId, { target }] of before.members) {
    for (const [topic, partitions] of target) for (const p of partitions) owners.set(`${topic}-${p}`, memberId);
  }
  let moves = 0;
  for (const [memberId, { target, draining, assigned }] of after.members) {
    if (newTarget && draining && target.size > 0) throw new Error(`${memberId} is drained and has a target`);
    const mine = before.members.get(memberId)?.assigned ?? new Map();
    if (draining && target.size === 0 && !isCoveredBy(withoutEpochs(assigned), mine)) {
      throw new Error(`${memberId} is drained and gets partitions`);
    }
    for (const [topic, partitions] of target) {
      for (const partition of partitions) {
        const giver = owners.get(`${topic}-${partition}`);
        const left = giver === undefined ? undefined : after.members.get(giver);
        const couldKeep = left !== undefined && isServed(left) && left.subscription.topics.includes(topic);
        if (giver !== memberId && couldKeep) moves++;
      }
    }
  }
  if (newTarget && moves > moveBudget)
    throw new Error(`a target moves ${moves} partitions, the budget is ${moveBudget}`);
}

/** One worker a partition; what a worker works on is its own by the books, and a claim to it is granted. */
function checkWorkers({ group, workers }: World): void {
  const workedOn = new Map<string, string>();
  const holderOf = group && indexHolders(group);
  for (const { memberId, superseded, joined, epoch, held } of workers) {
    for (const [topic, partitions] of held) {
      for (const partition of partitions) {
        const key = `${topic}-${partition}`;
        const other = workedOn.get(key);
        if (other !== undefined) throw new Error(`A: ${key} is worked on by ${other} and ${memberId}`);
        workedOn.set(key, memberId);
        const holder = holderOf?.(topic, partition);
        if (holder !== memberId) throw new Error(`C: ${key} is ${holder ?? 'nobody'}'s while ${memberId} works on it`);
      }
    }
    if (!joined || group === undefined || (superseded && held.size === 0)) continue;
    const claim = { memberId, memberEpoch: epoch, partitions: held };
    const [reason] = checkOwnership(group, claim, { leaseUntil: 1, now: 0 }).reasons;
    if (reason !== undefined) throw new Error(`${memberId} is refused what it works on: ${reason.code}`);
  }
}

function checkEpochs(before: ConsumerGroup | undefined, after: ConsumerGroup): void {
  if (after.groupEpoch < (before?.groupEpoch ?? 0)) throw new Error('the group epoch fell');
  if (after.assignmentEpoch < (before?.assignmentEpoch ?? 0)) throw new Error('the assignment epoch fell');
  for (const [memberId, member] of after.members) {
    const { memberEpoch, state, rebalanceDeadline } = member;
    const old = before?.members.get(memberId)?.memberEpoch ?? 0;
    if (memberEpoch > 0 && memberEpoch < old) throw new Error(`the epoch of ${memberId} fell`);
    if (memberEpoch > 0 && memberEpoch !== old && memberEpoch !== after.assignmentEpoch) {
      throw new Error(`${memberId} is at an epoch of its own, ${memberEpoch} instead of ${after.assignmentEpoch}`);
    }
    if ((state === 'UNREVOKED_PARTITIONS') !== (rebalanceDeadline !== undefined)) {
      throw new Error(`the rebalance timer of ${memberId} does not go with ${state}`);
    }
  }
}

/** Invariant B: at most one holder of a partition at any epoch. What is kept keeps its epoch, what is new gets the target's. */
function checkHoldings(before: Past, after: ConsumerGroup): void {
  const old = holdingsOf(before.group);
  for (const [key, { holder, memberId, since }] of holdingsOf(after)) {
    const last = old.get(key) ?? before.lastHolders.get(key);
    const isSame = last === undefined || last.holder === holder || last.memberId === memberId;
    if (!isSame && since <= last.epoch) {
      throw new Error(`B: ${key} is ${holder}'s since epoch ${since}, and was ${last.holder}'s up to ${last.epoch}`);
    }
  }
  const assignedBefore = new Map([...(before.group?.members.values() ?? [])].map((m) => [identityOf(m), m.assigned]));
  for (const member of after.members.values()) {
    const mine = assignedBefore.get(identityOf(member));
    for (const [topic, partitions] of member.assigned) {
      for (const [partition, since] of partitions) {
        const expected = mine?.get(topic)?.get(partition) ?? after.assignmentEpoch;
        if (since !== expected) throw new Error(`${topic}-${partition} has the epoch ${since} instead of ${expected}`);
      }
    }
  }
}

/** What holds of a member right after its own heartbeat. @throws Error */
export function checkSpoken(group: ConsumerGroup, memberId: string, catalog: Catalog): void {
  const member = group.members.get(memberId)!;
  const names = new Set(resolveSubscription(member.subscription, catalog).filter((name) => catalog.topics.has(name)));
  for (const topic of member.assigned.keys()) {
    if (!names.has(topic)) throw new Error(`${memberId} may go on with ${topic}, which it does not subscribe to`);
  }
  if (member.state !== 'UNRELEASED_PARTITIONS') return;
  const missing = subtractAssignment(member.target, withoutEpochs(member.assigned));
  const holderOf = indexHolders(group);
  // What a member let go that nobody could follow to an end waits for the next target.
  const released = assignmentFromJson(group.calm?.released ?? {});
  const awaited = filterAssignment(missing, (topic, partition) => {
    if (!names.has(topic)) return false;
    return holds(released, topic, partition) || (holderOf(topic, partition) ?? memberId) !== memberId;
  });
  if (awaited.size === 0) throw new Error(`${memberId} waits for partitions that nobody else holds`);
}

/** History complete: the change, applied to the members of before, gives those of after. @throws Error */
export function checkHistory(
  before: Group | undefined,
  { group: after, change }: { readonly group: Group; readonly change?: GroupChange },
): void {
  if (change === undefined) {
    if (after.revision !== before?.revision) throw new Error('a revision without a change');
    return;
  }
  if (change.revision !== after.revision || after.revision !== (before?.revision ?? 0) + 1) {
    throw new Error(`the change of revision ${change.revision} leads to ${after.revision}`);
  }
  const told = new Map([...(before?.members ?? [])].map(([memberId, member]) => [memberId, shownOf(member)]));
  checkTold(told, [change], after);
}

/** The changes, applied to what was `told` before, give the group. @throws Error */
export function checkTold(told: Map<string, Shown>, changes: readonly GroupChange[], after: Group): void {
  for (const { members } of changes) {
    for (const { memberId, removed, ...fields } of members) {
      if (removed) told.delete(memberId);
      else told.set(memberId, { ...told.get(memberId), ...fields });
    }
  }
  const last = changes.at(-1)!;
  const same =
    told.size === after.members.size &&
    [...after.members].every(([memberId, member]) => sameShown(told.get(memberId), shownOf(member))) &&
    last.groupEpoch === after.groupEpoch &&
    last.assignmentEpoch === after.assignmentEpoch &&
    last.state === groupState(after);
  if (!same) throw new Error(`the change of revision ${last.revision} does not tell all of it`);
}

export type Shown = Omit<MemberChange, 'memberId' | 'removed'>;

function shownOf({ memberEpoch, state, assigned, pendingRevocation, target }: GroupMember): Shown {
  const [current, revoking] = [withoutEpochs(assigned), withoutEpochs(pendingRevocation)];
  return { memberEpoch, state, current, revoking, target };
}

function sameShown(a: Shown | undefined, b: Shown): boolean {
  const same = (x: Assignment | undefined, y: Assignment | undefined) => x === y || (x && y && sameAssignment(x, y));
  return (
    a?.memberEpoch === b.memberEpoch &&
    a?.state === b.state &&
    same(a?.current, b.current) === true &&
    same(a?.revoking, b.revoking) === true &&
    same(a?.target, b.target) === true
  );
}
