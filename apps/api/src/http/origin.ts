import type { Origin } from '@allot/coordinator';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Who asks, with what words, in which request; goes into the history of what the request changes. */
export const RequestOrigin = createParamDecorator((_data: unknown, context: ExecutionContext): Origin => {
  const { id, query, actor } = context.switchToHttp().getRequest<FastifyRequest>();
  const reason = typeof query === 'object' && query !== null && 'reason' in query ? query.reason : undefined;
  return {
    actor,
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    requestId: String(id),
  };
});
