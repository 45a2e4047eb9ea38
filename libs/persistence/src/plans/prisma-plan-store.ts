import type {
  GroupRef,
  NewPlan,
  Page,
  PageRequest,
  PlanKey,
  PlanStatus,
  PlanStore,
  StoredPlan,
} from '@allot/coordinator';
import { violatedConstraint } from '../database/database-errors.js';
import type { Database } from '../database/database.js';
import { inTransaction, run } from '../database/run.js';
import { toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';
import { clusterNotFound } from '../groups/group-writer.js';

interface PlanRow extends Omit<StoredPlan, 'ref' | 'reason'> {
  readonly cluster: string;
  readonly groupId: string;
  readonly reason: string | null;
}

/** Whole ms, because a page continues after the `createdAt` that a client was shown. */
const CREATED_AT = Prisma.sql`date_trunc('milliseconds', clock_timestamp())`;

const PLAN_COLUMNS = Prisma.sql`id::text AS id, cluster, group_id AS "groupId", base_revision::float8 AS "baseRevision",
  input_hash AS "inputHash", status, author, reason, request, result, ${toMs('created_at')} AS "createdAt",
  ${toMs('expires_at')} AS "expiresAt", expires_at <= clock_timestamp() AS expired`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Stored plans. Times and expiry are the database's. */
export class PrismaPlanStore implements PlanStore {
  constructor(private readonly database: Database) {}

  async save(plan: NewPlan): Promise<StoredPlan> {
    return inTransaction(this.database, async (tx) => {
      try {
        const rows = await tx.$queryRaw<PlanRow[]>`
          INSERT INTO plans (id, cluster, group_id, base_revision, input_hash, status, author, reason, request, result,
                             created_at, expires_at)
          SELECT ${plan.id}::uuid, ${plan.ref.cluster}, ${plan.ref.groupId}, ${plan.baseRevision}::bigint, ${plan.inputHash},
            'open', ${plan.author}, ${plan.reason ?? null}, ${JSON.stringify(plan.request)}::jsonb,
            ${JSON.stringify(plan.result)}::jsonb, now, now + ${plan.validForMs}::float8 * interval '1 millisecond'
          FROM (SELECT ${CREATED_AT} AS now) clock
          RETURNING ${PLAN_COLUMNS}`;
        return toPlan(rows[0]!);
      } catch (error) {
        if (violatedConstraint(error) === 'plans_cluster_fkey') throw clusterNotFound(plan.ref.cluster);
        throw error;
      }
    });
  }

  get(id: string): Promise<StoredPlan | undefined> {
    return run(this.database, async (statements) => {
      if (!UUID.test(id)) return undefined;
      const rows = await statements.$queryRaw<PlanRow[]>`SELECT ${PLAN_COLUMNS} FROM plans WHERE id = ${id}::uuid`;
      return rows[0] && toPlan(rows[0]);
    });
  }

  listByGroup(ref: GroupRef, { after, limit }: PageRequest<PlanKey>): Promise<Page<StoredPlan>> {
    return run(this.database, async (statements) => {
      const older =
        after === undefined
          ? Prisma.empty
          : Prisma.sql`AND (created_at, id) < (timestamptz 'epoch' + ${after.createdAt}::float8 * interval '1 millisecond',
                                               ${after.id}::uuid)`;
      const rows = await statements.$queryRaw<PlanRow[]>`
        SELECT ${PLAN_COLUMNS} FROM plans WHERE cluster = ${ref.cluster} AND group_id = ${ref.groupId} ${older}
        ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`;
      return { items: rows.slice(0, limit).map(toPlan), more: rows.length > limit };
    });
  }

  newestByGroups(
    cluster: string,
    groupIds: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly StoredPlan[]>> {
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<PlanRow[]>`
        SELECT p.* FROM (SELECT DISTINCT unnest(${groupIds}::text[]) AS wanted) w CROSS JOIN LATERAL (
          SELECT ${PLAN_COLUMNS} FROM plans WHERE cluster = ${cluster} AND group_id = w.wanted
          ORDER BY plans.created_at DESC, plans.id DESC LIMIT ${limit}) p`;
      const plans = new Map<string, StoredPlan[]>();
      for (const row of rows) plans.set(row.groupId, [...(plans.get(row.groupId) ?? []), toPlan(row)]);
      return plans;
    });
  }

  markStatus(id: string, from: readonly PlanStatus[], to: PlanStatus): Promise<StoredPlan | undefined> {
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<PlanRow[]>`
        UPDATE plans SET status = ${to} WHERE id = ${id}::uuid AND status = ANY (${from}::text[]) RETURNING ${PLAN_COLUMNS}`;
      return rows[0] && toPlan(rows[0]);
    });
  }
}

function toPlan({ cluster, groupId, reason, ...row }: PlanRow): StoredPlan {
  return { ...row, ref: { cluster, groupId }, ...(reason !== null && { reason }) };
}
