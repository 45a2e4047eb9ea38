export {
  EMPTY_ASSIGNMENT,
  assignmentFromJson,
  assignmentToJson,
  compareText,
  countPartitions,
  filterAssignment,
  intersectAssignment,
  sameAssignment,
  subtractAssignment,
  unionAssignment,
} from './assignment.js';
export type { Assignment, AssignmentJson, GroupAssignment } from './assignment.js';
export { AllotError, invalidRequest } from './errors.js';
export type { AllotErrorOptions, ErrorAction, FieldError } from './errors.js';
export type { GroupSpec, MemberSpec, TopicSpec } from './group-spec.js';
export { formatTopicPartition, parseTopicPartition } from './topic-partition.js';
export type { TopicPartition } from './topic-partition.js';
