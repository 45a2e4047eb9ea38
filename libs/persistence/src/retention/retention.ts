import type { Database } from '../database/database.js';
import { run } from '../database/run.js';
import { Prisma } from '../generated/client.js';
import { findDueForSnapshot, takeSnapshots } from './snapshots.js';

/** What is kept of the history of a group. */
export interface HistoryPolicy {
  /** So many of its newest changes, however old they are. */
  readonly leastPerGroup: number;
  /** No more than these, however young they are, and what belongs to the oldest snapshot that is needed to tell them. */
  readonly mostPerGroup: number;
  /** Older changes go. */
  readonly maxAgeMs: number;
}

/** Longer than any plan or stream of a deleted group is of use. */
const KEEP_DELETED_GROUPS_DAYS = 30;
/** The most changes that a reader of an old revision has to go through, but for those of the last minute. */
const CHANGES_A_SNAPSHOT = 500;
/** A policy that keeps less has its snapshots closer together, since history is cut off at snapshots. */
const SNAPSHOTS_A_HISTORY = 10;

/** Removes at most `limit` rows at a time, those of other replicas' passes left to them. */
export class Retention {
  constructor(private readonly database: Database) {}

  /** Writes what a reader of old revisions starts from, for at most `limit` groups; returns for how many it did. */
  async takeSnapshots(policy: HistoryPolicy, limit: number): Promise<number> {
    const every = Math.max(1, Math.min(CHANGES_A_SNAPSHOT, Math.floor(policy.mostPerGroup / SNAPSHOTS_A_HISTORY)));
    const { leastPerGroup: least, maxAgeMs } = policy;
    return run(this.database, async (statements) => {
      const due = await findDueForSnapshot(statements, { every, least, maxAgeMs }, limit);
      let taken = 0;
      for (const facts of due) if (await takeSnapshots(statements, facts, { every, least })) taken++;
      return taken;
    });
  }

  /**
   * Removes changes that the policy does not keep; returns how many. Fewer than `limit` means that all is done. A history always begins
   * at a snapshot, so that what is kept can be told whole: first the snapshots go that nobody needs, then the changes before the first that
   * is left.
   */
  pruneChanges({ leastPerGroup, mostPerGroup, maxAgeMs }: HistoryPolicy, limit: number): Promise<number> {
    // Revisions are consecutive, so a count is a difference of revisions.
    const isOver = (alias: 's' | 'ch') => {
      const revision = Prisma.raw(`${alias}.revision`);
      return Prisma.sql`${revision} <= g.revision - ${leastPerGroup}::bigint AND (${revision} <= g.revision - ${mostPerGroup}::bigint
        OR ch.at < statement_timestamp() - ${maxAgeMs}::float8 * interval '1 millisecond')`;
    };
    return run(this.database, async (statements) => {
      await statements.$executeRaw`
        DELETE FROM group_snapshots gone USING (
          SELECT s.group_pk, max(s.revision) AS revision FROM group_snapshots s JOIN groups g ON g.id = s.group_pk
          LEFT JOIN group_changes ch ON ch.group_pk = s.group_pk AND ch.revision = s.revision
          WHERE ${isOver('s')} GROUP BY s.group_pk) first
        WHERE gone.group_pk = first.group_pk AND gone.revision < first.revision`;
      return statements.$executeRaw`
        DELETE FROM group_changes WHERE (group_pk, revision) IN (
          SELECT ch.group_pk, ch.revision
          FROM (SELECT group_pk, min(revision) AS revision FROM group_snapshots GROUP BY group_pk) first
          JOIN groups g ON g.id = first.group_pk
          JOIN group_changes ch ON ch.group_pk = first.group_pk AND ch.revision < first.revision
          WHERE ${isOver('ch')} LIMIT ${limit} FOR UPDATE OF ch SKIP LOCKED)`;
    });
  }

  /**
   * Removes idempotency keys and operations whose time is over, plans that expired more than `keepPlansMs` ago unless a change that is
   * kept carried them out, and what is known of groups long gone.
   */
  async pruneExpired(keepPlansMs: number, limit: number): Promise<number> {
    return run(this.database, async (statements) => {
      const keys = await statements.$executeRaw`
        DELETE FROM idempotency_keys WHERE (principal, key) IN (
          SELECT principal, key FROM idempotency_keys WHERE expires_at <= statement_timestamp()
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
      const plans = await statements.$executeRaw`
        DELETE FROM plans WHERE id IN (
          SELECT id FROM plans WHERE expires_at <= statement_timestamp() - ${keepPlansMs}::float8 * interval '1 millisecond'
            AND NOT EXISTS (SELECT 1 FROM group_changes ch WHERE ch.plan_id = plans.id)
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
      const operations = await statements.$executeRaw`
        DELETE FROM operations WHERE id IN (
          SELECT id FROM operations WHERE expires_at <= statement_timestamp() AND status <> 'running'
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
      const groups = await statements.$executeRaw`
        DELETE FROM deleted_groups WHERE (cluster, group_id) IN (
          SELECT cluster, group_id FROM deleted_groups
          WHERE deleted_at <= statement_timestamp() - ${KEEP_DELETED_GROUPS_DAYS}::int * interval '1 day'
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
      return keys + plans + operations + groups;
    });
  }
}
