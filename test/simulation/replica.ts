import { AllotError } from '@allot/model';
import { resolveAssignor } from '@allot/strategies';
import {
  asClassicGroup,
  DEFAULT_GROUP_LIMITS,
  ExpiryGrace,
  GroupCoordinator,
} from '../../libs/coordinator/src/index.js';
import type {
  CoordinatorPorts,
  GroupRef,
  GroupStore,
  HeartbeatCommand,
  MemberAnswer,
  ResolveAssignor,
} from '../../libs/coordinator/src/index.js';
import {
  MemoryGroupStore,
  storeUnavailable,
  type MemoryDatabase,
  type StoreLink,
} from '../../libs/coordinator/test/support/memory-group-store.js';
import { ClassicCoordinator } from '../../libs/coordinator/src/classic/classic-coordinator.js';
import type {
  ClassicHeartbeatAnswer,
  JoinAnswer,
  SyncAnswer,
} from '../../libs/coordinator/src/classic/classic-coordinator.js';
import type { MemberRef } from '../../libs/coordinator/src/classic/membership.js';
import type { SyncCommand } from '../../libs/coordinator/src/classic/sync.js';
import type { Chance } from './chance.js';
import type { Faults, FromClassicMember } from './faults.js';
import type { Noise } from './schedule.js';
import type { Scheduler } from './scheduler.js';

export const REF: GroupRef = { cluster: 'default', groupId: 'g' };
export const ORIGIN = { actor: 'simulation' };

/** Time between two sweeps of a replica, and how long a call to a store that is away takes to fail. */
const SWEEP_MS = 1_000;
const GIVE_UP_MS = 400;
/** How often a request that waits is looked at again. */
const LOOK_MS = 150;
const LOOKS = 120;

export type ClassicRequest =
  | { readonly kind: 'classic-join'; readonly command: Parameters<ClassicCoordinator['join']>[1] }
  | { readonly kind: 'classic-sync'; readonly command: SyncCommand }
  | { readonly kind: 'classic-heartbeat'; readonly command: MemberRef & { readonly generation: number } };

export type Request =
  | ClassicRequest
  | { readonly kind: 'heartbeat'; readonly command: HeartbeatCommand }
  | {
      readonly kind: 'join';
      readonly command: Omit<HeartbeatCommand, 'memberId' | 'memberEpoch' | 'owned' | 'revision'>;
    }
  | { readonly kind: 'leave'; readonly memberId: string; readonly temporarily: boolean };

export type Reply =
  | { readonly answer: MemberAnswer }
  | { readonly left: true }
  | { readonly joined: JoinAnswer }
  | { readonly synced: SyncAnswer }
  | { readonly beaten: ClassicHeartbeatAnswer }
  /** It is not answered yet, and the worker may ask again. */
  | { readonly waits: true }
  | {
      readonly refused: string;
      readonly action: string;
      readonly retryAfterMs: number;
      readonly memberId?: string;
      readonly revision?: number;
    };

/** What all replicas have in common. */
export interface Surroundings {
  readonly protocol: 'consumer' | 'classic';
  readonly scheduler: Scheduler;
  readonly database: MemoryDatabase;
  readonly chance: Chance;
  readonly noise: () => Noise;
  readonly isStoreAway: () => boolean;
  readonly isAssignorBroken: () => boolean;
  readonly faults: Faults;
  /** An answer leaves a replica. @throws Error that says which promise it breaks. */
  readonly onAnswer: (answer: Pick<MemberAnswer, 'memberId' | 'validUntil' | 'revision'>) => void;
  /** Something happened that never may. */
  readonly fail: (error: unknown) => void;
}

/** One process of the service: the coordinator itself over a store with a memory of its own, and the sweeps that time asks for. */
export class Replica {
  cutFromStoreUntil = 0;
  #life = 0;
  #up = false;
  #sweeping = false;
  #ids = 0;
  #store!: GroupStore;
  #grace!: ExpiryGrace;

  constructor(
    readonly name: string,
    private readonly around: Surroundings,
    /** The rate of its monotonic clock. */
    private readonly rate: number,
  ) {}

  get isUp(): boolean {
    return this.#up;
  }

  start(): void {
    if (this.#up) return;
    const { database, faults, scheduler } = this.around;
    const life = ++this.#life;
    this.#up = true;
    this.#sweeping = false;
    const store = new MemoryGroupStore(database, this.#linkOf(life));
    this.#store = faults.store?.(store, database) ?? store;
    this.#grace = new ExpiryGrace(this.#clock(), DEFAULT_GROUP_LIMITS.minSessionTimeoutMs);
    scheduler.note(this.name, 'starts');
    this.#planSweep(life);
  }

  crash(): void {
    if (!this.#up) return;
    this.#up = false;
    this.#life++;
    this.around.scheduler.note(this.name, 'crashes');
  }

  /** Its reply, later; never when the replica crashes meanwhile. */
  handle(request: Request, reply: (reply: Reply) => void): void {
    const life = this.#life;
    if (!this.#up) return reply({ refused: 'CONNECTION_REFUSED', action: 'retry', retryAfterMs: 300 });
    this.around.scheduler.awaken();
    void this.#answer(request).then(
      (answered) => {
        if (life === this.#life) reply(answered);
      },
      (error: unknown) => this.around.fail(error),
    );
  }

  async #answer(request: Request): Promise<Reply> {
    try {
      switch (request.kind) {
        case 'leave':
          await this.#leave(request);
          return { left: true };
        case 'classic-join':
        case 'classic-sync':
        case 'classic-heartbeat':
          return await this.#answerClassic(request);
        case 'join':
        case 'heartbeat': {
          const answer =
            request.kind === 'join'
              ? await this.coordinator().join(REF, request.command, ORIGIN)
              : await this.coordinator(request.command).heartbeat(REF, request.command, ORIGIN);
          this.around.onAnswer(answer);
          return { answer };
        }
      }
    } catch (error) {
      if (!(error instanceof AllotError)) throw error;
      const { code, action, retryAfterMs = 1_000, facts } = error;
      const memberId = facts?.['memberId'];
      const revision = facts?.['revision'];
      return {
        ...{ refused: code, action, retryAfterMs },
        ...(typeof memberId === 'string' && { memberId }),
        ...(typeof revision === 'number' && { revision }),
      };
    }
  }

  /** With the fault of this run, if it has one. */
  #asHeard<R extends FromClassicMember>(request: R): R {
    const { faults, database } = this.around;
    return (faults.classicRequest?.(request, asClassicGroup(database.row(REF)?.group)) ?? request) as R;
  }

  async #leave(request: Request & { kind: 'leave' }): Promise<void> {
    const { memberId, temporarily } = this.around.protocol === 'classic' ? this.#asHeard(request) : request;
    if (this.around.protocol === 'consumer') {
      await this.coordinator().leave(REF, { memberId, temporarily }, ORIGIN);
      return;
    }
    // A static member of a classic group does not say that it leaves (KIP-345).
    if (!temporarily) await new ClassicCoordinator(this.#ports(this.#store)).leave(REF, [{ memberId }], ORIGIN);
  }

  /** Whoever must wait is looked after for a while, by what is committed. */
  async #answerClassic(sent: ClassicRequest): Promise<Reply> {
    const request = this.#asHeard(sent);
    const coordinator = new ClassicCoordinator(this.#ports(this.#store));
    if (request.kind === 'classic-heartbeat') {
      const beaten = await coordinator.heartbeat(REF, request.command, ORIGIN);
      this.around.onAnswer(beaten);
      return { beaten };
    }
    const joins = request.kind === 'classic-join';
    let told = joins
      ? await coordinator.join(REF, request.command, ORIGIN)
      : await coordinator.sync(REF, request.command, ORIGIN);
    for (let look = 0; told.kind === 'park'; look++) {
      if (look === LOOKS) return { waits: true };
      await this.around.scheduler.sleep(LOOK_MS);
      const { member } = told;
      const reading = await this.#store.read(REF);
      told = joins
        ? coordinator.reviewJoin(reading, member)
        : coordinator.reviewSync(reading, { ...member, generation: request.command.generation! });
    }
    this.around.onAnswer(told.answer);
    return joins ? { joined: told.answer as JoinAnswer } : { synced: told.answer as SyncAnswer };
  }

  /** The service's own code; `command` is told to a fault that is put into it. */
  coordinator(command?: HeartbeatCommand, store = this.#store): GroupCoordinator {
    const { faults } = this.around;
    const stepped =
      command === undefined || faults.step === undefined ? store : faults.step(store, command, this.#resolve);
    return new GroupCoordinator(this.#ports(stepped));
  }

  #ports(store: GroupStore): CoordinatorPorts {
    return {
      store,
      newMemberId: () => `${this.name}-${this.#life}-${++this.#ids}`,
      resolveAssignor: this.#resolve,
      limits: DEFAULT_GROUP_LIMITS,
    };
  }

  get store(): GroupStore {
    return this.#store;
  }

  readonly #resolve: ResolveAssignor = (name) => {
    const assignor = resolveAssignor(name);
    if (!this.around.isAssignorBroken()) return assignor;
    const assign = () => {
      throw new Error('the assignor is broken');
    };
    return { ...assignor, assign };
  };

  #clock(): number {
    return this.around.scheduler.now * this.rate;
  }

  #planSweep(life: number): void {
    this.around.scheduler.plan(SWEEP_MS / this.rate, () => {
      if (life !== this.#life) return;
      if (!this.#sweeping) {
        this.#sweeping = true;
        this.around.scheduler.awaken();
        void this.#sweep(life).catch((error: unknown) => this.around.fail(error));
      }
      this.#planSweep(life);
    });
  }

  async #sweep(life: number): Promise<void> {
    const { faults, fail } = this.around;
    const mayFence = () => {
      this.#grace.heard(this.#clock());
      return faults.noGrace === true || this.#grace.mayFence(this.#clock());
    };
    try {
      const { failures } = await this.coordinator().sweep(100, ORIGIN, { mayFence });
      if (life === this.#life) this.#grace.heard(this.#clock());
      for (const { error } of failures) if (!(error instanceof AllotError)) fail(error);
    } catch (error) {
      if (!(error instanceof AllotError)) throw error;
    } finally {
      if (life === this.#life) this.#sweeping = false;
    }
  }

  /** The way to the store and back: slow, or lost, as the noise of the run has it. A process that is gone does nothing any more. */
  #linkOf(life: number): StoreLink {
    const { scheduler, chance, noise, isStoreAway } = this.around;
    const isAway = () => isStoreAway() || scheduler.now < this.cutFromStoreUntil;
    const wait = () => (chance.happens(noise().slowCalls) ? scheduler.sleep(chance.between(1, 300)) : undefined);
    const check = (lost: number) => {
      if (life !== this.#life || isAway() || chance.happens(lost)) throw storeUnavailable();
    };
    return {
      request: async () => {
        await wait();
        if (isAway()) await scheduler.sleep(GIVE_UP_MS);
        check(noise().lostCalls);
      },
      commit: async () => {
        await wait();
        check(0);
        return chance.happens(noise().aborts) ? 'abort' : 'commit';
      },
      answer: async () => {
        await wait();
        check(noise().lostCommits);
      },
    };
  }
}
