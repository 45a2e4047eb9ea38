import type { StoredPlan } from '@allot/coordinator';
import { AllotError, invalidRequest } from '@allot/model';
import type { FastifyReply } from 'fastify';

/** What a caller believes of a plan: the revision that it rests on, and perhaps its status. */
export interface PlanPrecondition {
  readonly baseRevision?: number;
  readonly status?: string;
}

/** A plan never changes but in its status, so both together are its version: `"7-approved"`. */
export function etagOf({ baseRevision, status }: Pick<StoredPlan, 'baseRevision' | 'status'>): string {
  return `"${baseRevision}-${status}"`;
}

/**
 * Reads If-Match of a plan: its ETag, the bare revision that it rests on (`"7"`), or `*`.
 * @throws AllotError INVALID_REQUEST for anything else.
 */
export function readPlanIfMatch(header: string | undefined): PlanPrecondition | undefined {
  const value = header?.trim();
  if (value === undefined) return undefined;
  if (value === '*') return {};
  const match = /^"(\d{1,15})(?:-([a-z]+))?"$/.exec(value);
  if (match !== null) {
    const [, revision, status] = match;
    return { baseRevision: Number(revision), ...(status !== undefined && { status }) };
  }
  const detail = 'must be the ETag of the plan, the revision that it rests on such as "7" in double quotes, or *';
  throw invalidRequest(`If-Match ${detail}.`, [{ pointer: 'If-Match', detail }]);
}

/** @throws AllotError PRECONDITION_REQUIRED when it is missing. */
export function requirePlanIfMatch(header: string | undefined): PlanPrecondition {
  const precondition = readPlanIfMatch(header);
  if (precondition !== undefined) return precondition;
  throw new AllotError(
    'PRECONDITION_REQUIRED',
    'Send If-Match with the baseRevision of the plan that you reviewed, such as If-Match: "7".',
    { action: 'refresh' },
  );
}

/** @throws AllotError STALE_REVISION when the plan is not what the caller believes. */
export function checkPlan(plan: StoredPlan, believed: PlanPrecondition | undefined): void {
  const { baseRevision, status } = plan;
  if (believed === undefined) return;
  const same = believed.baseRevision === undefined || believed.baseRevision === baseRevision;
  if (same && (believed.status === undefined || believed.status === status)) return;
  throw new AllotError(
    'STALE_REVISION',
    `The plan is ${status} and rests on revision ${baseRevision}. Read it again.`,
    {
      action: 'refresh',
      facts: { baseRevision, planStatus: status },
    },
  );
}

/** Sets the ETag; true, with status 304, when the client has this version already. */
export function planNotModified(reply: FastifyReply, ifNoneMatch: string | undefined, plan: StoredPlan): boolean {
  const etag = etagOf(plan);
  void reply.header('ETag', etag);
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  if (!tags.includes(etag) && !tags.includes('*')) return false;
  void reply.status(304);
  return true;
}
