export type { Catalog, CatalogTopic } from './catalog/catalog.js';
export { MOST_PARTITIONS_PER_TOPIC, checkTopicName, decideTopic } from './catalog/topic-rules.js';
export type { TopicWish } from './catalog/topic-rules.js';
export { LEFT_TEMPORARILY, consumerGroupState, isReconciled } from './consumer/consumer-group.js';
export type {
  ConsumerGroup,
  ConsumerGroupState,
  ConsumerMember,
  MemberStanding,
  MemberState,
  OwnedPartitions,
  SubscribedTopic,
  Subscription,
} from './consumer/consumer-group.js';
export type { Calm, Freeze } from './consumer/calm.js';
export type { DrainCheck, HandedOver } from './consumer/drain.js';
export { holdOf } from './consumer/hold.js';
export type { Hold, HoldReason } from './consumer/hold.js';
export type { GroupSnapshot, SnapshotMember } from './consumer/imported-group.js';
export { WEEKDAYS } from './consumer/maintenance-windows.js';
export type { MaintenanceWindow, SingleWindow, WeeklyWindow } from './consumer/maintenance-windows.js';
export { leftOutOf } from './consumer/manual-members.js';
export type { HeartbeatCommand, MemberDescription } from './consumer/membership.js';
export { checkOwnership, mayWorkUntil } from './consumer/ownership-check.js';
export type { FencingCode, FencingReason, OwnershipClaim, OwnershipVerdict } from './consumer/ownership-check.js';
export { withoutEpochs } from './consumer/owned-partitions.js';
export { ExpiryGrace, GRACE_MS } from './expiry-grace.js';
export { resolveSubscription, unknownTopicsOf } from './consumer/subscriptions.js';
export { assignOptionsOf, groupSpecOf, inJoinOrder, unownedPartitionsOf } from './consumer/target.js';
export type { ResolveAssignor } from './consumer/target.js';
export { GroupCoordinator } from './group-coordinator.js';
export type { CoordinatorPorts, UpdateOptions } from './group-coordinator.js';
export type { MemberAnswer } from './consumer/member-answer.js';
export { CONFLICT_ACTIONS, DEFAULT_GROUP_LIMITS, DEFAULT_GROUP_SETTINGS, STATIC_POLICIES } from './group-settings.js';
export type {
  AutoFreeze,
  GroupLimits,
  GroupSettings,
  GroupSettingsChange,
  GroupType,
  StaticPolicy,
  WeightedStickySettings,
} from './group-settings.js';
export type {
  ChangeCause,
  ChangeDetails,
  ChangeKind,
  GroupChange,
  MemberChange,
  Origin,
  RebalanceMark,
  TargetChange,
} from './history.js';
export { foldRebalances, lateOf } from './rebalances.js';
export type { LateMember, Rebalance } from './rebalances.js';
export type {
  Broker,
  CatalogStore,
  Cluster,
  ClusterSettings,
  CoordinatorSelection,
  Page,
  PageRequest,
  PartitionDetail,
  Topic,
  TopicChange,
  WriteOptions,
  Written,
} from './ports/catalog-store.js';
export type { ChangeFeed } from './ports/change-feed.js';
export type {
  ChangePage,
  DueGroup,
  GroupReading,
  GroupRef,
  GroupStep,
  GroupStore,
  GroupView,
  LeaseRenewal,
  StepResult,
  TransactOptions,
} from './ports/group-store.js';
export { checkRevision } from './revision.js';
export {
  GROUP_ORDERS,
  type Activity,
  type ClusterOverview,
  type ClusterRebalance,
  type DashboardReadModel,
  type GroupActivity,
  type GroupFacts,
  type GroupFilter,
  type GroupOrder,
  type GroupPlace,
  type HourOfActivity,
  type ListedGroup,
  type PartitionHolder,
  type RebalanceFilter,
} from './ports/dashboard-read-model.js';
export type { GroupReadModel, GroupSummary } from './ports/group-read-model.js';
export type {
  IdempotencyKey,
  IdempotencyOutcome,
  IdempotencyStore,
  StoredResponse,
} from './ports/idempotency-store.js';
export type {
  NewOperation,
  OperationKey,
  OperationLimits,
  OperationOutcome,
  OperationRequest,
  OperationStatus,
  OperationStore,
  StoredOperation,
} from './ports/operation-store.js';
export type { StreamAnswer, StreamLeases, StreamRenewal } from './ports/stream-leases.js';
export { foldMembers } from './revisions.js';
export type { GroupRevision, RevisionMember } from './revisions.js';
export type { AuditEntry, EndedRebalance, FeedPage, FeedPosition, GroupHistory } from './ports/group-history.js';
export { PlanApplier, planOf } from './plan-applier.js';
export type { AppliedPlan, ApplyCommand, PlanReader } from './plan-applier.js';
export { refuseClosed } from './consumer/apply-plan.js';
export type {
  NewPlan,
  PlanBlocker,
  PlanDecision,
  PlanEffect,
  PlanFilter,
  PlanKey,
  PlannedMember,
  PlanStatus,
  PlanStore,
  StoredPlan,
} from './ports/plan-store.js';
export { asClassicGroup, asConsumerGroup, groupState, validUntilOf } from './group.js';
export type { Group, GroupFrame, GroupMember, GroupState } from './group.js';
export { isClassic, timerAt } from './classic/classic-group.js';
export type {
  ClassicGroup,
  ClassicGroupState,
  ClassicMember,
  ClassicMemberState,
  MemberProtocol,
  OwnershipClaim as ClassicOwnershipClaim,
  PendingMember,
  PhaseTimer,
} from './classic/classic-group.js';
export { ClassicCoordinator } from './classic/classic-coordinator.js';
export type {
  ClassicAnswer,
  ClassicHeartbeatAnswer,
  JoinAnswer as ClassicJoinAnswer,
  Reply as ClassicReply,
  SyncAnswer as ClassicSyncAnswer,
} from './classic/classic-coordinator.js';
export type { JoinCommand as ClassicJoinCommand } from './classic/member-description.js';
export type { LeaveResult, LeavingMember } from './classic/leave.js';
export type { MemberRef as ClassicMemberRef } from './classic/membership.js';
export type { SuppliedAssignment, SyncCommand as ClassicSyncCommand } from './classic/sync.js';
