import type { Assignment } from '@allot/model';
import type { Catalog } from '../catalog/catalog.js';
import type { GroupSettings } from '../group-settings.js';
import type { ChangeCause, GroupChange, Origin } from '../history.js';
import { describeChange } from './change.js';
import type { ConsumerGroup, ConsumerMember } from './consumer-group.js';
import { indexHolders, isCoveredBy, withoutEpochs } from './owned-partitions.js';
import { reconcile } from './reconcile.js';
import { catalogCause, resolveSubscription, subscribedTopicsOf } from './subscriptions.js';
import { computeTarget, isTargetDue, type ResolveAssignor } from './target.js';

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
}

/**
 * One step in the making. Every command runs the same way: edit members, then `settle`: look at the catalog, compute the target if
 * the epoch rose, reconcile the member that spoke, and describe what changed. The first cause named is the one recorded.
 */
export class GroupDraft {
  readonly #before: ConsumerGroup | undefined;
  readonly #context: StepContext;
  #group: ConsumerGroup;
  #cause: ChangeCause | undefined;

  constructor(before: ConsumerGroup | undefined, created: ConsumerGroup, context: StepContext) {
    this.#before = before;
    this.#group = created;
    this.#context = context;
  }

  get group(): ConsumerGroup {
    return this.#group;
  }

  /** Names why the step changes the group; later names do not replace the first. */
  because(cause: ChangeCause): void {
    this.#cause ??= cause;
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

  removeMember(memberId: string): void {
    const members = new Map(this.#group.members);
    members.delete(memberId);
    this.#group = { ...this.#group, members };
  }

  /** The target must be computed anew; at most once a step. */
  bump(): void {
    if (this.#group.groupEpoch > (this.#before?.groupEpoch ?? 0)) return;
    this.#group = { ...this.#group, groupEpoch: this.#group.groupEpoch + 1 };
  }

  /** Finishes the step. `speaker` is the member whose heartbeat this is, `owned` what it reports. */
  settle(speaker?: { readonly memberId: string; readonly owned: Assignment | undefined }): Transition {
    this.#lookAtCatalog();
    if (isTargetDue(this.#group, this.#context.now)) {
      const { catalog, resolveAssignor, now } = this.#context;
      this.#group = computeTarget(this.#group, catalog, resolveAssignor, now);
      this.because(this.#before?.assignorFault === undefined ? 'assignment-computed' : 'assignment-retried');
    }
    if (speaker !== undefined) this.#reconcile(speaker.memberId, speaker.owned);
    return this.#transition();
  }

  #lookAtCatalog(): void {
    const { catalog } = this.#context;
    const subscribedTopics = subscribedTopicsOf(this.#group.members.values(), catalog);
    const cause = catalogCause(this.#group.subscribedTopics, subscribedTopics);
    const behind = this.#group.catalogRevision !== catalog.revision;
    if (cause === undefined && !behind) return;
    this.#group = {
      ...this.#group,
      catalogRevision: catalog.revision,
      subscribedTopics: cause === undefined ? this.#group.subscribedTopics : subscribedTopics,
    };
    if (cause !== undefined && behind) {
      this.because(cause);
      this.bump();
    }
  }

  #reconcile(memberId: string, owned: Assignment | undefined): void {
    const member = this.#group.members.get(memberId)!;
    const names = new Set(resolveSubscription(member.subscription, this.#context.catalog));
    const next = reconcile(member, {
      assignmentEpoch: this.#group.assignmentEpoch,
      owned,
      isSubscribed: (topic) => names.has(topic) && this.#context.catalog.topics.has(topic),
      holderOf: indexHolders(this.#group),
      now: this.#context.now,
    });
    if (next === member) return;
    this.because(
      next.pendingRevocation.size < member.pendingRevocation.size ? 'partitions-revoked' : 'partitions-assigned',
    );
    const granted = !isCoveredBy(withoutEpochs(next.assigned), member.assigned);
    this.setMember(granted ? { ...next, grantedRevision: this.#group.revision + 1 } : next);
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
    return { group, change: describeChange(before, group, { cause, origin, now }) };
  }
}

/** Whether two groups differ in nothing that a revision is made for. */
function sameGroup(a: ConsumerGroup, b: ConsumerGroup): boolean {
  if (a === b) return true;
  return (
    a.settings === b.settings &&
    a.source === b.source &&
    a.groupEpoch === b.groupEpoch &&
    a.assignmentEpoch === b.assignmentEpoch &&
    a.assignorFault === b.assignorFault &&
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
