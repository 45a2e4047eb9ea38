/** What to do about an error; more values may come. */
export type ErrorAction = 'rejoin' | 'retry' | 'refresh' | 'stop' | 'fix-request';

export interface ClientErrorFacts {
  readonly action: ErrorAction;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The problem as the service sent it (RFC 9457). */
  readonly problem?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * An error of the service or of the way to it. `code` is the service's (`FENCED_MEMBER_EPOCH` ...) or one of the client's own:
 * `NETWORK_ERROR`, `TIMEOUT`, `BAD_ANSWER`, `NOT_HELD`, `STOPPED`.
 */
export class AllotClientError extends Error {
  override readonly name = 'AllotClientError';
  readonly code: string;
  readonly action: ErrorAction;
  /** The same request may succeed later. */
  readonly retriable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly problem: Readonly<Record<string, unknown>> | undefined;

  constructor(code: string, message: string, { action, status, retryAfterMs, problem, cause }: ClientErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.action = action;
    this.retriable = action === 'retry';
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.problem = problem;
  }
}

const ACTIONS: readonly string[] = ['rejoin', 'retry', 'refresh', 'stop', 'fix-request'] satisfies ErrorAction[];

/** The error that an answer with a status of 400 and more tells. What did not come from the service (a proxy's page) goes by its status. */
export function errorOfAnswer(status: number, text: string, retryAfter: string | null): AllotClientError {
  const problem = readProblem(text);
  const wouldPass = status === 408 || status === 429 || status >= 500;
  const { code, detail, action, retryAfterMs } = problem ?? {};
  const wait = typeof retryAfterMs === 'number' ? retryAfterMs : secondsOf(retryAfter);
  return new AllotClientError(
    typeof code === 'string' ? code : 'BAD_ANSWER',
    typeof detail === 'string' ? detail : `The service answered with status ${status}.`,
    {
      action: ACTIONS.includes(String(action)) ? (action as ErrorAction) : wouldPass ? 'retry' : 'fix-request',
      status,
      ...(wait !== undefined && { retryAfterMs: wait }),
      ...(problem !== undefined && { problem }),
    },
  );
}

function readProblem(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'code' in value
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function secondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : undefined;
}
