import type { AllotError } from '@allot/model';
import type { Problem } from './problem.js';
import { problemTypeOf, problemTypePath } from './problem-types.js';

/** The problem of an error. Facts come first, so that none of them can replace a standard member. */
export function problemOf(error: AllotError, instance: string, requestId: string): Problem {
  const { status, title } = problemTypeOf(error.code);
  return {
    ...error.facts,
    type: problemTypePath(error.code),
    title,
    status,
    detail: error.message,
    instance,
    code: error.code,
    retriable: error.retriable,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(error.retryAfterMs) }),
    action: error.action,
    requestId,
    ...(error.errors.length === 0 ? {} : { errors: error.errors.map(({ pointer, detail }) => ({ pointer, detail })) }),
  };
}
