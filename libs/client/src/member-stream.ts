import { backoff } from './backoff.js';
import { AllotClientError } from './errors.js';
import { readEvents } from './event-stream.js';
import type { Service } from './service.js';
import { sleep } from './sleep.js';
import type { ServerEvent } from './sse-parser.js';

/** What an event says of where the member and its group stand; absent when it does not say. */
export interface StreamNews {
  readonly revision: number;
  /** It is about this member, not only about others. */
  readonly own: boolean;
  readonly assignmentEpoch: number | undefined;
}

export interface StreamListener {
  /** The member has read a call for its lease; the next comes after `everyMs`. */
  onCall(token: string, everyMs: number): void;
  onNews(news: StreamNews): void;
  /** The service says that something is wrong with the member: a heartbeat tells what. */
  onRefused(): void;
  onError(error: AllotClientError): void;
}

export interface MemberStreamOptions {
  readonly service: Service;
  /** Of the member. */
  readonly path: string;
  /** The member's epoch by now. */
  readonly memberEpoch: () => number;
  readonly silenceMs: () => number;
  readonly signal: AbortSignal;
  readonly listener: StreamListener;
}

/**
 * Listens to the member's stream, over as many connections as it takes, until the signal aborts. It never fails: while there is no
 * connection, or calls do not come through it, the member lives by heartbeats.
 */
export async function listenToMember(options: MemberStreamOptions): Promise<void> {
  const { service, path, memberEpoch, silenceMs, signal, listener } = options;
  let lastEventId = '';
  for (let failures = 0; !signal.aborted; failures++) {
    const url = `${path}/events?memberEpoch=${memberEpoch()}`;
    try {
      for await (const event of readEvents(service, url, { lastEventId, signal, silenceMs: silenceMs() })) {
        failures = 0;
        lastEventId = event.id;
        tell(listener, event);
      }
      service.moveOn();
    } catch (error) {
      if (!(error instanceof AllotClientError)) throw error;
      if (error.code === 'REVISION_COMPACTED') lastEventId = '';
      else if (!error.retriable) listener.onRefused();
      listener.onError(error);
    }
    await sleep(service.environment, backoff(failures, service.environment.random), signal);
  }
}

function tell(listener: StreamListener, { type, data, id }: ServerEvent): void {
  const json = JSON.parse(data) as Record<string, unknown>;
  if (type === 'lease') listener.onCall(String(json['token']), Number(json['everyMs']));
  else if (type === 'removed') listener.onRefused();
  else {
    const { assignmentEpoch } = json;
    listener.onNews({
      revision: Number(id),
      // A snapshot says how things are, which may be how they were.
      own: type !== 'bookmark' && type !== 'snapshot',
      assignmentEpoch: typeof assignmentEpoch === 'number' ? assignmentEpoch : undefined,
    });
  }
}
