import { AllotError } from '@allot/model';

/**
 * Refuses a write that rests on an old revision (If-Match).
 * @throws AllotError STALE_REVISION with the current revision.
 */
export function checkRevision(current: number, expected: number | undefined): void {
  if (expected === undefined || expected === current) return;
  throw new AllotError(
    'STALE_REVISION',
    `This is revision ${current} now, not ${expected}. Read it again and decide anew.`,
    { action: 'refresh', facts: { revision: current } },
  );
}
