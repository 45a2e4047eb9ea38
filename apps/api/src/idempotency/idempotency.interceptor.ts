import { createHash } from 'node:crypto';
import type { IdempotencyKey, IdempotencyStore, StoredResponse } from '@allot/coordinator';
import { AllotError, invalidRequest } from '@allot/model';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { LIMITS } from '../config/limits.js';
import { ANONYMOUS } from '../http/origin.js';
import { IDEMPOTENCY_STORE } from '../ports.js';
import { complainAboutName } from '../validation/rules.js';
import { IDEMPOTENT } from './idempotent.js';

/** After this long an unfinished request counts as lost with its replica. */
const CLAIM_MS = 60_000;
const KEEP_MS = 24 * 3_600_000;
/** Headers that belong to an answer, beside its body. */
const KEPT_HEADERS = ['location', 'etag'] as const;

/**
 * Answers a creating POST that is sent again under its Idempotency-Key from what was answered the first time. Failures are not
 * kept: they changed nothing, so the same request may be tried again.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    @Inject(IDEMPOTENCY_STORE) private readonly store: IdempotencyStore,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType<string>() !== 'http') return next.handle();
    if (this.reflector.get<boolean | undefined>(IDEMPOTENT, context.getHandler()) !== true) return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = request.headers['idempotency-key'];
    // A dry run changes nothing, however often it is sent.
    if (key === undefined || isDryRun(request)) return next.handle();
    return from(this.#answer(readKey(key), request, http.getResponse<FastifyReply>(), next));
  }

  async #answer(id: IdempotencyKey, request: FastifyRequest, reply: FastifyReply, next: CallHandler): Promise<unknown> {
    const hash = hashOf(request);
    const outcome = await this.store.begin(id, hash, CLAIM_MS);
    switch (outcome.kind) {
      case 'begun':
        return this.#run(id, hash, request, reply, next);
      case 'replay':
        return replay(outcome.response, reply);
      case 'in-flight':
        throw new AllotError('IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is still being answered.', {
          action: 'retry',
          retryAfterMs: 1_000,
        });
      case 'mismatch':
        throw new AllotError(
          'IDEMPOTENCY_KEY_REUSED',
          'This Idempotency-Key came before with another request. Use a new key for a new request.',
          { action: 'fix-request', errors: [{ pointer: 'Idempotency-Key', detail: 'was used for another request' }] },
        );
    }
  }

  async #run(
    id: IdempotencyKey,
    hash: string,
    request: FastifyRequest,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    let body: unknown;
    try {
      body = await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      await this.store.abandon(id, hash).catch((cause: unknown) => note(request, cause));
      throw error;
    }
    const headers = Object.fromEntries(
      KEPT_HEADERS.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [])),
    );
    // The work is done: an answer that cannot be kept is still the answer.
    await this.store
      .finish(id, hash, { status: reply.statusCode, headers, body: toJson(body) }, KEEP_MS)
      .catch((cause: unknown) => note(request, cause));
    return body;
  }
}

function replay({ status, headers, body }: StoredResponse, reply: FastifyReply): unknown {
  void reply.status(status).headers(headers).header('Idempotency-Replayed', 'true');
  return body;
}

function readKey(header: string | readonly string[]): IdempotencyKey {
  const key = typeof header === 'string' ? header : header.join();
  const complaint =
    key.length > LIMITS.nameLength ? `must have at most ${LIMITS.nameLength} characters` : complainAboutName(key);
  if (complaint === undefined) return { principal: ANONYMOUS, key };
  throw invalidRequest(`Idempotency-Key ${complaint}.`, [{ pointer: 'Idempotency-Key', detail: complaint }]);
}

/** Whatever makes two requests different, apart from blanks in their JSON. */
function hashOf({ method, url, headers, body }: FastifyRequest): string {
  const parts = [method, url, headers['if-match'] ?? null, body ?? null];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

function toJson(body: unknown): unknown {
  return body === undefined ? null : (JSON.parse(JSON.stringify(body)) as unknown);
}

function isDryRun({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'dryRun' in query && query.dryRun === 'true';
}

function note(request: FastifyRequest, cause: unknown): void {
  request.log.warn({ err: cause }, 'the answer of an idempotent request could not be kept');
}
