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
 * Takes the name of who asks from a header that an authenticating proxy sets. It is believed, so the proxy must be the only way in and must
 * not let clients set the header; without `header` everybody is anonymous.
 */
export function nameActors(server: FastifyInstance, header: string | undefined): void {
  server.decorateRequest('actor', ANONYMOUS);
  if (header === undefined) return;
  server.addHook('onRequest', (request, _reply, done) => {
    const value = request.headers[header];
    if (value === undefined || value === '') return done();
    const name = Array.isArray(value) ? value.join() : value;
    const complaint =
      name.length > LIMITS.nameLength ? `must have at most ${LIMITS.nameLength} characters` : complainAboutName(name);
    if (complaint !== undefined) {
      const errors = [{ pointer: header, detail: complaint }];
      return done(
        new AllotError('INVALID_REQUEST', `The header ${header} ${complaint}.`, { action: 'fix-request', errors }),
      );
    }
    request.actor = name;
    done();
  });
}
