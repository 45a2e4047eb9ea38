import type { FieldError, GroupSpec, MemberSpec } from '@allot/model';
import { diffByPartition, invalidRequest } from '@allot/model';
import type { Assignor } from '@allot/strategies';
import { findAssignor } from '@allot/strategies';
import { applyChanges } from './apply-changes.js';
import { optionsOf, pinning } from './assignment-rules.js';
import { chooseAssignor, usualProtocol } from './assignor-choice.js';
import type { ReplicatedGroup } from './brokers.js';
import type { AssignorChoice, Change } from './change.js';
import { checkGroup, summarize } from './check-group.js';
import { GroupInMotion } from './group-in-motion.js';
import type { AssignorLookup, RebalanceProtocol } from './plan-types.js';
import { isMove } from './round.js';
import { RunBudget } from './run-budget.js';
import type {
  Cost,
  SimulationEvent,
  SimulationEventKind,
  SimulationInput,
  SimulationResult,
  SimulationStep,
} from './simulation-types.js';
import { DEFAULT_TIMING } from './timing.js';
import type { Timing } from './timing.js';

/** The rebalances that a simulation may ask for, beside `WORK_LIMIT`; a step that would go beyond is refused. */
export const SIMULATION_LIMITS = { steps: 1_000, events: 5_000 } as const;

const LESS = 'Use larger batches, fewer steps or a smaller group.';

/**
 * Plays a sequence of steps on a group and measures each: the assignor is really run at every rebalance, and members own
 * what they were given before. Pure and repeatable. Throws `AllotError` as `plan` does, with pointers to `/steps/i`, and
 * LIMIT_EXCEEDED before it does more work than `budget` has.
 */
export function simulate(
  input: SimulationInput,
  resolve: AssignorLookup = findAssignor,
  budget: RunBudget = new RunBudget(),
): SimulationResult {
  checkGroup(input);
  if (input.steps.length > SIMULATION_LIMITS.steps) {
    throw refuse('/steps', `A simulation takes at most ${SIMULATION_LIMITS.steps} steps; split it.`);
  }
  budget.spend(1, input, '/topics', LESS);
  const run = new Run(input, resolve, budget);
  const start = run.group.current;
  const steps = input.steps.map((step, i) => {
    const events = run.play(step, `/steps/${i}`);
    return { step, events, ...sum(events, run.group.peakLoad()) };
  });
  const { topics, members, current } = run.group;
  const displaced = diffByPartition(start, current).filter(isMove).length;
  return {
    assignor: run.assignor.name,
    protocol: run.protocol,
    timing: run.timing,
    steps,
    total: { ...sum(steps, run.group.peakLoad()), displaced },
    after: { topics, members },
    assignment: current,
  };
}

class Run {
  readonly group: GroupInMotion;
  readonly timing: Timing;
  assignor: Assignor;
  protocol: RebalanceProtocol;
  private choice: AssignorChoice;
  private resolve: AssignorLookup;
  private brokers: SimulationInput['brokers'];
  private events = 0;

  constructor(
    private readonly input: SimulationInput,
    private readonly lookup: AssignorLookup,
    private readonly budget: RunBudget,
  ) {
    this.choice = input.assignor;
    this.brokers = input.brokers;
    this.resolve = pinning(lookup, input.pins);
    this.assignor = chooseAssignor(input.assignor, this.resolve).assignor;
    this.protocol = this.protocolOf(input);
    this.timing = readTiming(input.timing ?? {});
    this.group = new GroupInMotion(input, this.assignor, optionsOf(input), this.timing);
  }

  private protocolOf({ protocol, live }: SimulationInput): RebalanceProtocol {
    return protocol ?? (live === true ? 'consumer' : usualProtocol(this.assignor));
  }

  play(step: SimulationStep, pointer: string): SimulationEvent[] {
    if ('rollingRestart' in step) return this.restart(step.rollingRestart, `${pointer}/rollingRestart`);
    if ('crash' in step) return [this.lose(this.pick(step.crash, `${pointer}/crash`), `${pointer}/crash`)];
    if ('zoneLoss' in step) {
      const lost = this.group.members.filter(({ rack }) => rack === step.zoneLoss);
      if (lost.length === 0)
        throw refuse(`${pointer}/zoneLoss`, `No member is in the rack "${step.zoneLoss}" at this point.`);
      return [this.lose(lost, `${pointer}/zoneLoss`)];
    }
    return [this.change(step, pointer)];
  }

  private restart(options: { batchSize?: number; members?: readonly string[] }, pointer: string): SimulationEvent[] {
    const members =
      options.members === undefined ? this.group.members : this.pick(options.members, `${pointer}/members`);
    const size = options.batchSize ?? 1;
    if (!Number.isInteger(size) || size < 1)
      throw refuse(`${pointer}/batchSize`, `A batch has at least 1 member, not ${size}.`);
    const batches = Math.ceil(members.length / size);
    // Static members that are back in time cause no run of the assignor.
    const leaving = members.filter((member) => !this.returnsInTime(member)).length;
    this.count(2 * batches, pointer);
    this.budget.spend(2 * Math.min(batches, leaving), this.group, pointer, LESS);
    const events: SimulationEvent[] = [];
    for (let i = 0; i < members.length; i += size) events.push(...this.restartBatch(members.slice(i, i + size)));
    return events;
  }

  private restartBatch(batch: readonly MemberSpec[]): SimulationEvent[] {
    const { restartMs } = this.timing;
    const events: SimulationEvent[] = [];
    const statics = batch.filter(({ instanceId }) => instanceId !== undefined);
    const expire = statics.filter((member) => !this.returnsInTime(member));
    if (statics.length > 0 && expire.length === 0) {
      const paused = seconds(this.group.owned(statics), restartMs);
      events.push(this.event('static-restart', ids(statics), { partitionSecondsPaused: paused }));
    }
    if (expire.length > 0) events.push(this.crash(expire));
    const dynamic = batch.filter(({ instanceId }) => instanceId === undefined);
    if (dynamic.length > 0) events.push(this.rebalance('leave', ids(dynamic), this.without(dynamic)));
    const gone = [...dynamic, ...expire];
    if (gone.length > 0) events.push(this.rebalance('join', ids(gone), this.withReturned(gone)));
    return events;
  }

  /** Whether a restart goes unnoticed: a static member's partitions wait for it until its session ends. */
  private returnsInTime({ instanceId }: MemberSpec): boolean {
    return instanceId !== undefined && this.timing.restartMs < this.timing.sessionTimeoutMs;
  }

  private lose(members: readonly MemberSpec[], pointer: string): SimulationEvent {
    this.count(1, pointer);
    this.budget.spend(1, this.group, pointer, LESS);
    return this.crash(members);
  }

  private crash(members: readonly MemberSpec[]): SimulationEvent {
    const waiting = seconds(this.group.owned(members), this.timing.sessionTimeoutMs);
    const event = this.rebalance('crash', ids(members), this.without(members));
    return { ...event, partitionSecondsPaused: event.partitionSecondsPaused + waiting };
  }

  private shape(): ReplicatedGroup {
    const { topics, members } = this.group;
    return { topics, members, ...(this.brokers !== undefined && { brokers: this.brokers }) };
  }

  private change(change: Change, pointer: string): SimulationEvent {
    this.count(1, pointer);
    const changed = applyChanges(this.shape(), this.choice, [change], () => pointer);
    this.brokers = changed.brokers;
    this.budget.spend(1, changed, pointer, LESS);
    if (changed.pins !== undefined) this.resolve = pinning(this.lookup, changed.pins);
    if (changed.assignor !== this.choice || changed.pins !== undefined) {
      this.choice = changed.assignor;
      this.assignor = chooseAssignor(changed.assignor, this.resolve, `${pointer}/assignor`).assignor;
      this.protocol = this.protocolOf(this.input);
    }
    const about = 'member' in change ? [change.member] : [...changed.added, ...changed.removed];
    return this.rebalance('change', about, { topics: changed.topics, members: changed.members });
  }

  private rebalance(kind: SimulationEventKind, about: readonly string[], after: GroupSpec): SimulationEvent {
    const { rebalances, moves, forcedMoves, partitionSecondsPaused } = this.group.rebalance(
      after,
      this.assignor,
      this.protocol,
    );
    return this.event(kind, about, { rebalances, moves, forcedMoves, partitionSecondsPaused });
  }

  private event(kind: SimulationEventKind, about: readonly string[], cost: Partial<Cost>): SimulationEvent {
    const nothing = { rebalances: 0, moves: 0, forcedMoves: 0, partitionSecondsPaused: 0 };
    const { members } = this.group;
    return { kind, about, members: members.length, ...nothing, ...cost, peakLoad: this.group.peakLoad() };
  }

  private without(gone: readonly MemberSpec[]): GroupSpec {
    const leaving = new Set(ids(gone));
    return { topics: this.group.topics, members: this.group.members.filter(({ id }) => !leaving.has(id)) };
  }

  /** The group with these members back, last like everybody who joins, and without anything they owned. */
  private withReturned(returned: readonly MemberSpec[]): GroupSpec {
    const fresh = returned.map(({ owned: _, generation: __, ...member }): MemberSpec => member);
    return { topics: this.group.topics, members: [...this.group.members, ...fresh] };
  }

  private pick(wanted: number | readonly string[], pointer: string): readonly MemberSpec[] {
    const { members } = this.group;
    if (typeof wanted === 'number') {
      if (Number.isInteger(wanted) && wanted >= 0 && wanted <= members.length)
        return members.slice(members.length - wanted);
      throw refuse(pointer, `The group has ${members.length} members at this point; it cannot be ${wanted} of them.`);
    }
    const byId = new Map(members.map((member) => [member.id, member]));
    return [...new Set(wanted)].map((id, i) => {
      const member = byId.get(id);
      if (member === undefined)
        throw refuse(`${pointer}/${i}`, `No member "${id}" is in the group at this point; check the id.`);
      return member;
    });
  }

  private count(events: number, pointer: string): void {
    this.events += events;
    if (this.events > SIMULATION_LIMITS.events) {
      throw refuse(
        pointer,
        `The steps up to this one ask for more than ${SIMULATION_LIMITS.events} rebalances; use larger batches or fewer steps.`,
      );
    }
  }
}

function readTiming(given: Partial<Timing>): Timing {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (!(value >= 0 && value <= 86_400_000)) {
      errors.push({
        pointer: `/timing/${name}`,
        detail: 'A time is a number of milliseconds, from 0 up to a day (86400000).',
      });
    }
  }
  if (errors.length > 0) throw invalidRequest(summarize(errors), errors);
  return { ...DEFAULT_TIMING, ...given };
}

function sum(costs: readonly Cost[], peakLoad: number): Cost {
  const total = { rebalances: 0, moves: 0, forcedMoves: 0, partitionSecondsPaused: 0, peakLoad };
  for (const cost of costs) {
    total.rebalances += cost.rebalances;
    total.moves += cost.moves;
    total.forcedMoves += cost.forcedMoves;
    total.partitionSecondsPaused += cost.partitionSecondsPaused;
    total.peakLoad = Math.max(total.peakLoad, cost.peakLoad);
  }
  return total;
}

function ids(members: readonly MemberSpec[]): string[] {
  return members.map(({ id }) => id);
}

function seconds(partitions: number, milliseconds: number): number {
  return (partitions * milliseconds) / 1_000;
}

function refuse(pointer: string, detail: string): Error {
  const errors = [{ pointer, detail }];
  return invalidRequest(summarize(errors), errors);
}
