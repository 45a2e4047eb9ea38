import { AllotError } from '@allot/model';
import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';

const CONSUMES = Symbol('consumes');
const PRODUCES = Symbol('produces');
const JSON_ONLY = ['application/json'];

/** Media types that an operation reads; application/json when not said. */
export const Consumes = (...types: readonly string[]) => SetMetadata(CONSUMES, types);
/** Media types that an operation can answer with; application/json when not said. */
export const Produces = (...types: readonly string[]) => SetMetadata(PRODUCES, types);

/** Refuses bodies that an operation does not read (415) and answers that a client does not want (406). */
@Injectable()
export class MediaTypeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (context.getType<string>() !== 'http') return true;
    const { headers, body } = context.switchToHttp().getRequest<FastifyRequest>();
    const typesOf = (key: symbol): readonly string[] =>
      this.reflector.getAllAndOverride<readonly string[]>(key, [context.getHandler(), context.getClass()]) ?? JSON_ONLY;
    if (body !== undefined && body !== null) checkContentType(headers['content-type'], typesOf(CONSUMES));
    if (headers.accept !== undefined) checkAccept(headers.accept, typesOf(PRODUCES));
    return true;
  }
}

function checkContentType(header: string | undefined, types: readonly string[]): void {
  const type = header?.split(';')[0]!.trim().toLowerCase() ?? '';
  if (types.includes(type)) return;
  throw new AllotError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${types.join(' or ')}, not ${type}.`, {
    action: 'fix-request',
  });
}

/** Kinds are compared without their weights: a client that accepts a type at all gets it. */
function checkAccept(header: string, types: readonly string[]): void {
  const ranges = header.split(',').map((range) => range.split(';')[0]!.trim().toLowerCase());
  const wanted = ranges.some((range) => {
    if (range === '*/*' || range === '' || range === 'application/problem+json') return true;
    return types.some((type) => range === type || range === `${type.split('/')[0]}/*`);
  });
  if (wanted) return;
  throw new AllotError('NOT_ACCEPTABLE', `This operation answers with ${types.join(' or ')}.`, {
    action: 'fix-request',
  });
}
