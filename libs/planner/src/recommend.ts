import { AllotError } from '@allot/model';
import type { MemberSpec } from '@allot/model';
import { findAssignor } from '@allot/strategies';
import type { AssignorLookup } from './plan-types.js';
import { RunBudget } from './run-budget.js';
import { simulate } from './simulate.js';
import type { Cost, SimulationInput, SimulationResult, SimulationStep } from './simulation-types.js';

export type Setting = 'static-membership' | 'cooperative-protocol' | 'consumer-protocol' | 'batch-size';

/** A setting that makes the same sequence cheaper in some way, with what it saved when it was played. */
export interface Recommendation {
  readonly setting: Setting;
  /** What to set, for people. */
  readonly how: string;
  readonly total: SimulationResult['total'];
  /** The baseline's cost minus this one's; negative where the setting costs more. */
  readonly saved: Pick<Cost, 'rebalances' | 'moves' | 'partitionSecondsPaused' | 'peakLoad'>;
}

export interface Recommendations {
  readonly baseline: SimulationResult['total'];
  /** The largest saving of partition-seconds first, then of moves, then of rebalances. */
  readonly recommendations: readonly Recommendation[];
}

interface Variant {
  readonly setting: Setting;
  readonly how: string;
  readonly input: SimulationInput;
}

/** Shares of the group that a deployment may replace at once; a larger one is a question of capacity, not of rebalancing. */
const BATCH_SHARES = [0.1, 0.25];

/**
 * Plays the sequence as it is and again with each setting that applies, and keeps the settings that save partition-seconds,
 * moves or rebalances. Every number is measured on this input, none is a rule of thumb. All of it together must stay within
 * `WORK_LIMIT`.
 */
export function recommend(input: SimulationInput, resolve: AssignorLookup = findAssignor): Recommendations {
  const budget = new RunBudget();
  const result = simulate(input, resolve, budget);
  const baseline = result.total;
  const recommendations: Recommendation[] = [];
  for (const { setting, how, input: changed } of variants(input, result)) {
    const total = play(changed, resolve, budget);
    if (total === undefined) continue;
    const saved = {
      rebalances: baseline.rebalances - total.rebalances,
      moves: baseline.moves - total.moves,
      partitionSecondsPaused: baseline.partitionSecondsPaused - total.partitionSecondsPaused,
      peakLoad: baseline.peakLoad - total.peakLoad,
    };
    const saves = saved.partitionSecondsPaused > 0 || saved.moves > 0 || saved.rebalances > 0;
    if (saves) recommendations.push({ setting, how, total, saved });
  }
  recommendations.sort(
    ({ saved: a }, { saved: b }) =>
      b.partitionSecondsPaused - a.partitionSecondsPaused || b.moves - a.moves || b.rebalances - a.rebalances,
  );
  return { baseline, recommendations };
}

/** Undefined where the setting's assignor is not there or refuses the group: then it is no recommendation. */
function play(
  input: SimulationInput,
  resolve: AssignorLookup,
  budget: RunBudget,
): SimulationResult['total'] | undefined {
  try {
    return simulate(input, resolve, budget).total;
  } catch (error) {
    if (error instanceof AllotError && error.code !== 'LIMIT_EXCEEDED') return undefined;
    throw error;
  }
}

function variants(input: SimulationInput, { protocol, timing }: SimulationResult): Variant[] {
  const found: Variant[] = [];
  if (input.members.some(({ instanceId }) => instanceId === undefined)) {
    found.push({
      setting: 'static-membership',
      how: `Give every member a group.instance.id of its own: a restart within the session timeout (${timing.sessionTimeoutMs} ms) then moves nothing.`,
      input: { ...input, members: withInstanceIds(input.members) },
    });
  }
  if (protocol === 'eager') {
    found.push({
      setting: 'cooperative-protocol',
      how: 'Use cooperative-sticky, so that only partitions that move stop. Eager members switch in two rolling deploys.',
      input: { ...input, assignor: 'cooperative-sticky', protocol: 'cooperative' },
    });
  }
  if (protocol !== 'consumer') {
    found.push({
      setting: 'consumer-protocol',
      how: 'Use the consumer protocol (group.protocol=consumer) with the uniform assignor: partitions change hands one by one.',
      input: { ...input, assignor: 'uniform', protocol: 'consumer' },
    });
  }
  for (const size of batchSizes(input)) {
    found.push({
      setting: 'batch-size',
      how: `Deploy ${size} members at a time.`,
      input: { ...input, steps: input.steps.map((step) => withBatchSize(step, size)) },
    });
  }
  return found;
}

/** An instance id for those that have none: the member's id, or a variation of it that nobody has. */
function withInstanceIds(members: readonly MemberSpec[]): MemberSpec[] {
  const taken = new Set(members.flatMap(({ instanceId }) => instanceId ?? []));
  return members.map((member) => {
    if (member.instanceId !== undefined) return member;
    let instanceId = member.id;
    while (taken.has(instanceId)) instanceId = `${instanceId}-static`;
    taken.add(instanceId);
    return { ...member, instanceId };
  });
}

/** Larger batches than the sequence's own smallest one. */
function batchSizes({ members, steps }: SimulationInput): number[] {
  const used = steps.flatMap((step) => ('rollingRestart' in step ? (step.rollingRestart.batchSize ?? 1) : []));
  const sizes = BATCH_SHARES.map((share) => Math.floor(members.length * share));
  return [...new Set(sizes)].filter((size) => size > Math.min(...used));
}

function withBatchSize(step: SimulationStep, batchSize: number): SimulationStep {
  if (!('rollingRestart' in step) || (step.rollingRestart.batchSize ?? 1) >= batchSize) return step;
  return { rollingRestart: { ...step.rollingRestart, batchSize } };
}
