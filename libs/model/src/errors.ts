/** What a caller should do about an error; the API sends it along. */
export type ErrorAction = 'rejoin' | 'retry' | 'refresh' | 'stop' | 'fix-request';

/** One wrong field of a request. `pointer` is a JSON pointer into the body, or a parameter name. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

export interface AllotErrorOptions {
  readonly action: ErrorAction;
  readonly retriable?: boolean;
  readonly retryAfterMs?: number;
  readonly errors?: readonly FieldError[];
  /** Facts that help the caller, such as the current epoch; sent as members of the problem. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * An error that a caller is meant to see. `code` is Kafka's name where Kafka has one (UNKNOWN_MEMBER_ID), else this
 * service's own. `message` says what is wrong and what to do, without internals.
 */
export class AllotError extends Error {
  readonly code: string;
  readonly action: ErrorAction;
  readonly retriable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly errors: readonly FieldError[];
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, options: AllotErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AllotError';
    this.code = code;
    this.action = options.action;
    this.retriable = options.retriable ?? options.action === 'retry';
    this.retryAfterMs = options.retryAfterMs;
    this.errors = options.errors ?? [];
    this.facts = options.facts ?? {};
  }
}

/** A request that is wrong in itself; `errors` names the fields. */
export function invalidRequest(message: string, errors: readonly FieldError[] = []): AllotError {
  return new AllotError('INVALID_REQUEST', message, { action: 'fix-request', errors });
}
