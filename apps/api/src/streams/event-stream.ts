import { once } from 'node:events';
import type { FastifyReply } from 'fastify';

/** What goes over the wire. `undefined` is a sign of life. */
export interface WireEvent {
  readonly name: string;
  /** Becomes the event's id; a reader resumes after it. */
  readonly revision: number;
  readonly data: unknown;
}

export type WireFormat = 'sse' | 'ndjson';

export const EVENT_STREAM = 'text/event-stream';
export const NDJSON = 'application/x-ndjson';

/** NDJSON for those who ask for it, else Server-Sent Events. */
export function wireFormatOf(accept: string | undefined): WireFormat {
  return accept?.toLowerCase().includes(NDJSON) ? 'ndjson' : 'sse';
}

const HEADERS = {
  'Cache-Control': 'no-cache, no-transform',
  // A proxy that buffers would hold events back until it has a few kilobytes.
  'X-Accel-Buffering': 'no',
} as const;

/**
 * Sends events until the source ends or the reader goes. The first event is awaited before the head is sent, so that an error there
 * is still an ordinary problem. Waits for the socket to drain, so that a slow reader holds back the source, not memory.
 */
export async function sendEvents(
  reply: FastifyReply,
  format: WireFormat,
  source: AsyncGenerator<WireEvent | undefined, void, void>,
  abort: AbortController,
): Promise<void> {
  const { raw } = reply;
  const stop = () => abort.abort();
  raw.once('close', stop);
  // The reader may be gone already; then `close` will not come again.
  if (raw.destroyed) stop();
  try {
    let next = await source.next();
    reply.hijack();
    const type = format === 'sse' ? `${EVENT_STREAM}; charset=utf-8` : `${NDJSON}; charset=utf-8`;
    raw.writeHead(200, { ...plainHeaders(reply), ...HEADERS, 'Content-Type': type });
    raw.flushHeaders();
    // The connection of a HEAD is free for the next request.
    if (reply.request.method === 'HEAD') stop();
    while (!next.done && !abort.signal.aborted) {
      if (!raw.write(format === 'sse' ? toSse(next.value) : toNdjson(next.value))) await drained(reply, abort.signal);
      next = await source.next();
    }
    raw.end();
  } finally {
    raw.removeListener('close', stop);
    await source.return();
  }
}

async function drained({ raw }: FastifyReply, signal: AbortSignal): Promise<void> {
  try {
    await once(raw, 'drain', { signal });
  } catch {
    // Aborted: the loop ends by itself.
  }
}

function plainHeaders(reply: FastifyReply): Record<string, string | string[] | number> {
  const headers: Record<string, string | string[] | number> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) headers[name] = value;
  return headers;
}

function toSse(event: WireEvent | undefined): string {
  if (event === undefined) return ': alive\n\n';
  return `event: ${event.name}\nid: ${event.revision}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

function toNdjson(event: WireEvent | undefined): string {
  if (event === undefined) return '\n';
  return `${JSON.stringify({ event: event.name, id: event.revision, data: event.data })}\n`;
}
