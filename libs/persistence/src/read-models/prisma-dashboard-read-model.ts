import type {
  Activity,
  ClusterOverview,
  ClusterRebalance,
  DashboardReadModel,
  GroupActivity,
  GroupFacts,
  GroupFilter,
  GroupOrder,
  GroupPlace,
  HourOfActivity,
  ListedGroup,
  Page,
  PageRequest,
  PartitionHolder,
  Rebalance,
  RebalanceFilter,
} from '@allot/coordinator';
import { readCluster } from '../catalog/cluster-rows.js';
import type { Database } from '../database/database.js';
import { run } from '../database/run.js';
import { toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';
import { groupFacts, readFacts, readSummary, type FactsRow } from './group-facts.js';
import { REBALANCE_COLUMNS, readRebalance, rebalanceOutcome, type RebalanceRow } from './rebalance-rows.js';

/** What groups are ordered by, as SQL over the rows of `groupFacts`. */
const ORDER_VALUES: Readonly<Record<GroupOrder['by'], Prisma.Sql>> = {
  id: Prisma.sql`0::float8`,
  members: Prisma.sql`s."memberCount"::float8`,
  partitions: Prisma.sql`s."assignedPartitions"::float8`,
  skew: Prisma.sql`s.skew::float8`,
  idle: Prisma.sql`s."idleMembers"::float8`,
  'last-rebalance': Prisma.sql`coalesce(s."lastAt", 0)::float8`,
  updated: Prisma.sql`s."updatedAt"`,
};

const NO_LIMIT = Prisma.sql`9223372036854775807::bigint`;

/** A window that reaches back from now, by the database's clock. */
const within = (windowMs: number) =>
  Prisma.sql`ch.at > statement_timestamp() - ${windowMs}::float8 * interval '1 millisecond'`;

const REBALANCES = Prisma.sql`(count(*) FILTER (WHERE ch.rebalance ->> 'begins' = 'true'))::int`;
const MOVED = Prisma.sql`coalesce(sum((ch.rebalance -> 'target' ->> 'movedPartitions')::int), 0)::int`;

export class PrismaDashboardReadModel implements DashboardReadModel {
  constructor(private readonly database: Database) {}

  findGroups(
    cluster: string,
    filter: GroupFilter,
    { by, descending }: GroupOrder,
    { after, limit }: PageRequest<GroupPlace>,
  ): Promise<Page<ListedGroup>> {
    const value = ORDER_VALUES[by];
    const comparison = descending ? Prisma.sql`<` : Prisma.sql`>`;
    const direction = descending ? Prisma.sql`DESC` : Prisma.sql`ASC`;
    const reached =
      after === undefined
        ? Prisma.empty
        : by === 'id'
          ? Prisma.sql`AND s."groupId" ${comparison} ${after.groupId}`
          : Prisma.sql`AND (${value}, s."groupId") ${comparison} (${after.value}::float8, ${after.groupId})`;
    const order =
      by === 'id' ? Prisma.sql`s."groupId" ${direction}` : Prisma.sql`${value} ${direction}, s."groupId" ${direction}`;
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<FactsRow[]>`
        SELECT * FROM (${groupFacts(stored(cluster, filter))}) s
        WHERE ${derived(filter)} ${reached} ORDER BY ${order} LIMIT ${limit + 1}`;
      if (rows.length === 0) await readCluster(statements, cluster);
      const items = rows.slice(0, limit).map((row) => ({ summary: readSummary(cluster, row), facts: readFacts(row) }));
      return { items, more: rows.length > limit };
    });
  }

  factsOf(cluster: string, groupIds: readonly string[]): Promise<ReadonlyMap<string, GroupFacts>> {
    const where = Prisma.sql`g.cluster = ${cluster} AND g.group_id = ANY (${[...groupIds]}::text[])`;
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<FactsRow[]>`${groupFacts(where)}`;
      return new Map(rows.map((row) => [row.groupId, readFacts(row)]));
    });
  }

  overview(cluster: string): Promise<ClusterOverview> {
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<ClusterOverview[]>`
        WITH s AS MATERIALIZED (${groupFacts(Prisma.sql`g.cluster = ${cluster}`)})
        SELECT pg_snapshot_xmin(pg_current_snapshot())::text || '.0.0' AS position,
               c.catalog_revision::float8 AS "catalogRevision", t.topics, t.partitions,
               (SELECT count(*)::int FROM brokers WHERE cluster = c.name) AS brokers,
               a.*, (SELECT coalesce(json_agg(b ORDER BY b.state), '[]') FROM (
                       SELECT state, count(*)::int AS groups FROM s GROUP BY state) b) AS "groupsByState"
        FROM clusters c
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS topics, coalesce(sum(partitions), 0)::int AS partitions
          FROM topics WHERE cluster = c.name) t
        CROSS JOIN (
          SELECT count(*)::int AS groups, coalesce(sum("memberCount"), 0)::int AS members,
                 coalesce(sum("idleMembers"), 0)::int AS "idleMembers",
                 coalesce(sum("assignedPartitions"), 0)::int AS "assignedPartitions",
                 count("assignorFault")::int AS "faultyGroups", coalesce(sum(revision), 0)::float8 AS revisions
          FROM s) a
        WHERE c.name = ${cluster}`;
      if (rows[0] === undefined) await readCluster(statements, cluster);
      return rows[0]!;
    });
  }

  activity(cluster: string, windowMs: number): Promise<readonly HourOfActivity[]> {
    return run(this.database, (statements) => {
      return statements.$queryRaw<HourOfActivity[]>`
        SELECT ${toMs("date_trunc('hour', ch.at, 'UTC')")} AS "startsAt", ${REBALANCES} AS rebalances, ${MOVED} AS "movedPartitions"
        FROM group_changes ch JOIN groups g ON g.id = ch.group_pk
        WHERE g.cluster = ${cluster} AND ch.rebalance IS NOT NULL AND ${within(windowMs)}
        GROUP BY 1 ORDER BY 1`;
    });
  }

  busiestGroups(
    cluster: string,
    { windowMs, by, moreThan, limit }: Parameters<DashboardReadModel['busiestGroups']>[1],
  ): Promise<readonly GroupActivity[]> {
    const most = by === 'moves' ? MOVED : REBALANCES;
    return run(this.database, (statements) => {
      return statements.$queryRaw<GroupActivity[]>`
        SELECT g.group_id AS "groupId", ${REBALANCES} AS rebalances, ${MOVED} AS "movedPartitions"
        FROM group_changes ch JOIN groups g ON g.id = ch.group_pk
        WHERE g.cluster = ${cluster} AND ch.rebalance IS NOT NULL AND ${within(windowMs)}
        GROUP BY g.group_id HAVING ${REBALANCES} > ${moreThan}
        ORDER BY ${most} DESC, g.group_id LIMIT ${limit}`;
    });
  }

  activityOf(cluster: string, groupIds: readonly string[], windowMs: number): Promise<ReadonlyMap<string, Activity>> {
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<GroupActivity[]>`
        SELECT g.group_id AS "groupId", ${REBALANCES} AS rebalances, ${MOVED} AS "movedPartitions"
        FROM groups g JOIN group_changes ch ON ch.group_pk = g.id
        WHERE g.cluster = ${cluster} AND g.group_id = ANY (${[...groupIds]}::text[])
          AND ch.rebalance IS NOT NULL AND ${within(windowMs)}
        GROUP BY g.group_id`;
      return new Map(rows.map(({ groupId, ...activity }) => [groupId, activity]));
    });
  }

  listRebalances(
    cluster: string,
    { groupId, causes, since }: RebalanceFilter,
    { after, limit }: PageRequest<string>,
  ): Promise<Page<ClusterRebalance>> {
    const [txid = '0', pk = '0', revision = '0'] = after?.split('.') ?? [];
    const conditions = [
      Prisma.sql`g.cluster = ${cluster} AND b.rebalance ->> 'begins' = 'true'`,
      ...(groupId === undefined ? [] : [Prisma.sql`g.group_id = ${groupId}`]),
      ...(causes === undefined ? [] : [Prisma.sql`b.cause = ANY (${[...causes]}::text[])`]),
      ...(since === undefined
        ? []
        : [Prisma.sql`b.at >= timestamptz 'epoch' + ${since}::float8 * interval '1 millisecond'`]),
      ...(after === undefined
        ? []
        : [Prisma.sql`(b.txid, b.group_pk, b.revision) < (${txid}::bigint, ${pk}::bigint, ${revision}::bigint)`]),
    ];
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<(RebalanceRow & { readonly key: string })[]>`
        SELECT ${REBALANCE_COLUMNS}, b.txid || '.' || b.group_pk || '.' || b.revision AS key
        FROM (
          SELECT b.* FROM group_changes b JOIN groups g ON g.id = b.group_pk WHERE ${Prisma.join(conditions, ' AND ')}
          ORDER BY b.txid DESC, b.group_pk DESC, b.revision DESC LIMIT ${limit + 1}) b
        JOIN groups g ON g.id = b.group_pk ${rebalanceOutcome(NO_LIMIT)}
        ORDER BY b.txid DESC, b.group_pk DESC, b.revision DESC`;
      const items = rows
        .slice(0, limit)
        .map((row) => ({ groupId: row.groupId, rebalance: readRebalance(row), key: row.key }));
      return { items, more: rows.length > limit };
    });
  }

  rebalancesAt(
    cluster: string,
    places: readonly { readonly groupId: string; readonly revision: number }[],
  ): Promise<readonly (Rebalance | undefined)[]> {
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<(RebalanceRow & { readonly place: number })[]>`
        SELECT p.place::int AS place, ${REBALANCE_COLUMNS}
        FROM unnest(${places.map(({ groupId }) => groupId)}::text[], ${places.map(({ revision }) => revision)}::bigint[])
             WITH ORDINALITY AS p(group_id, revision, place)
        JOIN groups g ON g.cluster = ${cluster} AND g.group_id = p.group_id
        JOIN LATERAL (
          SELECT * FROM group_changes x
          WHERE x.group_pk = g.id AND x.rebalance ->> 'begins' = 'true' AND x.rebalance IS NOT NULL AND x.revision <= p.revision
          ORDER BY x.revision DESC LIMIT 1) b ON true
        ${rebalanceOutcome(Prisma.sql`p.revision`)}`;
      const found = new Map(rows.map((row) => [row.place - 1, readRebalance(row)]));
      return places.map((_, place) => found.get(place));
    });
  }

  holdersOf(
    cluster: string,
    ranges: readonly { readonly topic: string; readonly from: number; readonly to: number }[],
  ): Promise<readonly PartitionHolder[]> {
    return run(this.database, (statements) => {
      return statements.$queryRaw<PartitionHolder[]>`
        SELECT o.topic, o.partition, g.group_id AS "groupId", o.member_id AS "memberId", o.kind, o.epoch
        FROM unnest(${ranges.map(({ topic }) => topic)}::text[], ${ranges.map(({ from }) => from)}::int[],
                    ${ranges.map(({ to }) => to)}::int[]) AS r(topic, first, beyond)
        JOIN groups g ON g.cluster = ${cluster}
        JOIN partition_ownership o ON o.group_pk = g.id AND o.topic = r.topic AND o.partition >= r.first AND o.partition < r.beyond
        ORDER BY o.topic, o.partition, g.group_id`;
    });
  }

  keepsSince(position: string): Promise<boolean> {
    return run(this.database, async (statements) => {
      // Whoever stands at a change that is kept, or before one that is, has lost nothing after it.
      const rows = await statements.$queryRaw<{ kept: boolean }[]>`
        SELECT coalesce(min(txid) <= split_part(${position}, '.', 1)::bigint, true) AS kept FROM group_changes`;
      return rows[0]!.kept;
    });
  }
}

/** Conditions on what the group's row has. */
function stored(cluster: string, { idPrefix, types, sources }: GroupFilter): Prisma.Sql {
  const conditions = [
    Prisma.sql`g.cluster = ${cluster}`,
    ...(idPrefix === undefined ? [] : [Prisma.sql`starts_with(g.group_id, ${idPrefix})`]),
    ...(types === undefined ? [] : [Prisma.sql`g.type = ANY (${[...types]}::text[])`]),
    ...(sources === undefined ? [] : [Prisma.sql`g.source = ANY (${[...sources]}::text[])`]),
  ];
  return Prisma.join(conditions, ' AND ');
}

/** Conditions on what is derived of a group. */
function derived({ states, minSkew, idle, causes, rebalancedSince, rebalancedBefore }: GroupFilter): Prisma.Sql {
  const conditions = [
    Prisma.sql`true`,
    ...(states === undefined ? [] : [Prisma.sql`s.state = ANY (${[...states]}::text[])`]),
    ...(minSkew === undefined ? [] : [Prisma.sql`s.skew >= ${minSkew}::int`]),
    ...(idle === undefined ? [] : [Prisma.sql`(s."idleMembers" > 0) = ${idle}::boolean`]),
    ...(causes === undefined ? [] : [Prisma.sql`s."lastCause" = ANY (${[...causes]}::text[])`]),
    ...(rebalancedSince === undefined ? [] : [Prisma.sql`s."lastAt" >= ${rebalancedSince}::float8`]),
    ...(rebalancedBefore === undefined ? [] : [Prisma.sql`s."lastAt" < ${rebalancedBefore}::float8`]),
  ];
  return Prisma.join(conditions, ' AND ');
}
