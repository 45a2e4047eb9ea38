import type { Assignment, AssignmentJson } from '@allot/model';
import { assignmentFromJson, assignmentToJson } from '@allot/model';
import { resolveAssignor } from '@allot/strategies';
import { DEFAULT_GROUP_SETTINGS, type Catalog, type GroupSettings } from '../../src/index.js';
import type { ConsumerGroup, ConsumerMember } from '../../src/index.js';
import { withoutEpochs } from '../../src/index.js';
import * as draining from '../../src/consumer/drain.js';
import * as membership from '../../src/consumer/membership.js';
import type { HeartbeatCommand } from '../../src/consumer/membership.js';
import * as operator from '../../src/consumer/operator.js';
import type { StepContext, Transition } from '../../src/consumer/step.js';

export const ORIGIN = { actor: 'test' };
export const SETTINGS: GroupSettings = { ...DEFAULT_GROUP_SETTINGS, rebalanceTimeoutMs: 60_000 };

/** A catalog of topics with these partition counts; its revision must differ from that of every other catalog of a test. */
export function catalogOf(topics: Record<string, number>, revision = 1): Catalog {
  return {
    revision,
    topics: new Map(
      Object.entries(topics).map(([name, partitions]) => [name, { name, id: `id-of-${name}`, partitions }]),
    ),
  };
}

/** A group on a bench: applies steps one after the other and keeps what happened. */
export class GroupBench {
  group: ConsumerGroup | undefined;
  catalog: Catalog;
  now = 1_000_000;
  readonly changes: NonNullable<Transition['change']>[] = [];
  readonly settings: GroupSettings;
  /** The steps themselves, for tests that need another context. */
  readonly machine = { ...membership, ...operator, ...draining };

  constructor(topics: Record<string, number>, settings: Partial<GroupSettings> = {}) {
    this.catalog = catalogOf(topics);
    this.settings = { ...SETTINGS, ...settings };
  }

  get context(): StepContext {
    return { now: this.now, catalog: this.catalog, resolveAssignor, origin: ORIGIN };
  }

  apply({ group, change, refusal }: Transition): this {
    this.group = group;
    if (change !== undefined) this.changes.push(change);
    if (refusal !== undefined) throw refusal;
    return this;
  }

  setTopics(topics: Record<string, number>): void {
    this.catalog = catalogOf(topics, this.catalog.revision + 1);
  }

  beat(
    memberId: string,
    memberEpoch: number,
    owned?: AssignmentJson,
    more: Partial<HeartbeatCommand> = {},
  ): ConsumerMember {
    const reported = owned === undefined ? {} : { owned: assignmentFromJson(owned) };
    this.apply(
      membership.heartbeat(this.group, { memberId, memberEpoch, ...reported, ...more }, this.settings, this.context),
    );
    return this.member(memberId);
  }

  join(memberId: string, topics: string[] = ['t'], more: Partial<HeartbeatCommand> = {}): ConsumerMember {
    return this.beat(memberId, 0, undefined, { subscription: { topics }, ...more });
  }

  /** Heartbeats of honest members, who drop what they are told to, until nothing changes. */
  settle(rounds = 20): this {
    for (let round = 0; round < rounds; round++) {
      const before = this.group;
      for (const id of [...this.group!.members.keys()]) {
        const member = this.member(id);
        if (member.memberEpoch < 0) continue;
        this.beat(id, member.memberEpoch, this.assigned(id));
      }
      if (this.group === before) return this;
    }
    throw new Error('The group does not settle.');
  }

  member(memberId: string): ConsumerMember {
    const member = this.group?.members.get(memberId);
    if (member === undefined) throw new Error(`There is no member ${memberId}.`);
    return member;
  }

  assigned(memberId: string): AssignmentJson {
    return json(withoutEpochs(this.member(memberId).assigned));
  }

  revoking(memberId: string): AssignmentJson {
    return json(withoutEpochs(this.member(memberId).pendingRevocation));
  }

  target(memberId: string): AssignmentJson {
    return json(this.member(memberId).target);
  }
}

/** JSON with an ordinary prototype, so that matchers compare it with literals. */
export function json(assignment: Assignment): AssignmentJson {
  return { ...assignmentToJson(assignment) };
}
