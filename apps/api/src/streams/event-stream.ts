import type { FastifyReply } from 'fastify';
import { EventSink } from './event-sink.js';
import { COMMENTS, EVENT_STREAM, frameOf, type WireEvent, type WireFormat } from './frames.js';

export { EVENT_STREAM, type WireEvent };

/**
 * Sends what one source makes for one reader, until the source ends or the reader goes; `undefined` is a sign of life. The first event
 * is awaited before the head is sent, so that an error there is still an ordinary problem. Waits for the connection to drain, so that a
 * slow reader holds back the source, not memory. (What many readers share goes through `StreamHub`.)
 */
export async function sendEvents(
  reply: FastifyReply,
  format: WireFormat,
  source: AsyncGenerator<WireEvent | undefined, void, void>,
  abort: AbortController,
): Promise<void> {
  const stop = () => abort.abort();
  const sink = new EventSink(reply, format, stop);
  if (sink.closed) stop();
  try {
    let next = await source.next();
    sink.open(reply);
    // The connection of a HEAD is free for the next request.
    if (reply.request.method === 'HEAD') stop();
    while (!next.done && !abort.signal.aborted) {
      const frame = next.value === undefined ? COMMENTS[format] : frameOf(next.value, format);
      if (!sink.write(frame)) await drained(sink, abort.signal);
      next = await source.next();
    }
    sink.end();
  } finally {
    await source.return();
  }
}

function drained(sink: EventSink, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    sink.whenDrained(resolve);
  });
}
