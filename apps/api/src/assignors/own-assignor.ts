import { AllotError, type GroupAssignment, type GroupSpec } from '@allot/model';
import type { AssignmentResult, Assignor } from '@allot/strategies';
import { groupText, longestAnswer } from './group-text.js';
import type { OwnAssignorProcess } from './own-assignor-process.js';
import { readAnswer } from './read-answer.js';

/** A fault that took this part of the limit or more is remembered, so that the service is not blocked again at once. */
const COSTLY_PART = 0.2;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Makes an assignor of a module in a process of its own. Whatever that does, `assign` gives a legal answer or throws one of
 * ASSIGNOR_TIMEOUT, ASSIGNOR_FAILED and INVALID_ASSIGNMENT within the time limit. After a costly fault it throws the same one
 * without asking for 2 s, and for twice as long after each further one, up to a minute; callers try again at every heartbeat.
 */
export function ownAssignor(process: OwnAssignorProcess, limitMs: number): Assignor {
  const { name, summary, sticky } = process.facts;
  let pauseMs = FIRST_PAUSE_MS;
  let pausedUntil = 0;
  let fault: unknown;

  const assign = (group: GroupSpec): AssignmentResult => {
    const start = performance.now();
    if (fault !== undefined && start < pausedUntil) throw fault;
    try {
      const target = ask(process, group);
      pauseMs = FIRST_PAUSE_MS;
      return { assignment: target, target, warnings: [] };
    } catch (error) {
      fault = error;
      const now = performance.now();
      if (now - start >= COSTLY_PART * limitMs) {
        pausedUntil = now + pauseMs;
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
      throw error;
    }
  };
  return { name, aliases: [], summary, kafkaVersions: '', sticky, assign };
}

function ask(process: OwnAssignorProcess, group: GroupSpec): GroupAssignment {
  const fail = (code: string, why: string): never => {
    throw new AllotError(code, `The assignor ${process.facts.name} ${why}.`, { action: 'retry' });
  };
  const text = groupText(group);
  const reply = process.ask(text, longestAnswer(text, group));
  if (!('answer' in reply)) return fail(reply.code, reply.why);
  const target = readAnswer(group, reply.answer);
  return typeof target === 'string' ? fail('INVALID_ASSIGNMENT', target) : target;
}
