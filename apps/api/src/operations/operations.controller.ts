import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationStore, Origin, StoredOperation } from '@allot/coordinator';
import { AllotError } from '@allot/model';
import { Controller, Delete, Get, Headers, Inject, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Operation } from '../contracts/operation.js';
import { RequestOrigin } from '../http/origin.js';
import { PathText } from '../http/path-names.js';
import { Shutdown } from '../http/shutdown.js';
import { pageRequest, toPage, type ListKind } from '../paging/page.js';
import { keyed } from '../plans/plan-view.js';
import { OPERATION_STORE } from '../ports.js';
import { BackgroundOperation, OperationPage, OperationsQuery } from './operation.contract.js';
import { showOperation } from './operation-view.js';
import { patienceOf } from './prefer.js';

const POLL_MS = 250;

/** Newest first; the key is the time of beginning and the id. */
const OPERATIONS: ListKind<StoredOperation, string> = {
  kind: 'operations',
  keyType: 'string',
  keyOf: ({ createdAt, id }) => `${createdAt}:${id}`,
};

@ApiTags('operations')
@Controller('v1/operations')
export class OperationsController {
  constructor(
    @Inject(OPERATION_STORE) private readonly store: OperationStore,
    private readonly shutdown: Shutdown,
  ) {}

  @Get()
  @Operation({
    id: 'listOperations',
    summary: 'List your operations, newest first, without their results',
    answers: { 200: { description: 'Operations.', type: OperationPage } },
  })
  async list(@Query() query: OperationsQuery, @RequestOrigin() { actor }: Origin): Promise<OperationPage> {
    const page = await this.store.list(actor, keyed(pageRequest(OPERATIONS, query)), query.status);
    return toPage(OPERATIONS, page, showOperation) as OperationPage;
  }

  @Get(':operation')
  @Operation({
    id: 'getOperation',
    summary: 'Read an operation, and its result when it has ended',
    description: 'With `Prefer: wait=30` the answer comes when the operation ends, after 30 seconds at the latest.',
    path: ['operation'],
    answers: { 200: { description: 'The operation.', type: BackgroundOperation } },
    problems: ['OPERATION_NOT_FOUND'],
  })
  async get(
    @PathText('operation') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
    @RequestOrigin() { actor }: Origin,
    @Headers('prefer') prefer?: string,
  ): Promise<BackgroundOperation> {
    const operation = await this.#whenEnded(actor, id, prefer === undefined ? 0 : patienceOf(prefer).ms);
    if (operation.status === 'running') void reply.header('Retry-After', '1');
    return showOperation(operation);
  }

  async #whenEnded(actor: string, id: string, patienceMs: number): Promise<StoredOperation> {
    const deadline = performance.now() + patienceMs;
    const { abort, release } = this.shutdown.link();
    try {
      for (;;) {
        const operation = known(await this.store.get(actor, id), id);
        const isOver = operation.status !== 'running' || performance.now() >= deadline || abort.signal.aborted;
        if (isOver) return operation;
        await sleep(POLL_MS, undefined, { signal: abort.signal }).catch(() => undefined);
      }
    } finally {
      release();
    }
  }

  @Delete(':operation')
  @Operation({
    id: 'cancelOperation',
    summary: 'Cancel an operation',
    description: 'What it would have come to is not kept. One that has ended stays as it is.',
    path: ['operation'],
    answers: { 200: { description: 'The operation as it is now.', type: BackgroundOperation } },
    problems: ['OPERATION_NOT_FOUND'],
  })
  async cancel(@PathText('operation') id: string, @RequestOrigin() { actor }: Origin): Promise<BackgroundOperation> {
    return showOperation(known(await this.store.cancel(actor, id), id));
  }
}

function known(operation: StoredOperation | undefined, id: string): StoredOperation {
  if (operation !== undefined) return operation;
  throw new AllotError('OPERATION_NOT_FOUND', `There is no operation ${id}; what came of one is kept for a day.`, {
    action: 'fix-request',
  });
}
