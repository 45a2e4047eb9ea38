import {
  foldRebalances,
  type GroupReadModel,
  type GroupSummary,
  type Page,
  type PageRequest,
  type Rebalance,
} from '@allot/coordinator';
import type { Database } from '../database/database.js';
import { run } from '../database/run.js';
import { toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';
import { readCluster } from '../catalog/cluster-rows.js';
import type { SummaryRow } from '../read-models/group-facts.js';
import { fromChangeRow, type ChangeRow } from './change-rows.js';

/** Lists of groups, one statement a page. */
export class PrismaGroupReadModel implements GroupReadModel {
  constructor(private readonly database: Database) {}

  /** The state is derived as `groupState` of the coordinator derives it. */
  listGroups(cluster: string, page: PageRequest<string>): Promise<Page<GroupSummary>> {
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<SummaryRow[]>`
        SELECT g.group_id AS "groupId", g.type, g.source, g.revision::float8 AS revision, g.group_epoch AS "groupEpoch",
          g.assignment_epoch AS "assignmentEpoch", g.assignor_fault AS "assignorFault",
          ${toMs('g.created_at')} AS "createdAt", ${toMs('g.updated_at')} AS "updatedAt",
          m.members::int AS "memberCount", o.partitions::int AS "assignedPartitions",
          g.classic ->> 'protocol' AS protocol, g.classic ->> 'leader' AS leader,
          CASE WHEN g.classic IS NOT NULL THEN g.classic ->> 'phase'
               WHEN m.members = 0 THEN 'EMPTY' WHEN g.group_epoch > g.assignment_epoch THEN 'ASSIGNING'
               WHEN m.reconciled < m.members THEN 'RECONCILING' ELSE 'STABLE' END AS state
        FROM (SELECT * FROM groups WHERE cluster = ${cluster} AND group_id > ${page.after ?? ''}
              ORDER BY group_id LIMIT ${page.limit + 1}) g
        CROSS JOIN LATERAL (
          SELECT count(*) AS members,
                 count(*) FILTER (WHERE state = 'STABLE' AND member_epoch = g.assignment_epoch) AS reconciled
          FROM group_members WHERE group_pk = g.id) m
        CROSS JOIN LATERAL (
          SELECT count(*) AS partitions FROM partition_ownership WHERE group_pk = g.id AND kind = 'assigned') o
        ORDER BY g.group_id`;
      if (rows.length === 0) await readCluster(statements, cluster);
      const items = rows.slice(0, page.limit).map(({ groupId, assignorFault, protocol, leader, ...row }) => ({
        ref: { cluster, groupId },
        ...row,
        ...(assignorFault !== null && { assignorFault }),
        ...(protocol !== null && { protocol }),
        ...(leader !== null && { leader }),
      }));
      return { items, more: rows.length > page.limit };
    });
  }

  /**
   * Reads no more changes than those that begin, end or give a target to a rebalance of the page, and the one that superseded its
   * newest. Of members only those are read whom a rebalance waited for.
   */
  listRebalances(
    cluster: string,
    groupIds: readonly string[],
    { after, limit }: PageRequest<number>,
  ): Promise<ReadonlyMap<string, Page<Rebalance>>> {
    return run(this.database, async (statements) => {
      const before = after ?? Number.MAX_SAFE_INTEGER;
      const rows = await statements.$queryRaw<{ groupId: string; changes: readonly ChangeRow[] }[]>`
        SELECT g.group_id AS "groupId", (
          SELECT coalesce(json_agg(ch ORDER BY ch.revision), '[]') FROM (
            SELECT revision, ${toMs('at')} AS at, kind, cause, actor, reason, request_id, state, group_epoch, assignment_epoch,
                   CASE WHEN ${TELLS_LATE} THEN (
                     SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('memberId', m -> 'memberId', 'removed', m -> 'removed')))
                     FROM jsonb_array_elements(members) m) ELSE '[]' END AS members,
                   rebalance, plan_id, details
            FROM group_changes
            WHERE group_pk = g.id AND rebalance IS NOT NULL AND revision <= ${before}::bigint AND revision >= (
              SELECT min(b.revision) FROM (
                SELECT revision FROM group_changes
                WHERE group_pk = g.id AND rebalance IS NOT NULL AND rebalance ->> 'begins' = 'true'
                  AND revision < ${before}::bigint
                ORDER BY revision DESC LIMIT ${limit + 1}) b)) ch) AS changes
        FROM groups g WHERE g.cluster = ${cluster} AND g.group_id = ANY (${[...groupIds]}::text[])`;
      return new Map(rows.map(({ groupId, changes }) => [groupId, pageOf(changes, before, limit)]));
    });
  }
}

/** Changes whose members say for whom a rebalance waited: they ended it, or were fenced by it. Those of others may be thousands. */
const TELLS_LATE = Prisma.sql`jsonb_array_length(members) > 0 AND (cause = 'rebalance-timeout'
  OR (rebalance ->> 'ends' = 'true' AND rebalance ->> 'begins' IS NULL))`;

function pageOf(changes: readonly ChangeRow[], before: number, limit: number): Page<Rebalance> {
  const rebalances = foldRebalances(changes.map(fromChangeRow)).filter(({ revision }) => revision < before);
  return { items: rebalances.reverse().slice(0, limit), more: rebalances.length > limit };
}
