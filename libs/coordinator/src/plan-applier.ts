import { AllotError, type GroupAssignment } from '@allot/model';
import type { Catalog } from './catalog/catalog.js';
import { applyPlan, checkApplicable } from './consumer/apply-plan.js';
import { groupNotFound } from './consumer/membership.js';
import { asConsumerGroup, type Group } from './group.js';
import type { Origin } from './history.js';
import type { GroupRef, GroupStep, GroupStore, GroupView, TransactOptions } from './ports/group-store.js';
import type { StoredPlan } from './ports/plan-store.js';

/** Reads the JSON of a stored plan, which only its maker understands. */
export interface PlanReader {
  targetOf(plan: StoredPlan): GroupAssignment;
  /** Whether the group and its topics are still what the plan was computed from. */
  isInput(plan: StoredPlan, group: Group, catalog: Catalog): boolean;
}

export interface ApplyCommand {
  readonly planId: string;
  /** The revision that the caller believes the plan to rest on; undefined: whichever it is. */
  readonly baseRevision?: number;
}

export interface AppliedPlan {
  readonly plan: StoredPlan;
  /** The plan had been applied before, by the same actor: nothing was done. */
  readonly replayed: boolean;
}

/**
 * Applies stored plans: every check, the new target, the mark on the plan and the history in one transaction that holds the locks of
 * the group and of the plan. So of two plans for one revision, or two applications of one plan, exactly one comes to pass.
 */
export class PlanApplier {
  constructor(
    private readonly store: GroupStore,
    private readonly reader: PlanReader,
  ) {}

  /**
   * @throws AllotError PLAN_NOT_FOUND, GROUP_ID_NOT_FOUND, STALE_REVISION when the plan rests on another revision than the caller
   * believes, and those of `checkApplicable`.
   */
  async apply(
    ref: GroupRef,
    command: ApplyCommand,
    origin: Origin,
    options: TransactOptions = {},
  ): Promise<AppliedPlan> {
    const { planId } = command;
    const { reply } = await this.store.transact(ref, (view) => this.#step(ref, command, view, origin), {
      ...options,
      planId,
    });
    return reply;
  }

  #step(ref: GroupRef, command: ApplyCommand, view: GroupView, origin: Origin): GroupStep<AppliedPlan> {
    const { catalog, now } = view;
    const plan = planOf(ref, command.planId, view.plan);
    checkBase(plan, command.baseRevision);
    if (plan.applied?.actor === origin.actor) return { group: view.group, reply: { plan, replayed: true } };
    if (view.group === undefined) throw groupNotFound();
    const isInput = this.reader.isInput(plan, view.group, catalog);
    const effect = checkApplicable({ plan, group: view.group, isInput });
    const group = asConsumerGroup(view.group)!;
    const { pins: pinned, ...unpinned } = group.settings;
    const { assignors = group.settings.assignors, pins = pinned ?? [] } = effect;
    const planned = {
      planId: plan.id,
      target: this.reader.targetOf(plan),
      effect,
      settings: { ...unpinned, assignors, ...(pins.length > 0 && { pins }) },
    };
    const { group: after, change } = applyPlan(group, planned, { now, catalog, origin });
    const { actor, reason } = origin;
    const applied = { actor, at: now, ...(reason !== undefined && { reason }), revision: after.revision };
    const reply = { plan: { ...plan, status: 'applied' as const, applied }, replayed: false };
    return { group: after, ...(change !== undefined && { change }), appliesPlan: true, reply };
  }
}

/** @throws AllotError PLAN_NOT_FOUND when there is none, or it is another group's. */
export function planOf(ref: GroupRef, id: string, found: StoredPlan | undefined): StoredPlan {
  if (found !== undefined && found.ref.cluster === ref.cluster && found.ref.groupId === ref.groupId) return found;
  throw new AllotError('PLAN_NOT_FOUND', `The group ${ref.groupId} has no plan ${id}; it may have expired.`, {
    action: 'fix-request',
  });
}

function checkBase({ baseRevision }: StoredPlan, believed: number | undefined): void {
  if (believed === undefined || believed === baseRevision) return;
  throw new AllotError(
    'STALE_REVISION',
    `The plan rests on revision ${baseRevision}, not ${believed}. Read it again before you apply it.`,
    { action: 'refresh', facts: { baseRevision } },
  );
}
