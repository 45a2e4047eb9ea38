import type { GroupSpec } from '@allot/model';
import { countPartitions, EMPTY_ASSIGNMENT } from '@allot/model';
import type { AssignmentResult, Assignor, AssignOptions } from '@allot/strategies';
import { withOwned } from './current-assignment.js';

/**
 * Kafka's cooperative groups take two rounds. With different subscriptions the second can move the target again, so that a third is
 * needed (docs/strategies/cooperative-sticky.md). A group that still hands partitions over after so many never ends.
 */
const MOST_ROUNDS = 20;

export interface Settled {
  readonly outcome: AssignmentResult;
  readonly rounds: number;
}

/** Goes on from the first round, members owning what the round before handed out, until a round hands out its whole target. */
export function settle(
  { topics, members }: GroupSpec,
  assignor: Assignor,
  options: AssignOptions,
  generation: number,
  first: AssignmentResult = assignor.assign({ topics, members }, options),
): Settled {
  let outcome = first;
  let rounds = 1;
  while (rounds < MOST_ROUNDS && !isWhole(outcome)) {
    const owning = withOwned(members, outcome.assignment, generation + rounds);
    outcome = assignor.assign({ topics, members: owning }, options);
    rounds++;
  }
  return { outcome, rounds };
}

/** Whether the round handed out the whole target; it hands out a part of it or all of it, so sizes decide. */
function isWhole({ assignment, target }: AssignmentResult): boolean {
  if (assignment === target) return true;
  for (const [id, owned] of target) {
    if (countPartitions(assignment.get(id) ?? EMPTY_ASSIGNMENT) !== countPartitions(owned)) return false;
  }
  return true;
}
