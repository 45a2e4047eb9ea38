import { assignmentFromJson, type AllotError, type AssignmentJson } from '@allot/model';
import { resolveAssignor } from '@allot/strategies';
import { ANSWER, type ClassicStep, type ClassicTransition, type Outcome } from '../../../src/classic/classic-draft.js';
import { timerAt, type ClassicGroup, type ClassicMember } from '../../../src/classic/classic-group.js';
import { expire } from '../../../src/classic/expire.js';
import { heartbeat } from '../../../src/classic/heartbeat.js';
import { join } from '../../../src/classic/join.js';
import type { JoinCommand } from '../../../src/classic/member-description.js';
import { leave, type LeaveResult, type LeavingMember } from '../../../src/classic/leave.js';
import { lookAtCatalog, putClassicSettings } from '../../../src/classic/operator.js';
import { outcomeOfJoin, outcomeOfSync } from '../../../src/classic/parked.js';
import { sync, type SyncCommand } from '../../../src/classic/sync.js';
import type { StepContext } from '../../../src/consumer/step.js';
import { DEFAULT_GROUP_LIMITS, DEFAULT_GROUP_SETTINGS, withoutEpochs } from '../../../src/index.js';
import type { Catalog, GroupChange, GroupSettings } from '../../../src/index.js';
import { catalogOf, json, ORIGIN } from '../../support/fixtures.js';

export const SETTINGS: GroupSettings = {
  ...DEFAULT_GROUP_SETTINGS,
  type: 'classic',
  rebalanceTimeoutMs: 60_000,
  sessionTimeoutMs: 10_000,
  initialDelayMs: 0,
};

export interface Given extends Partial<Omit<JoinCommand, 'protocols' | 'owned' | 'subscription'>> {
  readonly protocols?: readonly string[];
  readonly topics?: readonly string[];
  readonly pattern?: string;
  readonly owned?: AssignmentJson;
}

export type Assignments = Readonly<Record<string, AssignmentJson>>;

/** What a request is told: 'answer', 'park' or the code of the error. */
export type Told = string;

/** A classic group on a bench: applies steps one after the other and keeps what happened. Leases run as the store's do. */
export class ClassicBench {
  group: ClassicGroup | undefined;
  catalog: Catalog;
  now = 1_000_000;
  readonly changes: GroupChange[] = [];
  readonly leases = new Map<string, number>();
  readonly settings: GroupSettings;
  lastError: AllotError | undefined;
  #ids = 0;

  constructor(settings: Partial<GroupSettings> = {}, topics: Record<string, number> = { t: 4 }) {
    this.settings = { ...SETTINGS, ...settings };
    this.catalog = catalogOf(topics);
  }

  /** A bench on which other things may happen from here on. */
  clone(): ClassicBench {
    const copy = new ClassicBench(this.settings);
    copy.group = this.group;
    copy.catalog = this.catalog;
    copy.now = this.now;
    for (const [id, until] of this.leases) copy.leases.set(id, until);
    return copy;
  }

  get context(): StepContext {
    return { now: this.now, catalog: this.catalog, resolveAssignor, origin: ORIGIN };
  }

  get members(): ReadonlyMap<string, ClassicMember> {
    return this.group?.members ?? new Map();
  }

  apply({ group, change, renewed }: ClassicTransition): this {
    const before = this.members;
    this.group = group;
    if (change !== undefined) this.changes.push(change);
    for (const id of [...this.leases.keys()]) if (!group.members.has(id)) this.leases.delete(id);
    for (const [id, { sessionTimeoutMs }] of group.members) {
      if (renewed.includes(id) || !before.has(id)) this.leases.set(id, this.now + sessionTimeoutMs);
    }
    return this;
  }

  /** Runs a step and tells what the request is told. */
  run(step: () => ClassicStep): Told {
    try {
      const { transition, outcome } = step();
      this.apply(transition);
      return this.#tell(outcome);
    } catch (error) {
      this.lastError = error as AllotError;
      if (this.lastError.code === undefined) throw error;
      return this.lastError.code;
    }
  }

  #tell(outcome: Outcome): Told {
    if (outcome.kind !== 'error') return outcome.kind;
    this.lastError = outcome.error;
    return outcome.error.code;
  }

  /** A request to join; a new member's first is answered with an id, with which it is sent again. */
  join(name: string, given: Given = {}): Told {
    const told = this.joinOnce(
      given.memberId === undefined && this.members.has(name)
        ? { ...given, memberId: name }
        : { newMemberId: name, ...given },
    );
    return told === 'MEMBER_ID_REQUIRED' ? this.joinOnce({ ...given, memberId: name }) : told;
  }

  /** One request, as it is. */
  joinOnce({
    protocols = ['range'],
    topics = ['t'],
    pattern,
    owned,
    newMemberId = `m${++this.#ids}`,
    ...rest
  }: Given): Told {
    const command: JoinCommand = {
      ...rest,
      newMemberId,
      subscription: { topics, ...(pattern !== undefined && { pattern }) },
      protocols: protocols.map((name) => ({ name })),
      ...(owned !== undefined && { owned: assignmentFromJson(owned) }),
    };
    const base = { defaults: this.settings, limits: DEFAULT_GROUP_LIMITS };
    return this.run(() => join(this.group, command, base, this.context));
  }

  sync(memberId: string, given: Partial<Omit<SyncCommand, 'assignments'>> & { assignments?: Assignments } = {}): Told {
    const { assignments, generation = this.group!.groupEpoch, ...rest } = given;
    const supplied =
      assignments &&
      new Map(
        Object.entries(assignments).map(([id, partitions]) => [id, { partitions: assignmentFromJson(partitions) }]),
      );
    const command = { memberId, generation, ...rest, ...(supplied !== undefined && { assignments: supplied }) };
    return this.run(() => sync(this.group!, command, this.context));
  }

  heartbeat(memberId: string, given: { generation?: number; instanceId?: string } = {}): Told {
    const command = { memberId, generation: this.group!.groupEpoch, ...given };
    return this.run(() => heartbeat(this.group!, command, this.context));
  }

  leave(...members: LeavingMember[]): readonly LeaveResult[] {
    let results: readonly LeaveResult[] = [];
    this.run(() => {
      const left = leave(this.group!, members, this.context);
      results = left.results;
      return { transition: left.transition, outcome: ANSWER };
    });
    return results;
  }

  /** What requests that wait are told by the group as it is now. */
  parkedJoin(memberId: string, instanceId?: string): Told {
    return this.#tell(outcomeOfJoin(this.group, { memberId, ...(instanceId !== undefined && { instanceId }) }));
  }

  parkedSync(memberId: string, generation = this.group!.groupEpoch, instanceId?: string): Told {
    return this.#tell(
      outcomeOfSync(this.group, { memberId, generation, ...(instanceId !== undefined && { instanceId }) }),
    );
  }

  /** Lets time pass, and a sweep look whenever something is due. */
  wait(ms: number): this {
    const end = this.now + ms;
    for (;;) {
      const next = this.nextDue();
      if (next > end) break;
      this.now = Math.max(next, this.now);
      this.sweep();
      if (this.nextDue() <= this.now) throw new Error('A sweep leaves work that is due.');
    }
    this.now = end;
    return this;
  }

  sweep(): this {
    const expired = new Set([...this.leases].filter(([, until]) => until <= this.now).map(([id]) => id));
    return this.apply(expire(this.group!, expired, this.context));
  }

  nextDue(): number {
    if (this.group === undefined) return Infinity;
    const deadlines = [...this.members.values()].map(({ rebalanceDeadline = Infinity }) => rebalanceDeadline);
    return Math.min(timerAt(this.group) ?? Infinity, ...this.leases.values(), ...deadlines);
  }

  setTopics(topics: Record<string, number>): this {
    this.catalog = catalogOf(topics, this.catalog.revision + 1);
    return this.group === undefined ? this : this.apply(lookAtCatalog(this.group, this.context));
  }

  put(settings: Partial<GroupSettings>): this {
    return this.apply(
      putClassicSettings(this.group, { ...(this.group?.settings ?? this.settings), ...settings }, this.context),
    );
  }

  /** Members join and sync until the group is stable; the leader gives everything to the assignor of the group. */
  stabilize(given: Given = {}, rounds = 10): this {
    for (let round = 0; round < rounds && this.group!.phase !== 'STABLE'; round++) {
      for (const [id, { instanceId, state, cooperative }] of [...this.members]) {
        if (state === 'JOINING') continue;
        const owned = cooperative ? { owned: this.assigned(id) } : {};
        this.joinOnce({ ...given, ...owned, memberId: id, ...(instanceId !== undefined && { instanceId }) });
      }
      const leader = this.group!.leader;
      if (leader !== undefined && this.group!.phase === 'COMPLETING_REBALANCE')
        this.sync(leader, { assignedBy: 'service' });
    }
    if (this.group!.phase !== 'STABLE') throw new Error(`The group stays ${this.group!.phase}.`);
    for (const id of this.members.keys()) this.sync(id);
    return this;
  }

  assigned(memberId: string): AssignmentJson {
    return json(withoutEpochs(this.members.get(memberId)!.assigned));
  }

  revoking(memberId: string): AssignmentJson {
    return json(withoutEpochs(this.members.get(memberId)!.pendingRevocation));
  }

  get causes(): string[] {
    return this.changes.map(({ cause }) => cause);
  }
}
