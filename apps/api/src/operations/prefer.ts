import { invalidRequest } from '@allot/model';

/** Who asks to be answered later still gets an answer that is there at once. */
const SOON_MS = 200;
/** Who asks for nothing waits so long before it is told where to look instead; most clients and proxies wait for longer. */
const PATIENCE_MS = 15_000;
const LONGEST_WAIT_S = 600;

/**
 * How long to wait for the answer before a 202, by the Prefer header (RFC 7240): `respond-async`, `wait=30`, both or none.
 * @throws AllotError INVALID_REQUEST for a `wait` that is no number of seconds.
 */
export function patienceOf(prefer: string | undefined): { readonly ms: number; readonly isAsync: boolean } {
  const preferences = (prefer ?? '').split(/[,;]/).map((part) => part.trim().toLowerCase());
  const isAsync = preferences.includes('respond-async');
  const wait = preferences.find((preference) => preference.startsWith('wait='))?.slice('wait='.length);
  if (wait === undefined) return { ms: isAsync ? SOON_MS : PATIENCE_MS, isAsync };
  const seconds = /^\d{1,4}$/.test(wait) ? Number(wait) : Number.NaN;
  if (seconds <= LONGEST_WAIT_S) return { ms: seconds * 1_000, isAsync };
  const detail = `wait must be a whole number of seconds from 0 to ${LONGEST_WAIT_S}`;
  throw invalidRequest(`Prefer: ${detail}.`, [{ pointer: 'Prefer', detail }]);
}
