import { subtractAssignment, type Assignment } from '@allot/model';
import type { ClassicMember } from '../../libs/coordinator/src/index.js';
import type { JoinAnswer, SyncAnswer } from '../../libs/coordinator/src/classic/classic-coordinator.js';
import type { Subscription } from '../../libs/coordinator/src/index.js';
import { NOTHING, Process, type WorkerHabits, type WorkerSurroundings } from './process.js';
import type { ClassicRequest, Reply } from './replica.js';

type Stage = 'join' | 'sync' | 'heartbeat';

/** A worker of a classic group: joins, asks for its assignment, beats, and joins again when it is told to. Eager or cooperative. */
export class ClassicWorker extends Process {
  #stage: Stage = 'join';
  #generation = -1;
  /** The highest that it was told. */
  #revision = 0;
  #ids = 0;
  #heartbeatMs = 1_000;
  #leads: readonly ClassicMember[] | undefined;
  /** With which it joined. */
  #told: Subscription | undefined;

  constructor(
    habits: WorkerHabits,
    around: WorkerSurroundings,
    /** As all of its group, or they would have no assignor in common. */
    private readonly isCooperative: boolean,
  ) {
    super(habits, around);
  }

  /** The service makes the ids of classic members (KIP-394). */
  protected makeId(): string | undefined {
    return undefined;
  }

  subscribe(subscription: Subscription): void {
    this.subscription = subscription;
    if (this.running && this.memberId !== undefined) this.#joinAgain();
  }

  protected reset(): void {
    this.#generation = -1;
    this.#revision = 0;
    this.#stage = 'join';
    this.#want();
  }

  #want(): void {
    this.wanted = `${this.habits.name}.${++this.#ids}`;
  }

  protected beat(): void {
    if (this.isAsking) return;
    // What it let go of nobody tells it of again: it joins, and says so.
    if (this.clock >= this.deadline && this.held.size > 0 && this.habits.whenTimeIsOver === 'drops') {
      this.held = NOTHING;
      this.#stage = 'join';
    }
    const stage = this.#stage;
    // An eager worker has dropped everything when it joins; its time for it is over.
    if (stage === 'join' && !this.isCooperative) this.held = NOTHING;
    const owned = this.held;
    // As Kafka's client: who joins waits for the others for as long as they may take.
    const timeoutMs = stage === 'heartbeat' ? undefined : this.habits.rebalanceTimeoutMs + 5_000;
    const { subscription } = this;
    this.ask(
      this.#request(stage),
      (reply, sentAt) => {
        if (stage === 'join') this.#told = subscription;
        this.#noteRevision(reply);
        this.#follow(reply, stage, owned, sentAt);
      },
      timeoutMs,
    );
  }

  #request(stage: Stage): ClassicRequest {
    const { memberId, habits, subscription } = this;
    const { instanceId, rebalanceTimeoutMs, name } = habits;
    const generation = this.#generation;
    const member = { ...(memberId !== undefined && { memberId }), ...(instanceId !== undefined && { instanceId }) };
    if (stage !== 'join') {
      const known = { ...member, memberId: memberId!, generation };
      return stage === 'sync'
        ? { kind: 'classic-sync', command: { ...known, ...(this.#leads !== undefined && { assignedBy: 'service' }) } }
        : { kind: 'classic-heartbeat', command: known };
    }
    const protocols = [{ name: this.isCooperative ? 'cooperative-sticky' : 'range' }];
    const described = { ...member, clientId: name, subscription, protocols, rebalanceTimeoutMs };
    const [newMemberId, revision] = [this.wanted, this.#revision];
    return { kind: 'classic-join', command: { ...described, newMemberId, revision, owned: this.held, generation } };
  }

  #noteRevision(reply: Reply): void {
    const told =
      'joined' in reply ? reply.joined : 'synced' in reply ? reply.synced : 'beaten' in reply ? reply.beaten : reply;
    if ('revision' in told) this.#revision = Math.max(this.#revision, told.revision ?? 0);
  }

  #follow(reply: Reply, stage: Stage, owned: Assignment, sentAt: number): void {
    if ('joined' in reply) return this.#takeGeneration(reply.joined, owned, sentAt);
    if ('synced' in reply) return this.#takeAssignment(reply.synced, sentAt);
    if ('beaten' in reply) {
      this.workUntil(reply.beaten, sentAt);
      if (reply.beaten.state === 'PREPARING_REBALANCE') return this.#joinAgain();
      if (reply.beaten.revoking.size > 0) return this.#giveUp(reply.beaten.revoking);
      return this.beatIn(this.#heartbeatMs);
    }
    if ('waits' in reply) return this.beatIn(100);
    if (!('refused' in reply)) return;
    const { refused, action, retryAfterMs, memberId } = reply;
    this.note(refused);
    if (refused === 'MEMBER_ID_REQUIRED') {
      this.memberId = memberId;
      return this.beatIn(1);
    }
    if (refused === 'REBALANCE_IN_PROGRESS') return this.#joinAgain();
    if (action === 'retry') return this.beatIn(retryAfterMs);
    if (action === 'stop') return this.stop();
    if (action !== 'rejoin') {
      return this.around.fail(new Error(`${this.habits.name} is told to ${action} after ${stage}: ${refused}`));
    }
    this.forget();
    this.#generation = -1;
    if (refused === 'UNKNOWN_MEMBER_ID') {
      this.memberId = undefined;
      this.#want();
    }
    this.#joinAgain();
  }

  #joinAgain(): void {
    this.#stage = 'join';
    this.beatIn(this.around.chance.between(1, 100));
  }

  #takeGeneration(answer: JoinAnswer, owned: Assignment, sentAt: number): void {
    this.memberId = answer.memberId;
    this.#generation = answer.generation;
    this.#leads = answer.members;
    this.#stage = 'sync';
    if (owned.size > 0) this.workUntil(answer, sentAt);
    this.note(`in generation ${answer.generation}`);
    this.beatIn(1);
  }

  #takeAssignment(answer: SyncAnswer, sentAt: number): void {
    const { memberId, generation, revision, revoking } = answer;
    if (generation !== this.#generation) {
      const asked = `${this.habits.name} asked for generation ${this.#generation} and is told of ${generation}`;
      return this.around.fail(new Error(asked));
    }
    this.workUntil(answer, sentAt);
    this.held = answer.assignment;
    this.#heartbeatMs = answer.heartbeatIntervalMs;
    this.#stage = 'heartbeat';
    this.believe({ memberId, memberEpoch: generation, revision, held: this.held });
    this.note(`assigned in generation ${generation} by ${revision}`);
    if (revoking.size > 0) return this.#giveUp(revoking);
    if (this.#told !== this.subscription) return this.#joinAgain();
    this.beatIn(this.#heartbeatMs);
  }

  /** What others wait for; it joins without. */
  #giveUp(revoking: Assignment): void {
    this.held = subtractAssignment(this.held, revoking);
    this.#joinAgain();
  }
}
