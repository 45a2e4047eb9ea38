import { AllotError } from '@allot/model';
import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { getOperationAST } from 'graphql';
import { Produces } from '../http/media-types.js';
import { EVENT_STREAM, sendEvents, type WireEvent } from '../streams/event-stream.js';
import { GraphQLExecution, type ResultStream } from './execution.js';
import { fromQuery } from './http-gate.js';
import type { RequestContext } from './request-context.js';
import { mayComeFromAnotherSite } from './same-origin.js';

/**
 * Operations answered by Server-Sent Events, in the distinct-connections mode of the GraphQL over SSE protocol: each result is an event
 * `next`, the end is `complete`. POST, as the graphql-sse client does, or GET for the browser's own EventSource.
 */
@ApiExcludeController()
@Controller('graphql/stream')
export class GraphQLStreamController {
  constructor(private readonly execution: GraphQLExecution) {}

  @Post()
  @HttpCode(200)
  @Produces(EVENT_STREAM, 'application/json')
  async post(@Body() body: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#answer(body, request, reply);
  }

  @Get()
  @Produces(EVENT_STREAM, 'application/json')
  async get(@Query() query: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#answer(fromQuery(query), request, reply);
  }

  async #answer(body: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (mayComeFromAnotherSite(request.headers)) throw crossSite();
    const prepared = this.execution.prepare(body, request);
    if (Array.isArray(prepared)) {
      return void reply.status(400).send({ errors: this.execution.formatErrors(prepared, request) });
    }
    const args = prepared as ExecutionArgs;
    const operation = getOperationAST(args.document, args.operationName)!.operation;
    if (operation === 'mutation' && request.method === 'GET') throw mutationByGet();
    const abort = new AbortController();
    await sendEvents(reply, 'sse', this.#events(args, abort.signal), abort);
  }

  async *#events(args: ExecutionArgs, signal: AbortSignal): AsyncGenerator<WireEvent | undefined, void, void> {
    const outcome = await this.execution.run(args);
    const show = (result: ExecutionResult): WireEvent => ({
      name: 'next',
      ...revisionIn(result),
      data: this.execution.format(result, args.contextValue as RequestContext),
    });
    if (!(Symbol.asyncIterator in outcome)) yield show(outcome);
    else yield* this.#results(outcome, show, signal);
    yield { name: 'complete', data: null };
  }

  /** The results, with a sign of life between them when there are none for long. */
  async *#results(
    results: ResultStream,
    show: (result: ExecutionResult) => WireEvent,
    signal: AbortSignal,
  ): AsyncGenerator<WireEvent | undefined, void, void> {
    const stop = () => void results.return();
    signal.addEventListener('abort', stop);
    try {
      // The head goes out at once: a client knows that it is connected before anything happens.
      yield undefined;
      let next = results.next();
      while (!signal.aborted) {
        const result = await orSilence(next);
        if (result === 'silence') yield undefined;
        else if (result.done === true) return;
        else {
          yield show(result.value);
          next = results.next();
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      await results.return();
    }
  }
}

/** Proxies close what looks dead after 30 s and more. */
const SILENCE_MS = 12_000;

async function orSilence<T>(next: Promise<T>): Promise<T | 'silence'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silence'>((resolve) => {
    timer = setTimeout(() => resolve('silence'), SILENCE_MS);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** The revision in a subscription's payload becomes the event's id. */
function revisionIn({ data }: ExecutionResult): { readonly revision?: number } {
  const [payload] = Object.values(data ?? {});
  const revision = typeof payload === 'object' && payload !== null && 'revision' in payload ? payload.revision : 0;
  return typeof revision === 'number' && revision > 0 ? { revision } : {};
}

function crossSite(): AllotError {
  return new AllotError('INVALID_REQUEST', 'This request comes from a page of another site, which is not served.', {
    action: 'fix-request',
  });
}

function mutationByGet(): AllotError {
  return new AllotError('METHOD_NOT_ALLOWED', 'Mutations are sent by POST.', { action: 'fix-request' });
}
