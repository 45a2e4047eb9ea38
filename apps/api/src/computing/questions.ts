import {
  compare,
  comparisonFromJson,
  effectOf,
  plan,
  planFromJson,
  planToJson,
  recommend,
  rightSize,
  rightSizeFromJson,
  simulate,
  simulationFromJson,
  simulationToJson,
  type AssignorLookup,
  type Change,
  type ComparisonRefusal,
  type ComparisonRow,
  type Effect,
  type PlanInput,
  type PlanJson,
  type PlannedOn,
  type Recommendations,
  type RightSize,
  type SimulationInput,
  type SimulationJson,
} from '@allot/planner';
import type { MemberExplanation, PartitionExplanation, ExplainQuery } from '../plans/explanation.contract.js';
import { explain } from '../plans/explain.js';

/** What is asked of the planner. Whatever can cross to another thread: JSON as it came, or a plan's input. */
export interface Questions {
  readonly plan: unknown;
  readonly compare: unknown;
  readonly 'right-size': unknown;
  readonly simulate: unknown;
  readonly recommend: unknown;
  readonly explain: { readonly body: unknown; readonly query: ExplainQuery };
  readonly 'plan-group': { readonly input: PlanInput; readonly changes: readonly Change[]; readonly on: PlannedOn };
  readonly 'explain-group': { readonly input: PlanInput; readonly query: ExplainQuery };
  readonly 'compare-group': { readonly input: PlanInput; readonly assignors: readonly string[] };
  readonly 'right-size-group': { readonly input: PlanInput; readonly upTo?: number };
  readonly 'simulate-group': { readonly input: SimulationInput };
  readonly 'recommend-group': { readonly input: SimulationInput };
}

export interface Answers {
  readonly plan: PlanJson;
  readonly compare: { readonly rows: readonly (ComparisonRow | ComparisonRefusal)[] };
  readonly 'right-size': RightSize;
  readonly simulate: SimulationJson;
  readonly recommend: Recommendations;
  readonly explain: PartitionExplanation | MemberExplanation;
  readonly 'plan-group': { readonly result: PlanJson; readonly effect: Effect };
  readonly 'explain-group': PartitionExplanation | MemberExplanation;
  readonly 'compare-group': Answers['compare'];
  readonly 'right-size-group': RightSize;
  readonly 'simulate-group': SimulationJson;
  readonly 'recommend-group': Recommendations;
}

export type QuestionKind = keyof Questions;

type Rules = { readonly [K in QuestionKind]: (question: Questions[K], find: AssignorLookup) => Answers[K] };

/** Pure, and the only place where a question meets the planner. */
const RULES: Rules = {
  plan: (body, find) => planToJson(plan(planFromJson(body), find)),
  compare: (body, find) => {
    const { input, assignors } = comparisonFromJson(body);
    return { rows: compare(input, assignors, find) };
  },
  'right-size': (body, find) => {
    const { input, upTo } = rightSizeFromJson(body);
    return rightSize(input, upTo, find);
  },
  simulate: (body, find) => simulationToJson(simulate(simulationFromJson(body), find)),
  recommend: (body, find) => recommend(simulationFromJson(body), find),
  explain: ({ body, query }, find) => explain(query, () => plan(planFromJson(body), find)),
  'plan-group': ({ input, changes, on }, find) => {
    const result = plan(input, find);
    return { result: planToJson(result), effect: effectOf(changes, result, on) };
  },
  'explain-group': ({ input, query }, find) => explain(query, () => plan(input, find)),
  'compare-group': ({ input, assignors }, find) => ({ rows: compare(input, assignors, find) }),
  'right-size-group': ({ input, upTo }, find) => rightSize(input, upTo, find),
  'simulate-group': ({ input }, find) => simulationToJson(simulate(input, find)),
  'recommend-group': ({ input }, find) => recommend(input, find),
};

/** @throws AllotError as the planner does. */
export function answer<K extends QuestionKind>(kind: K, question: Questions[K], find: AssignorLookup): Answers[K] {
  return (RULES[kind] as (question: Questions[K], find: AssignorLookup) => Answers[K])(question, find);
}
