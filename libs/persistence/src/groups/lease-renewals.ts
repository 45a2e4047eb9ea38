import type { GroupRef, LeaseRenewal } from '@allot/coordinator';
import { BatchQueue } from '../database/batch-queue.js';
import type { Waiting } from '../database/batch-queue.js';
import type { Database, Statements } from '../database/database.js';
import { run } from '../database/run.js';
import { NOW_MS, toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';

/** A heartbeat that changes nothing, and what must still be so when its lease is extended. */
export interface Renewal {
  readonly ref: GroupRef;
  readonly memberId: string;
  /** The member is STABLE at this epoch and the group has nothing newer for it; or, */
  readonly memberEpoch?: number;
  /** whatever the member's state, the group is still at this revision. */
  readonly revision?: number;
}

interface Asked {
  readonly renewal: Renewal;
  readonly resolve: (renewed: LeaseRenewal | undefined) => void;
}

interface RenewedRow {
  readonly i: number;
  /** Null when the lease is locked. */
  readonly leaseUntil: number | null;
  readonly now: number;
  readonly revision: number;
}

/** Heartbeats that come while a batch is written share the next one; nobody waits longer than a client does. */
const BATCH = { most: 1_000, maxWaitMs: 5_000 };

/**
 * Extends the leases of members that have nothing else to say. Heartbeats of all groups that arrive together cost one statement, and each
 * is answered after the commit that holds it: what an answer promises is durable, however full the batch was.
 *
 * A batch does not wait for a lease that some step has locked, or one slow group would hold up the heartbeats of all: such a heartbeat
 * waits in a statement of its own.
 */
export class LeaseRenewals {
  readonly #database: Database;
  readonly #queue = new BatchQueue<Asked>((batch) => this.#run(batch), BATCH);

  constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined when something is newer for the member than the renewal says, or its lease has run out. */
  renew(renewal: Renewal): Promise<LeaseRenewal | undefined> {
    return new Promise((resolve, reject) => this.#queue.push('', { task: { renewal, resolve }, reject }));
  }

  async #run(batch: readonly Waiting<Asked>[]): Promise<number> {
    const renewals = batch.map(({ task }) => task.renewal);
    const renewed = await run(this.#database, (statements) => extend(statements, renewals, 'SKIP LOCKED'));
    for (const [i, { task, reject }] of batch.entries()) {
      const found = renewed.get(i);
      if (found === 'locked') void this.#renewAlone(task.renewal).then(task.resolve, reject);
      else task.resolve(found);
    }
    return batch.length;
  }

  async #renewAlone(renewal: Renewal): Promise<LeaseRenewal | undefined> {
    const renewed = await run(this.#database, (statements) => extend(statements, [renewal], ''));
    const found = renewed.get(0);
    return found === 'locked' ? undefined : found;
  }
}

/**
 * What became of the renewals that hold, by their place in the list. Leases are locked in one order, so that those who wait for them never wait for
 * each other. A lease that ran out, or went with its member, while its lock was waited for is not extended.
 */
async function extend(
  statements: Statements,
  renewals: readonly Renewal[],
  whenLocked: 'SKIP LOCKED' | '',
): Promise<ReadonlyMap<number, LeaseRenewal | 'locked'>> {
  const rows = await statements.$queryRaw<RenewedRow[]>`
    WITH due AS MATERIALIZED (
      SELECT r.i, g.id AS group_pk, m.member_id, g.revision, coalesce(m.session_timeout_ms, (g.settings ->> 'sessionTimeoutMs')::float8) AS session_ms
      FROM unnest(${renewals.map(({ ref }) => ref.cluster)}::text[], ${renewals.map(({ ref }) => ref.groupId)}::text[],
        ${renewals.map(({ memberId }) => memberId)}::text[], ${renewals.map(({ memberEpoch = null }) => memberEpoch)}::int[],
        ${renewals.map(({ revision = null }) => revision)}::bigint[])
        WITH ORDINALITY AS r(cluster, group_id, member_id, member_epoch, revision, i)
      JOIN clusters c ON c.name = r.cluster
      JOIN groups g ON g.cluster = r.cluster AND g.group_id = r.group_id
      JOIN group_members m ON m.group_pk = g.id AND m.member_id = r.member_id
      WHERE g.source = 'live' AND g.catalog_revision = c.catalog_revision
        AND (g.revision = r.revision OR (m.state = 'STABLE' AND m.member_epoch = r.member_epoch
             AND g.group_epoch = m.member_epoch AND g.assignment_epoch = m.member_epoch))),
    free AS MATERIALIZED (
      SELECT l.group_pk, l.member_id FROM member_leases l
      WHERE (l.group_pk, l.member_id) IN (SELECT group_pk, member_id FROM due) AND l.lease_until > clock_timestamp()
      ORDER BY l.group_pk, l.member_id FOR UPDATE ${Prisma.raw(whenLocked)}),
    renewed AS (
      UPDATE member_leases l
      SET lease_until = greatest(l.lease_until, date_trunc('milliseconds', clock_timestamp()) + due.session_ms * interval '1 millisecond')
      FROM due JOIN free USING (group_pk, member_id) WHERE l.group_pk = due.group_pk AND l.member_id = due.member_id
      RETURNING l.group_pk, l.member_id, l.lease_until)
    SELECT (due.i - 1)::int AS i, ${toMs('renewed.lease_until')} AS "leaseUntil", ${NOW_MS} AS now, due.revision::float8 AS revision
    FROM due LEFT JOIN renewed USING (group_pk, member_id)`;
  return new Map(
    rows.map(({ i, leaseUntil, now, revision }) => [i, leaseUntil === null ? 'locked' : { leaseUntil, now, revision }]),
  );
}
