import type { Member } from './member.js';
import type { StopOptions } from './member-options.js';

/** As much of Node's `process` as is needed. */
export interface SignalSource {
  once(signal: string, listener: () => void): unknown;
  removeListener(signal: string, listener: () => void): unknown;
}

/**
 * Stops a member in order when the process is asked to end (SIGTERM, SIGINT): it finishes what it does, hands its partitions over and
 * leaves. The second signal ends the process as ever. Call the returned function to take it back.
 */
export function stopOnSignals(member: Member, process: SignalSource, options: StopOptions = {}): () => void {
  const names = ['SIGTERM', 'SIGINT'];
  const release = () => {
    for (const name of names) process.removeListener(name, stop);
  };
  const stop = () => {
    release();
    void member.stop(options);
  };
  for (const name of names) process.once(name, stop);
  void member.stopped.then(release, release);
  return release;
}
