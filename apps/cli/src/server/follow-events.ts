import { AllotError } from '@allot/model';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Interrupted } from '../terminal.js';
import { backoff, pause, type ApiClient } from './api-client.js';

export interface FollowedEvent {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

export interface FollowOptions {
  /** Only what is newer than this revision; everything from a snapshot on when absent. */
  readonly since?: string;
  readonly signal: AbortSignal;
  readonly random: () => number;
  /** Told before each wait, with the reason and how long it is. */
  readonly onWait: (why: string, milliseconds: number) => Promise<void>;
}

/**
 * The events of a stream, over as many connections as it takes: after a break it goes on behind the last event seen, at a time that
 * differs between processes, and begins anew with a snapshot where the server no longer knows that event. Ends with the group or member.
 *
 * @throws AllotError for what another try would not mend; Interrupted
 */
export async function* followEvents(
  client: ApiClient,
  path: string,
  { since, signal, random, onWait }: FollowOptions,
): AsyncGenerator<FollowedEvent, void, void> {
  let last = since;
  for (let failures = 0; ; failures++) {
    let why = 'the stream ended';
    let wait: number | undefined;
    try {
      const stream = await client.open(path, {
        Accept: 'text/event-stream',
        ...(last !== undefined && { 'Last-Event-ID': last }),
      });
      for await (const event of readEvents(stream)) {
        failures = 0;
        last = event.id === '' ? last : event.id;
        yield event;
        if (event.event === 'removed') return;
      }
    } catch (error) {
      if (signal.aborted) throw new Interrupted('Interrupted.');
      if (error instanceof AllotError && error.code === 'REVISION_COMPACTED' && last !== undefined) {
        why = `revision ${last} is no longer kept, so it begins anew`;
        last = undefined;
        wait = 0;
      } else if (error instanceof AllotError && !error.retriable) throw error;
      else {
        why = error instanceof AllotError ? error.message : `the connection broke (${(error as Error).message})`;
        wait = backoff(failures, random(), error instanceof AllotError ? error.retryAfterMs : undefined);
      }
    }
    if (signal.aborted) throw new Interrupted('Interrupted.');
    wait ??= backoff(failures, random());
    await onWait(why, wait);
    await pause(wait, signal);
  }
}

/** Complete events as they arrive. */
async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<FollowedEvent, void, void> {
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void ready.push(event) });
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    parser.feed(chunk);
    for (const { event = 'message', id = '', data } of ready.splice(0))
      yield { event, id, data: JSON.parse(data) as unknown };
  }
}
