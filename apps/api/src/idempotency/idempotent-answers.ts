import { createHash } from 'node:crypto';
import type { IdempotencyStore, StoredResponse } from '@allot/coordinator';
import { AllotError, invalidRequest } from '@allot/model';
import { LIMITS } from '../config/limits.js';
import { complainAboutName } from '../validation/rules.js';

/** After this long an unfinished request counts as lost with its replica. */
const CLAIM_MS = 60_000;
const KEEP_MS = 24 * 3_600_000;

export interface KeyedRequest<T> {
  /** Whose key it is. */
  readonly principal: string;
  readonly key: string;
  /** Whatever makes two requests different. */
  readonly content: unknown;
  /** Does the work; `keep` is what is answered when the request comes again, absent where nothing was changed. */
  readonly work: () => Promise<{ readonly answer: T; readonly keep?: StoredResponse }>;
  readonly replay: (kept: StoredResponse) => T;
  /** Told why an answer could not be kept, which is no reason not to give it. */
  readonly onLost: (cause: unknown) => void;
}

/**
 * Does a request's work once for its key, and answers it again from what was answered the first time. Failures are not kept: they changed
 * nothing, so the same request may be tried again.
 */
export class IdempotentAnswers {
  constructor(private readonly store: IdempotencyStore) {}

  async once<T>({ principal, key, content, work, replay, onLost }: KeyedRequest<T>): Promise<T> {
    const id = { principal, key: checkKey(key) };
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64url');
    const outcome = await this.store.begin(id, hash, CLAIM_MS);
    if (outcome.kind === 'replay') return replay(withTimeLeft(outcome.response, outcome.ageMs));
    if (outcome.kind !== 'begun') throw outcome.kind === 'in-flight' ? inUse() : reused();
    let done: Awaited<ReturnType<typeof work>>;
    try {
      done = await work();
    } catch (error) {
      await this.store.abandon(id, hash).catch(onLost);
      throw error;
    }
    // The work is done: an answer that cannot be kept is still the answer.
    if (done.keep === undefined) await this.store.abandon(id, hash).catch(onLost);
    else await this.store.finish(id, hash, done.keep, KEEP_MS).catch(onLost);
    return done.answer;
  }
}

/**
 * A member counts `validForMs` from its own request, and a replay answers a later one: less than the first time is left, or a member whose
 * partitions have gone to others meanwhile would take them for its own.
 */
function withTimeLeft(response: StoredResponse, ageMs: number): StoredResponse {
  const body = response.body as { readonly validForMs?: unknown } | null;
  if (typeof body?.validForMs !== 'number') return response;
  return { ...response, body: { ...body, validForMs: Math.max(0, Math.floor(body.validForMs - ageMs)) } };
}

function checkKey(key: string): string {
  const complaint =
    key.length > LIMITS.nameLength ? `must have at most ${LIMITS.nameLength} characters` : complainAboutName(key);
  if (complaint === undefined) return key;
  throw invalidRequest(`Idempotency-Key ${complaint}.`, [{ pointer: 'Idempotency-Key', detail: complaint }]);
}

function inUse(): AllotError {
  return new AllotError('IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is still being answered.', {
    action: 'retry',
    retryAfterMs: 1_000,
  });
}

function reused(): AllotError {
  return new AllotError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key came before with another request. Use a new key for a new request.',
    { action: 'fix-request', errors: [{ pointer: 'Idempotency-Key', detail: 'was used for another request' }] },
  );
}
