import { AllotError, invalidRequest } from '@allot/model';

/** `consumer`: the service computes and reconciles (KIP-848). `classic`: members elect a leader (JoinGroup, SyncGroup). */
export type GroupType = 'consumer' | 'classic';

/** How a group behaves; what an operator sets. All times in milliseconds. */
export interface GroupSettings {
  readonly type: GroupType;
  /** Wire names in order of preference; the first decides. */
  readonly assignors: readonly string[];
  /** Kafka version whose assignor rule is wanted; the newest when absent. */
  readonly kafkaVersion?: string;
  /** A member that is silent for longer is fenced. */
  readonly sessionTimeoutMs: number;
  /** What members are told to keep between heartbeats. */
  readonly heartbeatIntervalMs: number;
  /** How long a member may take to give partitions up, unless it names a time of its own. */
  readonly rebalanceTimeoutMs: number;
  /** Most members the group takes. */
  readonly maxSize: number;
  /** Shortest time between two computations of the target in a large group (group.consumer.assignment.interval.ms). */
  readonly assignmentIntervalMs: number;
}

/** What the service allows groups to choose. Times outside are clamped, and the answer tells the effective ones. */
export interface GroupLimits {
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  readonly minHeartbeatIntervalMs: number;
  readonly maxRebalanceTimeoutMs: number;
  readonly maxSize: number;
}

/** Kafka's session bounds (6 s to 30 min) and the longest max.poll.interval people use (a day). */
export const DEFAULT_GROUP_LIMITS: GroupLimits = {
  minSessionTimeoutMs: 6_000,
  maxSessionTimeoutMs: 1_800_000,
  minHeartbeatIntervalMs: 100,
  maxRebalanceTimeoutMs: 86_400_000,
  maxSize: 10_000,
};

/** Kafka's defaults: session 45 s, heartbeat 5 s, max.poll.interval 5 min. */
export const DEFAULT_GROUP_SETTINGS: GroupSettings = {
  type: 'consumer',
  assignors: ['range'],
  sessionTimeoutMs: 45_000,
  heartbeatIntervalMs: 5_000,
  rebalanceTimeoutMs: 300_000,
  maxSize: 1_000,
  assignmentIntervalMs: 1_000,
};

/** Kafka's upper bound. */
const MAX_ASSIGNMENT_INTERVAL_MS = 15_000;

/** A wish for a group's settings; what is absent stays, or takes the default in a new group. */
export type GroupSettingsChange = Partial<GroupSettings>;

/**
 * The settings that a wish comes to. A heartbeat interval that is not named follows the session timeout: a third of it at most, so
 * that two heartbeats may be lost.
 * @throws AllotError INVALID_REQUEST for a size that is not allowed, UNSUPPORTED_GROUP_TYPE, UNSUPPORTED_ASSIGNOR from `resolveNames`.
 */
export function resolveSettings(
  change: GroupSettingsChange,
  current: GroupSettings | undefined,
  limits: GroupLimits,
  resolveNames: (names: readonly string[]) => readonly string[],
): GroupSettings {
  const base = current ?? DEFAULT_GROUP_SETTINGS;
  checkGroupType(change.type ?? base.type);
  const maxSize = change.maxSize ?? base.maxSize;
  if (maxSize > limits.maxSize) {
    throw invalidRequest(`A group takes at most ${limits.maxSize} members.`, [
      { pointer: '/maxSize', detail: `${maxSize} is more than ${limits.maxSize}` },
    ]);
  }
  const sessionTimeoutMs = clamp(
    change.sessionTimeoutMs ?? base.sessionTimeoutMs,
    limits.minSessionTimeoutMs,
    limits.maxSessionTimeoutMs,
  );
  const kafkaVersion = change.kafkaVersion ?? base.kafkaVersion;
  return {
    type: change.type ?? base.type,
    assignors: change.assignors === undefined ? base.assignors : resolveNames(change.assignors),
    ...(kafkaVersion !== undefined && { kafkaVersion }),
    sessionTimeoutMs,
    heartbeatIntervalMs: clamp(
      change.heartbeatIntervalMs ?? base.heartbeatIntervalMs,
      limits.minHeartbeatIntervalMs,
      Math.floor(sessionTimeoutMs / 3),
    ),
    rebalanceTimeoutMs: clampRebalanceTimeout(change.rebalanceTimeoutMs ?? base.rebalanceTimeoutMs, limits),
    maxSize,
    assignmentIntervalMs: clamp(
      change.assignmentIntervalMs ?? base.assignmentIntervalMs,
      0,
      MAX_ASSIGNMENT_INTERVAL_MS,
    ),
  };
}

/** A member's own rebalance timeout, within what the service allows. */
export function clampRebalanceTimeout(rebalanceTimeoutMs: number, limits: GroupLimits): number {
  return clamp(rebalanceTimeoutMs, limits.minHeartbeatIntervalMs, limits.maxRebalanceTimeoutMs);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** @throws AllotError UNSUPPORTED_GROUP_TYPE for a type that this release does not serve. */
function checkGroupType(type: GroupType): void {
  if (type === 'consumer') return;
  throw new AllotError(
    'UNSUPPORTED_GROUP_TYPE',
    `Groups of type ${type} are not served by this release; use type consumer.`,
    { action: 'fix-request', errors: [{ pointer: '/type', detail: 'must be consumer' }] },
  );
}
