import { AllotError } from '@allot/model';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RouteTable } from '../http/route-table.js';
import { problemOf } from './problem-of.js';
import { toAllotError } from './to-allot-error.js';

/** Answers every error of REST as a problem. GraphQL errors pass through to `formatError`, which gives them the same code. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly routes: RouteTable) {}

  catch(thrown: unknown, host: ArgumentsHost): unknown {
    if (host.getType<string>() !== 'http') return thrown;
    const http = host.switchToHttp();
    return sendProblem(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.routes);
  }
}

/** Sends what was thrown as application/problem+json, and logs it when it is a fault of the service. */
export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply, routes: RouteTable): void {
  let error = toAllotError(thrown);
  const path = pathOf(request);
  if (error.code === 'NOT_FOUND') {
    const allowed = routes.methodsOf(path);
    if (allowed.length > 0 && !allowed.includes(request.method)) {
      void reply.header('Allow', allowed.join(', '));
      error = new AllotError('METHOD_NOT_ALLOWED', `${path} takes ${allowed.join(', ')}, not ${request.method}.`, {
        action: 'fix-request',
      });
    }
  }
  const problem = problemOf(error, path, String(request.id));
  if (problem.status >= 500) request.log.error({ err: error.cause ?? error, code: error.code }, error.message);
  if (reply.raw.headersSent) {
    // A stream that fails half-way can only be cut off.
    reply.raw.destroy();
    return;
  }
  if (error.retryAfterMs !== undefined) {
    void reply.header('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))));
  }
  void reply
    .status(problem.status)
    .header('Cache-Control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem));
}

function pathOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '/';
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}
