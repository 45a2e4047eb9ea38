import type { Assignment, GroupAssignment, GroupSpec, OwnerChange, RackLocality, Skew } from '@allot/model';
import type { Assignor, Pin } from '@allot/strategies';
import type { AssignmentRules } from './assignment-rules.js';
import type { ReplicatedGroup } from './brokers.js';
import type { AssignorChoice, Change } from './change.js';

/** Finds an assignor by its name or alias; undefined when there is none. */
export type AssignorLookup = (name: string) => Assignor | undefined;

/**
 * How members take up a new assignment. `eager`: everybody stops and gives up everything (range, roundrobin, sticky in
 * Kafka's client). `cooperative`: only what moves is given up, in a second rebalance it is handed out. `consumer`: the
 * broker, or this service, moves partition by partition while the rest goes on (KIP-848).
 */
export type RebalanceProtocol = 'eager' | 'cooperative' | 'consumer';

export interface PlanInput extends ReplicatedGroup, AssignmentRules {
  readonly assignor: AssignorChoice;
  /** Applied in order, to the group as given. */
  readonly changes?: readonly Change[];
  /** Absent: what Kafka uses with this assignor; `consumer` in a live group. */
  readonly protocol?: RebalanceProtocol;
  /**
   * Whether this service's coordinator runs the group. It passes on only claims that their member may still hold, so that a
   * preview must do the same; Kafka's own members claim whatever they had.
   */
  readonly live?: boolean;
}

/** A topic with another number of partitions. */
export interface ResizedTopic {
  readonly topic: string;
  readonly from: number;
  readonly to: number;
  /** Share, 0 to 1, of keys whose records go to another partition than before: producers choose by the key's hash modulo the count. */
  readonly keysRemapped: number;
}

/** Why a member has nothing. */
export type IdleReason =
  /** Its subscription is empty. */
  | 'no-subscription'
  /** None of its topics exists with partitions. */
  | 'no-partitions'
  /** Its topics have fewer partitions than members that want them: some member must be idle. */
  | 'more-members-than-partitions'
  /** There would be enough partitions; the assignor's rule gives it none. */
  | 'assignor-rule';

export interface IdleMember {
  readonly member: string;
  readonly reason: IdleReason;
}

export type PlanWarningCode =
  | 'idle-members'
  | 'skew'
  | 'unknown-topic'
  | 'empty-topic'
  | 'topic-without-subscriber'
  | 'assigned-to-non-subscriber'
  | 'stale-claim'
  | 'conflicting-claims'
  | 'claim-without-partition'
  | 'generation-gap'
  | 'eager-stops-the-world'
  | 'partitions-paused'
  | 'assumed-subscription'
  | 'keys-remapped'
  | 'unknown-racks'
  | 'unknown-replicas'
  | 'no-replica-left'
  | 'target-moves-again'
  | 'assignor-passed-over';

/** Another assignor's result on the same group, offered where it is better. */
export interface Alternative {
  readonly assignor: string;
  readonly idle: number;
  readonly least: number;
  readonly most: number;
}

/** Something to know before the plan is carried out. */
export interface PlanWarning {
  /** A `PlanWarningCode`, or a code of the assignor's own. */
  readonly code: string;
  /** `info` describes what will happen; `warning` is a reason to look again. */
  readonly severity: 'info' | 'warning';
  /** For people: what is the case, and what to do. */
  readonly message: string;
  readonly count?: number;
  readonly members?: readonly string[];
  readonly topics?: readonly string[];
  readonly alternatives?: readonly Alternative[];
}

/** What taking up the plan interrupts. */
export interface Disruption {
  readonly protocol: RebalanceProtocol;
  /** Partitions that nobody processes for a while. */
  readonly partitionsPaused: number;
  /** Estimate of how long each of them is, with the usual times (`DEFAULT_TIMING`). */
  readonly pauseSeconds: number;
  /** The same over all of them. */
  readonly partitionSecondsPaused: number;
  /** Rebalances until the target is reached; 0 when nothing happens. */
  readonly rebalances: number;
}

export interface PlanResult {
  /** The name of the assignor that computed the target. */
  readonly assignor: string;
  readonly kafkaVersions: string;
  /** What the assignor does, in a sentence or two. */
  readonly rule: string;
  /** Whether the assignor's answer depends on who owns what. */
  readonly sticky: boolean;
  readonly pins: readonly Pin[];
  readonly protocol: RebalanceProtocol;
  /** The group as given, and as it is after the changes, in the form in which the assignor saw it. */
  readonly before: ReplicatedGroup;
  readonly after: GroupSpec;
  /** The same groups with those as members that own partitions: members, or threads under the first-generation assignors. */
  readonly owners: { readonly before: GroupSpec; readonly after: GroupSpec };
  /**
   * Where `current` comes from. `owned`: from the members' claims; of several claims on one partition that of the highest
   * generation counts, and if two share it nobody owns it, as Kafka's sticky assignors decide. `computed`: nobody claims
   * anything, so it is the assignor's answer on the group as given, which sticky assignors then see as owned.
   */
  readonly currentSource: 'owned' | 'computed';
  readonly current: GroupAssignment;
  /** Where the group is heading. */
  readonly target: GroupAssignment;
  /** What the first round hands out; differs from the target where partitions must be revoked first (cooperative-sticky). */
  readonly assignment: GroupAssignment;
  /** current -> target, by topic and partition. */
  readonly diff: readonly OwnerChange[];
  /** Partitions that go from one member to another. New partitions that get their first owner are not moves. */
  readonly moves: number;
  /** Moves that no assignor could avoid: the owner is gone or no longer subscribes to the topic. */
  readonly forcedMoves: number;
  readonly idle: readonly IdleMember[];
  /** Partitions of existing topics that nobody has in the target. */
  readonly unowned: Assignment;
  /** Subscribed names without metadata, sorted. */
  readonly unknownTopics: readonly string[];
  readonly skew: { readonly before: Skew; readonly after: Skew };
  /** Partitions whose owner is in the rack of a replica, of those of which both racks are known. */
  readonly rackLocality: { readonly before: RackLocality; readonly after: RackLocality };
  /** The same skew by weight: partition weights over member capacity; null where nothing is weighted. */
  readonly weightedSkew: { readonly before: number; readonly after: number } | null;
  /** Existing topics whose number of partitions changes. */
  readonly resizedTopics: readonly ResizedTopic[];
  readonly disruption: Readonly<Record<RebalanceProtocol, Disruption>>;
  readonly addedMembers: readonly string[];
  readonly removedMembers: readonly string[];
  readonly warnings: readonly PlanWarning[];
}
