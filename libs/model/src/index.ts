export {
  EMPTY_ASSIGNMENT,
  assignmentFromJson,
  assignmentToJson,
  compareText,
  countPartitions,
  filterAssignment,
  holds,
  intersectAssignment,
  sameAssignment,
  subtractAssignment,
  unionAssignment,
} from './assignment.js';
export type { Assignment, AssignmentJson, GroupAssignment } from './assignment.js';
export { AllotError, invalidRequest } from './errors.js';
export type { AllotErrorOptions, ErrorAction, FieldError } from './errors.js';
export type { GroupSpec, MemberSpec, TopicSpec } from './group-spec.js';
export { findViolations } from './invariants.js';
export type { Violation, ViolationOptions } from './invariants.js';
export {
  diffByMember,
  diffByPartition,
  idleMembers,
  rackLocality,
  skewOf,
  summarizeLoads,
  unownedPartitions,
  weightedSkew,
} from './statistics.js';
export type { LoadSummary, MemberChange, OwnerChange, RackLocality, Skew } from './statistics.js';
export { indexSubscriptions } from './subscriptions.js';
export type { SubscriptionIndex } from './subscriptions.js';
export { formatTopicPartition, parseTopicPartition } from './topic-partition.js';
export type { TopicPartition } from './topic-partition.js';
