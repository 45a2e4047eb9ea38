import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { EVENT_STREAM, NDJSON, type Frame, type WireFormat } from './frames.js';

const HEADERS = {
  'Cache-Control': 'no-cache, no-transform',
  // A proxy that buffers would hold events back until it has a few kilobytes.
  'X-Accel-Buffering': 'no',
} as const;

/** The open answer to one reader. It keeps hold of the bare response alone, so that the request and its objects can be forgotten. */
export class EventSink {
  readonly format: WireFormat;
  readonly #raw: ServerResponse;
  #closed = false;

  /** `onClose` is called once when the connection is gone, also when it is so already. */
  constructor({ raw }: FastifyReply, format: WireFormat, onClose: () => void) {
    this.#raw = raw;
    this.format = format;
    raw.once('close', () => {
      this.#closed = true;
      onClose();
    });
    // `close` will not come again.
    this.#closed = raw.destroyed;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Sends the head of the answer; from here on an error can only end the stream. */
  open(reply: FastifyReply): void {
    const type = this.format === 'sse' ? EVENT_STREAM : NDJSON;
    const headers = { ...plainHeaders(reply), ...HEADERS, 'Content-Type': `${type}; charset=utf-8` };
    reply.hijack();
    this.#raw.writeHead(200, headers);
    this.#raw.flushHeaders();
  }

  /** False: the reader is slow; nothing more should be written before `whenDrained`. */
  write({ chunk, body }: Frame): boolean {
    const { socket, chunkedEncoding } = this.#raw;
    // Past the response: one write a socket, of bytes that all sockets share. Where another answer is still before it on the
    // connection, or the client speaks HTTP/1.0, the response does it.
    if (socket !== null && chunkedEncoding) return socket.write(chunk);
    return this.#raw.write(body);
  }

  whenDrained(resume: () => void): void {
    (this.#raw.socket ?? this.#raw).once('drain', resume);
  }

  end(): void {
    this.#raw.end();
  }
}

function plainHeaders(reply: FastifyReply): Record<string, string | string[] | number> {
  const headers: Record<string, string | string[] | number> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) headers[name] = value;
  return headers;
}
