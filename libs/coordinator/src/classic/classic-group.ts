import type { Assignment } from '@allot/model';
import type { OwnedPartitions, SubscribedTopic, Subscription } from '../consumer/consumer-group.js';
import type { Group } from '../group.js';
import type { GroupSettings } from '../group-settings.js';

/**
 * Where a classic group is (ClassicGroupState). EMPTY: no members. PREPARING_REBALANCE: waits for members to join the next
 * generation. COMPLETING_REBALANCE: the generation stands, its leader's assignment is awaited. STABLE: assigned. DEAD: the group is
 * gone; never stored, it is what whoever still waits for a deleted group is told.
 *
 *     PREPARING <- STABLE, COMPLETING, EMPTY     COMPLETING <- PREPARING     STABLE <- COMPLETING     EMPTY <- PREPARING     DEAD <- any
 */
export type ClassicGroupState = 'EMPTY' | 'PREPARING_REBALANCE' | 'COMPLETING_REBALANCE' | 'STABLE' | 'DEAD';

/**
 * JOINING: has joined the generation to come (its request is parked). JOINED: is in the generation and has not asked for its
 * assignment. SYNCED: has asked; in a group that is STABLE it has been told.
 */
export type ClassicMemberState = 'JOINING' | 'JOINED' | 'SYNCED';

/** An assignor that a member supports, and what the member wants to tell the leader's implementation of it. */
export interface MemberProtocol {
  readonly name: string;
  /** Opaque, base64. */
  readonly userData?: string;
}

/** What a member said to own when it joined, and the generation in which it was given that; -1: none, the weakest claim. */
export interface OwnershipClaim {
  readonly owned: Assignment;
  readonly generation: number;
}

export interface ClassicMember {
  readonly memberId: string;
  /** Static membership: group.instance.id. */
  readonly instanceId?: string;
  readonly rackId?: string;
  readonly clientId?: string;
  readonly weight?: number;
  readonly subscription: Subscription;
  readonly sessionTimeoutMs: number;
  /** How long others wait for it to join the next generation. */
  readonly rebalanceTimeoutMs: number;
  /** In order of preference. */
  readonly protocols: readonly MemberProtocol[];
  /** Keeps its partitions over a rebalance unless told to give them up (KIP-429); an eager member gives up all when it joins. */
  readonly cooperative: boolean;
  readonly claim?: OwnershipClaim;
  readonly state: ClassicMemberState;
  /** Was never in a generation. */
  readonly isNew?: true;
  /** The last generation it was in; 0 before the first. */
  readonly memberEpoch: number;
  /** What it may work on: its part of the assignment, as far as nobody else holds it. */
  readonly assigned: OwnedPartitions;
  /** What it held before and must give up; still its own until it joins without. */
  readonly pendingRevocation: OwnedPartitions;
  /** Its part of the assignment. */
  readonly target: Assignment;
  /** What the leader wants to tell it, opaque, base64. */
  readonly userData?: string;
  /** Database time, ms since 1970, at which it is removed: a new member that is still parked, one that has not given up `pendingRevocation`. */
  readonly rebalanceDeadline?: number;
  /** Rises with every member that ever joined the group: the order of election. */
  readonly joinOrder: number;
  /** The revision that last told it of something to work on: what it said to hold before says nothing of that. Absent: none did. */
  readonly grantedRevision?: number;
  /** The revision that it knew when it said of itself what is written here: a join that knows an earlier one was sent before. */
  readonly saidAtRevision?: number;
  /** Ids that its instance id had before, the newest first: a first request of theirs comes late and takes nothing over. */
  readonly formerIds?: readonly string[];
  /** The id that its instance id had before, when the process behind that spoke up again: two live processes share one instance id. */
  readonly conflictsWith?: string;
}

/** Has been given an id and asked to join with it (KIP-394); no member yet, but a join phase waits for it. */
export interface PendingMember {
  readonly memberId: string;
  /** Database time, ms since 1970, at which it is forgotten. */
  readonly expiresAt: number;
}

/**
 * What the group waits for; there is one at most.
 * initial-delay: more first members, before the first generation (KIP-134). rebalance: members that have not joined again.
 * sync: members of the generation that have not asked for their assignment.
 */
export interface PhaseTimer {
  readonly kind: 'initial-delay' | 'rebalance' | 'sync';
  /** When it was set, database time, ms since 1970. */
  readonly since: number;
  /** When it rings. */
  readonly at: number;
  /** Of an initial delay: how much longer the phase may be extended, and whether a member has joined since it was set. */
  readonly remainingMs?: number;
  readonly memberAdded?: true;
}

/**
 * A group of type classic (JoinGroup, SyncGroup). Immutable as `ConsumerGroup` is: a step makes a new value that shares what it did
 * not touch. Nothing of a request that waits is kept: it waits for the state that answers it, on whatever replica.
 */
export interface ClassicGroup {
  readonly settings: GroupSettings;
  readonly source: 'live' | 'imported';
  /** Rises by one with every committed change of anything below; never by a mere lease. */
  readonly revision: number;
  /** The generation. */
  readonly groupEpoch: number;
  /** The generation of the assignment that members have. */
  readonly assignmentEpoch: number;
  readonly catalogRevision: number;
  /** Topics of the subscriptions and the partition counts that the generation was told: the base of "has metadata changed". */
  readonly subscribedTopics: ReadonlyMap<string, SubscribedTopic>;
  readonly members: ReadonlyMap<string, ClassicMember>;
  readonly nextJoinOrder: number;
  /** Why the service could not compute the assignment of the generation. */
  readonly assignorFault?: string;
  readonly phase: ClassicGroupState;
  /** The assignor of the generation, by vote. */
  readonly protocol?: string;
  readonly leader?: string;
  readonly timer?: PhaseTimer;
  readonly pending: readonly PendingMember[];
}

export function isClassic(group: Group): group is ClassicGroup {
  return 'phase' in group;
}

export function classicState(group: ClassicGroup): ClassicGroupState {
  return group.phase;
}

/** Database time at which a sweep must look at the group, leases and members' own deadlines aside. */
export function timerAt({ timer, pending }: ClassicGroup): number | undefined {
  const times = pending.map(({ expiresAt }) => expiresAt);
  if (timer !== undefined) times.push(timer.at);
  return times.length === 0 ? undefined : Math.min(...times);
}
