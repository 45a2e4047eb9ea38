import { lateOf, type ChangeCause, type MemberChange, type Rebalance, type TargetChange } from '@allot/coordinator';
import { toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';

export interface RebalanceRow {
  readonly groupId: string;
  readonly revision: number;
  readonly startedAt: number;
  readonly cause: string;
  readonly actor: string;
  readonly reason: string | null;
  readonly requestId: string | null;
  readonly groupEpoch: number;
  readonly endRevision: number | null;
  readonly endAt: number | null;
  readonly completed: boolean | null;
  readonly target: TargetChange | null;
  /** Members of the change that ended it, if it ended later than it began and with them. */
  readonly late: readonly Pick<MemberChange, 'memberId' | 'removed'>[] | null;
}

/** Columns of a rebalance that began with the change `b` of group `g`, told by the changes up to `upTo`, an SQL expression. */
export const REBALANCE_COLUMNS = Prisma.sql`
  g.group_id AS "groupId", b.revision::float8 AS revision, ${toMs('b.at')} AS "startedAt", b.cause, b.actor, b.reason,
  b.request_id AS "requestId", b.group_epoch AS "groupEpoch", e.revision::float8 AS "endRevision", ${toMs('e.at')} AS "endAt",
  e.completed, t.target, e.late`;

/**
 * What came of the rebalance that `b` begins: its end is the first change that ends it or begins the next, its target the last one until
 * then. The same as `foldRebalances` of the coordinator tells, for one rebalance without its neighbours.
 */
export function rebalanceOutcome(upTo: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    LEFT JOIN LATERAL (
      SELECT x.revision, x.at, (x.rebalance ->> 'begins' IS NULL OR x.revision = b.revision) AS completed,
        CASE WHEN x.revision > b.revision AND x.rebalance ->> 'begins' IS NULL THEN x.members
             WHEN x.revision > b.revision AND x.cause = 'rebalance-timeout'
             THEN jsonb_path_query_array(x.members, '$[*] ? (@.removed == true)') END AS late
      FROM group_changes x
      WHERE x.group_pk = b.group_pk AND x.rebalance IS NOT NULL AND x.revision >= b.revision AND x.revision <= ${upTo}
        AND (x.rebalance ->> 'ends' = 'true' OR (x.rebalance ->> 'begins' = 'true' AND x.revision > b.revision))
      ORDER BY x.revision LIMIT 1) e ON true
    LEFT JOIN LATERAL (
      SELECT x.rebalance -> 'target' AS target FROM group_changes x
      WHERE x.group_pk = b.group_pk AND x.rebalance -> 'target' IS NOT NULL AND x.revision >= b.revision AND x.revision <= ${upTo}
        AND (e.revision IS NULL OR x.revision < e.revision OR (x.revision = e.revision AND e.completed))
      ORDER BY x.revision DESC LIMIT 1) t ON true`;
}

export function readRebalance(row: RebalanceRow): Rebalance {
  const { reason, requestId, endRevision, completed, target } = row;
  return {
    revision: row.revision,
    startedAt: row.startedAt,
    cause: row.cause as ChangeCause,
    origin: { actor: row.actor, ...(reason !== null && { reason }), ...(requestId !== null && { requestId }) },
    groupEpoch: row.groupEpoch,
    outcome: endRevision === null ? 'running' : completed === true ? 'completed' : 'superseded',
    ...(endRevision !== null && { end: { revision: endRevision, at: row.endAt! } }),
    ...(target !== null && { target }),
    ...lateOf(row.startedAt, row.endAt ?? row.startedAt, row.late ?? []),
  };
}
