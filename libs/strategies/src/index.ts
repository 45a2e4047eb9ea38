export type { AssignmentResult, AssignmentWarning, AssignOptions, Assignor } from './assignors/assignor.js';
export {
  DEFAULT_ASSIGNOR,
  assignorNames,
  findAssignor,
  listAssignors,
  resolveAssignor,
  resolvePreferredAssignor,
} from './assignors/registry.js';
export {
  DEFAULT_OFFSETS_PARTITIONS,
  coordinatorByHash,
  coordinatorPartition,
  leastLoadedCoordinator,
} from './coordinator-lookup/coordinator-lookup.js';
export type { CoordinatorCandidate, HashedCoordinator } from './coordinator-lookup/coordinator-lookup.js';
export { javaStringHashCode } from './hashing/java-hash-map.js';
export { murmur2, murmur2Batch } from './hashing/murmur2.js';
export { partitionForKey } from './partitioners/key-partition.js';
export { listPlacers, resolvePlacer } from './placement/placer-registry.js';
export type {
  BrokerSpec,
  PlacementRequest,
  PlacementResult,
  PlacementWarning,
  ReplicaPlacer,
} from './placement/replica-placer.js';
