import type { Shutdown } from '../http/shutdown.js';

/** Events in the form that GraphQL's executor reads. */
export interface EventSource<T> extends AsyncIterableIterator<T, void, void> {
  return(): Promise<IteratorResult<T, void>>;
}

/**
 * Opens the events behind a subscription. It resolves when the first thing came, which may be `undefined` (a sign of life, not passed
 * on): until then what is wrong is an ordinary error. The generator is asked for the next event only when the last has been taken, so
 * nothing queues up for a client that is slow.
 *
 * A generator's own `return` waits for the `next` that is pending, which may wait for hours. This one's tells the generator to stop.
 */
export async function liveSource<T>(
  shutdown: Shutdown,
  open: (signal: AbortSignal) => AsyncGenerator<T | undefined, void, void>,
): Promise<EventSource<T>> {
  const { abort, release } = shutdown.link();
  const source = open(abort.signal);
  const end = async () => {
    abort.abort();
    release();
    await source.return();
  };
  let first: IteratorResult<T | undefined, void> | undefined;
  try {
    first = await source.next();
  } catch (error) {
    release();
    throw error;
  }
  const next = async (): Promise<IteratorResult<T, void>> => {
    for (;;) {
      let result: IteratorResult<T | undefined, void>;
      try {
        result = first ?? (await source.next());
      } catch (error) {
        release();
        throw error;
      }
      first = undefined;
      if (result.done === true) {
        release();
        return { done: true, value: undefined };
      }
      if (result.value !== undefined) return { done: false, value: result.value };
    }
  };
  const events: EventSource<T> = {
    next,
    return: async () => {
      await end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => events,
  };
  return events;
}
