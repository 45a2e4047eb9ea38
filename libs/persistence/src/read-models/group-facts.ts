import type { GroupFacts, GroupSummary, GroupType } from '@allot/coordinator';
import { toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';

/** A group as lists read it. */
export interface SummaryRow {
  readonly groupId: string;
  readonly type: GroupType;
  readonly source: 'live' | 'imported';
  readonly state: GroupSummary['state'];
  readonly revision: number;
  readonly groupEpoch: number;
  readonly assignmentEpoch: number;
  readonly memberCount: number;
  readonly assignedPartitions: number;
  readonly assignorFault: string | null;
  readonly protocol: string | null;
  readonly leader: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A group as dashboards read it. */
export interface FactsRow extends SummaryRow {
  readonly skew: number;
  readonly idleMembers: number;
  readonly lastRevision: number | null;
  readonly lastAt: number | null;
  readonly lastCause: string | null;
}

/** Every group `g` that `where` picks, with what is derived of it. The state is derived as `groupState` of the coordinator derives it. */
export function groupFacts(where: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT g.group_id AS "groupId", g.type, g.source, g.revision::float8 AS revision, g.group_epoch AS "groupEpoch",
      g.assignment_epoch AS "assignmentEpoch", g.assignor_fault AS "assignorFault",
      ${toMs('g.created_at')} AS "createdAt", ${toMs('g.updated_at')} AS "updatedAt",
      m.members::int AS "memberCount", m.partitions::int AS "assignedPartitions", m.skew::int AS skew,
      m.idle::int AS "idleMembers", g.classic ->> 'protocol' AS protocol, g.classic ->> 'leader' AS leader,
      CASE WHEN g.classic IS NOT NULL THEN g.classic ->> 'phase'
           WHEN m.members = 0 THEN 'EMPTY' WHEN g.group_epoch > g.assignment_epoch THEN 'ASSIGNING'
           WHEN m.reconciled < m.members THEN 'RECONCILING' ELSE 'STABLE' END AS state,
      r.revision::float8 AS "lastRevision", ${toMs('r.at')} AS "lastAt", r.cause AS "lastCause"
    FROM groups g
    CROSS JOIN LATERAL (
      SELECT count(*) AS members, coalesce(sum(c.n), 0) AS partitions,
             count(*) FILTER (WHERE mm.state = 'STABLE' AND mm.member_epoch = g.assignment_epoch) AS reconciled,
             count(*) FILTER (WHERE mm.target = '{}'::jsonb) AS idle,
             coalesce(max(coalesce(c.n, 0)) - min(coalesce(c.n, 0)), 0) AS skew
      FROM group_members mm LEFT JOIN (
        SELECT member_id, count(*) AS n FROM partition_ownership WHERE group_pk = g.id AND kind = 'assigned'
        GROUP BY member_id) c ON c.member_id = mm.member_id
      WHERE mm.group_pk = g.id) m
    LEFT JOIN LATERAL (
      SELECT revision, at, cause FROM group_changes
      WHERE group_pk = g.id AND rebalance IS NOT NULL AND rebalance ->> 'begins' = 'true'
      ORDER BY revision DESC LIMIT 1) r ON true
    WHERE ${where}`;
}

export function readSummary(cluster: string, row: FactsRow): GroupSummary {
  const { groupId, assignorFault, protocol, leader, skew: _skew, idleMembers: _idle, ...rest } = row;
  const { lastRevision: _revision, lastAt: _at, lastCause: _cause, ...summary } = rest;
  return {
    ref: { cluster, groupId },
    ...summary,
    ...(assignorFault !== null && { assignorFault }),
    ...(protocol !== null && { protocol }),
    ...(leader !== null && { leader }),
  };
}

export function readFacts({ skew, idleMembers, lastRevision, lastAt, lastCause }: FactsRow): GroupFacts {
  return {
    skew,
    idleMembers,
    ...(lastRevision !== null && {
      lastRebalance: {
        revision: lastRevision,
        startedAt: lastAt!,
        cause: lastCause as NonNullable<GroupFacts['lastRebalance']>['cause'],
      },
    }),
  };
}
