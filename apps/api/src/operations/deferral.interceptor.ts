import { setTimeout as sleep } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { wantsJson } from '../exports/plan-exports.js';
import { DEFERRABLE } from './deferrable.js';
import { showOperation } from './operation-view.js';
import { OperationRunner, RERUN_HEADER } from './operation-runner.js';
import { patienceOf } from './prefer.js';

/**
 * Answers 202 where the answer takes longer than the client wants to wait, and goes on with the work. What is answered sooner is answered
 * as ever, and leaves nothing in the database.
 */
@Injectable()
export class DeferralInterceptor implements NestInterceptor {
  constructor(
    private readonly runner: OperationRunner,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType<string>() !== 'http') return next.handle();
    if (this.reflector.get<boolean | undefined>(DEFERRABLE, context.getHandler()) !== true) return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // An operation's result is JSON; who wants a report waits for it.
    if (!wantsJson(request) || request.headers[RERUN_HEADER] === this.runner.rerunToken) return next.handle();
    return from(this.#answer(request, http.getResponse<FastifyReply>(), next));
  }

  async #answer(request: FastifyRequest, reply: FastifyReply, next: CallHandler): Promise<unknown> {
    const prefer = request.headers['prefer'];
    const patience = patienceOf(Array.isArray(prefer) ? prefer.join() : prefer);
    const work = lastValueFrom(next.handle(), { defaultValue: undefined });
    if (await endsWithin(work, patience.ms)) return work;
    const { method, url, body, actor } = request;
    const operation = await this.runner.defer(actor, { method, url, body: body ?? null }, work);
    void reply.status(202).header('Location', `/v1/operations/${operation.id}`).header('Retry-After', '1');
    if (patience.isAsync) void reply.header('Preference-Applied', 'respond-async');
    return showOperation(operation);
  }
}

/** Whether the work comes to an end, good or bad, in this time; none at all is not enough for anything. */
async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  if (ms === 0) return false;
  const timer = new AbortController();
  const isLate = sleep(ms, false, { signal: timer.signal, ref: false }).catch(() => false);
  return Promise.race([ended, isLate]).finally(() => timer.abort());
}
