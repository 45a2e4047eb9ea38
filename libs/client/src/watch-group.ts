import { backoff } from './backoff.js';
import { AllotClientError } from './errors.js';
import { readEvents } from './event-stream.js';
import { sleep } from './sleep.js';
import { Service, type ServiceOptions } from './service.js';

/** What happened in a group. A `snapshot` replaces everything that was known; each other event is one revision's change. */
export interface GroupEvent {
  readonly type: string;
  readonly revision: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WatchOptions extends ServiceOptions {
  readonly group: string;
  /** Go on after this revision instead of beginning with a snapshot. */
  readonly sinceRevision?: number;
  readonly signal?: AbortSignal;
  /** Without a byte for this long the connection is given up and another one opened. 40,000 when absent. */
  readonly silenceMs?: number;
  /** Told of every connection that failed; the watch goes on. */
  readonly onRetry?: (error: AllotClientError) => void;
}

/**
 * A group's events without end, over as many connections and replicas as it takes: none is lost or repeated. Where the service no longer
 * has the history in between, the next event is a `snapshot`. Ends with the signal, or after `deleted`.
 * @throws AllotClientError when another attempt would not help: there is no such group, or access is denied.
 */
export async function* watchGroup(options: WatchOptions): AsyncGenerator<GroupEvent, void, void> {
  const { group, signal = new AbortController().signal, silenceMs = 40_000, onRetry, sinceRevision } = options;
  const service = new Service(options);
  const path = `${service.groupPath(group)}/events`;
  let lastEventId = sinceRevision === undefined ? '' : String(sinceRevision);
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      for await (const { type, data, id } of readEvents(service, path, { lastEventId, signal, silenceMs })) {
        failures = 0;
        lastEventId = id;
        yield { type, revision: Number(id), data: JSON.parse(data) as GroupEvent['data'] };
        if (type === 'deleted') return;
      }
      // The replica stops; the others have what comes next.
      service.moveOn();
    } catch (error) {
      if (!(error instanceof AllotClientError)) throw error;
      if (error.code === 'REVISION_COMPACTED') lastEventId = '';
      else if (!error.retriable) throw error;
      onRetry?.(error);
    }
    await sleep(service.environment, backoff(failures, service.environment.random), signal);
  }
}
