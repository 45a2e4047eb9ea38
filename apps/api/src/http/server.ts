import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { AllotError } from '@allot/model';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type ConnectionError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { LIMITS } from '../config/limits.js';
import type { Metrics } from '../observability/metrics.js';
import { sendProblem } from '../problems/problem-filter.js';
import { problemOf } from '../problems/problem-of.js';
import { nameActors } from './actor.js';
import { decodeUtf8, parseJsonBody } from './json-body.js';
import { requestIdOf } from './request-id.js';
import { RouteTable } from './route-table.js';
import type { Shutdown } from './shutdown.js';

export interface HttpServer {
  readonly adapter: FastifyAdapter;
  readonly routes: RouteTable;
}

const CLOSE_IDLE_MS = 50;

/** Fastify with this service's limits, body parsers, request ids, log lines and metrics. */
export function createHttpServer(
  logger: Logger,
  metrics: Metrics,
  shutdown: Shutdown,
  actorHeader?: string,
): HttpServer {
  const adapter = new FastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: LIMITS.bodyBytes,
    // Names are limited by what they are, after decoding; this only has to be longer than any of them, encoded.
    routerOptions: { maxParamLength: LIMITS.nameLength * 12 },
    genReqId: requestIdOf,
    // The body parsers below keep these keys as data.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    clientErrorHandler: answerBrokenRequest,
    // Requests that still come on open connections during a shutdown are served; new connections are not accepted.
    return503OnClosing: false,
    // Nobody uses Connect-style middleware here.
    skipMiddie: true,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(error, request, reply, routes),
  });
  const server = adapter.getInstance<FastifyInstance>();
  const routes = new RouteTable(server);
  nameActors(server, actorHeader);
  readBodies(server);
  limitGraphQLBodies(server);
  addHooks(server, metrics);
  endLongAnswers(server, shutdown);
  return { adapter, routes };
}

/** What cannot be parsed as HTTP has no request to answer; the connection gets a problem and ends. */
function answerBrokenRequest(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const detail = tooLarge
    ? 'The headers are larger than this service takes.'
    : 'This is not a request that HTTP allows.';
  const problem = new AllotError('INVALID_REQUEST', detail, { action: 'fix-request' });
  const body = JSON.stringify({ ...problemOf(problem, '/', randomUUID()), status: Number(status.slice(0, 3)) });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

/** With the shutdown streams end; connections are closed as they become idle, or their clients would keep the server open. */
function endLongAnswers(server: FastifyInstance, shutdown: Shutdown): void {
  server.addHook('preClose', (done) => {
    shutdown.begin();
    const closing = setInterval(() => server.server.closeIdleConnections(), CLOSE_IDLE_MS).unref();
    server.server.once('close', () => clearInterval(closing));
    done();
  });
}

/** Requests to GraphQL are small; what needs more room has a place in REST. */
function limitGraphQLBodies(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    if (/^\/graphql(\/|$)/.test(route.url)) route.bodyLimit = LIMITS.graphqlBodyBytes;
  });
}

function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const parsers = { 'application/json': parseJsonBody, 'text/plain': decodeUtf8 };
  for (const [type, parse] of Object.entries(parsers)) {
    server.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => {
      try {
        done(null, parse(body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    });
  }
}

function addHooks(server: FastifyInstance, metrics: Metrics): void {
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff');
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched';
    metrics.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    const line = { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    if (reply.statusCode >= 500) request.log.warn(line, 'request failed');
    else if (reasonOf(request) !== undefined) request.log.info({ ...line, reason: reasonOf(request) }, 'request');
    else request.log.debug(line, 'request');
    done();
  });
}

/** Why a caller changes something; such requests are worth a line. */
function reasonOf({ query, method }: FastifyRequest): string | undefined {
  if (method === 'GET' || typeof query !== 'object' || query === null || !('reason' in query)) return undefined;
  return typeof query.reason === 'string' ? query.reason : undefined;
}
