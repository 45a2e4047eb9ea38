import { intersectAssignment, subtractAssignment, unionAssignment, type Assignment } from '@allot/model';
import type { HeartbeatCommand, MemberAnswer, Subscription } from '../../libs/coordinator/src/index.js';
import type { Chance } from './chance.js';
import type { WorkerFaults } from './faults.js';
import type { Reply, Request } from './replica.js';
import type { Scheduler } from './scheduler.js';

/** The most that a clock may run too fast or too slow, the store's included, and what a worker keeps in hand beside it. */
export const DRIFT = 0.01;
const MARGIN_MS = 20;

/** How long a worker waits for an answer before it asks again, on its own clock. */
const TIMEOUT_MS = 1_500;

const NOTHING: Assignment = new Map();

/** What a worker believed to hold after some answer: a claim that a zombie may still make much later. */
export interface Belief {
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly revision: number;
  readonly held: Assignment;
}

export interface WorkerHabits {
  readonly name: string;
  readonly instanceId?: string;
  /** Rate of its monotonic clock, within the allowed drift. */
  readonly rate: number;
  readonly rebalanceTimeoutMs: number;
  /** What becomes of what it holds when its time is over: it waits for an answer with it, or lets go of it. */
  readonly whenTimeIsOver: 'keeps' | 'drops';
  /** It lets the service make its member id. */
  readonly takesId: boolean;
  /** Goes on with what it must give up for a while: finishes what is in flight. */
  readonly lingers: number;
  readonly subscription: Subscription;
}

export interface WorkerSurroundings {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly send: (worker: Worker, request: Request, reply: (reply: Reply) => void) => void;
  readonly faults: WorkerFaults;
  readonly fail: (error: unknown) => void;
}

interface Asked {
  readonly sentAt: number;
  readonly owned: Assignment | undefined;
  readonly subscription: Subscription;
  readonly joins: boolean;
}

/** A worker that follows docs/workers.md to the letter, whatever happens to it. */
export class Worker {
  subscription: Subscription;
  memberId: string | undefined;
  memberEpoch = 0;
  revision = 0;
  /** What it works on while its time lasts. */
  held: Assignment = NOTHING;
  /** End of its time, on its own clock. */
  deadline = -Infinity;
  running = false;
  paused = false;
  readonly beliefs: Belief[] = [];
  #heartbeatMs = 1_000;
  /** Counts processes: what one of them planned is nothing to the next. */
  #life = 0;
  #asked: Asked | undefined;
  #tick = 0;
  #revoking: Assignment = NOTHING;
  #lingering = false;
  #announces = false;
  /** It has let go of something since the last answer, and says so until the next. */
  #letGo = false;
  #backlog: (() => void)[] = [];

  constructor(
    readonly habits: WorkerHabits,
    private readonly around: WorkerSurroundings,
  ) {
    this.subscription = habits.subscription;
  }

  get clock(): number {
    return this.around.scheduler.now * this.habits.rate;
  }

  /** Whether it touches data right now. A process that is frozen does not. */
  get isWorking(): boolean {
    return this.running && !this.paused && this.clock < this.deadline;
  }

  start(memberId?: string): void {
    if (this.running) return;
    this.#life++;
    this.running = true;
    this.paused = false;
    this.#backlog = [];
    this.memberId = memberId ?? (this.habits.takesId ? undefined : `${this.habits.name}.${this.#life}`);
    this.#forget();
    this.revision = 0;
    this.#note('starts');
    this.#beat();
  }

  /** The process ends, as by kill -9. */
  crash(): void {
    if (!this.running) return;
    this.#life++;
    this.running = false;
    this.#forget();
    this.#note('ends');
  }

  pause(): void {
    if (!this.running || this.paused) return;
    this.paused = true;
    this.#note('freezes');
  }

  /** Everything that came meanwhile is there at once. */
  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.#note('thaws');
    for (const late of this.#backlog.splice(0)) late();
  }

  /** Drops everything, says so, and ends; nobody checks whether it was heard. */
  leave(temporarily: boolean): void {
    const { memberId } = this;
    if (!this.running || this.paused || memberId === undefined) return;
    this.crash();
    this.around.send(this, { kind: 'leave', memberId, temporarily }, () => {});
  }

  subscribe(subscription: Subscription): void {
    this.subscription = subscription;
    this.#announces = true;
  }

  #note(what: string): void {
    this.around.scheduler.note(this.habits.name, what);
  }

  #forget(): void {
    this.memberEpoch = 0;
    this.held = NOTHING;
    this.deadline = -Infinity;
    this.#asked = undefined;
    this.#revoking = NOTHING;
    this.#lingering = false;
  }

  /** Runs `act` after `ms` of its own clock, in this process, and not while it is frozen. */
  #later(ms: number, act: () => void): void {
    const life = this.#life;
    this.around.scheduler.plan(ms / this.habits.rate, () => this.#whenRunning(life, act));
  }

  #whenRunning(life: number, act: () => void): void {
    if (life !== this.#life) return;
    if (this.paused) this.#backlog.push(() => life === this.#life && act());
    else act();
  }

  #beatIn(ms: number): void {
    const tick = ++this.#tick;
    this.#later(ms, () => {
      if (tick === this.#tick) this.#beat();
    });
  }

  #beat(): void {
    if (this.#asked !== undefined) return;
    if (this.clock >= this.deadline && this.habits.whenTimeIsOver === 'drops' && this.held.size > 0) {
      this.held = NOTHING;
      this.#letGo = true;
    }
    const request = this.#request();
    const owned = request.kind === 'heartbeat' ? request.command.owned : undefined;
    const asked = { sentAt: this.clock, owned, subscription: this.subscription, joins: this.memberEpoch === 0 };
    this.#asked = asked;
    const life = this.#life;
    this.around.send(this, request, (reply) => {
      this.#whenRunning(life, () => {
        // An answer that was given up is an answer that did not come.
        if (this.#asked !== asked) return;
        this.#asked = undefined;
        this.#follow(reply, asked);
      });
    });
    this.#later(TIMEOUT_MS, () => {
      if (this.#asked !== asked) return;
      this.#asked = undefined;
      this.#beat();
    });
  }

  #request(): Request {
    const { subscription, memberId, memberEpoch, revision } = this;
    const { instanceId, rebalanceTimeoutMs } = this.habits;
    const described = { rebalanceTimeoutMs, ...(instanceId !== undefined && { instanceId }) };
    if (memberId === undefined) return { kind: 'join', command: { ...described, subscription } };
    // Epoch 0 joins, also after an answer that brought no other: there is no target yet.
    const joins = memberEpoch === 0;
    const silent = this.around.chance.happens(0.05) && !this.#letGo;
    const command: HeartbeatCommand = {
      ...{ ...described, memberId, memberEpoch, revision },
      ...(!joins && !silent && { owned: this.held }),
      ...((joins || this.#announces) && { subscription }),
    };
    return { kind: 'heartbeat', command };
  }

  #follow(reply: Reply, asked: Asked): void {
    if ('answer' in reply) return this.#take(reply.answer, asked);
    if ('left' in reply) return;
    const { refused, action, retryAfterMs } = reply;
    this.#note(refused);
    switch (action) {
      case 'rejoin':
        if (asked.joins) return this.around.fail(new Error(`${this.habits.name} cannot get in: ${refused}`));
        this.#forget();
        return this.#beatIn(this.around.chance.between(1, 200));
      case 'retry':
        return this.#beatIn(retryAfterMs);
      case 'stop':
        this.crash();
        return this.around.scheduler.plan(2_000, () => this.start());
      default:
        this.around.fail(new Error(`${this.habits.name} is told to ${action}: ${refused}`));
    }
  }

  #take(answer: MemberAnswer, { sentAt, owned, subscription }: Asked): void {
    const { faults, chance } = this.around;
    const told = answer.assignment ?? owned ?? NOTHING;
    const validMs = Math.min(answer.validUntil - answer.now, answer.sessionTimeoutMs);
    const from = faults.countsFromArrival ? this.clock : sentAt;
    const share = faults.trustsItsClock ? 1 : 1 - 2 * DRIFT;
    this.deadline = from + validMs * share - (faults.trustsItsClock ? 0 : MARGIN_MS);
    this.memberId = answer.memberId;
    this.memberEpoch = answer.memberEpoch;
    this.revision = answer.revision;
    this.#heartbeatMs = answer.heartbeatIntervalMs;
    // Unless it has changed since.
    if (subscription === this.subscription) this.#announces = false;
    this.#letGo = false;
    this.#revoking = answer.revoking;
    const toDrop = intersectAssignment(this.held, answer.revoking);
    const mustDrop = toDrop.size > 0 && !this.#lingering;
    if (mustDrop && chance.happens(this.habits.lingers)) this.#linger();
    this.held = this.#lingering ? unionAssignment(told, toDrop) : told;
    const { memberId, memberEpoch, revision } = answer;
    this.beliefs.push({ memberId, memberEpoch, revision, held: this.held });
    if (this.beliefs.length > 6) this.beliefs.shift();
    this.#note(`${answer.memberEpoch} ${answer.state} ${answer.revision}`);
    this.#beatIn(mustDrop && !this.#lingering ? chance.between(1, 50) : this.#heartbeatMs);
  }

  #linger(): void {
    this.#lingering = true;
    this.#later(this.around.chance.between(100, 4_000), () => {
      if (!this.#lingering) return;
      this.#lingering = false;
      this.held = subtractAssignment(this.held, this.#revoking);
      this.#letGo = true;
      this.#beatIn(1);
    });
  }
}
