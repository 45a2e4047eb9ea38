import type { GroupSpec } from '@allot/model';

import type { AssignmentResult, AssignmentWarning, AssignOptions, Assignor } from '../assignor.js';
import { ownersToAssignment } from '../owners.js';
import { planByCount } from './count-plan.js';
import type { Plan } from './count-plan.js';
import { planByLoad } from './load-plan.js';
import { checkOptions } from './options.js';
import { indexWeightedGroup } from './weighted-group.js';

/**
 * `weighted-sticky`: a rule that Kafka does not have. Members have a capacity (`weight`, 1 when absent), partitions a load
 * (`weights` of their topic: records a second, lag; all equal when no topic has any). `owned` is what members have now; of two
 * claims on one partition the one of the newer generation counts.
 *
 * Guarantees, the first being the strongest:
 * 1. Every partition of a subscribed topic has exactly one owner, which subscribes to the topic.
 * 2. A partition that cools down, or that the move budget does not reach, stays with an owner who may keep it.
 * 3. With `balance: 'count'` the numbers of partitions are as even, in proportion to capacity, as subscriptions allow (or
 *    within `maxSkew`), with the fewest moves that this takes; load decides who gets which partition, and never moves one.
 *    With `balance: 'load'` loads are made even, and a partition moves only when the hysteresis says that it is worth it.
 *
 * Lags 100000, 50000 and 60000 for c0 and c1: c0 gets the first, c1 the other two.
 *
 * The result does not depend on the order in which members and topics are listed. With equal subscriptions it costs
 * O(partitions log partitions + moves x members); with mixed ones each move costs a few passes over the subscriptions.
 */
export const weightedStickyAssignor: Assignor = {
  name: 'weighted-sticky',
  aliases: [],
  summary:
    'Beyond Kafka: even by count or by load (weights, lag), in proportion to capacity, with few moves; hysteresis, move budget and cooldown.',
  kafkaVersions: '',
  sticky: true,
  assign: assignWeightedSticky,
};

function assignWeightedSticky(spec: GroupSpec, options: AssignOptions = {}): AssignmentResult {
  const wanted = options.weightedSticky ?? {};
  checkOptions(wanted);
  const group = indexWeightedGroup(spec, wanted.coolingDown ?? [], options.pins ?? []);
  const plan =
    wanted.balance === 'load'
      ? planByLoad(group, wanted)
      : planByCount(group, { maxSkew: wanted.maxSkew ?? 1, moveBudget: wanted.moveBudget ?? Infinity });
  const assignment = ownersToAssignment(group, plan.owners);
  return { assignment, target: assignment, warnings: [...group.warnings, ...warningsOf(plan)] };
}

function warningsOf({ stoppedBy }: Plan): AssignmentWarning[] {
  if (stoppedBy === 'budget')
    return [
      {
        code: 'move-budget-spent',
        message: 'More moves would make the group more even; the budget does not allow them.',
      },
    ];
  if (stoppedBy === 'effort')
    return [{ code: 'balance-not-proven', message: 'The group is too large to prove that it could not be more even.' }];
  return [];
}
