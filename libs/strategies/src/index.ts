export type { AssignmentResult, AssignmentWarning, AssignOptions, Assignor } from './assignors/assignor.js';
export type { GroupJson, MemberJson, OwnAssignor } from './assignors/own-assignor.js';
export { withPins } from './assignors/pins.js';
export type { Pin } from './assignors/pins.js';
export {
  DEFAULT_ASSIGNOR,
  assignorNames,
  findAssignor,
  listAssignors,
  resolveAssignor,
  resolvePreferredAssignor,
} from './assignors/registry.js';
export { threadGroup } from './assignors/threads.js';
export type { WeightedStickyOptions } from './assignors/weighted-sticky/options.js';
export {
  DEFAULT_OFFSETS_PARTITIONS,
  coordinatorByHash,
  coordinatorPartition,
  leastLoadedCoordinator,
} from './coordinator-lookup/coordinator-lookup.js';
export type { CoordinatorCandidate, HashedCoordinator } from './coordinator-lookup/coordinator-lookup.js';
export { javaStringHashCode } from './hashing/java-hash-map.js';
export { murmur2, murmur2Batch, packKeys } from './hashing/murmur2.js';
export type { PackedKeys } from './hashing/murmur2.js';
export { diagnose } from './partitioners/diagnose.js';
export type { Diagnosis, KeyFamily, Observation } from './partitioners/diagnose.js';
export { encodeKey, listKeyEncodings } from './partitioners/key-encoding.js';
export type { KeyEncoding, KeyValue } from './partitioners/key-encoding.js';
export { partitionForKey, partitionsForKeys } from './partitioners/key-partition.js';
export type {
  PartitionChoice,
  Partitioner,
  PartitionerOptions,
  PartitionerRecord,
  PartitionerState,
  PartitionerTopic,
  StickyChoice,
} from './partitioners/partitioner.js';
export { listPartitioners, resolvePartitioner } from './partitioners/partitioner-registry.js';
export { definePartitioner } from './partitioners/define-partitioner.js';
export type { PartitionerRule } from './partitioners/define-partitioner.js';
export { initialState } from './partitioners/partitioner-state.js';
export { remapEvenly, remapKeys } from './partitioners/remap.js';
export type { KeyFlow, Remapping } from './partitioners/remap.js';
export { checkReassignment } from './placement/reassignment-check.js';
export type { ReassignmentCluster } from './placement/reassignment-check.js';
export { reassignmentSteps } from './placement/reassignment-steps.js';
export type { ReassignmentStep } from './placement/reassignment-steps.js';
export { changedPartitions, movesOf, rollbackOf, targetReplicas } from './placement/reassignment.js';
export type {
  PartitionMove,
  PartitionReplicas,
  ReassignmentEntry,
  RunningReassignment,
} from './placement/reassignment.js';
export { reassign } from './placement/reassign.js';
export type { ReassignRequest, ReassignResult } from './placement/reassign.js';
export { listPlacers, resolvePlacer } from './placement/placer-registry.js';
export type {
  BrokerSpec,
  PlacementRequest,
  PlacementResult,
  PlacementWarning,
  ReplicaPlacer,
} from './placement/replica-placer.js';
