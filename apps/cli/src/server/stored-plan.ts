import type { PlanJson } from '@allot/planner';
import type { ChangeOptions } from '../options/change-options.js';
import type { ApiRequest } from './api-client.js';
import { changesOf } from './group-question.js';
import type { Screen } from '../view/screen.js';

/** A plan as the server keeps it; what is not named here is printed as it comes. */
export interface StoredPlan {
  readonly id: string;
  readonly groupId: string;
  readonly status: string;
  readonly applicable: boolean;
  readonly blockers: readonly { readonly code: string; readonly pointer: string; readonly message: string }[];
  readonly baseRevision: number;
  readonly author: string;
  readonly expiresAt: string;
  readonly result: PlanJson;
  readonly applied?: { readonly revision: number; readonly actor: string; readonly at: string };
}

/** What stands in the way, and how to go on with a plan. */
export async function remarkOn(screen: Screen, plan: StoredPlan): Promise<void> {
  for (const { message, code } of plan.blockers)
    await screen.note('warning', `cannot be applied: ${message} (${code})`);
  await screen.note(
    'note',
    `plan ${plan.id} is ${plan.status}; it rests on revision ${plan.baseRevision} and holds until ${plan.expiresAt}.`,
  );
}

/** What asks the server for a plan. */
export function requestOf(
  {
    assignor,
    rollbackTo,
    reason,
  }: { readonly assignor?: string; readonly rollbackTo?: string; readonly reason?: string },
  changes: ChangeOptions,
): ApiRequest {
  if (rollbackTo !== undefined) return { body: { rollbackTo: Number(rollbackTo) }, query: { reason } };
  return { body: { changes: changesOf(changes, assignor) }, query: { reason } };
}
