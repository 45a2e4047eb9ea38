import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationLimits, OperationRequest, OperationStore, StoredOperation } from '@allot/coordinator';
import { AllotError } from '@allot/model';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.js';
import { CONFIG, OPERATION_STORE } from '../ports.js';
import { problemOf } from '../problems/problem-of.js';
import { toAllotError } from '../problems/to-allot-error.js';

const LIMITS: OperationLimits = { leaseMs: 20_000, keepMs: 24 * 3_600_000, mostRunning: 20 };
/** A third of the lease, so that two renewals may fail. */
const INTERVAL_MS = 5_000;
/** A request that took so many replicas with it is not tried again. */
const MOST_ATTEMPTS = 3;

/** Marks a request that this process makes of itself. */
export const RERUN_HEADER = 'allot-rerun';

type Held = Pick<StoredOperation, 'id' | 'attempts'>;

/**
 * Carries operations out: those that a request of this replica became, and those whose replica is gone, by making their request again.
 * An operation has one holder; whoever loses it, because it was frozen for too long, can no longer end it.
 */
@Injectable()
export class OperationRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Known to this process alone: nobody outside can make a request look like its own. */
  readonly rerunToken = randomUUID();
  readonly #held = new Map<string, Held>();
  readonly #stop = new AbortController();
  readonly #logger = new Logger('Operations');
  #running: Promise<void> | undefined;

  constructor(
    @Inject(OPERATION_STORE) private readonly store: OperationStore,
    private readonly http: HttpAdapterHost,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.#running = this.#run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Makes an operation of work that is under way. @throws AllotError TOO_MANY_OPERATIONS */
  async defer(principal: string, request: OperationRequest, work: Promise<unknown>): Promise<StoredOperation> {
    const operation = await this.store.begin({ id: randomUUID(), principal, request }, LIMITS);
    this.#hold(
      operation,
      work.then((result) => ({ result: result ?? null })),
    );
    return operation;
  }

  #hold(operation: StoredOperation, work: Promise<{ result: unknown } | { problem: unknown }>): void {
    const { id, request } = operation;
    this.#held.set(id, operation);
    const outcome = work.catch((error: unknown) => ({ problem: problemOf(toAllotError(error), request.url, id) }));
    void outcome
      .then((end) => this.#finish(operation, end))
      .catch((error: unknown) => this.#logger.error(`operation ${id} could not be ended`, error))
      .finally(() => this.#held.delete(id));
  }

  /** The database may be away for a while; the hold keeps the operation from being begun again meanwhile. */
  async #finish(held: Held, outcome: { result: unknown } | { problem: unknown }): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.store.finish(held, outcome, LIMITS.keepMs);
        return;
      } catch (error) {
        if (attempt === 5) throw error;
        await sleep(attempt * 1_000);
      }
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#renew();
        await this.#takeOver();
      } catch (error) {
        this.#logger.warn(`operations are looked at again: ${String(error)}`);
      }
      // Rejects only when it is told to stop.
      await sleep(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return;
    const mine = await this.store.hold([...this.#held.values()], LIMITS.leaseMs);
    for (const id of this.#held.keys()) if (!mine.has(id)) this.#held.delete(id);
  }

  async #takeOver(): Promise<void> {
    // One at a time: what ended its replica once may do so again.
    if (this.#held.size > 0) return;
    const operation = await this.store.takeOver(LIMITS.leaseMs);
    if (operation === undefined) return;
    this.#logger.log(`operation ${operation.id} lost its replica and is begun again (attempt ${operation.attempts})`);
    this.#hold(operation, this.#rerun(operation));
  }

  async #rerun({ attempts, principal, request }: StoredOperation): Promise<{ result: unknown } | { problem: unknown }> {
    if (attempts > MOST_ATTEMPTS) throw interrupted(attempts - 1);
    const server = this.http.httpAdapter.getInstance<FastifyInstance>();
    const { method, url, body } = request;
    const { actorHeader } = this.config;
    const headers = {
      [RERUN_HEADER]: this.rerunToken,
      ...(actorHeader !== undefined && { [actorHeader]: principal }),
      ...(body !== null && { 'content-type': 'application/json' }),
    };
    const payload = body === null ? {} : { payload: JSON.stringify(body) };
    const response = await server.inject({ method: method as 'POST', url, headers, ...payload });
    const json = response.body === '' ? null : (JSON.parse(response.body) as unknown);
    return response.statusCode < 300 ? { result: json } : { problem: json };
  }
}

function interrupted(attempts: number): AllotError {
  return new AllotError(
    'OPERATION_INTERRUPTED',
    `The service ended ${attempts} times while it worked on this, and does not try again. Ask for less at once.`,
    { action: 'fix-request' },
  );
}
