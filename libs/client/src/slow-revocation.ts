import type { Environment } from './environment.js';
import type { WarningEvent } from './member-events.js';
import type { Partitions } from './partitions.js';
import type { SteadyClock } from './steady-clock.js';

/** Warns when giving up has taken half of its time; the returned function says that it is done. */
export function warnWhenSlow(
  environment: Environment,
  clock: SteadyClock,
  partitions: Partitions,
  withinMs: number,
  warn: (warning: WarningEvent) => void,
): () => void {
  const startedAt = clock.now();
  return environment.after(withinMs / 2, () => {
    const elapsedMs = clock.now() - startedAt;
    const message = `Giving partitions up has taken ${Math.round(elapsedMs)} of ${withinMs} ms; then the member is fenced.`;
    warn({ code: 'REVOKE_SLOW', message, partitions, elapsedMs, remainingMs: withinMs - elapsedMs });
  });
}
