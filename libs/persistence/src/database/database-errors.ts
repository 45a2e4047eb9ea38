import { AllotError, invalidRequest } from '@allot/model';

/** What the driver adapter knows of a failed statement. */
interface DriverCause {
  readonly kind?: string;
  readonly originalCode?: string;
  readonly originalMessage?: string;
  readonly constraint?: { readonly index?: string };
}

interface PrismaFailure {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: DriverCause } };
}

/** Prisma's codes for "cannot reach", "timed out", "closed", "pool exhausted" and "transaction could not be begun or was cut". */
const UNAVAILABLE_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037']);
const UNAVAILABLE_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
/**
 * SQLSTATE classes and codes: connection, log-in, resources, operator intervention and its kin, idle transaction, lock not
 * available, and a database or tables that are not there (yet).
 */
const UNAVAILABLE_STATES = /^(08...|28...|53...|57...|58...|25P03|55P03|3D000|42P01)$/;
const UNAVAILABLE_MESSAGES =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|not queryable/i;
/** Text that UTF-8 or jsonb cannot hold, a value out of range, a key too long for an index. */
const BAD_TEXT_STATES = new Set(['22021', '22P05', '22P02', '22003', '54000']);
const CONFLICT_STATES = new Set(['40001', '40P01']);

const RETRY_AFTER_MS = 1_000;

function causeOf(error: unknown): DriverCause {
  return (error as PrismaFailure | null)?.meta?.driverAdapterError?.cause ?? {};
}

/** The name of the unique, foreign key or check constraint that refused a statement. */
export function violatedConstraint(error: unknown): string | undefined {
  const { originalCode, originalMessage, constraint } = causeOf(error);
  if (originalCode === undefined || !originalCode.startsWith('23')) return undefined;
  return constraint?.index ?? /constraint "([^"]+)"/.exec(originalMessage ?? '')?.[1];
}

/** Whether the same transaction may well succeed when it is run again: a deadlock or a serialization conflict. */
export function isConflict(error: unknown): boolean {
  return (error as PrismaFailure | null)?.code === 'P2034' || CONFLICT_STATES.has(causeOf(error).originalCode ?? '');
}

export function isUnavailable(error: unknown): boolean {
  const { code, message } = (error ?? {}) as PrismaFailure;
  const { kind, originalCode } = causeOf(error);
  return (
    UNAVAILABLE_CODES.has(String(code)) ||
    UNAVAILABLE_KINDS.has(kind ?? '') ||
    UNAVAILABLE_STATES.test(originalCode ?? '') ||
    (kind === undefined && UNAVAILABLE_MESSAGES.test(String(message)))
  );
}

/** The error as callers are meant to see it; what is no fault of the caller or the database's absence stays as it is. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof AllotError) return error;
  if (isConflict(error) || isUnavailable(error)) {
    return new AllotError('STORE_UNAVAILABLE', 'The database does not answer right now. Try again.', {
      action: 'retry',
      retryAfterMs: RETRY_AFTER_MS,
      cause: error,
    });
  }
  if (BAD_TEXT_STATES.has(causeOf(error).originalCode ?? '')) {
    return invalidRequest(
      'A name or a number in the request cannot be stored: it is too long, too large or holds NUL.',
    );
  }
  return error;
}
