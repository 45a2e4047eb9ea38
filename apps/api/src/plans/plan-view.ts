import type { Page, PageRequest, PlanKey, StoredPlan } from '@allot/coordinator';
import { type PageQuery, pageRequest, toPage } from '../paging/page.js';
import { listAssignment } from '../groups/assignment.contract.js';
import { PLANS, type Plan, type PlanAnswer, type PlanPage, type PlanResult } from './plan.contract.js';

export function showPlan({
  ref,
  createdAt,
  expiresAt,
  expired: _expired,
  request: _request,
  result,
  ...plan
}: StoredPlan): Plan {
  return {
    ...plan,
    groupId: ref.groupId,
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
    result: result as PlanAnswer,
  };
}

export function showResult({ assignor, stats, diff, target, warnings }: PlanAnswer): PlanResult {
  return {
    assignor,
    moves: stats.moves,
    forcedMoves: stats.forcedMoves,
    skew: stats.skew.overall,
    idle: stats.idle,
    diff,
    target: Object.keys(target).map((memberId) => ({ memberId, assignment: listAssignment(target[memberId]!) })),
    warnings,
  };
}

export function toPlanPage(page: Page<StoredPlan>): PlanPage {
  return toPage(PLANS, page, showPlan) as PlanPage;
}

/** The page of plans that a query or a cursor asks for. */
export function planPageRequest(query: PageQuery): PageRequest<PlanKey> {
  return keyed(pageRequest(PLANS, query));
}

/** Splits the text form of a plan's key. */
export function keyed({ limit, after }: PageRequest<string>): PageRequest<PlanKey> {
  if (after === undefined) return { limit };
  const cut = after.indexOf(':');
  return { limit, after: { createdAt: Number(after.slice(0, cut)), id: after.slice(cut + 1) } };
}
