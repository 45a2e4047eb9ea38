import type { GroupChange, PlanDecision, PlanEffect, StoredPlan } from '@allot/coordinator';
import type { Statements } from '../database/database.js';
import { NOW_MS, toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';

type Decisions = Pick<StoredPlan, 'approved' | 'discarded' | 'applied'>;

export interface PlanRow extends Omit<StoredPlan, 'ref' | 'reason' | 'effect' | keyof Decisions> {
  readonly cluster: string;
  readonly groupId: string;
  readonly reason: string | null;
  readonly effect: PlanEffect | null;
  readonly decisions: Decisions;
}

export const PLAN_COLUMNS = Prisma.sql`id::text AS id, cluster, group_id AS "groupId", base_revision::float8 AS "baseRevision",
  input_hash AS "inputHash", status, author, reason, request, result, effect, decisions, ${toMs('created_at')} AS "createdAt",
  ${toMs('expires_at')} AS "expiresAt", expires_at <= clock_timestamp() AS expired`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function readPlan(
  statements: Statements,
  id: string,
  lock: Prisma.Sql = Prisma.empty,
): Promise<StoredPlan | undefined> {
  if (!UUID.test(id)) return undefined;
  const rows = await statements.$queryRaw<PlanRow[]>`
    SELECT ${PLAN_COLUMNS} FROM plans WHERE id = ${id}::uuid ${lock}`;
  return rows[0] && toPlan(rows[0]);
}

/** Locks a plan until the transaction ends. Who needs its group's lock as well takes that one first. */
export function lockPlan(tx: Statements, id: string): Promise<StoredPlan | undefined> {
  return readPlan(tx, id, Prisma.sql`FOR UPDATE`);
}

/** Marks a locked plan as applied by the change that carries it out. */
export async function markApplied(tx: Statements, id: string, { at, origin, revision }: GroupChange): Promise<void> {
  const { actor, reason } = origin;
  await decide(tx, id, 'applied', { actor, at, ...(reason !== undefined && { reason }), revision });
}

/** Gives a locked plan its new status; without a time it is the database's present. */
export async function decide(
  tx: Statements,
  id: string,
  status: keyof Decisions,
  decision: Omit<PlanDecision, 'at'> & { readonly at?: number; readonly revision?: number },
): Promise<StoredPlan> {
  const rows = await tx.$queryRaw<PlanRow[]>`
    UPDATE plans SET status = ${status},
      decisions = decisions || jsonb_build_object(${status}::text,
        jsonb_build_object('at', ${NOW_MS}) || ${JSON.stringify(decision)}::jsonb)
    WHERE id = ${id}::uuid RETURNING ${PLAN_COLUMNS}`;
  return toPlan(rows[0]!);
}

export function toPlan({ cluster, groupId, reason, effect, decisions, ...row }: PlanRow): StoredPlan {
  return {
    ...row,
    ref: { cluster, groupId },
    ...(reason !== null && { reason }),
    ...(effect !== null && { effect }),
    ...decisions,
  };
}
