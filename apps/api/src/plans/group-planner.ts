import { randomUUID } from 'node:crypto';
import {
  isClassic,
  leftOutOf,
  planOf,
  type Group,
  type CatalogStore,
  type GroupHistory,
  type GroupRef,
  type GroupStore,
  type Origin,
  type PlanBlocker,
  type PlanStore,
  type StoredPlan,
} from '@allot/coordinator';
import { AllotError, invalidRequest } from '@allot/model';
import { changesFromJson, type PlanJson, type PlannedOn } from '@allot/planner';
import { Inject, Injectable } from '@nestjs/common';
import { Computing } from '../computing/computing.js';
import { readGroup } from '../groups/read-group.js';
import { CATALOG_STORE, GROUP_HISTORY, GROUP_STORE, PLAN_STORE } from '../ports.js';
import { complainAboutInteger } from '../validation/rules.js';
import type { ExplainQuery, MemberExplanation, PartitionExplanation } from './explanation.contract.js';
import type { GroupPlanRequest } from './plan.contract.js';
import { hashOf, inputOfStored, planInputOf, type StoredRequest } from './plan-input.js';
import { placementFor } from './replica-placement.js';
import { restrictToPresent, type Rollback } from './rollback.js';

const DAY_MS = 86_400_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 7 * DAY_MS;

/** What-ifs on groups that are stored here: the same pure function that a running group is assigned by, on the group as it is. */
@Injectable()
export class GroupPlanner {
  constructor(
    @Inject(CATALOG_STORE) private readonly catalog: CatalogStore,
    @Inject(GROUP_STORE) private readonly groups: GroupStore,
    @Inject(PLAN_STORE) private readonly plans: PlanStore,
    @Inject(GROUP_HISTORY) private readonly history: GroupHistory,
    private readonly computing: Computing,
  ) {}

  async make(ref: GroupRef, body: GroupPlanRequest, { actor, reason }: Origin): Promise<StoredPlan> {
    const { changes: wanted = [], rollbackTo, validForMs } = readRequest(body);
    const changes = changesFromJson(wanted);
    const [past] = rollbackTo === undefined ? [] : await this.history.read(ref, [rollbackTo]);
    const reading = await readGroup(this.groups, ref);
    const rollback = past && restrictToPresent(past, reading);
    const { now: at } = reading;
    const placement = await placementFor(this.catalog, ref.cluster, changes);
    const input = planInputOf(reading, changes, { at, ...rollback }, placement);
    const on = plannedOn(reading.group);
    const { result, effect } = await this.computing.answer('plan-group', { input, changes, on });
    return this.plans.save({
      id: randomUUID(),
      ref,
      baseRevision: reading.group.revision,
      inputHash: hashOf(input),
      author: actor,
      ...(reason !== undefined && { reason }),
      request: storedRequest(wanted, at, rollback),
      result: {
        ...result,
        warnings: [...(rollback?.warnings ?? []), ...budgetWarnings(reading.group, result), ...result.warnings],
      },
      effect: { ...effect, blockers: [...blockersOf(reading.group), ...effect.blockers] },
      validForMs,
    });
  }

  /** @throws AllotError PLAN_NOT_FOUND. */
  async get(ref: GroupRef, id: string): Promise<StoredPlan> {
    return planOf(ref, id, await this.plans.get(id));
  }

  /**
   * Why a stored plan gives a partition or a member what it gives: the plan is computed again, which comes to the same as long as the same
   * is read.
   * @throws AllotError PLAN_NOT_FOUND, STALE_PLAN when the group is another by now, GROUP_ID_NOT_FOUND when it is gone.
   */
  async explain(ref: GroupRef, id: string, query: ExplainQuery): Promise<PartitionExplanation | MemberExplanation> {
    const stored = await this.get(ref, id);
    const { group, catalog } = await readGroup(this.groups, ref);
    const changes = changesFromJson((stored.request as StoredRequest).changes);
    const input = inputOfStored(stored, group, catalog, await placementFor(this.catalog, ref.cluster, changes));
    if (hashOf(input) === stored.inputHash) return this.computing.answer('explain-group', { input, query });
    throw new AllotError('STALE_PLAN', `The group ${ref.groupId} changed since the plan was made; make a new plan.`, {
      action: 'refresh',
    });
  }
}

/** What stands in the way of any plan for this group. */
function blockersOf(group: Group): readonly PlanBlocker[] {
  if (isClassic(group) || leftOutOf(group).size === 0) return [];
  const message =
    'Some members chose partitions themselves that the plan gives to others. Let them leave, or subscribe instead; then plan anew.';
  return [{ code: 'manual-members', pointer: '', message }];
}

/** A group with a move budget goes a longer way by itself. */
function budgetWarnings({ settings }: Group, { stats }: PlanJson): PlanJson['warnings'] {
  const { moveBudget } = settings;
  if (moveBudget === undefined || stats.moves <= moveBudget) return [];
  const targets = Math.ceil(stats.moves / moveBudget);
  const message = `The group moves at most ${moveBudget} partitions at a time and would come to this in about ${targets} targets by itself. Applying the plan goes there in one.`;
  return [{ code: 'move-budget', severity: 'warning', message, count: stats.moves }];
}

function plannedOn(group: Group): PlannedOn {
  if (group.source === 'imported') return 'imported';
  return isClassic(group) ? 'classic' : 'live';
}

function storedRequest(changes: unknown, at: number, rollback: Rollback | undefined): StoredRequest {
  return { changes, at, ...(rollback !== undefined && { rollbackTo: rollback.revision, kept: rollback.kept }) };
}

interface Wanted {
  readonly changes?: unknown;
  readonly rollbackTo?: number;
  readonly validForMs: number;
}

function readRequest(body: unknown): Wanted {
  const request = body ?? {};
  if (typeof request !== 'object' || Array.isArray(request)) {
    throw invalidRequest('The body must be a JSON object.', [{ pointer: '', detail: 'must be a JSON object' }]);
  }
  const { changes, rollbackTo, validForMs = DAY_MS, ...unknown } = request as Record<string, unknown>;
  const errors = Object.keys(unknown).map((key) => ({
    pointer: `/${key}`,
    detail: 'is unknown; known are changes, rollbackTo, validForMs',
  }));
  const complain = (pointer: string, detail: string | undefined) => detail && errors.push({ pointer, detail });
  complain('/validForMs', complainAboutInteger(validForMs, SHORTEST_MS, LONGEST_MS));
  if (rollbackTo !== undefined) {
    complain('/rollbackTo', complainAboutInteger(rollbackTo, 1, Number.MAX_SAFE_INTEGER));
    if (changes !== undefined) complain('/changes', 'go with a plan of their own, not with rollbackTo');
  }
  if (errors.length > 0) throw invalidRequest(`${errors[0]!.pointer} ${errors[0]!.detail}.`, errors);
  return {
    ...(changes !== undefined && { changes }),
    ...(rollbackTo !== undefined && { rollbackTo: rollbackTo as number }),
    validForMs: validForMs as number,
  };
}
