// What a thread of ThreadComputing runs: one question at a time, by the planner and Allot's own assignors.
import { AllotError, type AllotErrorOptions } from '@allot/model';
import { findAssignor } from '@allot/strategies';
import { answer, type QuestionKind, type Questions } from './questions.js';

export type ComputeTask = {
  readonly [K in QuestionKind]: { readonly kind: K; readonly question: Questions[K] };
}[QuestionKind];

/**
 * Answers are JSON by nature, and a large one crosses as text in a fraction of the time that the copy of its objects takes. Errors that a
 * caller shall see do not cross threads as what they are.
 */
export type ComputeReply =
  { readonly json: string } | { readonly code: string; readonly message: string; readonly options: AllotErrorOptions };

export default function compute({ kind, question }: ComputeTask): ComputeReply {
  try {
    return { json: JSON.stringify(answer(kind, question, findAssignor)) };
  } catch (error) {
    if (!(error instanceof AllotError)) throw error;
    const { code, message, action, retriable, retryAfterMs, errors, facts } = error;
    return {
      code,
      message,
      options: { action, retriable, errors, facts, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    };
  }
}
