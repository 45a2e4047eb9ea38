import type { GroupRef, StreamLeases } from '@allot/coordinator';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Shutdown } from '../http/shutdown.js';
import { STREAM_LEASES } from '../ports.js';
import { EventSink } from './event-sink.js';
import type { WireFormat } from './frames.js';
import type { Beginning } from './group-tail.js';
import { GroupTails } from './group-tails.js';
import { LeaseCalls } from './lease-calls.js';
import { StreamReader } from './stream-reader.js';
import type { StreamView } from './stream-view.js';

export interface StreamRequest {
  /** The last revision that the reader saw; absent: it starts with a snapshot. */
  readonly since?: number;
  readonly view: StreamView;
  readonly format: WireFormat;
  /** The stream shall be a member's lease: how often it calls for an answer, and the first call. */
  readonly lease?: { readonly everyMs: number; readonly shownAt: number };
}

/** A comment is written after this silence; proxies close what looks dead after 30 s and more. */
const IDLE_MS = 12_000;
const TICK_MS = 250;

/** All open streams of this replica. One clock serves them all, and one tail each group. */
@Injectable()
export class StreamHub {
  readonly #readers = new Map<EventSink, StreamReader>();
  readonly #calls: LeaseCalls;
  #clock: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    private readonly tails: GroupTails,
    @Inject(STREAM_LEASES) leases: StreamLeases,
    shutdown: Shutdown,
  ) {
    this.#calls = new LeaseCalls(leases);
    shutdown.link().abort.signal.addEventListener('abort', () => this.#stop());
  }

  /** Streams open right now. */
  get size(): number {
    return this.#readers.size;
  }

  /**
   * Answers with a stream that lives until its reader goes, the service stops or what it is about ends. Resolves when it has begun: what
   * is wrong by then is an ordinary problem.
   * @throws AllotError GROUP_ID_NOT_FOUND; REVISION_COMPACTED when `since` is older than the kept history.
   */
  async open(ref: GroupRef, reply: FastifyReply, { since, view, format, lease }: StreamRequest): Promise<void> {
    const isHead = reply.request.method === 'HEAD';
    const { tail, release } = this.tails.acquire(ref);
    const sink = new EventSink(reply, format, () => this.#forget(sink, release));
    let beginning: Beginning;
    try {
      beginning = await tail.begin(since);
    } catch (error) {
      release();
      throw error;
    }
    sink.open(reply);
    // The reader may have gone meanwhile. The connection of a HEAD is free for the next request.
    if (sink.closed || isHead || this.#stopped) {
      sink.end();
      release();
      return;
    }
    const reader = new StreamReader(sink, view, tail, since ?? 0);
    this.#readers.set(sink, reader);
    this.#clock ??= setInterval(() => this.#tick(), TICK_MS).unref();
    reader.begin(beginning);
    if (lease !== undefined) this.#calls.add(reader, lease, format);
  }

  #forget(sink: EventSink, release: () => void): void {
    release();
    const reader = this.#readers.get(sink);
    if (reader === undefined) return;
    reader.close();
    this.#readers.delete(sink);
    this.#calls.remove(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  #tick(): void {
    const now = performance.now();
    for (const reader of this.#readers.values()) {
      if (now - reader.writtenAt >= IDLE_MS && !reader.waits) reader.comment();
    }
    this.#calls.call(now);
  }

  #stop(): void {
    this.#stopped = true;
    for (const reader of this.#readers.values()) reader.end();
  }
}
