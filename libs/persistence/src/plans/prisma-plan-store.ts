import type {
  GroupRef,
  NewPlan,
  Page,
  PageRequest,
  PlanDecision,
  PlanFilter,
  PlanKey,
  PlanStore,
  StoredPlan,
} from '@allot/coordinator';
import { violatedConstraint } from '../database/database-errors.js';
import type { Database } from '../database/database.js';
import { inTransaction, run } from '../database/run.js';
import { Prisma } from '../generated/client.js';
import { clusterNotFound } from '../groups/group-writer.js';
import { decide, lockPlan, PLAN_COLUMNS, readPlan, toPlan, type PlanRow } from './plan-rows.js';

/** Whole ms, because a page continues after the `createdAt` that a client was shown. */
const CREATED_AT = Prisma.sql`date_trunc('milliseconds', clock_timestamp())`;

/** Stored plans. Times and expiry are the database's. */
export class PrismaPlanStore implements PlanStore {
  constructor(private readonly database: Database) {}

  async save(plan: NewPlan): Promise<StoredPlan> {
    return inTransaction(this.database, async (tx) => {
      try {
        const rows = await tx.$queryRaw<PlanRow[]>`
          INSERT INTO plans (id, cluster, group_id, base_revision, input_hash, status, author, reason, request, result, effect,
                             created_at, expires_at)
          SELECT ${plan.id}::uuid, ${plan.ref.cluster}, ${plan.ref.groupId}, ${plan.baseRevision}::bigint, ${plan.inputHash},
            'open', ${plan.author}, ${plan.reason ?? null}, ${JSON.stringify(plan.request)}::jsonb,
            ${JSON.stringify(plan.result)}::jsonb, ${plan.effect === undefined ? null : JSON.stringify(plan.effect)}::jsonb, now, now + ${plan.validForMs}::float8 * interval '1 millisecond'
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
    return run(this.database, (statements) => readPlan(statements, id));
  }

  listByGroup(ref: GroupRef, { after, limit }: PageRequest<PlanKey>, filter?: PlanFilter): Promise<Page<StoredPlan>> {
    return run(this.database, async (statements) => {
      const older =
        after === undefined
          ? Prisma.empty
          : Prisma.sql`AND (created_at, id) < (timestamptz 'epoch' + ${after.createdAt}::float8 * interval '1 millisecond',
                                               ${after.id}::uuid)`;
      const filtered = filter === undefined ? Prisma.empty : Prisma.sql`AND ${SHOWN_STATUS} = ${filter}`;
      const rows = await statements.$queryRaw<PlanRow[]>`
        SELECT ${PLAN_COLUMNS} FROM plans WHERE cluster = ${ref.cluster} AND group_id = ${ref.groupId} ${older} ${filtered}
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

  async decide(
    id: string,
    to: 'approved' | 'discarded',
    decision: Omit<PlanDecision, 'at'>,
    check: (plan: StoredPlan) => boolean,
    options: { readonly dryRun?: boolean } = {},
  ): Promise<StoredPlan | undefined> {
    return inTransaction(
      this.database,
      async (tx) => {
        const plan = await lockPlan(tx, id);
        if (plan === undefined || !check(plan)) return plan;
        return decide(tx, id, to, decision);
      },
      options,
    );
  }
}

/** A plan's status as a list shows it: time ends the ones that nobody has ended. */
const SHOWN_STATUS = Prisma.sql`CASE WHEN status IN ('open', 'approved') AND expires_at <= clock_timestamp() THEN 'expired' ELSE status END`;
