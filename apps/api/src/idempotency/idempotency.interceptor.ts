import type { IdempotencyStore } from '@allot/coordinator';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLResolveInfo } from 'graphql';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { planTypeOf, wantsJson } from '../exports/plan-exports.js';
import { Conflict } from '../graphql/conflicts.js';
import { IDEMPOTENCY_STORE } from '../ports.js';
import { IDEMPOTENT } from './idempotent.js';
import { originOf, type RequestContext } from '../graphql/request-context.js';
import { IdempotentAnswers } from './idempotent-answers.js';

/** Headers that belong to an answer, beside its body; a media type is among them where it is not JSON. */
const KEPT_HEADERS = ['location', 'etag', 'content-type'] as const;

/** What is sent again under its key (Idempotency-Key of a creating POST, `idempotencyKey` of a mutation) is answered again. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  readonly #answers: IdempotentAnswers;

  constructor(
    @Inject(IDEMPOTENCY_STORE) store: IdempotencyStore,
    private readonly reflector: Reflector,
  ) {
    this.#answers = new IdempotentAnswers(store);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType<string>() === 'graphql') return this.#mutation(context, next);
    if (context.getType<string>() !== 'http') return next.handle();
    if (this.reflector.get<boolean | undefined>(IDEMPOTENT, context.getHandler()) !== true) return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { method, url, headers, body } = request;
    const key = headers['idempotency-key'];
    // A dry run changes nothing, however often it is sent.
    if (key === undefined || isDryRun(request)) return next.handle();
    return from(
      this.#answers.once({
        principal: request.actor,
        key: typeof key === 'string' ? key : key.join(),
        content: [
          method,
          url,
          headers['if-match'] ?? null,
          body ?? null,
          ...(wantsJson(request) ? [] : [planTypeOf(request)]),
        ],
        work: async () => {
          const answer: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
          const kept = KEPT_HEADERS.filter((name) => reply.hasHeader(name));
          const headers = Object.fromEntries(kept.map((name) => [name, String(reply.getHeader(name))]));
          return { answer, keep: { status: reply.statusCode, headers, body: toJson(answer) } };
        },
        replay: ({ status, headers, body }) => {
          void reply.status(status).headers(headers).header('Idempotency-Replayed', 'true');
          return body;
        },
        onLost: (cause) => note(request, cause),
      }),
    );
  }

  #mutation(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const graphql = GqlExecutionContext.create(context);
    const args = graphql.getArgs<{ idempotencyKey?: string | null; dryRun?: boolean }>();
    const { idempotencyKey: key, dryRun } = args;
    if (typeof key !== 'string' || dryRun === true) return next.handle();
    return from(
      this.#answers.once({
        principal: originOf(graphql.getContext<RequestContext>(), undefined).actor,
        key,
        content: ['graphql', graphql.getInfo<GraphQLResolveInfo>().fieldName, args],
        work: async () => {
          const answer: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
          // A conflict changed nothing either.
          if (answer instanceof Conflict) return { answer };
          return { answer, keep: { status: 200, headers: {}, body: toJson(answer) } };
        },
        replay: ({ body }) => body,
        onLost: (cause) => note(graphql.getContext<{ req: FastifyRequest }>().req, cause),
      }),
    );
  }
}

function toJson(body: unknown): unknown {
  return body === undefined ? null : (JSON.parse(JSON.stringify(body)) as unknown);
}

function isDryRun({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'dryRun' in query && query.dryRun === 'true';
}

function note({ log }: Pick<FastifyRequest, 'log'>, cause: unknown): void {
  log.warn({ err: cause }, 'the answer of an idempotent request could not be kept');
}
