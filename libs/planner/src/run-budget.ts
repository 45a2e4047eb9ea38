import type { GroupSpec } from '@allot/model';
import { AllotError } from '@allot/model';
import { summarize } from './check-group.js';

/**
 * Most work of one question that runs assignors many times. Each run costs the group's size: its partitions and members, and
 * one for every eight topic names in the subscriptions. About a second of a processor; up to three with weighted-sticky, or
 * with pins where subscriptions differ.
 */
export const WORK_LIMIT = 1_000_000;

const NAMES_PER_UNIT = 8;

/** What a question has spent of `WORK_LIMIT`. It is refused before the runs that would go beyond. */
export class RunBudget {
  private spent = 0;

  /** Throws `AllotError` LIMIT_EXCEEDED; `instead` says what to ask for instead. */
  spend(runs: number, group: GroupSpec, pointer: string, instead: string): void {
    const size = sizeOf(group);
    this.spent += runs * size;
    if (this.spent <= WORK_LIMIT) return;
    const detail =
      `Up to here it takes ${this.spent} units of work (runs of an assignor times the group's size, here ${size}); ` +
      `at most ${WORK_LIMIT} are taken. ${instead}`;
    const errors = [{ pointer, detail }];
    throw new AllotError('LIMIT_EXCEEDED', summarize(errors), { action: 'fix-request', errors });
  }
}

function sizeOf({ topics, members }: GroupSpec): number {
  const partitions = topics.reduce((sum, topic) => sum + topic.partitions, 0);
  const names = members.reduce((sum, member) => sum + member.topics.length, 0);
  return partitions + members.length + Math.ceil(names / NAMES_PER_UNIT);
}
