import type { GroupAssignment, MemberSpec } from '@allot/model';
import { countPartitions, EMPTY_ASSIGNMENT } from '@allot/model';
import type { Assignor, AssignOptions } from '@allot/strategies';
import type { ReplicatedGroup, ReplicatedTopic } from './brokers.js';
import { weighClaims, withClaimGenerations, withOwned, withTenableClaims } from './current-assignment.js';
import { disruptions } from './disruption.js';
import { ownersOf } from './owners.js';
import type { Disruption, RebalanceProtocol } from './plan-types.js';
import { measureRound } from './round.js';
import { settle } from './settle.js';
import type { Timing } from './timing.js';

/** What it took to bring the group to a new shape. */
export interface Rebalanced extends Disruption {
  readonly moves: number;
  readonly forcedMoves: number;
}

/**
 * A group that goes through a sequence of events, each starting from what the one before it left: members own what they were
 * last given, in the generation in which they got it. It is told the assignor of every step, so that it may change.
 */
export class GroupInMotion {
  topics: readonly ReplicatedTopic[];
  members: readonly MemberSpec[];
  current: GroupAssignment;
  private generation: number;
  private readonly live: boolean;
  private measured: { readonly of: GroupAssignment; readonly peakLoad: number } | undefined;

  /** Starts from the members' claims, or where there are none from what the assignor computes, as a plan does. */
  constructor(
    group: ReplicatedGroup & { readonly live?: boolean },
    private assignor: Assignor,
    private readonly options: AssignOptions,
    private readonly timing: Timing,
  ) {
    const given = { topics: group.topics, members: withClaimGenerations(group.members) };
    const claims = weighClaims(given);
    this.topics = given.topics;
    this.live = group.live === true;
    this.generation = given.members.reduce((most, { generation }) => Math.max(most, generation ?? 0), 1);
    this.current =
      claims.any && assignor.owners !== 'threads' ? claims.current : assignor.assign(given, options).target;
    this.members = withOwned(given.members, this.current, this.generation);
  }

  /** Rebalances the group in its new shape until everybody has what the assignor wants. */
  rebalance(shape: ReplicatedGroup, assignor: Assignor, protocol: RebalanceProtocol): Rebalanced {
    this.assignor = assignor;
    const after = this.live ? { ...shape, members: withTenableClaims(shape) } : shape;
    const { outcome, rounds } = settle(after, assignor, this.options, this.generation);
    const owners = ownersOf(assignor, after);
    const { diff, moves, forcedMoves } = measureRound(this.current, owners, outcome.target);
    const disruption = disruptions(this.current, diff, true, owners, this.timing)[protocol];
    this.generation += rounds;
    this.topics = after.topics;
    this.current = outcome.target;
    this.members = withOwned(after.members, outcome.target, this.generation);
    return { ...disruption, rebalances: Math.max(disruption.rebalances, rounds), moves, forcedMoves };
  }

  /** The partitions that these members own, their threads' included. */
  owned(members: readonly MemberSpec[]): number {
    const owners = ownersOf(this.assignor, { topics: this.topics, members }).members;
    return owners.reduce((sum, { id }) => sum + countPartitions(this.current.get(id) ?? EMPTY_ASSIGNMENT), 0);
  }

  /** The most partitions that anybody owns. */
  peakLoad(): number {
    // Asked after every event, of which many change nothing.
    if (this.measured?.of !== this.current) {
      let most = 0;
      for (const owned of this.current.values()) most = Math.max(most, countPartitions(owned));
      this.measured = { of: this.current, peakLoad: most };
    }
    return this.measured.peakLoad;
  }
}
