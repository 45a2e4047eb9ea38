import { AllotClientError } from './errors.js';
import { LinkedAbort } from './linked-abort.js';
import type { Service } from './service.js';
import { SseParser, type ServerEvent } from './sse-parser.js';

export interface EventStreamOptions {
  readonly lastEventId: string;
  readonly signal: AbortSignal;
  /** Without a byte for this long the connection is taken for dead. The service sends something every 15 s. */
  readonly silenceMs: number;
}

/**
 * The events of one connection, until it ends or the signal aborts. That it has ended without a word is found by its silence, since a
 * half-open connection looks like a quiet one.
 * @throws AllotClientError
 */
export async function* readEvents(
  service: Service,
  path: string,
  { lastEventId, signal, silenceMs }: EventStreamOptions,
): AsyncGenerator<ServerEvent, void, void> {
  const abort = new LinkedAbort(signal);
  const { after } = service.environment;
  let isSilent = false;
  const give = () => {
    isSilent = true;
    abort.abort();
  };
  let disarm = after(silenceMs, give);
  const parser = new SseParser(lastEventId);
  const headers = { accept: 'text/event-stream', ...(lastEventId !== '' && { 'last-event-id': lastEventId }) };
  try {
    const body = await service.open(path, { signal: abort.signal, headers });
    for await (const text of textOf(body, abort.signal)) {
      disarm();
      disarm = after(silenceMs, give);
      yield* parser.push(text);
    }
    if (isSilent) throw silent(silenceMs);
  } catch (error) {
    if (signal.aborted) return;
    if (isSilent) {
      service.moveOn();
      throw silent(silenceMs);
    }
    if (error instanceof AllotClientError) throw error;
    service.moveOn();
    throw new AllotClientError('NETWORK_ERROR', 'The stream broke.', { action: 'retry', cause: error });
  } finally {
    disarm();
    abort.abort();
    abort.release();
  }
}

/** Decodes a body piece by piece; a reading that waits ends with the signal. (Browsers cannot iterate over a body.) */
async function* textOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string, void, void> {
  const reader = body.getReader();
  // Characters that are cut by the pieces are put together; a BOM is the parser's matter.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

function silent(ms: number): AllotClientError {
  return new AllotClientError('TIMEOUT', `The stream was silent for ${ms} ms.`, { action: 'retry' });
}
