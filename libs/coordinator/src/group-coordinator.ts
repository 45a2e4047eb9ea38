import { checkLimits, resolveSettings, clampRebalanceTimeout } from './group-settings.js';
import type { GroupLimits, GroupSettings, GroupSettingsChange } from './group-settings.js';
import { expire } from './classic/expire.js';
import { isClassic } from './classic/classic-group.js';
import { lookAtCatalog as lookAtClassicCatalog, putClassicSettings } from './classic/operator.js';
import { checkClassicOwnership } from './classic/ownership-check.js';
import { asClassicGroup, asConsumerGroup, type Group } from './group.js';
import type { ConsumerGroup } from './consumer/consumer-group.js';
import { cancelDrain, checkDrain, drain, type DrainCheck } from './consumer/drain.js';
import { importedGroup, type GroupSnapshot } from './consumer/imported-group.js';
import {
  draftOf,
  fenceOverdue,
  groupNotFound,
  heartbeat,
  isAsDescribed,
  leave,
  leaveTemporarily,
  memberIdInUse,
  refuseImported,
  removeInstance,
} from './consumer/membership.js';
import type { HeartbeatCommand, MemberDescription } from './consumer/membership.js';
import { checkOwnership } from './consumer/ownership-check.js';
import type { OwnershipClaim, OwnershipVerdict } from './consumer/ownership-check.js';
import { checkDeletable, lookAtCatalog, putSettings } from './consumer/operator.js';
import { answerOf, type MemberAnswer } from './consumer/member-answer.js';
import { changesNothing } from './consumer/quiet-heartbeat.js';
import { isToldMore, type StepContext, type Transition } from './consumer/step.js';
import { checkAssignor, knownAssignors, type ResolveAssignor } from './consumer/target.js';
import type { Origin } from './history.js';
import type { GroupRef, GroupStep, GroupStore, GroupView, StepResult, TransactOptions } from './ports/group-store.js';
import { checkRevision } from './revision.js';

/** What a coordinator needs from outside; all IO, time and chance is behind these. */
export interface CoordinatorPorts {
  readonly store: GroupStore;
  /** A member id that never repeats (a random UUID). */
  readonly newMemberId: () => string;
  readonly resolveAssignor: ResolveAssignor;
  readonly limits: GroupLimits;
}

type SweepStep = (group: Group, context: StepContext, view: GroupView) => AnyTransition;
type AnyTransition = Pick<Transition, 'change'> & { readonly group: Group; readonly renewed?: readonly string[] };

export interface SweepResult {
  readonly touched: number;
  readonly failures: readonly { readonly ref: GroupRef; readonly error: unknown }[];
}

export interface PutGroupResult {
  readonly group: Group;
  readonly outcome: 'created' | 'changed' | 'unchanged';
  /** Database time, ms since 1970. */
  readonly now: number;
}

export interface UpdateOptions extends TransactOptions {
  readonly ifRevision?: number;
}

/**
 * Serves groups over a store that any number of replicas share. It keeps nothing between calls: every decision is a pure step
 * inside one transaction, so any replica can take any call.
 */
export class GroupCoordinator {
  readonly #ports: CoordinatorPorts;

  /** @throws Error when the limits would let members be fenced that do everything right. */
  constructor(ports: CoordinatorPorts) {
    checkLimits(ports.limits);
    this.#ports = ports;
  }

  /**
   * A member joins. Without `memberId` it gets a new one; with the id of a member that is alive it is refused (S-02), since two
   * processes under one id would share partitions.
   * @throws AllotError MEMBER_ID_IN_USE and those of `heartbeat`.
   */
  async join(
    ref: GroupRef,
    command: MemberDescription & { readonly memberId?: string },
    origin: Origin,
    options?: TransactOptions,
  ): Promise<MemberAnswer> {
    const memberId = command.memberId ?? this.#ports.newMemberId();
    const join: HeartbeatCommand = { ...this.#clamped(command), memberId, memberEpoch: 0 };
    const result = await this.#step(
      ref,
      origin,
      (group, context) => {
        const present = group?.members.get(memberId);
        if (present !== undefined && present.supersededBy === undefined) throw memberIdInUse(present);
        return heartbeat(group, join, this.#defaults(), context);
      },
      { renew: memberId, ...options },
    );
    return answerOf(result, memberId, undefined);
  }

  /**
   * A member's heartbeat. When nothing is new for the member it costs one statement; else it is a step. Epoch 0 joins or starts
   * over, -1 leaves, -2 leaves temporarily.
   */
  async heartbeat(
    ref: GroupRef,
    command: HeartbeatCommand,
    origin: Origin,
    options: TransactOptions = {},
  ): Promise<MemberAnswer> {
    const { memberId, memberEpoch, owned } = command;
    const described = { ...this.#clamped(command), memberId, memberEpoch, ...(owned !== undefined && { owned }) };
    if (memberEpoch > 0 && command.subscription === undefined && options.dryRun !== true) {
      const quiet = (await this.#renew(ref, described)) ?? (await this.#renewWaiting(ref, described, origin));
      if (quiet !== undefined) return answerOf(quiet, memberId, owned);
    }
    const result = await this.#step(
      ref,
      origin,
      (group, context) => heartbeat(group, described, this.#defaults(), context),
      { renew: memberId, ...options },
    );
    return answerOf(result, memberId, owned);
  }

  /**
   * Whether a worker still holds what it believes to hold, by one consistent statement on the database. It changes nothing and keeps
   * no session alive.
   * @throws AllotError GROUP_ID_NOT_FOUND, GROUP_READ_ONLY.
   */
  async verifyOwnership(ref: GroupRef, claim: OwnershipClaim): Promise<OwnershipVerdict & { readonly now: number }> {
    const reading = await this.#ports.store.read(ref);
    if (reading === undefined) throw groupNotFound();
    const { leases, now } = reading;
    const { group } = reading;
    if (isClassic(group)) {
      return { ...checkClassicOwnership(group, claim, { leaseUntil: leases.get(claim.memberId), now }), now };
    }
    refuseImported(group);
    return { ...checkOwnership(group, claim, { leaseUntil: leases.get(claim.memberId), now }), now };
  }

  /** A member leaves for good, or (static, `temporarily`) until it returns. */
  async leave(
    ref: GroupRef,
    command: { readonly memberId: string; readonly instanceId?: string; readonly temporarily?: boolean },
    origin: Origin,
    options?: TransactOptions,
  ): Promise<void> {
    const step = command.temporarily ? leaveTemporarily : leave;
    await this.#step(ref, origin, (group, context) => step(group, command, context), options);
  }

  /**
   * An operator removes the static member that has this instance id, whatever its member id (KAFKA-18188).
   * @throws AllotError UNKNOWN_MEMBER_ID when nobody has it.
   */
  async removeInstance(ref: GroupRef, instanceId: string, origin: Origin, options?: TransactOptions): Promise<void> {
    await this.#step(ref, origin, (group, context) => removeInstance(group, instanceId, context), options);
  }

  /** Has a member hand over everything, or, `canceled`, serves it again; to ask twice changes nothing. */
  async drain(
    ref: GroupRef,
    { memberId, canceled = false }: { readonly memberId: string; readonly canceled?: boolean },
    origin: Origin,
    options?: TransactOptions,
  ): Promise<DrainCheck> {
    const step = canceled ? cancelDrain : drain;
    let check: DrainCheck | undefined;
    await this.#step(
      ref,
      origin,
      (group, context) => {
        const transition = step(group, { memberId }, context);
        check = checkDrain(transition.group, transition.group.members.get(memberId)!, context);
        return transition;
      },
      options,
    );
    return check!;
  }

  /** @throws AllotError GROUP_ID_NOT_FOUND, UNKNOWN_MEMBER_ID, GROUP_READ_ONLY. */
  async checkDrain(ref: GroupRef, memberId: string): Promise<DrainCheck> {
    const reading = await this.#ports.store.read(ref);
    const group = asConsumerGroup(reading?.group);
    const context = { ...reading!, resolveAssignor: this.#ports.resolveAssignor };
    const { member } = draftOf(group, { memberId }, { ...context, origin: { actor: '' } });
    return checkDrain(group!, member, context);
  }

  /** Creates a group or changes its settings; `outcome` says which. */
  async putGroup(
    ref: GroupRef,
    { frozen, ...change }: GroupSettingsChange & { readonly frozen?: boolean },
    origin: Origin,
    options: UpdateOptions = {},
  ): Promise<PutGroupResult> {
    const { limits } = this.#ports;
    let before: Group | undefined;
    const result = await this.#ports.store.transact(
      ref,
      (view) => {
        const { group } = view;
        before = group;
        checkRevision(group?.revision ?? 0, options.ifRevision);
        const settings = resolveSettings(change, group?.settings, limits, (names) =>
          knownAssignors(names, this.#ports.resolveAssignor),
        );
        checkAssignor(settings, this.#ports.resolveAssignor);
        const context = this.#context(view, origin);
        if (group === undefined ? settings.type === 'classic' : isClassic(group)) {
          return toGroupStep(putClassicSettings(asClassicGroup(group), settings, context, frozen));
        }
        return toGroupStep(putSettings(asConsumerGroup(group), settings, context, frozen));
      },
      options,
    );
    const group = result.group!;
    const outcome = before === undefined ? 'created' : before.revision === group.revision ? 'unchanged' : 'changed';
    return { group, outcome, now: result.now };
  }

  /** @throws AllotError GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP, STALE_REVISION. */
  async deleteGroup(ref: GroupRef, options: UpdateOptions = {}): Promise<void> {
    await this.#ports.store.transact(
      ref,
      ({ group }) => {
        checkRevision(checkDeletable(group).revision, options.ifRevision);
        return { group: null, reply: undefined };
      },
      options,
    );
  }

  /**
   * Stores a group that was seen in Kafka as a picture that can be planned on. An older picture of it is replaced; a live group of
   * that id is not.
   */
  async importGroup(
    ref: GroupRef,
    snapshot: GroupSnapshot,
    origin: Origin,
    options?: TransactOptions,
  ): Promise<'created' | 'changed'> {
    const defaults = this.#defaults();
    let existed = false;
    await this.#step(
      ref,
      origin,
      (group, context) => {
        existed = group !== undefined;
        return importedGroup(group, snapshot, defaults, context);
      },
      options,
    );
    return existed ? 'changed' : 'created';
  }

  /**
   * One pass over what time brings: shows groups the newest catalog and fences members whose session or rebalance timer ended, if
   * `mayFence`, which is asked when the store has just answered. Safe to run on every replica at once. A group that fails does not keep the others from their turn. Call again at once
   * while `touched` reaches `limit`.
   */
  async sweep(limit: number, origin: Origin, { mayFence }: { readonly mayFence: () => boolean }): Promise<SweepResult> {
    const { store } = this.#ports;
    const failures: { ref: GroupRef; error: unknown }[] = [];
    const visit = async (ref: GroupRef, step: SweepStep) => {
      try {
        await this.#sweepStep(ref, origin, step);
      } catch (error) {
        failures.push({ ref, error });
      }
    };
    const behind = await store.findBehindCatalog(limit);
    for (const { ref } of behind) {
      await visit(ref, (group, context) =>
        isClassic(group) ? lookAtClassicCatalog(group, context) : lookAtCatalog(group, context),
      );
    }
    const expired = mayFence() ? await store.findExpired(limit) : [];
    for (const { ref } of expired) {
      await visit(ref, (group, context, { expired: silent }) =>
        isClassic(group) ? expire(group, silent, context) : fenceOverdue(group, silent, context),
      );
    }
    return { touched: Math.max(expired.length, behind.length), failures };
  }

  async #sweepStep(ref: GroupRef, origin: Origin, step: SweepStep): Promise<void> {
    await this.#ports.store.transact(ref, (view) => {
      if (view.group === undefined) return { group: undefined, reply: undefined };
      return toGroupStep(step(view.group, this.#context(view, origin), view));
    });
  }

  async #step(
    ref: GroupRef,
    origin: Origin,
    step: (group: ConsumerGroup | undefined, context: StepContext, view: GroupView) => Transition,
    { renew, ...options }: TransactOptions & { readonly renew?: string } = {},
  ): Promise<StepResult<undefined>> {
    const result = await this.#ports.store.transact(
      ref,
      (view) => {
        const transition = step(asConsumerGroup(view.group), this.#context(view, origin), view);
        const { refusal } = transition;
        const renewed = renew !== undefined && refusal === undefined && { renewed: [renew] };
        return { ...toGroupStep(transition), ...renewed, reply: refusal };
      },
      options,
    );
    if (result.reply !== undefined) throw result.reply;
    return { ...result, reply: undefined };
  }

  /** The cheap heartbeat, if nothing is new: this replica knows the group, and the member says of itself what is known. */
  async #renew(ref: GroupRef, command: HeartbeatCommand): Promise<StepResult<undefined> | undefined> {
    const { memberId, memberEpoch } = command;
    const group = asConsumerGroup(this.#ports.store.cached(ref));
    const member = group?.members.get(memberId);
    if (group === undefined || member === undefined || !isAsDescribed(member, command)) return undefined;
    const { owned, revision } = command;
    if (isToldMore(member, { owned, revision })) return undefined;
    const renewal = await this.#ports.store.renewLease(ref, memberId, memberEpoch);
    if (renewal?.revision !== group.revision) return undefined;
    return { reply: undefined, group, leases: new Map([[memberId, renewal.leaseUntil]]), now: renewal.now };
  }

  /**
   * A heartbeat of a member that waits for others changes nothing either. Whether it does is found out on the group in memory,
   * and counts if that is still the group: so those who wait do not queue for the lock of those who move.
   */
  async #renewWaiting(
    ref: GroupRef,
    command: HeartbeatCommand,
    origin: Origin,
  ): Promise<StepResult<undefined> | undefined> {
    const { store } = this.#ports;
    const group = asConsumerGroup(store.cached(ref));
    if (group === undefined || !changesNothing(group, command, this.#defaults(), this.#ports.resolveAssignor, origin)) {
      return undefined;
    }
    const renewal = await store.renewLeaseAt(ref, command.memberId, group.revision);
    if (renewal === undefined) return undefined;
    return { reply: undefined, group, leases: new Map([[command.memberId, renewal.leaseUntil]]), now: renewal.now };
  }

  #context(view: GroupView, origin: Origin): StepContext {
    const { now, catalog, lastRevision } = view;
    return { now, catalog, lastRevision, resolveAssignor: this.#ports.resolveAssignor, origin };
  }

  #defaults(): GroupSettings {
    return resolveSettings({}, undefined, this.#ports.limits, (names) => names);
  }

  #clamped(command: MemberDescription): MemberDescription {
    const { rebalanceTimeoutMs } = command;
    if (rebalanceTimeoutMs === undefined) return command;
    return { ...command, rebalanceTimeoutMs: clampRebalanceTimeout(rebalanceTimeoutMs, this.#ports.limits) };
  }
}

function toGroupStep({ group, change, renewed }: AnyTransition): GroupStep<undefined> {
  return { group, ...(change && { change }), ...(renewed && { renewed }), reply: undefined };
}
