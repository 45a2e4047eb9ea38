import type { RackLocality } from '@allot/model';
import { AllotError, countPartitions, summarizeLoads } from '@allot/model';
import { findAssignor } from '@allot/strategies';
import { rulesOf } from './assignment-rules.js';
import { chooseAssignor } from './assignor-choice.js';
import { withOwned } from './current-assignment.js';
import { skewToJson } from './plan-to-json.js';
import type { SkewJson } from './plan-to-json.js';
import { plan } from './plan.js';
import type { AssignorLookup, PlanInput, RebalanceProtocol } from './plan-types.js';
import { RunBudget } from './run-budget.js';
import { simulate } from './simulate.js';

/** A rolling restart in `compare` goes in at most this many batches, so that its cost does not grow with the group squared. */
const RESTART_BATCHES = 10;
/** What a row takes beside the restart: now, with a member more and less, each perhaps with the alternatives of its warnings. */
const OTHER_RUNS = 10;

/** How one assignor does on a group. */
export interface ComparisonRow {
  readonly assignor: string;
  readonly kafkaVersions: string;
  readonly protocol: RebalanceProtocol;
  readonly skew: SkewJson;
  readonly least: number;
  readonly most: number;
  readonly idle: number;
  /** Moves from what the group has now to this assignor's target. */
  readonly movesNow: number;
  /** Moves after that when one member joins. */
  readonly movesOnAdd: number;
  /** Moves after that when the last member leaves instead; 0 in an empty group. */
  readonly movesOnRemove: number;
  readonly rollingRestart: { readonly batchSize: number; readonly moves: number; readonly rebalances: number };
  readonly rackLocality: RackLocality;
}

/** An assignor that refuses the group or the Kafka version, and its reason. */
export interface ComparisonRefusal {
  readonly assignor: string;
  readonly refused: string;
}

/**
 * Several assignors on the same group, after the same changes. `input.assignor` is what the group uses now: where nobody
 * claims anything, `movesNow` starts from its answer. Rows come in the order of `assignors`. Throws `AllotError` as `plan`
 * does, and LIMIT_EXCEEDED where it would be more work than `WORK_LIMIT`.
 */
export function compare(
  input: PlanInput,
  assignors: readonly string[],
  resolve: AssignorLookup = findAssignor,
): readonly (ComparisonRow | ComparisonRefusal)[] {
  // The group, the changes and the names must be right; what is refused after that, an assignor refuses for itself.
  const { after } = plan(input, resolve);
  for (const [i, name] of assignors.entries()) chooseAssignor(name, resolve, `/assignors/${i}`);
  const runs = assignors.length * (2 * Math.min(after.members.length, RESTART_BATCHES) + OTHER_RUNS);
  new RunBudget().spend(runs, after, '/assignors', 'Compare fewer assignors, or a smaller group.');
  return assignors.map((assignor) => {
    try {
      return compareOne(input, assignor, resolve);
    } catch (error) {
      if (error instanceof AllotError) return { assignor, refused: error.message };
      throw error;
    }
  });
}

function compareOne(input: PlanInput, name: string, resolve: AssignorLookup): ComparisonRow {
  const now = plan({ ...input, changes: [...(input.changes ?? []), { assignor: name }] }, resolve);
  const loads = summarizeLoads([...now.target.values()].map(countPartitions));
  const members = withOwned(now.after.members, now.target, 1);
  const live = input.live === true ? { live: true } : {};
  const settled = {
    topics: now.after.topics,
    members,
    assignor: name,
    protocol: now.protocol,
    ...live,
    ...rulesOf(input),
  };
  const batchSize = Math.max(1, Math.ceil(members.length / RESTART_BATCHES));
  // Members as if none were static: a static one costs no moves under any assignor, and would hide the difference.
  const dynamic = members.map(({ instanceId: _, ...member }) => member);
  const restart = simulate({ ...settled, members: dynamic, steps: [{ rollingRestart: { batchSize } }] }, resolve).total;
  return {
    assignor: now.assignor,
    kafkaVersions: now.kafkaVersions,
    protocol: now.protocol,
    skew: skewToJson(now.skew.after),
    least: loads.least,
    most: loads.most,
    idle: now.idle.length,
    movesNow: now.moves,
    movesOnAdd: plan({ ...settled, changes: [{ addMembers: 1 }] }, resolve).moves,
    movesOnRemove: members.length === 0 ? 0 : plan({ ...settled, changes: [{ removeMembers: 1 }] }, resolve).moves,
    rollingRestart: { batchSize, moves: restart.moves, rebalances: restart.rebalances },
    rackLocality: now.rackLocality.after,
  };
}
