import type { Database } from '../database/database.js';
import { run } from '../database/run.js';

export interface HistoryPolicy {
  /** The newest changes that a group keeps. */
  readonly mostPerGroup: number;
  /** Older changes go even when there are fewer. */
  readonly maxAgeMs: number;
}

/** Longer than any plan or stream of a deleted group is of use. */
const KEEP_DELETED_GROUPS_DAYS = 30;

/** Removes at most `limit` rows at a time, those of other replicas' passes left to them. */
export class Retention {
  constructor(private readonly database: Database) {}

  /** Removes changes that the policy does not keep; returns how many. Fewer than `limit` means that all is done. */
  pruneChanges(policy: HistoryPolicy, limit: number): Promise<number> {
    // Revisions are consecutive, so a count is a difference of revisions.
    return run(this.database, (statements) => {
      return statements.$executeRaw`
        DELETE FROM group_changes WHERE (group_pk, revision) IN (
          SELECT ch.group_pk, ch.revision FROM group_changes ch JOIN groups g ON g.id = ch.group_pk
          WHERE ch.revision <= g.revision - ${policy.mostPerGroup}::bigint
             OR ch.at < statement_timestamp() - ${policy.maxAgeMs}::float8 * interval '1 millisecond'
          LIMIT ${limit} FOR UPDATE OF ch SKIP LOCKED)`;
    });
  }

  /** Removes idempotency keys whose time is over, plans that expired more than `keepPlansMs` ago, and what is known of groups long gone. */
  async pruneExpired(keepPlansMs: number, limit: number): Promise<number> {
    return run(this.database, async (statements) => {
      const keys = await statements.$executeRaw`
        DELETE FROM idempotency_keys WHERE (principal, key) IN (
          SELECT principal, key FROM idempotency_keys WHERE expires_at <= statement_timestamp()
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
      const plans = await statements.$executeRaw`
        DELETE FROM plans WHERE id IN (
          SELECT id FROM plans WHERE expires_at <= statement_timestamp() - ${keepPlansMs}::float8 * interval '1 millisecond'
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
      const groups = await statements.$executeRaw`
        DELETE FROM deleted_groups WHERE (cluster, group_id) IN (
          SELECT cluster, group_id FROM deleted_groups
          WHERE deleted_at <= statement_timestamp() - ${KEEP_DELETED_GROUPS_DAYS}::int * interval '1 day'
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
      return keys + plans + groups;
    });
  }
}
