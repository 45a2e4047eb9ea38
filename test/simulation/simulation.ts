import { AllotError, sameAssignment } from '@allot/model';
import {
  groupState,
  isClassic,
  foldRebalances,
  withoutEpochs,
  type Catalog,
  type CatalogTopic,
  type GroupReading,
  type GroupSettingsChange,
  type Subscription,
} from '../../libs/coordinator/src/index.js';
import { checkTold } from '../../libs/coordinator/test/support/exploration-invariants.js';
import { MemoryDatabase, MemoryGroupStore } from '../../libs/coordinator/test/support/memory-group-store.js';
import { Chance } from './chance.js';
import { NO_FAULTS, type Faults } from './faults.js';
import { Monitor } from './monitor.js';
import { ORIGIN, REF, Replica, type Reply, type Request } from './replica.js';
import { ASSIGNORS, QUIET, type Noise, type Perturbation, type Schedule } from './schedule.js';
import { Scheduler } from './scheduler.js';
import { DRIFT, type Belief, type Process } from './process.js';
import { ClassicWorker } from './classic-worker.js';
import { Worker } from './worker.js';

export interface Outcome {
  /** The first broken promise. */
  readonly violation?: string;
  readonly hash: number;
  readonly events: number;
  readonly commits: number;
  /** How long after the last trouble the group was stable, ms; absent after a violation. */
  readonly settledAfterMs?: number;
  readonly trace?: readonly string[];
}

/** The store's clock begins here. */
const EPOCH = 1_800_000_000_000;
const VERIFY_MS = 1_500;
/** The longest that a message is on its way. */
const LATEST_MS = 8_000;
const LONGEST_SESSION_MS = 12_000;
/** A store that was away for longer than this was away for every sweep (`OUTAGE_MS` and the time between two). */
const LONG_OUTAGE_MS = 5_500;
/** Of the grace after it: a replica that started meanwhile gives as much at least. */
const SURE_GRACE_MS = 4_000;

/** Runs a schedule: trouble first, then quiet, in which everything must come to rest. */
export async function simulate(
  schedule: Schedule,
  options: { readonly faults?: Faults; readonly trace?: boolean } = {},
): Promise<Outcome> {
  const simulation = new Simulation(schedule, options.faults ?? NO_FAULTS, options.trace ?? false);
  return simulation.run();
}

class Simulation {
  readonly #schedule: Schedule;
  readonly #protocol: 'consumer' | 'classic';
  readonly #scheduler: Scheduler;
  readonly #chance: Chance;
  readonly #monitor = new Monitor();
  readonly #database: MemoryDatabase;
  readonly #replicas: readonly Replica[];
  readonly #workers: readonly Process[];
  readonly #cutOff = new Map<Process, number>();
  #catalog: Catalog = { revision: 1, topics: new Map() };
  #noise: Noise;
  #topicIds = 0;
  #storeAwayUntil = 0;
  #assignorBrokenUntil = 0;
  #violation: string | undefined;

  constructor(schedule: Schedule, faults: Faults, trace: boolean) {
    this.#schedule = schedule;
    this.#protocol = schedule.protocol ?? 'consumer';
    this.#noise = schedule.noise;
    const scheduler = (this.#scheduler = new Scheduler({ trace }));
    const clocks = new Chance(schedule.seed, 'clocks');
    const rate = () => clocks.real(1 - DRIFT, 1 + DRIFT);
    const storeRate = rate();
    this.#chance = new Chance(schedule.seed, 'network');
    this.#database = new MemoryDatabase({
      now: () => Math.floor(EPOCH + scheduler.now * storeRate),
      catalogOf: () => this.#catalog,
      onCommit: (commit) => {
        const { change, after } = commit;
        scheduler.note('commit', change?.revision ?? 'same', change?.cause ?? '', after?.groupEpoch ?? 'deleted');
        this.#guard(() => this.#monitor.onCommit(commit, scheduler.now));
      },
    });
    const fail = (error: unknown) => this.#fail(error);
    const around = {
      ...{ scheduler, database: this.#database, faults, fail, protocol: this.#protocol },
      chance: new Chance(schedule.seed, 'store'),
      noise: () => this.#noise,
      isStoreAway: () => scheduler.now < this.#storeAwayUntil,
      isAssignorBroken: () => scheduler.now < this.#assignorBrokenUntil,
      onAnswer: (answer: Parameters<Monitor['checkAnswer']>[0]) => {
        this.#guard(() => this.#monitor.checkAnswer(answer, this.#database));
      },
    };
    this.#replicas = Array.from({ length: schedule.replicas }, (_, i) => new Replica(`r${i}`, around, rate()));
    this.#workers = Array.from({ length: schedule.workers }, (_, i) => this.#newWorker(i, rate(), faults));
    schedule.topics.forEach((partitions, i) => this.#setTopic(`t${i}`, partitions));
  }

  #newWorker(i: number, rate: number, faults: Faults): Process {
    const { seed, statics, rebalanceTimeoutMs } = this.#schedule;
    const chance = new Chance(seed, `worker ${i}`);
    const habits = {
      ...{ name: `w${i}`, rate, rebalanceTimeoutMs, takesId: chance.happens(0.2) },
      ...(i < statics && { instanceId: `i${i}` }),
      whenTimeIsOver: chance.happens(0.5) ? ('keeps' as const) : ('drops' as const),
      lingers: chance.pick([0, 0.3, 0.8]),
      subscription: this.#subscription(chance.between(0, 999)),
    };
    const scheduler = this.#scheduler;
    const send = this.#send.bind(this);
    const fail = (error: unknown) => this.#fail(error);
    const around = { scheduler, chance, send, faults: faults.worker ?? {}, fail };
    return this.#protocol === 'classic'
      ? new ClassicWorker(habits, around, this.#schedule.assignor.endsWith('sticky'))
      : new Worker(habits, around);
  }

  #subscription(choice: number): Subscription {
    const all: readonly Subscription[] = [
      { topics: ['t0'] },
      { topics: ['t0', 't1'] },
      { topics: ['t1', 't0'] },
      { topics: [], pattern: 't.*' },
    ];
    return all[choice % all.length]!;
  }

  async run(): Promise<Outcome> {
    const { perturbations, sessionTimeoutMs } = this.#schedule;
    const scheduler = this.#scheduler;
    const { heartbeatIntervalMs, assignor } = this.#schedule;
    for (const replica of this.#replicas) replica.start();
    const times = { sessionTimeoutMs, heartbeatIntervalMs, assignmentIntervalMs: 0 };
    const settings = { ...times, type: this.#protocol, assignors: [assignor] };
    this.#operate((replica) =>
      replica.coordinator(undefined, new MemoryGroupStore(this.#database)).putGroup(REF, settings, ORIGIN),
    );
    this.#workers.forEach((worker, i) => scheduler.plan(20 + 40 * i, () => worker.start()));
    this.#workers.forEach((worker, i) => this.#planVerify(worker, new Chance(this.#schedule.seed, `verify ${i}`)));
    let quietAt = 2_500;
    for (const perturbation of perturbations) {
      quietAt = Math.max(quietAt, perturbation.at + perturbation.forMs);
      scheduler.plan(perturbation.at, () => this.#perturb(perturbation));
    }
    await this.#runUntil(quietAt);
    this.#calm();
    const settledAfterMs = await this.#settle(quietAt);
    const { hash, events, trace } = scheduler;
    return {
      ...(this.#violation !== undefined && { violation: this.#violation }),
      ...{ hash, events, commits: this.#monitor.commits },
      ...(settledAfterMs !== undefined && this.#violation === undefined && { settledAfterMs }),
      ...(trace !== undefined && { trace }),
    };
  }

  async #runUntil(until: number): Promise<void> {
    const stop = new Error('stop');
    try {
      await this.#scheduler.run(until, () => {
        this.#guard(() => this.#monitor.checkWorkers(this.#workers));
        if (this.#violation !== undefined) throw stop;
      });
    } catch (error) {
      if (error !== stop) throw error;
    }
  }

  #guard(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#violation ??= message;
    this.#scheduler.note('VIOLATION', message);
  }

  /** From here on nothing goes wrong any more, and everybody is there. */
  #calm(): void {
    this.#scheduler.note('quiet');
    this.#noise = QUIET;
    this.#storeAwayUntil = this.#assignorBrokenUntil = 0;
    this.#cutOff.clear();
    for (const replica of this.#replicas) {
      replica.cutFromStoreUntil = 0;
      replica.start();
    }
    for (const worker of this.#workers) {
      worker.resume();
      worker.start();
    }
    void this.#liftHolds().catch((error: unknown) => {
      // Who was drained may have gone by itself.
      if (!(error instanceof AllotError)) this.#fail(error);
    });
    this.#scheduler.awaken();
  }

  /** What an operator holds back stays so until the operator lets it go. */
  async #liftHolds(): Promise<void> {
    const operator = this.#replicas[0]!.coordinator(undefined, new MemoryGroupStore(this.#database));
    const { group } = this.#monitor;
    if (group === undefined || isClassic(group)) return;
    await operator.putGroup(REF, { frozen: false, autoFreeze: null }, ORIGIN);
    for (const { memberId, draining } of group.members.values()) {
      if (draining) await operator.drain(REF, { memberId, canceled: true }, ORIGIN);
    }
  }

  /** Within two sessions everybody must be at its place, and stay there. */
  async #settle(quietAt: number): Promise<number | undefined> {
    // Sessions may have been longer before, and a message may be late for as long as they may be.
    const session = Math.max(this.#monitor.group?.settings.sessionTimeoutMs ?? 0, LONGEST_SESSION_MS);
    const latest = quietAt + 2 * session + LATEST_MS;
    let after: number | undefined;
    for (let at = quietAt; at < latest && this.#violation === undefined; at += 250) {
      await this.#runUntil(at + 250);
      if (this.#unsettled() !== undefined) after = undefined;
      else after ??= at + 250 - quietAt;
      if (after !== undefined && at + 250 - quietAt - after >= LATEST_MS) break;
    }
    if (this.#violation !== undefined) return undefined;
    if (after === undefined) this.#fail(new Error(`it does not settle: ${this.#unsettled()}`));
    await this.#checkHistory();
    return after;
  }

  /** What keeps the group from rest. */
  #unsettled(): string | undefined {
    const { group } = this.#monitor;
    if (group === undefined) return 'there is no group';
    const state = groupState(group);
    if (state !== 'STABLE') return `it is ${state}`;
    if (group.members.size !== this.#workers.length) return `${group.members.size} members`;
    for (const { memberId, held, isWorking, habits } of this.#workers) {
      const member = memberId === undefined ? undefined : group.members.get(memberId);
      if (member === undefined) return `${habits.name} is no member`;
      if (!isWorking) return `${habits.name} does not work`;
      if (!sameAssignment(held, withoutEpochs(member.assigned))) return `${habits.name} does not know its assignment`;
    }
    for (const [topic, { partitions }] of group.subscribedTopics) {
      const held = this.#workers.reduce((sum, worker) => sum + (worker.held.get(topic)?.length ?? 0), 0);
      if (held !== partitions) return `${held} of ${partitions} partitions of ${topic} are worked on`;
    }
    const expected = [...this.#catalog.topics.values()].filter(({ name }) => {
      return this.#workers.some(
        ({ subscription: { topics, pattern } }) => pattern !== undefined || topics.includes(name),
      );
    });
    for (const { name, partitions } of expected) {
      if (group.subscribedTopics.get(name)?.partitions !== partitions) return `it has not seen ${name} as it is`;
    }
    return undefined;
  }

  /** The changes alone, from the first on, tell the group as it is. */
  async #checkHistory(): Promise<void> {
    const store = new MemoryGroupStore(this.#database);
    const { changes } = await store.changesSince(REF, 0, 100_000);
    this.#guard(() => {
      checkTold(new Map(), changes, this.#monitor.group!);
      if (foldRebalances(changes).at(-1)?.outcome === 'running')
        throw new Error('a rebalance never ended by its history');
    });
  }

  #send(worker: Process, request: Request, reply: (reply: Reply) => void): void {
    const chance = this.#chance;
    const noise = this.#noise;
    const delay = () => (chance.happens(noise.lateMessages) ? chance.between(300, LATEST_MS) : chance.between(1, 20));
    const isCut = () => this.#scheduler.now < (this.#cutOff.get(worker) ?? 0);
    const copies = chance.happens(noise.repeatedRequests) ? 2 : 1;
    const replica = chance.pick(this.#replicas);
    for (let copy = 0; copy < copies; copy++) {
      if (isCut() || chance.happens(noise.lostRequests)) continue;
      this.#scheduler.plan(delay(), () => {
        if (this.#isOfNobody(worker, request)) return;
        this.#scheduler.note(worker.habits.name, request.kind, replica.name);
        replica.handle(request, (answered) => {
          if (isCut() || chance.happens(this.#noise.lostAnswers)) return;
          this.#scheduler.plan(delay(), () => reply(answered));
        });
      });
    }
  }

  /**
   * A first request of a process that is gone, which nobody has heard of, cannot be told from one of a process that starts now: in a classic
   * group it takes the instance id over. Whoever wants to be safe from that asks for `oldest-wins`; here it gets lost.
   */
  #isOfNobody(worker: Process, request: Request): boolean {
    if (request.kind !== 'classic-join') return false;
    const { memberId, instanceId, newMemberId = '' } = request.command;
    if (memberId !== undefined || instanceId === undefined || worker.wanted === newMemberId) return false;
    return !this.#monitor.wasReplaced(instanceId, newMemberId);
  }

  /** Now and then a worker, or what is left of one, checks whether it may write. */
  #planVerify(worker: Process, chance: Chance): void {
    this.#scheduler.plan(chance.between(VERIFY_MS / 2, 2 * VERIFY_MS), () => {
      this.#planVerify(worker, chance);
      const replica = chance.pick(this.#replicas);
      if (!replica.isUp || worker.beliefs.length === 0) return;
      const isLast = chance.happens(0.5);
      const belief = isLast ? worker.beliefs.at(-1)! : chance.pick(worker.beliefs);
      this.#scheduler.awaken();
      void this.#verify(replica, worker, belief).catch((error: unknown) => this.#fail(error));
    });
  }

  async #verify(replica: Replica, worker: Process, belief: Belief): Promise<void> {
    let read: GroupReading | undefined;
    const { memberId, memberEpoch, held } = belief;
    const until = worker.isWorking ? worker.deadline : -Infinity;
    const store = Object.assign(Object.create(replica.store) as typeof replica.store, {
      read: async () => {
        read = await replica.store.read(REF);
        return read;
      },
    });
    try {
      const claim = { memberId, memberEpoch, partitions: held };
      const verdict = await replica.coordinator(undefined, store).verifyOwnership(REF, claim);
      // All the time from before the question to after the answer, by what it was told before.
      const isRight = worker.isWorking && worker.held === held && worker.memberId === memberId && worker.clock < until;
      const granted = verdict.reasons.length === 0;
      this.#scheduler.note(worker.habits.name, 'verifies', granted ? 'yes' : verdict.reasons[0]!.code);
      if (read !== undefined) this.#monitor.checkVerdict(belief, granted, read, isRight);
    } catch (error) {
      if (!(error instanceof AllotError)) throw error;
    }
  }

  #operate(act: (replica: Replica) => Promise<unknown>): void {
    const replica = this.#replicas.find(({ isUp }) => isUp);
    if (replica === undefined) return;
    this.#scheduler.awaken();
    void act(replica).catch((error: unknown) => {
      if (!(error instanceof AllotError)) this.#fail(error);
    });
  }

  #setTopic(name: string, partitions: number | undefined): void {
    const topics = new Map<string, CatalogTopic>(this.#catalog.topics);
    const id = topics.get(name)?.id ?? String(++this.#topicIds).padStart(22, 'A');
    if (partitions === undefined) topics.delete(name);
    else topics.set(name, { name, id, partitions });
    this.#catalog = { revision: this.#catalog.revision + 1, topics };
  }

  #perturb({ kind, who, forMs, choice }: Perturbation): void {
    const scheduler = this.#scheduler;
    const worker = this.#workers[who % this.#workers.length]!;
    const replica = this.#replicas[who % this.#replicas.length]!;
    const topic = `t${who % 2}`;
    const until = scheduler.now + forMs;
    scheduler.note('>', kind, who, forMs);
    switch (kind) {
      case 'worker-pauses':
        worker.pause();
        return scheduler.plan(forMs, () => worker.resume());
      case 'worker-crashes':
        worker.crash();
        return scheduler.plan(forMs, () => worker.start());
      case 'worker-leaves':
      case 'worker-leaves-for-a-while':
        worker.leave(kind !== 'worker-leaves' && worker.habits.instanceId !== undefined);
        return scheduler.plan(forMs, () => worker.start());
      case 'worker-starts-over': {
        const { memberId, running } = worker;
        worker.crash();
        return worker.start(running ? memberId : undefined);
      }
      case 'worker-is-cut-off':
        return void this.#cutOff.set(worker, until);
      case 'worker-subscribes':
        return worker.subscribe(this.#subscription(choice));
      case 'replica-crashes':
        replica.crash();
        return scheduler.plan(forMs, () => replica.start());
      case 'replica-loses-the-store':
        replica.cutFromStoreUntil = until;
        return;
      case 'store-is-away':
        return this.#takeStoreAway(until, forMs);
      case 'topic-grows': {
        const partitions = this.#catalog.topics.get(topic)?.partitions;
        return partitions === undefined || partitions > 5 ? undefined : this.#setTopic(topic, partitions + 1);
      }
      case 'topic-appears':
        return this.#catalog.topics.has(topic) ? undefined : this.#setTopic(topic, 1 + (choice % 3));
      case 'topic-goes':
        return this.#catalog.topics.has(topic) ? this.#setTopic(topic, undefined) : undefined;
      case 'settings-change':
        return this.#operate((up) =>
          up.coordinator().putGroup(REF, { type: this.#protocol, ...settingsOf(choice) }, ORIGIN),
        );
      case 'assignor-fails':
        this.#assignorBrokenUntil = until;
        return;
      case 'group-freezes':
        if (this.#protocol === 'classic') return;
        this.#operate((up) => up.coordinator().putGroup(REF, { frozen: true }, ORIGIN));
        return scheduler.plan(forMs, () => {
          this.#operate((up) => up.coordinator().putGroup(REF, { frozen: false }, ORIGIN));
        });
      case 'worker-is-drained': {
        const { memberId } = worker;
        if (memberId === undefined) return;
        this.#operate((up) => up.coordinator().drain(REF, { memberId }, ORIGIN));
        return scheduler.plan(forMs, () => {
          this.#operate((up) => up.coordinator().drain(REF, { memberId, canceled: true }, ORIGIN));
        });
      }
      case 'group-is-deleted':
        return this.#operate((up) => up.coordinator().deleteGroup(REF));
    }
  }

  #takeStoreAway(until: number, forMs: number): void {
    this.#storeAwayUntil = Math.max(this.#storeAwayUntil, until);
    if (forMs >= LONG_OUTAGE_MS) this.#scheduler.plan(forMs, () => this.#monitor.noteOutage(until + SURE_GRACE_MS));
  }
}

function settingsOf(choice: number): GroupSettingsChange {
  const all: readonly GroupSettingsChange[] = [
    { sessionTimeoutMs: 6_000 },
    { sessionTimeoutMs: 12_000 },
    { sessionTimeoutMs: 8_000, heartbeatIntervalMs: 1_500 },
    { assignmentIntervalMs: 2_000 },
    { rebalanceTimeoutMs: 4_000 },
    { staticPolicy: 'newest-wins' },
    { staticPolicy: 'oldest-wins', onInstanceConflict: 'stop' },
    { initialDelayMs: 1_500 },
    { moveBudget: 1 },
    { autoFreeze: { share: 0.4, minMembers: 3 } },
    { assignmentIntervalMs: 2_500, assignmentIntervalFromMembers: 2 },
  ];
  const assignors = { assignors: [ASSIGNORS[choice % ASSIGNORS.length]!] };
  return choice % 3 === 0 ? assignors : all[choice % all.length]!;
}
