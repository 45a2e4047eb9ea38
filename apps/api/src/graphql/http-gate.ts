import { AllotError } from '@allot/model';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, getOperationAST, OperationTypeNode } from 'graphql';
import { problemTypeOf } from '../problems/problem-types.js';
import { Admission, type OperationRequest } from './admission.js';
import { asGraphQLError, GraphQLExecution } from './execution.js';

export const GRAPHQL_PATH = '/graphql';

/** The door of `/graphql`: Apollo sees only what passed it. */
@Injectable()
export class HttpGate implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly admission: Admission,
    private readonly execution: GraphQLExecution,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('preHandler', (request, reply, done) => {
      if (request.routeOptions.url !== GRAPHQL_PATH || this.#admit(request, reply)) done();
    });
  }

  /** False when the answer has been sent. */
  #admit(request: FastifyRequest, reply: FastifyReply): boolean {
    // Apollo itself refuses what a form of another site could send, shows its page, and says how it wants to be asked.
    if (!asks(request)) return true;
    try {
      const { request: admitted, document } = this.admission.admit(
        request.method === 'GET' ? fromQuery(request.query) : request.body,
      );
      refuseSubscription(admitted, document);
      if (request.method === 'POST') request.body = admitted;
      return true;
    } catch (error) {
      const refused = asGraphQLError(error);
      const errors = this.execution.formatErrors([refused], request);
      const status = statusOf(errors[0]?.extensions?.['code']);
      void reply.status(status).type('application/json; charset=utf-8').send({ errors });
      return false;
    }
  }
}

function asks({ method, body, query }: FastifyRequest): boolean {
  if (method === 'POST') return typeof body === 'object' && body !== null;
  return method === 'GET' && typeof query === 'object' && query !== null && 'query' in query;
}

/** Apollo would run it as if it were a query. */
function refuseSubscription({ operationName }: OperationRequest, document: DocumentNode | undefined): void {
  if (document === undefined) return;
  if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.SUBSCRIPTION) return;
  const message = `Subscriptions are not answered here: open them by ${GRAPHQL_PATH}/stream (Server-Sent Events) or on a WebSocket.`;
  throw new AllotError('INVALID_REQUEST', message, { action: 'fix-request' });
}

/** The parameters of a GET, whose objects are JSON. What is none is left as text, which is then refused. */
export function fromQuery(query: unknown): object {
  const { variables, extensions, ...rest } = query as Record<string, unknown>;
  return { ...rest, variables: parsed(variables), extensions: parsed(extensions) };
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** Everything that is wrong with an operation itself is 400, as GraphQL over HTTP has it; only the rest has a status of its own. */
function statusOf(code: unknown): number {
  return code === 'QUERY_NOT_ALLOWED' ? problemTypeOf(code).status : 400;
}
