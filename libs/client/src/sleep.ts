import type { Environment } from './environment.js';

/** Resolves after so many milliseconds, or with the signal. */
export function sleep(environment: Environment, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      disarm();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const disarm = environment.after(ms, end);
    signal.addEventListener('abort', end);
  });
}
