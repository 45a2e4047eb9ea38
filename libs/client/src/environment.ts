/** What a client needs of the machine it runs on: Node and browsers have all of it. Tests hand in their own. */
export interface Environment {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds of a clock that never turns back; where it starts does not matter. */
  readonly monotonicMs: () => number;
  /** Milliseconds since 1970. Only its steps are looked at. */
  readonly wallMs: () => number;
  /** Calls back after so many milliseconds, until the returned function is called. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly newId: () => string;
}

/** `setTimeout` takes no longer times. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const MACHINE: Environment = {
  fetch: (url, init) => globalThis.fetch(url, init),
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(LONGEST_TIMER_MS, Math.max(0, ms)));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  newId: randomId,
};

/** A random UUID; `crypto.randomUUID` is missing on pages that were not loaded over HTTPS. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
