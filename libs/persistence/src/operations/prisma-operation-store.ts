import type {
  NewOperation,
  OperationKey,
  OperationLimits,
  OperationOutcome,
  OperationStatus,
  OperationStore,
  Page,
  PageRequest,
  StoredOperation,
} from '@allot/coordinator';
import { AllotError } from '@allot/model';
import type { Database } from '../database/database.js';
import { inTransaction, run } from '../database/run.js';
import { NOW_MS, toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';

type Held = Pick<StoredOperation, 'id' | 'attempts'>;

interface OperationRow extends Omit<StoredOperation, 'result' | 'problem' | 'finishedAt'> {
  readonly result: unknown;
  readonly problem: unknown;
  readonly finishedAt: number | null;
}

const FACTS = Prisma.sql`id::text AS id, principal, request, status, attempts, ${toMs('created_at')} AS "createdAt",
  ${toMs('finished_at')} AS "finishedAt", ${toMs('expires_at')} AS "expiresAt", ${NOW_MS} AS now`;
const ALL = Prisma.sql`${FACTS}, result, problem`;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Operations. Whoever ends one must hold its newest attempt, so a replica that was thought dead cannot. */
export class PrismaOperationStore implements OperationStore {
  constructor(private readonly database: Database) {}

  begin({ id, principal, request }: NewOperation, limits: OperationLimits): Promise<StoredOperation> {
    return inTransaction(this.database, async (tx) => {
      // Counting and beginning go one after the other for each principal.
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${JSON.stringify(['operations', principal])}, 0))`;
      const [running] = await tx.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM operations WHERE principal = ${principal} AND status = 'running'`;
      if (running!.count >= limits.mostRunning) throw tooMany(running!.count);
      const rows = await tx.$queryRaw<OperationRow[]>`
        INSERT INTO operations (id, principal, request, status, attempts, lease_until, created_at, expires_at)
        VALUES (${id}::uuid, ${principal}, ${JSON.stringify(request)}::jsonb, 'running', 1, ${fromNow(limits.leaseMs)},
                date_trunc('milliseconds', clock_timestamp()), ${fromNow(limits.keepMs)})
        RETURNING ${ALL}`;
      return toOperation(rows[0]!);
    });
  }

  hold(held: readonly Held[], leaseMs: number): Promise<ReadonlySet<string>> {
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<{ id: string }[]>`
        UPDATE operations o SET lease_until = ${fromNow(leaseMs)}
        FROM unnest(${held.map(({ id }) => id)}::uuid[], ${held.map(({ attempts }) => attempts)}::int[]) AS h(id, attempts)
        WHERE o.id = h.id AND o.attempts = h.attempts AND o.status = 'running' RETURNING o.id::text AS id`;
      return new Set(rows.map(({ id }) => id));
    });
  }

  async finish({ id, attempts }: Held, outcome: OperationOutcome, keepMs: number): Promise<boolean> {
    const { result = null, problem = null } = outcome as { readonly result?: unknown; readonly problem?: unknown };
    const status: OperationStatus = 'problem' in outcome ? 'failed' : 'succeeded';
    const count = await run(this.database, (statements) => {
      return statements.$executeRaw`
        UPDATE operations SET status = ${status}, result = ${JSON.stringify(result)}::jsonb, problem = ${JSON.stringify(problem)}::jsonb,
          finished_at = clock_timestamp(), expires_at = ${fromNow(keepMs)}
        WHERE id = ${id}::uuid AND attempts = ${attempts} AND status = 'running'`;
    });
    return count === 1;
  }

  takeOver(leaseMs: number): Promise<StoredOperation | undefined> {
    return run(this.database, async (statements) => {
      const rows = await statements.$queryRaw<OperationRow[]>`
        UPDATE operations SET attempts = attempts + 1, lease_until = ${fromNow(leaseMs)}
        WHERE id = (SELECT id FROM operations WHERE status = 'running' AND lease_until <= clock_timestamp()
                    ORDER BY lease_until LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING ${ALL}`;
      return rows[0] && toOperation(rows[0]);
    });
  }

  get(principal: string, id: string): Promise<StoredOperation | undefined> {
    return run(this.database, async (statements) => {
      if (!UUID.test(id)) return undefined;
      const rows = await statements.$queryRaw<OperationRow[]>`
        SELECT ${ALL} FROM operations WHERE id = ${id}::uuid AND principal = ${principal}`;
      return rows[0] && toOperation(rows[0]);
    });
  }

  list(
    principal: string,
    { after, limit }: PageRequest<OperationKey>,
    status?: OperationStatus,
  ): Promise<Page<StoredOperation>> {
    return run(this.database, async (statements) => {
      const older =
        after === undefined
          ? Prisma.empty
          : Prisma.sql`AND (created_at, id) < (timestamptz 'epoch' + ${after.createdAt}::float8 * interval '1 millisecond', ${after.id}::uuid)`;
      const filtered = status === undefined ? Prisma.empty : Prisma.sql`AND status = ${status}`;
      const rows = await statements.$queryRaw<OperationRow[]>`
        SELECT ${FACTS}, NULL AS result, NULL AS problem FROM operations WHERE principal = ${principal} ${older} ${filtered}
        ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`;
      return { items: rows.slice(0, limit).map(toOperation), more: rows.length > limit };
    });
  }

  async cancel(principal: string, id: string): Promise<StoredOperation | undefined> {
    if (!UUID.test(id)) return undefined;
    await run(this.database, (statements) => {
      return statements.$executeRaw`
        UPDATE operations SET status = 'cancelled', finished_at = clock_timestamp()
        WHERE id = ${id}::uuid AND principal = ${principal} AND status = 'running'`;
    });
    return this.get(principal, id);
  }
}

function toOperation({ result, problem, finishedAt, ...row }: OperationRow): StoredOperation {
  return {
    ...row,
    ...(result !== null && { result }),
    ...(problem !== null && { problem }),
    ...(finishedAt !== null && { finishedAt }),
  };
}

function fromNow(ms: number): Prisma.Sql {
  return Prisma.sql`clock_timestamp() + ${ms}::float8 * interval '1 millisecond'`;
}

function tooMany(running: number): AllotError {
  return new AllotError(
    'TOO_MANY_OPERATIONS',
    `${running} of your operations are running, as many as may at once. Wait for one, or cancel one with DELETE /v1/operations/{id}.`,
    { action: 'retry', retryAfterMs: 5_000 },
  );
}
