import type { MemberState, StreamAnswer, StreamLeases, StreamRenewal } from '@allot/coordinator';
import { BatchQueue } from '../database/batch-queue.js';
import type { Waiting } from '../database/batch-queue.js';
import type { Database } from '../database/database.js';
import { run } from '../database/run.js';
import { fromMs, NOW_MS, toMs } from '../database/time.js';

interface Asked {
  readonly answer: StreamAnswer;
  readonly resolve: (renewal: StreamRenewal | undefined) => void;
}

interface Row extends Omit<StreamRenewal, 'rebalanceDeadline'> {
  readonly i: number;
  readonly state: MemberState;
  readonly rebalanceDeadline: number | null;
}

/** Answers that come while a batch is written share the next one; nobody waits longer than a client does. */
const BATCH = { most: 1_000, maxWaitMs: 5_000 };

/** Leases of listening members in PostgreSQL; answers that come together share one statement. */
export class PrismaStreamLeases implements StreamLeases {
  readonly #queue = new BatchQueue<Asked>((batch) => this.#run(batch), BATCH);

  constructor(private readonly database: Database) {}

  async now(): Promise<number> {
    const rows = await run(
      this.database,
      (statements) => statements.$queryRaw<{ now: number }[]>`SELECT ${NOW_MS} AS now`,
    );
    return rows[0]!.now;
  }

  answer(answer: StreamAnswer): Promise<StreamRenewal | undefined> {
    return new Promise((resolve, reject) => this.#queue.push('', { task: { answer, resolve }, reject }));
  }

  async #run(batch: readonly Waiting<Asked>[]): Promise<number> {
    const renewals = await this.#extend(batch.map(({ task }) => task.answer));
    for (const [i, { task }] of batch.entries()) task.resolve(renewals.get(i));
    return batch.length;
  }

  /**
   * Leases are locked in one order, so that batches of several replicas never wait for each other in a circle. A lease that ran out, or
   * went with its member, while its lock was waited for is not extended.
   */
  async #extend(answers: readonly StreamAnswer[]): Promise<ReadonlyMap<number, StreamRenewal>> {
    const rows = await run(
      this.database,
      (statements) => statements.$queryRaw<Row[]>`
      WITH told AS MATERIALIZED (
        SELECT r.i, r.shown_at, m.group_pk, m.member_id, m.member_epoch, m.state, m.rebalance_deadline, g.revision, g.group_epoch,
          g.assignment_epoch, coalesce(m.session_timeout_ms, (g.settings ->> 'sessionTimeoutMs')::float8) AS session_ms
        FROM unnest(${answers.map(({ ref }) => ref.cluster)}::text[], ${answers.map(({ ref }) => ref.groupId)}::text[],
          ${answers.map(({ memberId }) => memberId)}::text[], ${answers.map(({ memberEpoch }) => memberEpoch)}::int[],
          ${answers.map(({ shownAt }) => shownAt)}::float8[])
          WITH ORDINALITY AS r(cluster, group_id, member_id, member_epoch, shown_at, i)
        JOIN groups g ON g.cluster = r.cluster AND g.group_id = r.group_id AND g.source = 'live'
        JOIN group_members m ON m.group_pk = g.id AND m.member_id = r.member_id
        WHERE m.member_epoch > 0 AND r.member_epoch IN (m.member_epoch, m.previous_member_epoch)),
      free AS MATERIALIZED (
        SELECT l.group_pk, l.member_id FROM member_leases l
        WHERE (l.group_pk, l.member_id) IN (SELECT group_pk, member_id FROM told) AND l.lease_until > clock_timestamp()
        ORDER BY l.group_pk, l.member_id FOR UPDATE),
      newest AS (
        SELECT group_pk, member_id, max(shown_at) AS shown_at, max(session_ms) AS session_ms
        FROM told GROUP BY group_pk, member_id),
      renewed AS (
        UPDATE member_leases l
        SET lease_until = greatest(l.lease_until,
          date_trunc('milliseconds', least(clock_timestamp(), ${fromMs('n.shown_at')})) + n.session_ms * interval '1 millisecond')
        FROM newest n JOIN free USING (group_pk, member_id) WHERE l.group_pk = n.group_pk AND l.member_id = n.member_id
        RETURNING l.group_pk, l.member_id, l.lease_until)
      SELECT (told.i - 1)::int AS i, ${toMs('renewed.lease_until')} AS "leaseUntil", ${NOW_MS} AS now,
        told.revision::float8 AS revision, told.session_ms AS "sessionTimeoutMs", told.member_epoch AS "memberEpoch", told.state,
        ${toMs('told.rebalance_deadline')} AS "rebalanceDeadline", told.group_epoch AS "groupEpoch",
        told.assignment_epoch AS "assignmentEpoch"
      FROM told JOIN renewed USING (group_pk, member_id)`,
    );
    return new Map(
      rows.map(({ i, rebalanceDeadline, ...rest }) => [
        i,
        { ...rest, ...(rebalanceDeadline !== null && { rebalanceDeadline }) },
      ]),
    );
  }
}
