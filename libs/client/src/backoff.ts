/**
 * How long to wait before the next attempt: anything from nothing to a bound that doubles with each failure (full jitter), so that clients that
 * failed together do not come back together.
 */
export function backoff(failures: number, random: () => number, { firstMs = 100, mostMs = 5_000 } = {}): number {
  return random() * Math.min(mostMs, firstMs * 2 ** Math.min(failures, 30));
}
