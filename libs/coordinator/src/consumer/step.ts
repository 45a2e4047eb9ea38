import { assignmentFromJson, assignmentToJson, filterAssignment, holds, unionAssignment } from '@allot/model';
import type { AllotError, Assignment } from '@allot/model';
import type { Catalog } from '../catalog/catalog.js';
import type { GroupSettings } from '../group-settings.js';
import type { ChangeCause, ChangeDetails, GroupChange, Origin } from '../history.js';
import { freezeAfterLoss, liftWhenBack, type FreezeChange } from './auto-freeze.js';
import { identityOf, reliesUntil, remember, type Calm } from './calm.js';
import { describeChange } from './change.js';
import { consumerGroupState, isServed, type ConsumerGroup, type ConsumerMember } from './consumer-group.js';
import { windowEnd } from './maintenance-windows.js';
import { isCoveredBySubscription, manualPartitionsOf } from './manual-members.js';
import { indexHolders, isCoveredBy, isReported, withoutEpochs, type HolderIndex } from './owned-partitions.js';
import { reconcile } from './reconcile.js';
import { catalogCause, resolveSubscription, subscribedTopicsOf } from './subscriptions.js';
import { computeTarget, continueTarget, isLarge, type ResolveAssignor } from './target.js';

/** What every step may look at beside the group. */
export interface StepContext {
  /** Database time, ms since 1970. */
  readonly now: number;
  readonly catalog: Catalog;
  readonly resolveAssignor: ResolveAssignor;
  readonly origin: Origin;
  /** The last revision of an earlier group of this id that was deleted; 0 or absent when there was none. */
  readonly lastRevision?: number;
}

/**
 * The outcome of a step: a group of a new revision and what that revision says, or, without a `change`, the group as it was
 * (its `catalogRevision` and `nextAssignmentAt` may be newer: that it looked and found nothing for it, or tried the assignor again
 * and got the same fault, is worth keeping, but is no change).
 */
export interface Transition {
  readonly group: ConsumerGroup;
  readonly change?: GroupChange;
  /** What the caller is told instead of an answer, once the change is committed: a request that is refused and yet recorded. */
  readonly refusal?: AllotError;
}

/** The member whose heartbeat a step is, what it reports to hold (undefined: unknown), and the revision of the last answer it had. */
export interface Speaker {
  readonly memberId: string;
  readonly owned: Assignment | undefined;
  readonly revision: number | undefined;
}

/**
 * Whether the answer tells the member of partitions that it reported not to hold, though they are assigned to it: it had let go of
 * them, or never heard of them. It may work on them from now on, so they are as good as granted anew: the same report, if it
 * comes a second time and later, says nothing of them. Without a `revision` nobody could tell.
 */
export function isToldMore(
  { assigned }: Pick<ConsumerMember, 'assigned'>,
  { owned, revision }: Pick<Speaker, 'owned' | 'revision'>,
): boolean {
  return owned !== undefined && revision !== undefined && !isReported(assigned, owned);
}

/** How a member goes: of its own accord or by an operator's, because nothing was heard of it, or because another one has its place. */
export type Farewell = 'left' | 'vanished' | 'replaced';

/**
 * One step in the making. Every command runs the same way: edit members, then `settle`: look at the catalog, compute the target if
 * the epoch rose and nothing holds it back, reconcile the member that spoke, and describe what changed. The first cause named is the
 * one recorded, unless a later one is insisted on.
 */
export class GroupDraft {
  readonly #before: ConsumerGroup | undefined;
  readonly #context: StepContext;
  #group: ConsumerGroup;
  #cause: ChangeCause | undefined;
  #details: ChangeDetails | undefined;
  readonly #lost: ConsumerMember[] = [];

  constructor(before: ConsumerGroup | undefined, created: ConsumerGroup, context: StepContext) {
    this.#before = before;
    this.#group = created;
    this.#context = context;
  }

  get group(): ConsumerGroup {
    return this.#group;
  }

  /** Names why the step changes the group; later names do not replace the first. */
  because(cause: ChangeCause, details?: ChangeDetails): void {
    if (this.#cause === undefined) this.#details = details;
    this.#cause ??= cause;
  }

  /** What the group remembers; the same object changes nothing. */
  setCalm(calm: Calm | undefined): void {
    if (calm === this.#group.calm) return;
    const { calm: _, ...rest } = this.#group;
    this.#group = calm === undefined ? rest : { ...rest, calm };
  }

  /** The target need not wait for the time that it was postponed to. */
  endPause(): void {
    const { nextAssignmentAt: _, ...rest } = this.#group;
    this.#group = rest;
  }

  setSettings(settings: GroupSettings): void {
    this.#group = { ...this.#group, settings };
  }

  setMember(member: ConsumerMember): void {
    if (this.#group.members.get(member.memberId) === member) return;
    const members = new Map(this.#group.members).set(member.memberId, member);
    const nextJoinOrder = Math.max(this.#group.nextJoinOrder, member.joinOrder + 1);
    this.#group = { ...this.#group, members, nextJoinOrder };
  }

  /** Takes a member out; others get its partitions with the next target, unless it has a successor or none of them is theirs. */
  removeMember(memberId: string, farewell: Farewell): void {
    const member = this.#group.members.get(memberId)!;
    const members = new Map(this.#group.members);
    members.delete(memberId);
    this.#group = { ...this.#group, members };
    // The process behind it may be at work still, and its successor must not get the same partitions at the same epoch (invariant B).
    if (member.supersededBy !== undefined) return this.#release(withoutEpochs(member.pendingRevocation));
    if (farewell === 'replaced') return;
    if (member.manual) return this.#release(member.target);
    this.bump();
    const { autoFreeze, maintenanceWindows } = this.#group.settings;
    const counts = farewell === 'vanished' || autoFreeze?.countLeaves === true;
    if (autoFreeze !== undefined && counts && isServed(member)) this.#lost.push(member);
    const { calm } = this.#group;
    const mayHold = calm?.freeze !== undefined || autoFreeze !== undefined || maintenanceWindows !== undefined;
    if (!mayHold || member.target.size === 0) return;
    const others = (calm?.vacated ?? []).filter(([name]) => name !== identityOf(member));
    const vacated = [...others, [identityOf(member), assignmentToJson(member.target)] as const];
    this.setCalm(remember(calm, { vacated }));
  }

  /** For whoever chooses them next, as those of a manual member; if a subscription covers them, for the next target. */
  #release(chosen: Assignment): void {
    const { calm } = this.#group;
    const released = unionAssignment(assignmentFromJson(calm?.released ?? {}), chosen);
    this.setCalm(remember(calm, { released: assignmentToJson(released) }));
    if (isCoveredBySubscription(this.#group, chosen, this.#context.catalog)) this.bump();
  }

  /** What a member had in the target when it left, if there was no target since: it gets its own back (`Calm.vacated`). */
  takeBack(member: { readonly instanceId?: string; readonly memberId: string }): Assignment | undefined {
    const { calm } = this.#group;
    const own = calm?.vacated?.find(([name]) => name === identityOf(member));
    if (own === undefined) return undefined;
    this.setCalm(remember(calm, { vacated: calm!.vacated!.filter((entry) => entry !== own) }));
    const taken = manualPartitionsOf(this.#group);
    return filterAssignment(assignmentFromJson(own[1]), (topic, partition) => !holds(taken, topic, partition));
  }

  /** The target must be computed anew; at most once a step. */
  bump(): void {
    if (this.#group.groupEpoch > (this.#before?.groupEpoch ?? 0)) return;
    this.#group = { ...this.#group, groupEpoch: this.#group.groupEpoch + 1 };
  }

  /** Finishes the step. `speaker` is the member whose heartbeat this is. */
  settle(speaker?: Speaker): Transition {
    this.#lookAtCatalog();
    this.#insistOn(freezeAfterLoss(this.#group, this.#lost, this.#context.now));
    this.#insistOn(liftWhenBack(this.#group));
    this.#retarget();
    if (speaker !== undefined) this.#reconcile(speaker);
    this.#planNextMoves();
    return this.#transition();
  }

  /** A freeze that begins or ends tells more than what led to it. */
  #insistOn({ calm, cause, details }: FreezeChange): void {
    this.setCalm(calm);
    if (cause === undefined) return;
    this.#cause = cause;
    this.#details = details;
  }

  /** The target of the group's epoch, or the next part of one that the move budget spreads over several; not while something holds it back. */
  #retarget(): void {
    const { catalog, resolveAssignor, now } = this.#context;
    this.#windTimer();
    const { groupEpoch, assignmentEpoch, calm, settings, nextAssignmentAt = 0 } = this.#group;
    const isBehind = groupEpoch > assignmentEpoch;
    if (!isBehind && !this.#mayContinueMoves()) return;
    if (calm?.freeze !== undefined) return;
    const until = windowEnd(settings.maintenanceWindows ?? [], now) ?? 0;
    if (Math.max(until, nextAssignmentAt) > now) {
      if (until > nextAssignmentAt) this.#group = { ...this.#group, nextAssignmentAt: until };
      return;
    }
    if (isBehind) {
      this.#group = computeTarget(this.#group, catalog, resolveAssignor, now);
      this.because(this.#before?.assignorFault === undefined ? 'assignment-computed' : 'assignment-retried');
    } else {
      this.bump();
      this.#group = continueTarget(this.#group, now);
      this.because('moves-continued', { left: this.#group.calm?.deferred?.length ?? 0 });
    }
  }

  /** A timer that has rung is over; one for the first members of a group that was empty begins. */
  #windTimer(): void {
    const { now } = this.#context;
    const { settings, members, nextAssignmentAt } = this.#group;
    if (nextAssignmentAt !== undefined && (nextAssignmentAt <= now || this.#isForMoves())) this.endPause();
    const { initialDelayMs } = settings;
    const leavesEmpty = members.size > 0 && (this.#before?.members.size ?? 0) === 0;
    if (!leavesEmpty || !initialDelayMs) return;
    const from = Math.max(this.#group.nextAssignmentAt ?? 0, now + initialDelayMs);
    this.#group = { ...this.#group, nextAssignmentAt: from };
  }

  /** Whether the timer is that of the next moves while the group needs a new target: nobody waits for moves that are outdated. */
  #isForMoves(): boolean {
    const before = this.#before;
    const wasBehind = before !== undefined && before.groupEpoch > before.assignmentEpoch;
    const isBehind = this.#group.groupEpoch > this.#group.assignmentEpoch;
    return isBehind && !wasBehind && before?.calm?.deferred !== undefined && !isLarge(before);
  }

  /** The next moves begin when those before are done. */
  #mayContinueMoves(): boolean {
    return this.#group.calm?.deferred !== undefined && consumerGroupState(this.#group) === 'STABLE';
  }

  #planNextMoves(): void {
    const { settings, nextAssignmentAt, calm } = this.#group;
    if (nextAssignmentAt !== undefined || calm?.freeze !== undefined || !this.#mayContinueMoves()) return;
    this.#group = { ...this.#group, nextAssignmentAt: this.#context.now + settings.assignmentIntervalMs };
  }

  #lookAtCatalog(): void {
    const { catalog } = this.#context;
    const before = this.#group.subscribedTopics;
    const subscribedTopics = subscribedTopicsOf(this.#group.members.values(), catalog, before);
    const cause = catalogCause(before, subscribedTopics);
    const behind = this.#group.catalogRevision !== catalog.revision;
    if (cause === undefined && !behind) return;
    this.#group = {
      ...this.#group,
      catalogRevision: catalog.revision,
      subscribedTopics: cause === undefined ? before : subscribedTopics,
    };
    if (cause !== undefined && behind) {
      this.because(cause);
      this.bump();
    }
  }

  #reconcile({ memberId, owned, revision }: Speaker): void {
    const member = this.#group.members.get(memberId)!;
    const { topics } = this.#context.catalog;
    const names = new Set(
      member.manual ? member.target.keys() : resolveSubscription(member.subscription, this.#context.catalog),
    );
    const next = reconcile(member, {
      assignmentEpoch: this.#group.assignmentEpoch,
      owned,
      isSubscribed: (topic) => names.has(topic) && topics.has(topic),
      holderOf: this.#holders(),
      now: this.#context.now,
      reliesUntil: reliesUntil(this.#group, this.#context.now),
    });
    const granted = !isCoveredBy(withoutEpochs(next.assigned), member.assigned);
    const news = granted || isToldMore(next, { owned, revision });
    if (next === member && !news) return;
    this.because(
      next.pendingRevocation.size < member.pendingRevocation.size ? 'partitions-revoked' : 'partitions-assigned',
    );
    this.setMember(news ? { ...next, grantedRevision: this.#group.revision + 1 } : next);
  }

  #holders(): HolderIndex {
    const holderOf = indexHolders(this.#group);
    const { released } = this.#group.calm ?? {};
    if (released === undefined) return holderOf;
    const notYet = assignmentFromJson(released);
    return (topic, partition) => holderOf(topic, partition) ?? (holds(notYet, topic, partition) ? NOBODY : undefined);
  }

  #transition(): Transition {
    const before = this.#before;
    if (before !== undefined && sameGroup(before, this.#group)) {
      const { catalogRevision, nextAssignmentAt } = this.#group;
      const looked = before.catalogRevision !== catalogRevision || before.nextAssignmentAt !== nextAssignmentAt;
      return { group: looked ? { ...before, catalogRevision, nextAssignmentAt } : before };
    }
    const group = { ...this.#group, revision: this.#group.revision + 1 };
    const { now, origin } = this.#context;
    const cause = this.#cause ?? 'group-settings-changed';
    const details = this.#details;
    return { group, change: describeChange(before, group, { cause, origin, now, ...(details && { details }) }) };
  }
}

/** Holds what must not be given out yet; no member has an empty id. */
const NOBODY = '';

/** Whether two groups differ in nothing that a revision is made for. */
function sameGroup(a: ConsumerGroup, b: ConsumerGroup): boolean {
  if (a === b) return true;
  return (
    a.settings === b.settings &&
    a.source === b.source &&
    a.groupEpoch === b.groupEpoch &&
    a.assignmentEpoch === b.assignmentEpoch &&
    a.assignorFault === b.assignorFault &&
    a.calm === b.calm &&
    a.subscribedTopics === b.subscribedTopics &&
    sameMembers(a.members, b.members)
  );
}

function sameMembers(a: ConsumerGroup['members'], b: ConsumerGroup['members']): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [memberId, member] of a) if (b.get(memberId) !== member) return false;
  return true;
}
