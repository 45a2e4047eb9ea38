import type { Page, PageRequest, PlanDecision, PlanFilter, PlanKey, StoredPlan } from '@allot/coordinator';
import { type PageQuery, pageRequest, toPage } from '../paging/page.js';
import { listAssignment } from '../groups/assignment.contract.js';
import {
  PLANS,
  type Plan,
  type PlanAnswer,
  type PlanBlocker,
  type PlanPage,
  type PlanResult,
} from './plan.contract.js';

/** Plans that nobody can apply because they were made before that was possible. */
const NO_EFFECT: PlanBlocker = {
  code: 'made-by-earlier-release',
  pointer: '',
  message: 'A release that could not apply plans made this one. Make it again.',
};

export function showPlan(stored: StoredPlan): Plan {
  const { ref, id, baseRevision, inputHash, author, reason, result } = stored;
  const { effect, approved, applied, discarded, createdAt, expiresAt } = stored;
  const blockers = effect?.blockers ?? [NO_EFFECT];
  return {
    id,
    groupId: ref.groupId,
    status: statusOf(stored),
    applicable: blockers.length === 0,
    blockers,
    baseRevision,
    inputHash,
    author,
    ...(reason !== undefined && { reason }),
    ...(approved !== undefined && { approved: showDecision(approved) }),
    ...(applied !== undefined && { applied: showDecision(applied) }),
    ...(discarded !== undefined && { discarded: showDecision(discarded) }),
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
    result: result as PlanAnswer,
  };
}

/** Time ends a plan that nobody has ended. */
function statusOf({ status, expired }: StoredPlan): PlanFilter {
  return expired && (status === 'open' || status === 'approved') ? 'expired' : status;
}

function showDecision<T extends PlanDecision>({ at, ...decision }: T): Omit<T, 'at'> & { at: Date } {
  return { ...decision, at: new Date(at) };
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
