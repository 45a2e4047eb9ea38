export { chooseAssignor } from './assignor-choice.js';
export type { BrokerSpec, ReplicatedGroup, ReplicatedTopic } from './brokers.js';
export { isBrokerChange } from './change.js';
export type {
  AddBrokers,
  AddMembers,
  AddTopic,
  AssignorChoice,
  Change,
  ChangeAssignor,
  ChangeBroker,
  ChangeMember,
  ChangePins,
  ChangeTopic,
  NewMember,
  RemoveBrokers,
  RemoveMembers,
  RemoveTopic,
} from './change.js';
export { compare } from './compare.js';
export type { ComparisonRefusal, ComparisonRow } from './compare.js';
export { effectOf } from './effect.js';
export type { Effect, EffectBlocker, EffectBlockerCode, PlannedOn } from './effect.js';
export { explainMember, memberExplanationToJson } from './explain-member.js';
export type { MemberExplanation, MemberExplanationJson } from './explain-member.js';
export { explainPartition } from './explain.js';
export type { Candidate, Cause, Claim, Explanation } from './explain.js';
export type { PassedOver } from './passed-over.js';
export { csvRecord, toCsv } from './export/csv.js';
export type { CsvCell } from './export/csv.js';
export { loadChanges } from './export/load-changes.js';
export type { LoadChange } from './export/load-changes.js';
export { markdownName, markdownTable, markdownText, visible } from './export/markdown.js';
export type { MarkdownColumn } from './export/markdown.js';
export { planOwners } from './export/plan-owners.js';
export { planToCsv } from './export/plan-to-csv.js';
export { planToMarkdown } from './export/plan-to-markdown.js';
export type { PlanReportFacts } from './export/plan-to-markdown.js';
export { explainIdle } from './idle-members.js';
export { PLAN_LIMITS } from './check-group.js';
export { changesFromJson } from './changes-from-json.js';
export {
  groupComparisonFromJson,
  groupRightSizeFromJson,
  groupSimulationFromJson,
} from './group-questions-from-json.js';
export { comparisonFromJson, planFromJson, rightSizeFromJson } from './plan-from-json.js';
export { recommend } from './recommend.js';
export type { Recommendation, Recommendations, Setting } from './recommend.js';
export { simulationFromJson } from './simulation-from-json.js';
export { simulationToJson } from './simulation-to-json.js';
export type { SimulationJson } from './simulation-to-json.js';
export { groupToJson, planToJson } from './plan-to-json.js';
export type { PlanJson, SkewJson } from './plan-to-json.js';
export { plan } from './plan.js';
export type {
  Alternative,
  AssignorLookup,
  Disruption,
  IdleMember,
  IdleReason,
  PlanInput,
  PlanResult,
  PlanWarning,
  PlanWarningCode,
  RebalanceProtocol,
  ResizedTopic,
} from './plan-types.js';
export { SKEW_WARNING_RATIO } from './plan-warnings.js';
export { rightSize } from './right-size.js';
export type { HelpfulSize, RightSize } from './right-size.js';
export { RunBudget, WORK_LIMIT } from './run-budget.js';
export { SIMULATION_LIMITS, simulate } from './simulate.js';
export type {
  Cost,
  Crash,
  RollingRestart,
  SimulationEvent,
  SimulationEventKind,
  SimulationInput,
  SimulationResult,
  SimulationStep,
  SimulationStepResult,
  ZoneLoss,
} from './simulation-types.js';
export { DEFAULT_TIMING } from './timing.js';
export type { Timing } from './timing.js';
