import type { IncomingHttpHeaders } from 'node:http';
import { AllotError } from '@allot/model';
import type { FastifyInstance } from 'fastify';
import { LIMITS } from '../config/limits.js';
import { complainAboutName } from '../validation/rules.js';

/** Everybody, where nobody says who asks. */
export const ANONYMOUS = 'anonymous';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks: goes into histories, scopes idempotency keys and operations, and tells a plan's author from who approves it. */
    actor: string;
  }
}

/**
 * The name of who asks, from a header that an authenticating proxy sets. It is believed, so the proxy must be the only way in and must not
 * let clients set the header; without `header` everybody is anonymous.
 * @throws AllotError INVALID_REQUEST for what cannot be a name.
 */
export function actorIn(headers: IncomingHttpHeaders, header: string | undefined): string {
  const value = header === undefined ? undefined : headers[header];
  if (value === undefined || value === '') return ANONYMOUS;
  const name = Array.isArray(value) ? value.join() : value;
  const complaint =
    name.length > LIMITS.nameLength ? `must have at most ${LIMITS.nameLength} characters` : complainAboutName(name);
  if (complaint === undefined) return name;
  const errors = [{ pointer: header!, detail: complaint }];
  throw new AllotError('INVALID_REQUEST', `The header ${header} ${complaint}.`, { action: 'fix-request', errors });
}

/** Makes `request.actor` of every request. */
export function nameActors(server: FastifyInstance, header: string | undefined): void {
  server.decorateRequest('actor', ANONYMOUS);
  if (header === undefined) return;
  server.addHook('onRequest', async (request) => {
    request.actor = actorIn(request.headers, header);
  });
}
