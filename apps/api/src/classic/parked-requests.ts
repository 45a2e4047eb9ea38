import {
  type ChangeFeed,
  ClassicCoordinator,
  type ClassicReply,
  type GroupReading,
  type GroupRef,
  type GroupStore,
} from '@allot/coordinator';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.js';
import { Shutdown } from '../http/shutdown.js';
import { CHANGE_FEED, CONFIG, GROUP_STORE } from '../ports.js';
import { Hint } from '../streams/hint.js';
import { SharedReads } from './shared-reads.js';

/** After the end of an initial delay by the database's clock, so that it is over when the group is asked to go on. */
const AFTER_DELAY_MS = 2;

export interface Waiting<A> {
  /** What the request was told at first. */
  readonly reply: ClassicReply<A>;
  /** What it is told by the group as it is now. */
  readonly review: (reading: GroupReading | undefined) => ClassicReply<A>;
  readonly timeoutMs: number;
  /** When the request came, on this process's monotonic clock. */
  readonly since: number;
  readonly request: FastifyRequest;
}

/**
 * Requests that wait for a group: each is a wait for the group's committed state, by a hint of the change feed and its poll, and nothing
 * else. Whoever waits here keeps nothing that another replica could miss; the state itself says who has joined.
 */
@Injectable()
export class ParkedRequests {
  readonly #reads: SharedReads;
  /** Groups whose initial delay is being ended here: all that wait for it share the step. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(
    @Inject(GROUP_STORE) store: GroupStore,
    @Inject(CHANGE_FEED) private readonly feed: ChangeFeed,
    @Inject(CONFIG) private readonly config: Config,
    private readonly coordinator: ClassicCoordinator,
    private readonly shutdown: Shutdown,
  ) {
    this.#reads = new SharedReads(store);
  }

  /** The answer, or, when the time is over, the client gone or the process ending, that there is none yet. */
  async wait<A>(ref: GroupRef, { reply, review, timeoutMs, since, request }: Waiting<A>): Promise<ClassicReply<A>> {
    const deadline = since + Math.min(timeoutMs, this.config.maxWaitMs);
    if (reply.kind === 'answer' || deadline <= performance.now()) return reply;
    const { abort, release } = this.shutdown.link();
    const stop = () => abort.abort();
    request.raw.socket.once('close', stop);
    const hint = new Hint((wake) => this.feed.watch(ref, wake), abort.signal);
    try {
      for (;;) {
        hint.reset();
        const readAt = performance.now();
        const now = review(await this.#reads.newest(ref));
        const rest = deadline - performance.now();
        if (now.kind === 'answer' || rest <= 0 || abort.signal.aborted) return now;
        const delayEnd = initialDelayOf(now);
        const wakeIn = delayEnd === undefined ? rest : Math.min(rest, delayEnd - (performance.now() - readAt));
        if (wakeIn > 0) await hint.wait(wakeIn);
        if (delayEnd !== undefined && performance.now() - readAt >= delayEnd) await this.#endInitialDelay(ref);
      }
    } finally {
      hint.close();
      release();
      request.raw.socket.removeListener('close', stop);
    }
  }

  #endInitialDelay(ref: GroupRef): Promise<void> {
    const key = JSON.stringify([ref.cluster, ref.groupId]);
    let ending = this.#ending.get(key);
    if (ending === undefined) {
      ending = this.coordinator.endInitialDelay(ref).finally(() => this.#ending.delete(key));
      this.#ending.set(key, ending);
    }
    return ending;
  }
}

/** How long the group still waits for its first members, ms from when it was read; undefined when it does not. */
function initialDelayOf<A>(reply: ClassicReply<A>): number | undefined {
  if (reply.kind !== 'park') return undefined;
  const { timer } = reply.group;
  return timer?.kind === 'initial-delay' ? timer.at - reply.now + AFTER_DELAY_MS : undefined;
}
