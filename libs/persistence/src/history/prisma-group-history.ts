import type {
  AuditEntry,
  FeedPage,
  FeedPosition,
  GroupHistory,
  GroupRef,
  GroupRevision,
  Page,
  PageRequest,
} from '@allot/coordinator';
import { AllotError, invalidRequest } from '@allot/model';
import { readCluster } from '../catalog/cluster-rows.js';
import type { Database, Statements } from '../database/database.js';
import { run } from '../database/run.js';
import { Prisma } from '../generated/client.js';
import { AUDIT_COLUMNS, toAuditEntry, type AuditRow } from './audit-rows.js';
import { checkKept, compacted, readSnapshot, replay, toRevision, type GroupFacts } from './revision-reader.js';

/** The history of groups, told from their changes and snapshots. */
export class PrismaGroupHistory implements GroupHistory {
  constructor(private readonly database: Database) {}

  list(
    ref: GroupRef,
    { after, limit }: PageRequest<number>,
    { targetsOnly = false }: { readonly targetsOnly?: boolean } = {},
  ): Promise<Page<AuditEntry>> {
    return run(this.database, async (statements) => {
      const filter = targetsOnly
        ? Prisma.sql`AND ch.rebalance IS NOT NULL AND ch.rebalance -> 'target' IS NOT NULL`
        : Prisma.empty;
      const { pk } = await readFacts(statements, ref);
      const rows = await statements.$queryRaw<AuditRow[]>`
        SELECT ${AUDIT_COLUMNS} FROM group_changes ch JOIN groups g ON g.id = ch.group_pk
        WHERE ch.group_pk = ${pk} AND ch.revision < ${after ?? Number.MAX_SAFE_INTEGER}::bigint ${filter}
        ORDER BY ch.revision DESC LIMIT ${limit + 1}`;
      return { items: rows.slice(0, limit).map((row) => toAuditEntry(ref.cluster, row)), more: rows.length > limit };
    });
  }

  read(ref: GroupRef, revisions: readonly number[]): Promise<readonly GroupRevision[]> {
    return run(this.database, async (statements) => {
      const facts = await readFacts(statements, ref);
      checkKept(facts, revisions);
      const wanted = [...new Set(revisions)].sort((a, b) => a - b);
      const snapshot = await readSnapshot(statements, facts, wanted[0]!);
      if (snapshot === undefined) throw compacted(facts.oldest);
      const found = new Map<number, GroupRevision>();
      await replay(statements, facts, snapshot, wanted, (revision, change, members) => {
        found.set(revision, toRevision(change, members));
      });
      return revisions.map((revision) => found.get(revision)!);
    });
  }

  changesOfGroup(ref: GroupRef, after: number | 'oldest', limit: number): Promise<readonly AuditEntry[]> {
    return run(this.database, async (statements) => {
      const { pk, first } = await readFacts(statements, ref);
      const from = after === 'oldest' ? 0 : after;
      if (after !== 'oldest' && from + 1 < first) throw compacted(first);
      const rows = await statements.$queryRaw<AuditRow[]>`
        SELECT ${AUDIT_COLUMNS} FROM group_changes ch JOIN groups g ON g.id = ch.group_pk
        WHERE ch.group_pk = ${pk} AND ch.revision > ${from}::bigint ORDER BY ch.revision LIMIT ${limit}`;
      return rows.map((row) => toAuditEntry(ref.cluster, row));
    });
  }

  changesOfCluster(cluster: string, after: FeedPosition | 'newest' | undefined, limit: number): Promise<FeedPage> {
    return run(this.database, async (statements) => {
      await readCluster(statements, cluster);
      if (after === 'newest') return { entries: [], position: await newestPosition(statements) };
      const [txid, pk, revision] = after === undefined ? ['0', '0', '0'] : readPosition(after);
      const rows = await statements.$queryRaw<(AuditRow & { txid: string; pk: string })[]>`
        SELECT ${AUDIT_COLUMNS}, ch.txid::text AS txid, ch.group_pk::text AS pk
        FROM group_changes ch JOIN groups g ON g.id = ch.group_pk
        WHERE g.cluster = ${cluster} AND (ch.txid, ch.group_pk, ch.revision) > (${txid}::bigint, ${pk}::bigint, ${revision}::bigint)
          AND ch.txid < ${OLDEST_RUNNING}
        ORDER BY ch.txid, ch.group_pk, ch.revision LIMIT ${limit}`;
      const entries = rows.map((row) => {
        return { ...toAuditEntry(cluster, row), position: `${row.txid}.${row.pk}.${row.revision}` };
      });
      return { entries, position: entries.at(-1)?.position ?? after ?? '0.0.0' };
    });
  }
}

/**
 * The oldest transaction that may still commit, as this statement sees it. Changes of it and of later ones are not shown yet: a reader who went
 * past them would never see what the older one is about to commit.
 */
const OLDEST_RUNNING = Prisma.sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;

async function newestPosition(statements: Statements): Promise<FeedPosition> {
  const rows = await statements.$queryRaw<{ txid: string }[]>`SELECT (${OLDEST_RUNNING})::text AS txid`;
  return `${rows[0]!.txid}.0.0`;
}

function readPosition(position: FeedPosition): readonly [txid: string, pk: string, revision: string] {
  const parts = /^(\d{1,18})\.(\d{1,18})\.(\d{1,16})$/.exec(position);
  if (parts !== null) return [parts[1]!, parts[2]!, parts[3]!];
  const detail = 'is no place in a feed; take it from an earlier answer';
  throw invalidRequest(`after ${detail}.`, [{ pointer: 'after', detail }]);
}

/** `first`: the oldest change that there is, even if nobody can tell what the group was then. */
async function readFacts(
  statements: Statements,
  { cluster, groupId }: GroupRef,
): Promise<GroupFacts & { readonly first: number }> {
  const rows = await statements.$queryRaw<(GroupFacts & { first: number })[]>`
    SELECT g.id AS pk, g.revision::float8 AS revision,
      (SELECT coalesce(min(revision), g.revision + 1) FROM group_changes WHERE group_pk = g.id)::float8 AS first, (
      SELECT coalesce(min(revision), g.revision + 1) FROM group_changes WHERE group_pk = g.id AND revision >= coalesce((
        SELECT min(revision) FROM group_snapshots WHERE group_pk = g.id), 0))::float8 AS oldest
    FROM groups g WHERE g.cluster = ${cluster} AND g.group_id = ${groupId}`;
  if (rows[0] !== undefined) return rows[0];
  await readCluster(statements, cluster);
  throw new AllotError('GROUP_ID_NOT_FOUND', `The cluster ${cluster} has no group ${groupId}.`, {
    action: 'fix-request',
  });
}
