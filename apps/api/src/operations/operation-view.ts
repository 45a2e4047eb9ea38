import type { StoredOperation } from '@allot/coordinator';
import type { Problem } from '../problems/problem.js';
import type { BackgroundOperation } from './operation.contract.js';

export function showOperation(operation: StoredOperation): BackgroundOperation {
  const { id, status, request, attempts, result, problem, createdAt, finishedAt, expiresAt, now } = operation;
  return {
    id,
    status,
    request: `${request.method} ${request.url}`,
    attempts,
    createdAt: new Date(createdAt),
    ...(finishedAt !== undefined && { finishedAt: new Date(finishedAt) }),
    elapsedMs: Math.max(0, Math.round((finishedAt ?? now) - createdAt)),
    expiresAt: new Date(expiresAt),
    ...(result !== undefined && { result }),
    ...(problem !== undefined && { problem: problem as Problem }),
  };
}
