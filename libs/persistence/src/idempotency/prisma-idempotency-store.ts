import type { IdempotencyKey, IdempotencyOutcome, IdempotencyStore, StoredResponse } from '@allot/coordinator';
import type { Database } from '../database/database.js';
import { run } from '../database/run.js';
import { Prisma } from '../generated/client.js';

interface KeyRow {
  readonly requestHash: string;
  readonly status: 'in-flight' | 'done';
  readonly responseStatus: number | null;
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  readonly responseBody: unknown;
  readonly ageMs: number;
}

/** Idempotency keys. A claim is one INSERT, so of any number of replicas one gets it. */
export class PrismaIdempotencyStore implements IdempotencyStore {
  constructor(private readonly database: Database) {}

  begin({ principal, key }: IdempotencyKey, requestHash: string, claimMs: number): Promise<IdempotencyOutcome> {
    return run(this.database, async (statements) => {
      // Twice, for a key that is freed between the two statements.
      for (let attempt = 0; attempt < 2; attempt++) {
        const claimed = await statements.$executeRaw`
          INSERT INTO idempotency_keys AS k (principal, key, request_hash, status, expires_at)
          VALUES (${principal}, ${key}, ${requestHash}, 'in-flight', ${fromNow(claimMs)})
          ON CONFLICT (principal, key) DO UPDATE
            SET request_hash = excluded.request_hash, status = 'in-flight', response_status = NULL, response_headers = NULL,
                response_body = NULL, created_at = clock_timestamp(), expires_at = excluded.expires_at
            WHERE k.expires_at <= clock_timestamp()`;
        if (claimed === 1) return { kind: 'begun' };
        const rows = await statements.$queryRaw<KeyRow[]>`
          SELECT request_hash AS "requestHash", status, response_status AS "responseStatus",
                 response_headers AS "responseHeaders", response_body AS "responseBody",
                 (extract(epoch FROM clock_timestamp() - created_at) * 1000)::float8 AS "ageMs"
          FROM idempotency_keys WHERE principal = ${principal} AND key = ${key}`;
        if (rows[0] !== undefined) return outcomeOf(rows[0], requestHash);
      }
      return { kind: 'in-flight' };
    });
  }

  async finish(
    { principal, key }: IdempotencyKey,
    requestHash: string,
    response: StoredResponse,
    keepMs: number,
  ): Promise<void> {
    await run(this.database, (statements) => {
      return statements.$executeRaw`
        UPDATE idempotency_keys
        SET status = 'done', response_status = ${response.status}, response_headers = ${JSON.stringify(response.headers)}::jsonb,
            response_body = ${JSON.stringify(response.body ?? null)}::jsonb, expires_at = ${fromNow(keepMs)}
        WHERE principal = ${principal} AND key = ${key} AND request_hash = ${requestHash} AND status = 'in-flight'`;
    });
  }

  async abandon({ principal, key }: IdempotencyKey, requestHash: string): Promise<void> {
    await run(this.database, (statements) => {
      return statements.$executeRaw`
        DELETE FROM idempotency_keys
        WHERE principal = ${principal} AND key = ${key} AND request_hash = ${requestHash} AND status = 'in-flight'`;
    });
  }
}

function fromNow(ms: number): Prisma.Sql {
  return Prisma.sql`clock_timestamp() + ${ms}::float8 * interval '1 millisecond'`;
}

function outcomeOf(row: KeyRow, requestHash: string): IdempotencyOutcome {
  if (row.requestHash !== requestHash) return { kind: 'mismatch' };
  if (row.status === 'in-flight') return { kind: 'in-flight' };
  const { responseStatus: status, responseHeaders: headers, responseBody: body, ageMs } = row;
  return { kind: 'replay', response: { status: status!, headers: headers!, body }, ageMs };
}
