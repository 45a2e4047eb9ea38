import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { AllotError } from '@allot/model';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { ExecutionArgs } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import type { Config } from '../config/config.js';
import { LIMITS } from '../config/limits.js';
import { actorIn } from '../http/actor.js';
import { CONFIG } from '../ports.js';
import { asGraphQLError, GraphQLExecution } from './execution.js';
import { GRAPHQL_PATH } from './http-gate.js';
import type { RequestContext } from './request-context.js';
import { mayComeFromAnotherSite } from './same-origin.js';

/** Between two pings; a client that does not answer one in this time is cut off. */
const KEEP_ALIVE_MS = 12_000;

/**
 * GraphQL over WebSockets (the graphql-transport-ws protocol of graphql-ws) at the same path as over HTTP. A result is written when
 * the socket has taken the one before, so a slow client holds back its own subscription and costs no memory.
 */
@Injectable()
export class GraphQLWebSockets implements OnModuleInit {
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: LIMITS.graphqlBodyBytes });

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly execution: GraphQLExecution,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Open connections. */
  get size(): number {
    return this.#sockets.clients.size;
  }

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    const { execution } = this;
    const run = (args: ExecutionArgs) => execution.run(args);
    const handler = useServer(
      {
        connectionInitWaitTimeout: LIMITS.graphqlInitMs,
        // Clients are not told what failed inside.
        isProd: true,
        onSubscribe: ({ subscriptions, extra }, _id, payload) => {
          if (Object.keys(subscriptions).length > LIMITS.graphqlOperationsPerConnection) return [tooManyOperations()];
          const { request } = extra as { readonly request: IncomingMessage };
          const actor = actorIn(request.headers, this.config.actorHeader);
          return execution.prepare(payload, { id: randomUUID(), actor, log: server.log });
        },
        // A subscription answers an iterator, which is what the library expects of both.
        execute: run as never,
        subscribe: run as never,
        onNext: (_context, _id, _payload, args, result) =>
          execution.format(result, args.contextValue as RequestContext),
        onError: (_context, _id, _payload, errors) =>
          execution.formatErrors(errors, { id: randomUUID(), log: server.log }),
      },
      this.#sockets,
      KEEP_ALIVE_MS,
    );
    // Before the server waits for its connections to end.
    server.addHook('preClose', async () => handler.dispose());
    server.server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { log } = this.host.httpAdapter.getInstance<FastifyInstance>();
    if (request.url?.split('?')[0] !== GRAPHQL_PATH) return refuse(socket, '404 Not Found');
    if (mayComeFromAnotherSite(request.headers)) return refuse(socket, '403 Forbidden');
    if (!isNamed(request, this.config.actorHeader)) return refuse(socket, '400 Bad Request');
    if (this.size >= LIMITS.graphqlConnections) return refuse(socket, '503 Service Unavailable');
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      this.#sockets.emit('connection', webSocket, request);
      // The library would write to the console what a client did wrong.
      webSocket.removeAllListeners('error').on('error', (err) => log.debug({ err }, 'a WebSocket failed'));
    });
  }
}

/** Whether the proxy's name of who asks can be one. */
function isNamed({ headers }: IncomingMessage, actorHeader: string | undefined): boolean {
  try {
    return actorIn(headers, actorHeader) !== '';
  } catch {
    return false;
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function tooManyOperations() {
  const message = `A connection runs at most ${LIMITS.graphqlOperationsPerConnection} operations at a time.`;
  return asGraphQLError(new AllotError('LIMIT_EXCEEDED', message, { action: 'fix-request' }));
}
