import type { Group, GroupRef } from '@allot/coordinator';
import type { Statements } from '../database/database.js';
import { NOW_MS, toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';
import type { GroupRow, MemberRow, OwnershipRow } from './group-rows.js';
import { toGroup } from './group-rows.js';

const GROUP_COLUMNS = Prisma.sql`
  g.id AS pk, g.source, g.settings, g.group_epoch, g.assignment_epoch, g.revision::float8 AS revision,
  g.catalog_revision::float8 AS catalog_revision, g.subscribed_topics, g.next_join_order,
  ${toMs('g.next_assignment_at')} AS next_assignment_at, g.assignor_fault, g.classic, g.calm`;

const MEMBERS_JSON = Prisma.sql`
  (SELECT coalesce(json_agg(m ORDER BY m.join_order, m.member_id), '[]') FROM (
    SELECT member_id, instance_id, rack_id, client_id, weight, subscribed_topics, pattern, rebalance_timeout_ms, member_epoch,
           previous_member_epoch, state, target, ${toMs('rebalance_deadline')} AS rebalance_deadline,
           granted_revision, join_order, session_timeout_ms, classic, standing
    FROM group_members WHERE group_pk = g.id) m)`;

const OWNERSHIP_JSON = Prisma.sql`
  (SELECT coalesce(json_agg(o ORDER BY o.topic), '[]') FROM (
    SELECT member_id, kind, topic, array_agg(partition ORDER BY partition) AS partitions,
           array_agg(epoch ORDER BY partition) AS epochs
    FROM partition_ownership WHERE group_pk = g.id GROUP BY member_id, kind, topic) o)`;

interface ContentRow {
  readonly members: readonly MemberRow[];
  readonly ownership: readonly OwnershipRow[];
}

/** Locks the group's row until the transaction ends, waiting for whoever holds it. */
export async function lockGroupRow(tx: Statements, ref: GroupRef): Promise<GroupRow | undefined> {
  const rows = await tx.$queryRaw<GroupRow[]>`
    SELECT ${GROUP_COLUMNS} FROM groups g WHERE g.cluster = ${ref.cluster} AND g.group_id = ${ref.groupId} FOR UPDATE`;
  return rows[0];
}

/** The lock of a group that has no row yet: those who would create it go one after the other. */
export async function lockGroupName(tx: Statements, ref: GroupRef): Promise<void> {
  const name = JSON.stringify([ref.cluster, ref.groupId]);
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

/** Members and ownership of a group whose row is locked. */
export async function loadLockedGroup(tx: Statements, row: GroupRow): Promise<Group> {
  const rows = await tx.$queryRaw<ContentRow[]>`
    SELECT ${MEMBERS_JSON} AS members, ${OWNERSHIP_JSON} AS ownership FROM groups g WHERE g.id = ${row.pk}`;
  return toGroup(row, rows[0]!.members, rows[0]!.ownership);
}

export interface LockedFacts {
  /** The database's clock, ms since 1970. */
  readonly now: number;
  readonly catalogRevision: number;
  readonly clusterCreatedAt: number;
  /** Members whose lease has run out, their lease rows locked; null when there are none. */
  readonly expired: readonly string[] | null;
  /** Where the revisions of an earlier group of this id ended; null when there was none. */
  readonly lastRevision: number | null;
}

/** Clock, catalog revision and expired members, read in a statement of its own: after the group's lock was waited for. */
export async function readFacts(
  tx: Statements,
  { cluster, groupId }: GroupRef,
  pk: bigint | null,
): Promise<LockedFacts | undefined> {
  const rows = await tx.$queryRaw<LockedFacts[]>`
    WITH expired AS MATERIALIZED (
      SELECT member_id FROM member_leases WHERE group_pk = ${pk} AND lease_until <= clock_timestamp()
      ORDER BY member_id FOR UPDATE)
    SELECT ${NOW_MS} AS now, c.catalog_revision::float8 AS "catalogRevision", ${toMs('c.created_at')} AS "clusterCreatedAt",
           (SELECT array_agg(member_id) FROM expired) AS expired,
           (SELECT revision::float8 FROM deleted_groups WHERE cluster = ${cluster} AND group_id = ${groupId}) AS "lastRevision"
    FROM clusters c WHERE c.name = ${cluster}`;
  return rows[0];
}

/** What a reader sees in one statement without a lock. Members and ownership are left out of those that are known. */
export interface ReadRow extends GroupRow {
  readonly group_id: string;
  readonly now: number;
  readonly catalogRevision: number;
  readonly clusterCreatedAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** [[member id, ms], ...] */
  readonly leases: readonly (readonly [memberId: string, until: number])[];
  readonly members: readonly MemberRow[] | null;
  readonly ownership: readonly OwnershipRow[] | null;
}

/** Groups of one cluster; `known` are keys and revisions whose contents the caller has. */
export async function readGroupRows(
  statements: Statements,
  cluster: string,
  groupIds: readonly string[],
  known: readonly { readonly pk: bigint; readonly revision: number }[],
): Promise<readonly ReadRow[]> {
  const isKnown = Prisma.sql`EXISTS (
    SELECT 1 FROM unnest(${known.map(({ pk }) => pk)}::bigint[], ${known.map(({ revision }) => revision)}::bigint[]) k(pk, revision)
    WHERE k.pk = g.id AND k.revision = g.revision)`;
  const unlessKnown = (json: Prisma.Sql) => Prisma.sql`CASE WHEN ${isKnown} THEN NULL ELSE ${json} END`;
  return statements.$queryRaw<ReadRow[]>`
    SELECT g.group_id, ${GROUP_COLUMNS}, ${NOW_MS} AS now, c.catalog_revision::float8 AS "catalogRevision",
           ${toMs('c.created_at')} AS "clusterCreatedAt", ${toMs('g.created_at')} AS "createdAt",
           ${toMs('g.updated_at')} AS "updatedAt",
           (SELECT coalesce(json_agg(json_build_array(member_id, ${toMs('lease_until')})), '[]')
            FROM member_leases WHERE group_pk = g.id) AS leases,
           ${unlessKnown(MEMBERS_JSON)} AS members, ${unlessKnown(OWNERSHIP_JSON)} AS ownership
    FROM groups g JOIN clusters c ON c.name = g.cluster
    WHERE g.cluster = ${cluster} AND g.group_id = ANY (${groupIds}::text[])`;
}
