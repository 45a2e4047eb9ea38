import type { GroupAssignment, GroupSpec } from '@allot/model';
import type { AssignmentRules } from './assignment-rules.js';
import type { ReplicatedGroup } from './brokers.js';
import type { AssignorChoice, Change } from './change.js';
import type { RebalanceProtocol } from './plan-types.js';
import type { Timing } from './timing.js';

/**
 * A deployment: all members (or these) stop and come back under the same id, `batchSize` at a time. A dynamic member leaves
 * when it stops, so that there is one rebalance when a batch goes and one when it returns. A static member (with an instance
 * id) does not leave: if it is back within the session timeout nothing is rebalanced, and its partitions wait for it.
 */
export interface RollingRestart {
  readonly rollingRestart: { readonly batchSize?: number; readonly members?: readonly string[] };
}

/** Members die without leaving and stay away; so many from the end of the list, or these. */
export interface Crash {
  readonly crash: number | readonly string[];
}

/** All members of a rack die. */
export interface ZoneLoss {
  readonly zoneLoss: string;
}

export type SimulationStep = RollingRestart | Crash | ZoneLoss | Change;

export interface SimulationInput extends ReplicatedGroup, AssignmentRules {
  readonly assignor: AssignorChoice;
  /** Absent: what Kafka uses with this assignor; `consumer` in a live group. */
  readonly protocol?: RebalanceProtocol;
  /** Whether this service's coordinator runs the group, as in a plan. */
  readonly live?: boolean;
  readonly timing?: Partial<Timing>;
  readonly steps: readonly SimulationStep[];
}

/** What something costs. */
export interface Cost {
  readonly rebalances: number;
  /** Partitions that went from one member to another. */
  readonly moves: number;
  /** Of these, moves whose owner was gone or no longer subscribed. */
  readonly forcedMoves: number;
  /** Partitions times the seconds in which nobody processed them. */
  readonly partitionSecondsPaused: number;
  /** The most partitions that a member had. */
  readonly peakLoad: number;
}

export type SimulationEventKind = 'leave' | 'join' | 'static-restart' | 'crash' | 'change';

/** One thing that happens to the group: at most one rebalance, or the two, seldom three, of the cooperative protocol. */
export interface SimulationEvent extends Cost {
  readonly kind: SimulationEventKind;
  /** The members that it is about; empty for changes of topics. */
  readonly about: readonly string[];
  /** Members after it. */
  readonly members: number;
}

export interface SimulationStepResult extends Cost {
  readonly step: SimulationStep;
  readonly events: readonly SimulationEvent[];
}

export interface SimulationResult {
  readonly assignor: string;
  readonly protocol: RebalanceProtocol;
  readonly timing: Timing;
  readonly steps: readonly SimulationStepResult[];
  readonly total: Cost & {
    /** Partitions that end with another owner than they began with, of those that exist throughout. */
    readonly displaced: number;
  };
  /** The group at the end, and who then owns what. */
  readonly after: GroupSpec;
  readonly assignment: GroupAssignment;
}
