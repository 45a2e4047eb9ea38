import { invalidRequest, type TopicPartition } from '@allot/model';
import type { Pin, WeightedStickyOptions } from '@allot/strategies';
import { checkWindows, type MaintenanceWindow } from './consumer/maintenance-windows.js';

/** `consumer`: the service computes and reconciles (KIP-848). `classic`: members elect a leader (JoinGroup, SyncGroup). */
export type GroupType = 'consumer' | 'classic';

/** Who wins when a second process joins under an instance id in use: Kafka's consumer groups know the first, its classic ones the second. */
export const STATIC_POLICIES = ['oldest-wins', 'newest-wins'] as const;
export type StaticPolicy = (typeof STATIC_POLICIES)[number];

/** What the process that lost an instance id is told to do. */
export const CONFLICT_ACTIONS = ['retry', 'stop'] as const;
export type ConflictAction = (typeof CONFLICT_ACTIONS)[number];

/** Who computes the assignment of a classic group's generation. */
export const ASSIGNED_BY = ['leader', 'service'] as const;
export type AssignedBy = (typeof ASSIGNED_BY)[number];

/** A group that loses more than this share of its members at once is frozen. */
export interface AutoFreeze {
  /** Above 0, below 1. */
  readonly share: number;
  /** Smaller groups are never frozen by themselves. */
  readonly minMembers: number;
  /** Whether members that leave of their own accord count as well; a rolling deploy is made of those. */
  readonly countLeaves?: boolean;
}

/** What `weighted-sticky` is told; the partitions that cool down are those that moved within `cooldownMs`. */
export interface WeightedStickySettings extends Omit<WeightedStickyOptions, 'coolingDown'> {
  readonly cooldownMs?: number;
}

/** How a group behaves; what an operator sets. All times in milliseconds. */
export interface GroupSettings {
  readonly type: GroupType;
  /** Wire names in order of preference; the first decides. */
  readonly assignors: readonly string[];
  /** Kafka version whose assignor rule is wanted; the newest when absent. */
  readonly kafkaVersion?: string;
  /** Partitions that go to certain members, whatever the assignor. */
  readonly pins?: readonly Pin[];
  readonly weightedSticky?: WeightedStickySettings;
  /** In which `threads-roundrobin` deals partitions out; only plans ask it. */
  readonly partitionOrder?: readonly TopicPartition[];
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
  /** From how many members on a group counts as large; `LARGE_GROUP_MEMBERS` when absent. */
  readonly assignmentIntervalFromMembers?: number;
  /** Of a classic group: whether the leader brings the assignment, or the service computes it; `leader` when absent, as in Kafka. */
  readonly assignedBy?: AssignedBy;
  /** How long a group that was empty waits for more members before its first target; none when absent, in classic groups 3 s, as in Kafka. */
  readonly initialDelayMs?: number;
  /** The most partitions that one target takes from a member that could keep them; what is left follows in further targets. */
  readonly moveBudget?: number;
  /** Times without a new target. */
  readonly maintenanceWindows?: readonly MaintenanceWindow[];
  readonly autoFreeze?: AutoFreeze;
  /** `oldest-wins` when absent, in classic groups `newest-wins`. */
  readonly staticPolicy?: StaticPolicy;
  /** `retry` for whom `oldest-wins` keeps out, `stop` for whom `newest-wins` pushes out, when absent. */
  readonly onInstanceConflict?: ConflictAction;
  /** Whether a plan must be approved before it is applied to the group. */
  readonly planApproval?: { readonly required: boolean };
}

/** What the service allows groups to choose. Times outside are clamped, and the answer tells the effective ones. */
export interface GroupLimits {
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  readonly minHeartbeatIntervalMs: number;
  /** How long after it was received a heartbeat is in the database, at most. */
  readonly persistIntervalMs: number;
  readonly maxRebalanceTimeoutMs: number;
  readonly maxSize: number;
}

/** Kafka's session bounds (6 s to 30 min) and the longest max.poll.interval people use (a day). */
export const DEFAULT_GROUP_LIMITS: GroupLimits = {
  minSessionTimeoutMs: 6_000,
  maxSessionTimeoutMs: 1_800_000,
  minHeartbeatIntervalMs: 100,
  persistIntervalMs: 0,
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

/**
 * Small groups get every target at once. In larger ones many members tend to come and go together, and a target a second
 * (KIP-1263) settles sooner than one for each of them.
 */
export const LARGE_GROUP_MEMBERS = 50;

/** Kafka's upper bound. */
const MAX_ASSIGNMENT_INTERVAL_MS = 15_000;
/** So many heartbeats fit into a session at least, so that two may be lost. */
const HEARTBEATS_A_SESSION = 3;
const MOST_PINS = 100_000;

/** Settings that a group can be without. */
const OPTIONAL = [
  'kafkaVersion',
  'pins',
  'weightedSticky',
  'partitionOrder',
  'assignmentIntervalFromMembers',
  'initialDelayMs',
  'assignedBy',
  'moveBudget',
  'maintenanceWindows',
  'autoFreeze',
  'staticPolicy',
  'onInstanceConflict',
  'planApproval',
] as const satisfies readonly (keyof GroupSettings)[];
type OptionalSetting = (typeof OPTIONAL)[number];

/** A wish for a group's settings; what is absent stays, or takes the default in a new group, and null takes an optional one away. */
export type GroupSettingsChange = Partial<Omit<GroupSettings, OptionalSetting>> & {
  readonly [K in OptionalSetting]?: GroupSettings[K] | null;
};

/**
 * The settings that a wish comes to. A heartbeat interval that is not named follows the session timeout: a third of it at most, with the
 * time that it takes to write one down, so that two heartbeats may be lost.
 * @throws AllotError INVALID_REQUEST for a value that is not allowed, UNSUPPORTED_ASSIGNOR from `resolveNames`.
 */
export function resolveSettings(
  change: GroupSettingsChange,
  current: GroupSettings | undefined,
  limits: GroupLimits,
  resolveNames: (names: readonly string[]) => readonly string[],
): GroupSettings {
  const base = current ?? DEFAULT_GROUP_SETTINGS;
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
  const settings: GroupSettings = {
    type: change.type ?? base.type,
    assignors: change.assignors === undefined ? base.assignors : resolveNames(change.assignors),
    sessionTimeoutMs,
    heartbeatIntervalMs: clamp(
      change.heartbeatIntervalMs ?? base.heartbeatIntervalMs,
      limits.minHeartbeatIntervalMs,
      Math.floor(sessionTimeoutMs / HEARTBEATS_A_SESSION) - limits.persistIntervalMs,
    ),
    rebalanceTimeoutMs: clampRebalanceTimeout(change.rebalanceTimeoutMs ?? base.rebalanceTimeoutMs, limits),
    maxSize,
    assignmentIntervalMs: clamp(
      change.assignmentIntervalMs ?? base.assignmentIntervalMs,
      0,
      MAX_ASSIGNMENT_INTERVAL_MS,
    ),
    ...optionalSettings(change, base),
  };
  checkOptional(settings, limits);
  return settings;
}

function optionalSettings(change: GroupSettingsChange, base: GroupSettings): Partial<GroupSettings> {
  const wanted: Record<string, unknown> = {};
  for (const name of OPTIONAL) {
    const value = change[name] === undefined ? base[name] : change[name];
    const empty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    if (!empty) wanted[name] = value;
  }
  return wanted;
}

/** What the assignors do not check themselves. */
function checkOptional(settings: GroupSettings, limits: GroupLimits): void {
  const { pins, partitionOrder, maintenanceWindows, autoFreeze, moveBudget, initialDelayMs, weightedSticky } = settings;
  const refuse = (pointer: string, detail: string): never => {
    throw invalidRequest(`${pointer} ${detail}.`, [{ pointer, detail }]);
  };
  if ((pins?.length ?? 0) > MOST_PINS) refuse('/pins', `lists at most ${MOST_PINS} partitions`);
  if ((partitionOrder?.length ?? 0) > MOST_PINS) refuse('/partitionOrder', `lists at most ${MOST_PINS} partitions`);
  if (moveBudget !== undefined && moveBudget < 1) {
    refuse('/moveBudget', 'must be 1 or more; to move nothing at all, freeze the group');
  }
  if (initialDelayMs !== undefined && initialDelayMs > limits.maxRebalanceTimeoutMs) {
    refuse('/initialDelayMs', `must be at most ${limits.maxRebalanceTimeoutMs}`);
  }
  if ((weightedSticky?.cooldownMs ?? 0) < 0) refuse('/weightedSticky/cooldownMs', 'must be 0 or more');
  if (autoFreeze !== undefined) {
    if (!(autoFreeze.share > 0 && autoFreeze.share < 1)) refuse('/autoFreeze/share', 'must be above 0 and below 1');
    if (autoFreeze.minMembers < 1) refuse('/autoFreeze/minMembers', 'must be 1 or more');
  }
  if (maintenanceWindows !== undefined) checkWindows(maintenanceWindows);
}

/**
 * Refuses limits under which a member that does everything right could be fenced (S-09): a session must outlast three times the time
 * after which a heartbeat is surely in the database.
 */
export function checkLimits({ minSessionTimeoutMs, minHeartbeatIntervalMs, persistIntervalMs }: GroupLimits): void {
  const least = HEARTBEATS_A_SESSION * (minHeartbeatIntervalMs + persistIntervalMs);
  if (minSessionTimeoutMs >= least) return;
  throw new Error(
    `The shortest session timeout is ${minSessionTimeoutMs} ms. It must be at least ${least} ms: three heartbeats every ` +
      `${minHeartbeatIntervalMs} ms, each written down within ${persistIntervalMs} ms.`,
  );
}

/** A member's own rebalance timeout, within what the service allows. */
export function clampRebalanceTimeout(rebalanceTimeoutMs: number, limits: GroupLimits): number {
  return clamp(rebalanceTimeoutMs, limits.minHeartbeatIntervalMs, limits.maxRebalanceTimeoutMs);
}

/** Whether two settings are the same value; they come from JSON, so the order of keys means nothing. */
export function sameSetting(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameSetting(a[key as never], b[key as never]));
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
