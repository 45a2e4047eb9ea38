import {
  planOf,
  PlanApplier,
  refuseClosed,
  type GroupRef,
  type GroupStore,
  type Origin,
  type PlanStore,
  type StoredPlan,
} from '@allot/coordinator';
import { AllotError } from '@allot/model';
import { Inject, Injectable } from '@nestjs/common';
import { readGroup } from '../groups/read-group.js';
import { ANONYMOUS } from '../http/actor.js';
import { GROUP_STORE, PLAN_STORE } from '../ports.js';
import { PLAN_READER } from './plan-input.js';
import { checkPlan, type PlanPrecondition } from './plan-etag.js';

/** Changes that a refusal lists; if there were more it says how many. */
const MOST_CHANGES_TOLD = 100;

export interface DecideOptions {
  readonly precondition?: PlanPrecondition;
  readonly dryRun?: boolean;
}

/** From a stored plan to a changed group: approved by somebody, applied once, or discarded. */
@Injectable()
export class PlanLifecycle {
  readonly #applier: PlanApplier;

  constructor(
    @Inject(GROUP_STORE) private readonly groups: GroupStore,
    @Inject(PLAN_STORE) private readonly plans: PlanStore,
  ) {
    this.#applier = new PlanApplier(groups, PLAN_READER);
  }

  /**
   * Approving again is no error. Who made the plan may approve it unless the group asks for somebody else.
   * @throws AllotError PLAN_NOT_FOUND, GROUP_ID_NOT_FOUND, PLAN_CLOSED, PLAN_EXPIRED, PLAN_APPROVER_IS_AUTHOR, STALE_PLAN, STALE_REVISION.
   */
  async approve(ref: GroupRef, id: string, { actor, reason }: Origin, options: DecideOptions): Promise<StoredPlan> {
    const { group } = await readGroup(this.groups, ref);
    const required = group.settings.planApproval?.required === true;
    try {
      return await this.#decide(ref, id, 'approved', { actor, reason }, options, (plan) => {
        refuseClosed(plan);
        if (required && plan.author === actor) throw approverIsAuthor(actor);
        if (plan.baseRevision !== group.revision) throw staleToApprove(plan, group.revision);
        return plan.status !== 'approved';
      });
    } catch (error) {
      throw await this.#withChanges(ref, error);
    }
  }

  /**
   * Discarding again is no error.
   * @throws AllotError PLAN_NOT_FOUND, PLAN_CLOSED when it was applied, STALE_REVISION.
   */
  discard(ref: GroupRef, id: string, { actor, reason }: Origin, options: DecideOptions): Promise<StoredPlan> {
    return this.#decide(ref, id, 'discarded', { actor, reason }, options, (plan) => {
      if (plan.status === 'discarded') return false;
      if (plan.status === 'applied') refuseClosed(plan);
      return true;
    });
  }

  /**
   * Writes exactly the stored target, or nothing. `replayed`: it had been applied by this actor before.
   * @throws AllotError as `PlanApplier.apply`; STALE_PLAN tells what changed since.
   */
  async apply(ref: GroupRef, id: string, origin: Origin, { precondition, dryRun = false }: DecideOptions) {
    const { baseRevision } = precondition ?? {};
    const command = { planId: id, ...(baseRevision !== undefined && { baseRevision }) };
    try {
      return await this.#applier.apply(ref, command, origin, { dryRun });
    } catch (error) {
      throw await this.#withChanges(ref, error);
    }
  }

  async #decide(
    ref: GroupRef,
    id: string,
    to: 'approved' | 'discarded',
    { actor, reason }: Pick<Origin, 'actor'> & { readonly reason: string | undefined },
    { precondition, dryRun = false }: DecideOptions,
    isNeeded: (plan: StoredPlan) => boolean,
  ): Promise<StoredPlan> {
    const decision = { actor, ...(reason !== undefined && { reason }) };
    const check = (plan: StoredPlan) => {
      planOf(ref, id, plan);
      checkPlan(plan, plan.status === to ? { ...precondition, status: to } : precondition);
      return isNeeded(plan);
    };
    return planOf(ref, id, await this.plans.decide(id, to, decision, check, { dryRun }));
  }

  /** Adds to a refused plan what happened to the group since it was made. */
  async #withChanges(ref: GroupRef, error: unknown): Promise<unknown> {
    if (!(error instanceof AllotError) || error.code !== 'STALE_PLAN') return error;
    const { baseRevision } = error.facts as { readonly baseRevision: number };
    const { changes, oldest, newest } = await this.groups.changesSince(ref, baseRevision, MOST_CHANGES_TOLD);
    const told = changes.map(({ revision, at, cause, origin, planId, groupEpoch }) => ({
      ...{ revision, at: new Date(at).toISOString(), cause, ...origin },
      ...(planId !== undefined && { planId }),
      groupEpoch,
    }));
    const last = changes.at(-1)?.revision ?? baseRevision;
    return new AllotError('STALE_PLAN', error.message, {
      action: 'refresh',
      cause: error,
      facts: {
        ...error.facts,
        changes: told,
        ...(newest > last && { moreChanges: newest - last }),
        ...(oldest > baseRevision + 1 && { oldest }),
      },
    });
  }
}

/** Where nobody says who asks, no plan of such a group could ever be approved. */
const WHO_IS_WHO =
  ' Everybody is anonymous here until an authenticating proxy says who asks: set ALLOT_ACTOR_HEADER to the header in which it does.';

function approverIsAuthor(actor: string): AllotError {
  return new AllotError(
    'PLAN_APPROVER_IS_AUTHOR',
    `${actor} made this plan, and the group asks that somebody else approves it.${actor === ANONYMOUS ? WHO_IS_WHO : ''}`,
    { action: 'fix-request', facts: { author: actor } },
  );
}

function staleToApprove({ baseRevision }: StoredPlan, revision: number): AllotError {
  return new AllotError(
    'STALE_PLAN',
    `The group is at revision ${revision}, and the plan rests on ${baseRevision}: it could not be applied. Plan anew.`,
    { action: 'refresh', facts: { baseRevision, revision } },
  );
}
