/** How far a clock may run wrong: 1 in 100, on either side. Real ones keep within 1 in 5,000. */
const DRIFT = 0.01;

/**
 * Until when a member may work, on its own clock: an answer to a request of `sentAt` said that the service keeps the member for `validForMs`.
 * The service's time cannot have begun before the request was sent; its clock may run fast and this one slow, both by `DRIFT`, so
 * twice that is taken off. `marginMs` is for what happens at the deadline: the timer that is late, the handler that stops the work.
 */
export function deadlineOf(sentAt: number, validForMs: number, marginMs: number): number {
  return sentAt + Math.max(0, validForMs * (1 - 2 * DRIFT) - marginMs);
}
