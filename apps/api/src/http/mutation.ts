import type { WriteOptions, Written } from '@allot/coordinator';
import { ApiPropertyOptional } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { LIMITS } from '../config/limits.js';
import { Absent, FreeText, QueryFlag } from '../validation/rules.js';
import { type Precondition, conditionOf, setETag } from './preconditions.js';

/** The query parameters of every mutation. */
export class MutationQuery {
  @ApiPropertyOptional({ type: 'boolean', default: false, description: 'Do every check, change nothing.' })
  @Absent()
  @QueryFlag()
  dryRun?: boolean;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: LIMITS.reasonLength,
    description: 'Why; goes into the log, and into the history of a group.',
  })
  @Absent()
  @FreeText(LIMITS.reasonLength)
  reason?: string;
}

export function writeOptions(query: MutationQuery, precondition?: Precondition): WriteOptions {
  return { ...conditionOf(precondition), ...(query.dryRun === true ? { dryRun: true } : {}) };
}

/** Status 201 with Location when something was made, else 200; the ETag of what is there now. A dry run makes nothing. */
export function answerWritten<T extends { readonly revision: number }>(
  reply: FastifyReply,
  { value, outcome }: Written<T>,
  query: MutationQuery,
): T {
  const made = outcome === 'created' && query.dryRun !== true;
  void reply.status(made ? 201 : 200);
  if (made) void reply.header('Location', reply.request.url.split('?')[0]!);
  if (query.dryRun === true) void reply.header('Allot-Dry-Run', 'true');
  else setETag(reply, value.revision);
  return value;
}
