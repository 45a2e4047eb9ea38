import type { AuditEntry, GroupChange, GroupRef } from '@allot/coordinator';
import { toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';
import { fromChangeRow, type ChangeRow } from '../groups/change-rows.js';

/** A change as histories list it: of its members only who came, who went, and how many there are. */
export interface AuditRow extends ChangeRow {
  readonly group_id: string;
  readonly added: readonly string[] | null;
  readonly removed: readonly string[] | null;
  readonly member_count: number;
  /** [revision, ms] of the beginning of the rebalance that ended with this change. */
  readonly began: readonly [revision: number, at: number] | null;
  readonly late: readonly string[] | null;
}

/** Columns of an `AuditRow`, of a change `ch` of a group `g`. */
export const AUDIT_COLUMNS = Prisma.sql`g.group_id, ch.revision::float8 AS revision, ${toMs('ch.at')} AS at, ch.kind, ch.cause, ch.actor,
  ch.reason, ch.request_id, ch.state, ch.group_epoch, ch.assignment_epoch, json_build_array() AS members, ch.rebalance,
  ch.plan_id::text AS plan_id, ch.details, jsonb_array_length(ch.members) AS member_count,
  jsonb_path_query_array(ch.members, '$[*] ? (@.added == true).memberId') AS added,
  jsonb_path_query_array(ch.members, '$[*] ? (@.removed == true).memberId') AS removed,
  CASE WHEN ch.rebalance ->> 'ends' = 'true' THEN jsonb_path_query_array(ch.members, '$[*].memberId') END AS late,
  CASE WHEN ch.rebalance ->> 'ends' = 'true' THEN (
    SELECT json_build_array(b.revision, ${toMs('b.at')}) FROM group_changes b
    WHERE b.group_pk = ch.group_pk AND b.rebalance IS NOT NULL AND b.rebalance ->> 'begins' = 'true' AND b.revision <= ch.revision
    ORDER BY b.revision DESC LIMIT 1) END AS began`;

export function toAuditEntry(cluster: string, row: AuditRow): AuditEntry {
  const ref: GroupRef = { cluster, groupId: row.group_id };
  const { members: _none, ...change }: GroupChange = fromChangeRow(row);
  const { added, removed, member_count: members } = row;
  const ended = endedOf(row);
  return {
    ref,
    change,
    added: added ?? [],
    removed: removed ?? [],
    members,
    ...(ended !== undefined && { ended }),
  };
}

function endedOf({ revision, at, began, late }: AuditRow): AuditEntry['ended'] {
  if (began === null) return undefined;
  const [first, since] = began;
  const durationMs = Math.max(0, Math.round(at - since));
  return { revision: first, durationMs, late: first === revision ? [] : (late ?? []) };
}
