import { AllotError, invalidRequest } from '@allot/model';
import type { FastifyReply } from 'fastify';

/** What If-Match says: a certain revision, whatever is there (`*`), or nothing. */
export type Precondition = { readonly revision: number } | 'exists' | undefined;

/**
 * Reads If-Match. Only one strong ETag of this service is understood.
 * @throws AllotError INVALID_REQUEST for anything else.
 */
export function readIfMatch(header: string | undefined): Precondition {
  const value = header?.trim();
  if (value === undefined) return undefined;
  if (value === '*') return 'exists';
  const revision = /^"(\d{1,15})"$/.exec(value)?.[1];
  if (revision !== undefined) return { revision: Number(revision) };
  const detail = 'must be one ETag of this service, such as "7" in double quotes, or *';
  throw invalidRequest(`If-Match ${detail}.`, [{ pointer: 'If-Match', detail }]);
}

/** Reads If-Match where it must be there. @throws AllotError PRECONDITION_REQUIRED when it is not. */
export function requireIfMatch(header: string | undefined): Exclude<Precondition, undefined> {
  const precondition = readIfMatch(header);
  if (precondition !== undefined) return precondition;
  throw new AllotError(
    'PRECONDITION_REQUIRED',
    'Send If-Match with the ETag that you read, so that nothing newer is lost, or If-Match: * to insist.',
    { action: 'refresh' },
  );
}

/** The store's form of a precondition. */
export function conditionOf(precondition: Precondition): { ifRevision?: number } {
  return typeof precondition === 'object' ? { ifRevision: precondition.revision } : {};
}

export function setETag(reply: FastifyReply, revision: number): void {
  void reply.header('ETag', `"${revision}"`);
}

/** Sets the ETag; true, with status 304, when the client has this revision already and needs no body. */
export function notModified(reply: FastifyReply, ifNoneMatch: string | undefined, revision: number): boolean {
  setETag(reply, revision);
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  if (!tags.includes(`"${revision}"`) && !tags.includes('*')) return false;
  void reply.status(304);
  return true;
}
