import type { Assignment } from '@allot/model';
import type { Subscription } from '../../libs/coordinator/src/index.js';
import type { Chance } from './chance.js';
import type { WorkerFaults } from './faults.js';
import type { Reply, Request } from './replica.js';
import type { Scheduler } from './scheduler.js';

/** The most that a clock may run too fast or too slow, the store's included, and what a worker keeps in hand beside it. */
export const DRIFT = 0.01;
const MARGIN_MS = 20;

/** How long a worker waits for an answer before it asks again, on its own clock. */
const TIMEOUT_MS = 1_500;

export const NOTHING: Assignment = new Map();

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
  readonly send: (worker: Process, request: Request, reply: (reply: Reply) => void) => void;
  readonly faults: WorkerFaults;
  readonly fail: (error: unknown) => void;
}

/** When an answer says until when its member may work: database time, ms. */
interface Validity {
  readonly validUntil: number;
  readonly now: number;
  readonly sessionTimeoutMs: number;
}

/** A worker as a process that starts, ends, freezes and thaws, with a clock of its own; what it says is up to its protocol. */
export abstract class Process {
  subscription: Subscription;
  memberId: string | undefined;
  /** The id that it asks for while it has none, in a classic group. */
  wanted = '';
  /** What it works on while its time lasts. */
  held: Assignment = NOTHING;
  /** End of its time, on its own clock. */
  deadline = -Infinity;
  running = false;
  paused = false;
  readonly beliefs: Belief[] = [];
  /** Counts processes: what one of them planned is nothing to the next. */
  #life = 0;
  #asked: object | undefined;
  #tick = 0;
  #backlog: (() => void)[] = [];

  constructor(
    readonly habits: WorkerHabits,
    protected readonly around: WorkerSurroundings,
  ) {
    this.subscription = habits.subscription;
  }

  /** Says what comes next. */
  protected abstract beat(): void;
  /** Holds nothing and is nobody, as a new process. */
  protected abstract reset(): void;
  protected abstract makeId(life: number): string | undefined;
  abstract subscribe(subscription: Subscription): void;

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
    this.memberId = memberId ?? this.makeId(this.#life);
    this.forget();
    this.reset();
    this.note('starts');
    this.beat();
  }

  /** The process ends, as by kill -9. */
  crash(): void {
    if (!this.running) return;
    this.#life++;
    this.running = false;
    this.forget();
    this.note('ends');
  }

  pause(): void {
    if (!this.running || this.paused) return;
    this.paused = true;
    this.note('freezes');
  }

  /** Everything that came meanwhile is there at once. */
  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.note('thaws');
    for (const late of this.#backlog.splice(0)) late();
  }

  /** Drops everything, says so, and ends; nobody checks whether it was heard. */
  leave(temporarily: boolean): void {
    const { memberId } = this;
    if (!this.running || this.paused || memberId === undefined) return;
    this.crash();
    this.around.send(this, { kind: 'leave', memberId, temporarily }, () => {});
  }

  protected note(what: string): void {
    this.around.scheduler.note(this.habits.name, what);
  }

  /** Drops everything. */
  protected forget(): void {
    this.held = NOTHING;
    this.deadline = -Infinity;
    this.#asked = undefined;
  }

  /** The rule of docs/workers.md: its time runs from when it asked. */
  protected workUntil({ validUntil, now, sessionTimeoutMs }: Validity, sentAt: number): void {
    const { faults } = this.around;
    const validMs = Math.min(validUntil - now, sessionTimeoutMs);
    const from = faults.countsFromArrival ? this.clock : sentAt;
    const share = faults.trustsItsClock ? 1 : 1 - 2 * DRIFT;
    this.deadline = from + validMs * share - (faults.trustsItsClock ? 0 : MARGIN_MS);
  }

  protected believe(belief: Belief): void {
    this.beliefs.push(belief);
    if (this.beliefs.length > 6) this.beliefs.shift();
  }

  /** Runs `act` after `ms` of its own clock, in this process, and not while it is frozen. */
  protected later(ms: number, act: () => void): void {
    const life = this.#life;
    this.around.scheduler.plan(ms / this.habits.rate, () => this.#whenRunning(life, act));
  }

  #whenRunning(life: number, act: () => void): void {
    if (life !== this.#life) return;
    if (this.paused) this.#backlog.push(() => life === this.#life && act());
    else act();
  }

  protected beatIn(ms: number): void {
    const tick = ++this.#tick;
    this.later(ms, () => {
      if (tick === this.#tick) this.beat();
    });
  }

  protected get isAsking(): boolean {
    return this.#asked !== undefined;
  }

  /** Asks, and asks again when nothing comes. An answer that was given up is an answer that did not come. */
  protected ask(request: Request, follow: (reply: Reply, sentAt: number) => void, timeoutMs = TIMEOUT_MS): void {
    const sentAt = this.clock;
    const asked = {};
    this.#asked = asked;
    const life = this.#life;
    this.around.send(this, request, (reply) => {
      this.#whenRunning(life, () => {
        if (this.#asked !== asked) return;
        this.#asked = undefined;
        follow(reply, sentAt);
      });
    });
    this.later(timeoutMs, () => {
      if (this.#asked !== asked) return;
      this.#asked = undefined;
      this.beat();
    });
  }

  /** Ends, to be started again by whoever looks after it. */
  protected stop(): void {
    this.crash();
    this.around.scheduler.plan(2_000, () => this.start());
  }
}
