import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { AllotError } from '@allot/model';
import { Piscina } from 'piscina';
import { Computing, InlineComputing } from './computing.js';
import type { ComputeReply, ComputeTask } from './compute-thread.js';
import type { Answers, QuestionKind, Questions } from './questions.js';
import { sizeOfQuestion } from './size-of-question.js';

/** Smaller questions are answered sooner here than they would get to a thread and back (about a millisecond). */
const SMALL = 500;
/** Questions that may wait for a thread; those beyond are told to come again. */
const MOST_WAITING = 100;
/** A thread without work ends after this long, and gives its memory back. */
const IDLE_MS = 60_000;
/** For inputs of any size that the limits allow, and no more. */
const MEMORY_MB = 1_024;
/** Of it for what is young: a question of some megabytes becomes millions of small objects at once, and most of them go at once. */
const YOUNG_MB = 64;

/** Beside this module, built or not. */
const SCRIPT = new URL(`./compute-thread${extname(import.meta.url)}`, import.meta.url);

export interface ThreadOptions {
  readonly script?: URL;
  readonly execArgv?: readonly string[];
}

/**
 * Large questions on threads of their own, so that heartbeats do not wait for them. A question that names an assignor of one's own, which threads
 * do not have, is answered by `inline`.
 */
export class ThreadComputing extends Computing {
  readonly #pool: Piscina<ComputeTask, ComputeReply>;
  readonly #waiting = new Set<AbortController>();

  constructor(
    private readonly inline: InlineComputing,
    { script = SCRIPT, execArgv }: ThreadOptions = {},
  ) {
    super();
    this.#pool = new Piscina({
      filename: script.href,
      minThreads: 0,
      maxThreads: Math.max(1, availableParallelism() - 1),
      maxQueue: MOST_WAITING,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB },
      ...(execArgv !== undefined && { execArgv: [...execArgv] }),
    });
    // A thread that cannot start would be started again and again for those who wait, and end the service for want of a listener.
    this.#pool.on('error', (error) => {
      for (const abort of this.#waiting) abort.abort(error);
    });
  }

  override async answer<K extends QuestionKind>(kind: K, question: Questions[K]): Promise<Answers[K]> {
    if (sizeOfQuestion(question) < SMALL) return this.inline.answer(kind, question);
    const reply = await this.#ask({ kind, question } as ComputeTask);
    if ('json' in reply) return JSON.parse(reply.json) as Answers[K];
    if (reply.code === 'UNSUPPORTED_ASSIGNOR') return this.inline.answer(kind, question);
    throw new AllotError(reply.code, reply.message, reply.options);
  }

  async #ask(task: ComputeTask): Promise<ComputeReply> {
    if (this.#pool.queueSize >= MOST_WAITING) throw busy();
    const abort = new AbortController();
    this.#waiting.add(abort);
    try {
      return await this.#pool.run(task, { signal: abort.signal });
    } catch (error) {
      if (abort.signal.aborted) throw abort.signal.reason;
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      throw new AllotError(
        'LIMIT_EXCEEDED',
        `The question needs more than ${MEMORY_MB} MB of memory. Ask for less at once.`,
        {
          action: 'fix-request',
          cause: error,
        },
      );
    } finally {
      this.#waiting.delete(abort);
    }
  }

  override async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

function busy(): AllotError {
  return new AllotError('COMPUTING_BUSY', 'Too many questions wait to be computed. Try again.', {
    action: 'retry',
    retryAfterMs: 1_000,
  });
}
