import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Ids of other systems are kept when they are harmless in a log and in a header. */
const SANE = /^[\w.:/+=@-]{1,128}$/;

/** The caller's X-Request-Id, or a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : randomUUID();
}
