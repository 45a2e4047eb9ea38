import {
  isClassic,
  timerAt,
  type ClassicMember,
  type ConsumerMember,
  type MemberStanding,
  type Group,
  type GroupChange,
  type GroupRef,
} from '@allot/coordinator';
import { AllotError, assignmentToJson } from '@allot/model';
import { violatedConstraint } from '../database/database-errors.js';
import type { Statements } from '../database/database.js';
import { fromMs, toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';
import { toChangeRow } from './change-rows.js';
import { classicGroupJson, classicMemberJson } from './classic-rows.js';
import { diffGroups } from './group-diff.js';
import type { Holding } from './group-diff.js';
import type { MemberRow } from './group-rows.js';

/**
 * Writes what differs between two states of a group whose lock is held, and the changes that led from one to the other. Returns the group's key.
 * The order matters: partitions are let go before anyone receives them, members exist before they own.
 */
export async function writeGroup(
  tx: Statements,
  ref: GroupRef,
  before: { readonly pk: bigint; readonly group: Group } | undefined,
  after: Group,
  changes: readonly GroupChange[],
): Promise<{ readonly pk: bigint; readonly addedMembers: readonly string[] }> {
  const diff = diffGroups(before?.group, after);
  const pk =
    before === undefined
      ? await insertGroup(tx, ref, after, changes)
      : await updateGroup(tx, before.pk, before.group.revision, after, changes);
  await release(tx, pk, diff.released);
  await deleteMembers(tx, pk, diff.removedMembers);
  await saveMembers(tx, pk, diff.savedMembers);
  await alter(tx, pk, diff.altered);
  await acquire(tx, pk, ref, diff.acquired);
  return { pk, addedMembers: diff.addedMembers };
}

/** Members, leases, ownership and history go with it. */
export async function deleteGroup(tx: Statements, pk: bigint): Promise<void> {
  await tx.$executeRaw`
    WITH gone AS (DELETE FROM groups WHERE id = ${pk} RETURNING cluster, group_id, revision)
    INSERT INTO deleted_groups (cluster, group_id, revision, deleted_at)
    SELECT cluster, group_id, revision, clock_timestamp() FROM gone
    ON CONFLICT (cluster, group_id) DO UPDATE SET revision = excluded.revision, deleted_at = excluded.deleted_at`;
}

/**
 * Starts leases anew: a session (`sessionOf`, in ms) from now. A lease that was promised for longer, under an earlier timeout, is kept:
 * its member may still be relying on it.
 */
export async function renewLeases(
  tx: Statements,
  pk: bigint,
  memberIds: readonly string[],
  sessionOf: (memberId: string) => number,
): Promise<ReadonlyMap<string, number>> {
  if (memberIds.length === 0) return new Map();
  const sorted = [...memberIds].sort();
  const rows = await tx.$queryRaw<{ member_id: string; until: number }[]>`
    INSERT INTO member_leases AS l (group_pk, member_id, lease_until)
    SELECT ${pk}, member_id, date_trunc('milliseconds', clock_timestamp()) + session_ms * interval '1 millisecond'
    FROM unnest(${sorted}::text[], ${sorted.map(sessionOf)}::float8[]) AS r(member_id, session_ms)
    ON CONFLICT (group_pk, member_id) DO UPDATE SET lease_until = greatest(l.lease_until, excluded.lease_until)
    RETURNING member_id, ${toMs('lease_until')} AS until`;
  return new Map(rows.map(({ member_id: memberId, until }) => [memberId, until]));
}

async function insertGroup(
  tx: Statements,
  ref: GroupRef,
  group: Group,
  changes: readonly GroupChange[],
): Promise<bigint> {
  try {
    const rows = await tx.$queryRaw<{ group_pk: bigint }[]>`
      WITH g AS (
        INSERT INTO groups (cluster, group_id, type, source, settings, group_epoch, assignment_epoch, revision, catalog_revision,
                            subscribed_topics, next_join_order, next_assignment_at, assignor_fault, classic, timer_at, calm)
        VALUES (${ref.cluster}, ${ref.groupId}, ${group.settings.type}, ${group.source}, ${JSON.stringify(group.settings)}::jsonb,
                ${group.groupEpoch}, ${group.assignmentEpoch}, ${group.revision}::bigint, ${group.catalogRevision}::bigint,
                ${subscribedTopicsJson(group)}::jsonb, ${group.nextJoinOrder},
                ${nextAssignmentAt(group)}, ${group.assignorFault ?? null}, ${classicJson(group)}::jsonb, ${timestamp(timerOf(group))},
                ${calmJson(group)}::jsonb)
        RETURNING id)
      ${insertChanges(changes)} RETURNING group_pk`;
    return rows[0]!.group_pk;
  } catch (error) {
    if (violatedConstraint(error) !== 'groups_cluster_fkey') throw error;
    throw clusterNotFound(ref.cluster);
  }
}

async function updateGroup(
  tx: Statements,
  pk: bigint,
  revision: number,
  group: Group,
  changes: readonly GroupChange[],
): Promise<bigint> {
  const rows = await tx.$queryRaw<{ group_pk: bigint }[]>`
    WITH g AS (
      UPDATE groups SET type = ${group.settings.type}, source = ${group.source}, settings = ${JSON.stringify(group.settings)}::jsonb,
        group_epoch = ${group.groupEpoch}, assignment_epoch = ${group.assignmentEpoch}, revision = ${group.revision}::bigint,
        catalog_revision = ${group.catalogRevision}::bigint, subscribed_topics = ${subscribedTopicsJson(group)}::jsonb,
        next_join_order = ${group.nextJoinOrder}, next_assignment_at = ${nextAssignmentAt(group)},
        assignor_fault = ${group.assignorFault ?? null}, classic = ${classicJson(group)}::jsonb, timer_at = ${timestamp(timerOf(group))},
        calm = ${calmJson(group)}::jsonb, updated_at = clock_timestamp()
      WHERE id = ${pk} AND revision = ${revision}::bigint
      RETURNING id)
    ${insertChanges(changes)} RETURNING group_pk`;
  if (rows.length !== changes.length)
    throw new Error(`Group ${pk} is not at revision ${revision} although it is locked.`);
  return pk;
}

/** Rows of history for the group that the surrounding statement names `g`. */
function insertChanges(changes: readonly GroupChange[]): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO group_changes (group_pk, revision, at, kind, cause, actor, reason, request_id, state, group_epoch,
                               assignment_epoch, members, rebalance, plan_id, details)
    SELECT g.id, r.revision, ${fromMs('r.at')}, r.kind, r.cause, r.actor, r.reason, r.request_id, r.state, r.group_epoch,
           r.assignment_epoch, r.members, r.rebalance, r.plan_id, r.details
    FROM g, json_to_recordset(${JSON.stringify(changes.map(toChangeRow))}::json) AS r(revision bigint, at float8, kind text,
      cause text, actor text, reason text, request_id text, state text, group_epoch int, assignment_epoch int, members jsonb,
      rebalance jsonb, plan_id uuid, details jsonb)`;
}

function nextAssignmentAt(group: Group): Prisma.Sql {
  return timestamp(isClassic(group) ? undefined : group.nextAssignmentAt);
}

function timestamp(ms: number | undefined): Prisma.Sql {
  return Prisma.sql`timestamptz 'epoch' + ${ms ?? null}::float8 * interval '1 millisecond'`;
}

function timerOf(group: Group): number | undefined {
  return isClassic(group) ? timerAt(group) : undefined;
}

function classicJson(group: Group): string | null {
  return isClassic(group) ? JSON.stringify(classicGroupJson(group)) : null;
}

function subscribedTopicsJson(group: Group): string {
  const topics = [...group.subscribedTopics];
  return JSON.stringify(
    topics.map(([name, { id, partitions, racks }]) => [name, id, partitions, ...(racks === undefined ? [] : [racks])]),
  );
}

function calmJson(group: Group): string | null {
  return isClassic(group) || group.calm === undefined ? null : JSON.stringify(group.calm);
}

async function deleteMembers(tx: Statements, pk: bigint, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length === 0) return;
  await tx.$executeRaw`DELETE FROM group_members WHERE group_pk = ${pk} AND member_id = ANY (${memberIds}::text[])`;
}

async function saveMembers(
  tx: Statements,
  pk: bigint,
  members: readonly (ConsumerMember | ClassicMember)[],
): Promise<void> {
  if (members.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO group_members (group_pk, member_id, instance_id, rack_id, client_id, weight, subscribed_topics, pattern,
      rebalance_timeout_ms, member_epoch, previous_member_epoch, state, target, rebalance_deadline, granted_revision,
      join_order, session_timeout_ms, classic, standing)
    SELECT ${pk}, member_id, instance_id, rack_id, client_id, weight, subscribed_topics, pattern, rebalance_timeout_ms,
      member_epoch, previous_member_epoch, state, target, ${fromMs('rebalance_deadline')}, granted_revision, join_order,
      session_timeout_ms, classic, standing
    FROM json_to_recordset(${JSON.stringify(members.map(toMemberRow))}::json) AS r(member_id text, instance_id text,
      rack_id text, client_id text, weight float8, subscribed_topics text[], pattern text, rebalance_timeout_ms int,
      member_epoch int, previous_member_epoch int, state text, target jsonb, rebalance_deadline float8,
      granted_revision bigint, join_order int, session_timeout_ms int, classic jsonb, standing jsonb)
    ON CONFLICT (group_pk, member_id) DO UPDATE SET
      (instance_id, rack_id, client_id, weight, subscribed_topics, pattern, rebalance_timeout_ms, member_epoch,
       previous_member_epoch, state, target, rebalance_deadline, granted_revision, join_order, session_timeout_ms,
       classic, standing) =
      (excluded.instance_id, excluded.rack_id, excluded.client_id, excluded.weight, excluded.subscribed_topics,
       excluded.pattern, excluded.rebalance_timeout_ms, excluded.member_epoch, excluded.previous_member_epoch, excluded.state,
       excluded.target, excluded.rebalance_deadline, excluded.granted_revision, excluded.join_order,
       excluded.session_timeout_ms, excluded.classic, excluded.standing)`;
}

function toMemberRow(member: ConsumerMember | ClassicMember): MemberRow {
  const isConsumer = 'previousMemberEpoch' in member;
  return {
    member_id: member.memberId,
    instance_id: member.instanceId ?? null,
    rack_id: member.rackId ?? null,
    client_id: member.clientId ?? null,
    weight: member.weight ?? null,
    subscribed_topics: member.subscription.topics,
    pattern: member.subscription.pattern ?? null,
    rebalance_timeout_ms: member.rebalanceTimeoutMs,
    member_epoch: member.memberEpoch,
    previous_member_epoch: isConsumer ? member.previousMemberEpoch : member.memberEpoch,
    state: member.state,
    target: assignmentToJson(member.target),
    rebalance_deadline: member.rebalanceDeadline ?? null,
    granted_revision: isConsumer ? (member.grantedRevision ?? null) : null,
    join_order: member.joinOrder,
    session_timeout_ms: isConsumer ? null : member.sessionTimeoutMs,
    classic: isConsumer ? null : classicMemberJson(member),
    standing: isConsumer ? standingOf(member) : null,
  };
}

function standingOf({ draining, supersededBy, manual }: ConsumerMember): MemberStanding | null {
  if (draining !== undefined) return { draining };
  if (supersededBy !== undefined) return { supersededBy };
  return manual === undefined ? null : { manual };
}

async function release(tx: Statements, pk: bigint, holdings: readonly Holding[]): Promise<void> {
  if (holdings.length === 0) return;
  const count = await tx.$executeRaw`
    DELETE FROM partition_ownership o USING ${unnestHoldings(holdings)}
    WHERE o.group_pk = ${pk} AND o.topic = r.topic AND o.partition = r.partition AND o.member_id = r.member_id`;
  expectAll(pk, 'held', count, holdings);
}

async function alter(tx: Statements, pk: bigint, holdings: readonly Holding[]): Promise<void> {
  if (holdings.length === 0) return;
  const count = await tx.$executeRaw`
    UPDATE partition_ownership o SET kind = r.kind, epoch = r.epoch FROM ${unnestHoldings(holdings)}
    WHERE o.group_pk = ${pk} AND o.topic = r.topic AND o.partition = r.partition AND o.member_id = r.member_id`;
  expectAll(pk, 'held', count, holdings);
}

async function acquire(tx: Statements, pk: bigint, ref: GroupRef, holdings: readonly Holding[]): Promise<void> {
  if (holdings.length === 0) return;
  try {
    await tx.$executeRaw`
      INSERT INTO partition_ownership (group_pk, topic, partition, member_id, kind, epoch)
      SELECT ${pk}, r.topic, r.partition, r.member_id, r.kind, r.epoch FROM ${unnestHoldings(holdings)}`;
  } catch (error) {
    if (violatedConstraint(error) !== 'partition_ownership_pkey') throw error;
    throw new Error(`A partition of group ${ref.groupId} would have had two owners; nothing was written.`, {
      cause: error,
    });
  }
}

function unnestHoldings(holdings: readonly Holding[]): Prisma.Sql {
  return Prisma.sql`unnest(
    ${holdings.map((holding) => holding.topic)}::text[], ${holdings.map((holding) => holding.partition)}::int[],
    ${holdings.map((holding) => holding.memberId)}::text[], ${holdings.map((holding) => holding.kind)}::text[],
    ${holdings.map((holding) => holding.epoch)}::int[]) AS r(topic, partition, member_id, kind, epoch)`;
}

function expectAll(pk: bigint, what: string, count: number, holdings: readonly Holding[]): void {
  if (count === holdings.length) return;
  throw new Error(`Group ${pk}: ${holdings.length} partitions should be ${what}, the database knows ${count} of them.`);
}

export function clusterNotFound(cluster: string): AllotError {
  return new AllotError('CLUSTER_NOT_FOUND', `There is no cluster "${cluster}". Create it first, or check the name.`, {
    action: 'fix-request',
  });
}

/** The group looked and found nothing for it, or failed again as before: no new revision, but no need to look again at once. */
export async function markLooked(tx: Statements, pk: bigint, group: Group): Promise<void> {
  await tx.$executeRaw`
    UPDATE groups SET catalog_revision = ${group.catalogRevision}::bigint, next_assignment_at = ${nextAssignmentAt(group)}
    WHERE id = ${pk}`;
}
