import { AllotClientError } from './errors.js';
import { Handlers } from './handlers.js';
import { Holdings, type Grant } from './holdings.js';
import { Life } from './life.js';
import { LinkedAbort } from './linked-abort.js';
import { MemberCalls, type MemberAnswer, type MemberDescription, type OwnershipAnswer } from './member-calls.js';
import type { LostEvent, MemberEvents, RevokedEvent } from './member-events.js';
import { requestTimeoutFor, type MemberOptions, type StopOptions } from './member-options.js';
import { listenToMember } from './member-stream.js';
import { noLongerHeld, notHeld } from './not-held.js';
import { Pace } from './pace.js';
import { listPartitions, NO_PARTITIONS, partitionsFromJson, partitionsOf } from './partitions.js';
import type { Partitions, TopicPartition } from './partitions.js';
import { Service } from './service.js';
import { sleep } from './sleep.js';
import { SteadyClock } from './steady-clock.js';
import { warnWhenSlow } from './slow-revocation.js';
import { untilAborted } from './until-aborted.js';

/** How long a member may take to give partitions up until the service says so: what a group has that was told nothing else. */
const USUAL_REBALANCE_TIMEOUT_MS = 300_000;

/** The service writes to a stream every 12 s. */
const LONGEST_SILENCE_MS = 40_000;

/**
 * A member of a group: it joins, keeps its session, takes what it is given and gives up what it shall, joins again when it was fenced, and
 * stops working before the service may give its partitions to anybody else. One request is under way at a time, so answers never overtake
 * each other. It begins by itself, after the code that made it has added its handlers.
 */
export class Member {
  readonly id: string;
  /** Resolves when the member has stopped; rejects with why it ended if not by `stop` or its signal. */
  readonly stopped: Promise<void>;
  readonly #options: MemberOptions;
  readonly #service: Service;
  readonly #calls: MemberCalls;
  readonly #clock: SteadyClock;
  readonly #pace: Pace;
  readonly #holdings = new Holdings();
  readonly #handlers = new Handlers<MemberEvents>();
  readonly #end: LinkedAbort;
  /** Handlers that must have ended before the member joins again. */
  readonly #pending = new Set<Promise<void>>();
  #life: Life | undefined;
  #epoch = 0;
  #revision = 0;
  #token: string | undefined;
  #rebalanceTimeoutMs = USUAL_REBALANCE_TIMEOUT_MS;
  #stopping: Promise<void> | undefined;
  #wake: () => void = () => undefined;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#service = new Service(options);
    const { environment } = this.#service;
    this.id = options.memberId ?? environment.newId();
    this.#calls = new MemberCalls(
      this.#service,
      options.group,
      this.id,
      options.requestTimeoutMs ?? requestTimeoutFor(Infinity),
    );
    this.#clock = new SteadyClock(environment);
    this.#pace = new Pace(environment.random);
    this.#end = new LinkedAbort(options.signal);
    this.#end.signal.addEventListener('abort', () => this.#drop('aborted'));
    this.stopped = Promise.resolve().then(() => this.#run());
    this.stopped.catch(() => undefined);
  }

  on<K extends keyof MemberEvents>(name: K, handler: (event: MemberEvents[K]) => unknown): this {
    this.#handlers.add(name, handler);
    return this;
  }

  /** What it holds and may work on right now: nothing after its deadline, and not what it is giving up. */
  get assignment(): Partitions {
    if (!this.isValid) return NO_PARTITIONS;
    return partitionsOf(this.#holdings.all().filter(({ leaving }) => !leaving));
  }

  get memberEpoch(): number {
    return this.#epoch;
  }

  /** Whether it may work at all: its deadline, which moves with every answer, has not passed. */
  get isValid(): boolean {
    return this.#life !== undefined && this.#clock.now() < this.#life.validUntil;
  }

  /** For how many milliseconds it may work without another answer. */
  get validForMs(): number {
    return this.#life?.validForMs ?? 0;
  }

  /** Aborts when the partition shall not be worked on any more. Undefined when the member does not hold it. */
  signalOf(partition: TopicPartition): AbortSignal | undefined {
    return this.#holdings.get(partition)?.abort.signal;
  }

  /**
   * The epoch since which the member holds the partition: a fencing token. It is higher than that of whoever held it before, so a store
   * that keeps the highest it has seen can refuse those who come late.
   */
  epochOf(partition: TopicPartition): number | undefined {
    return this.#holdings.get(partition)?.epoch;
  }

  /**
   * Asks the service whether the member holds these partitions still, before a write that two must not do. `memberEpoch` is the epoch since
   * which the caller believes so; of the partitions' own when absent.
   * @throws AllotClientError NOT_HELD when the member itself knows that it does not.
   */
  async verify(
    partitions: readonly TopicPartition[],
    options: { readonly memberEpoch?: number; readonly signal?: AbortSignal } = {},
  ): Promise<OwnershipAnswer> {
    const epochs = partitions.map((partition) => this.epochOf(partition));
    const missing = partitions.filter((_, i) => epochs[i] === undefined);
    if (missing.length > 0 || !this.isValid) throw notHeld(missing.length > 0 ? missing : partitions);
    const epoch = options.memberEpoch ?? Math.max(...(epochs as number[]));
    return this.#calls.verify(epoch, partitionsOf(partitions), options.signal);
  }

  /** Tells an error as if a handler had thrown it. */
  report(error: unknown): void {
    if (this.#handlers.has('error')) this.#tell(error);
    else void Promise.reject(error);
  }

  /**
   * Gives everything up, leaves and ends. Handlers of `revoked` are waited for, but no longer than the service would wait. If one is still
   * at work then, the member does not leave: others get its partitions when its session has ended.
   */
  stop(options: StopOptions = {}): Promise<void> {
    this.#stopping ??= this.#stop(options);
    return this.#stopping;
  }

  async #stop({ leave, signal }: StopOptions): Promise<void> {
    const { instanceId } = this.#options;
    const how = leave ?? (instanceId === undefined ? 'leave' : 'temporarily');
    // Heartbeats go on meanwhile.
    this.#giveUp(this.#holdings.beyond([]), 'stopping');
    const limit = new LinkedAbort(signal);
    const disarm = this.#service.environment.after(this.#rebalanceTimeoutMs, () => limit.abort());
    await untilAborted(this.#settled(), limit.signal, this.#end.signal);
    const hasJoined = this.#life !== undefined;
    this.#end.abort();
    const ended = this.stopped.catch(() => undefined);
    await untilAborted(ended, limit.signal);
    disarm();
    limit.release();
    if (!hasJoined || how === 'vanish' || this.#pending.size > 0) return;
    const temporarily = how === 'temporarily' && instanceId !== undefined;
    await this.#calls.leave(temporarily, (error) => this.#tell(error));
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    try {
      while (!signal.aborted) {
        await this.#pause();
        if (!signal.aborted) await this.#turn();
      }
    } finally {
      this.#end.abort();
      this.#end.release();
      await this.#settled();
      void this.#emit('stopped', {});
    }
  }

  /** Waits until a request is due. */
  async #pause(): Promise<void> {
    for (;;) {
      const now = this.#clock.now();
      const until = this.#life?.joined === true ? this.#life.validUntil : Infinity;
      const dueAt = this.#pace.dueAt(now, until, this.#token !== undefined);
      if (dueAt <= now || this.#end.signal.aborted) return;
      const woken = new LinkedAbort(this.#end.signal);
      this.#wake = () => woken.abort();
      await sleep(this.#service.environment, dueAt - now, woken.signal);
      woken.release();
    }
  }

  async #turn(): Promise<void> {
    if (this.#life === undefined) {
      await this.#settled();
      if (this.#end.signal.aborted || this.#stopping !== undefined) return this.#end.abort();
      this.#life = this.#newLife();
    }
    const life = this.#life;
    const sentAt = this.#clock.now();
    try {
      if (!life.joined) await this.#join(life, sentAt);
      else if (this.#token !== undefined && !this.#pace.isHeartbeatDue(sentAt, life.validUntil)) {
        await this.#answerCall(life, this.#token, sentAt);
      } else await this.#beat(life, sentAt);
    } catch (error) {
      // What a life that is over hears says nothing of the next.
      if (life === this.#life) await this.#fail(error);
    }
  }

  async #join(life: Life, sentAt: number): Promise<void> {
    const { subscription, instanceId, rackId, clientId, weight, rebalanceTimeoutMs } = this.#options;
    const all = { subscription, instanceId, rackId, clientId, weight, rebalanceTimeoutMs };
    // JSON leaves out what is undefined.
    const answer = await this.#calls.join(all as MemberDescription, this.#revision, life.abort.signal);
    if (life !== this.#life) return;
    life.joined = true;
    void this.#emit('joined', { memberId: this.id, memberEpoch: answer.memberEpoch });
    this.#follow(life, answer, sentAt, NO_PARTITIONS);
    if ((this.#options.transport ?? 'stream') === 'stream' && life === this.#life) this.#listen(life);
  }

  async #beat(life: Life, sentAt: number): Promise<void> {
    const owned = this.#holdings.partitions();
    this.#pace.reported();
    const answer = await this.#calls.heartbeat(this.#epoch, owned, this.#revision, life.abort.signal);
    if (life === this.#life) this.#follow(life, answer, sentAt, owned);
  }

  async #answerCall(life: Life, token: string, sentAt: number): Promise<void> {
    const answer = await this.#calls.answerLease(this.#epoch, token, life.abort.signal);
    if (life !== this.#life) return;
    if (this.#token === token) this.#token = undefined;
    life.extend(sentAt, answer.validForMs);
    this.#pace.exchanged(this.#clock.now());
    if (answer.memberEpoch !== this.#epoch) this.#pace.doubt();
    else if (answer.assignmentEpoch > this.#epoch) this.#pace.follow(this.#clock.now());
  }

  /** Does what an answer says; `owned` is what the request had reported. */
  #follow(life: Life, answer: MemberAnswer, sentAt: number, owned: Partitions): void {
    this.#rebalanceTimeoutMs = answer.rebalanceTimeoutMs;
    life.sessionTimeoutMs = answer.sessionTimeoutMs;
    this.#calls.timeoutMs = this.#options.requestTimeoutMs ?? requestTimeoutFor(answer.sessionTimeoutMs);
    this.#epoch = answer.memberEpoch;
    this.#revision = answer.revision;
    this.#token = undefined;
    this.#pace.answered(answer, this.#clock.now());
    life.extend(sentAt, answer.validForMs);
    if (life !== this.#life) return;
    const assigned = answer.assignment === undefined ? owned : partitionsFromJson(answer.assignment);
    const wanted = this.#stopping === undefined ? listPartitions(assigned) : [];
    this.#giveUp(this.#holdings.beyond(wanted), 'rebalance');
    const taken = this.#holdings.take(wanted, this.#epoch);
    if (taken.length === 0) return;
    const [partitions, all] = [partitionsOf(taken), this.#holdings.partitions()];
    void this.#emit('assigned', { partitions, all, memberEpoch: this.#epoch });
  }

  #newLife(): Life {
    return new Life(this.#clock, this.#service.environment, this.#options.marginMs, () => this.#drop('deadline'));
  }

  /** The end of a life: everything is dropped, at once. */
  #drop(reason: LostEvent['reason']): void {
    const life = this.#life;
    if (life === undefined) return;
    this.#life = undefined;
    this.#epoch = 0;
    this.#token = undefined;
    this.#pace.reset();
    const grants = this.#holdings.all();
    this.#holdings.release(grants);
    for (const grant of grants) grant.abort.abort(noLongerHeld(reason));
    life.end(noLongerHeld(reason));
    if (grants.length > 0) this.#await(this.#emit('lost', { partitions: partitionsOf(grants), reason }));
    this.#wake();
  }

  async #fail(error: unknown): Promise<void> {
    if (!(error instanceof AllotClientError)) throw error;
    this.#pace.failed(this.#clock.now(), error.retryAfterMs);
    if (error.retriable) return this.#tell(error);
    this.#drop('fenced');
    await this.#emit('fenced', { error });
    if (error.action !== 'rejoin') throw error;
  }

  /** Work on the grants shall end; when it has, the next heartbeat says so. */
  #giveUp(grants: readonly Grant[], reason: RevokedEvent['reason']): void {
    const life = this.#life;
    if (grants.length === 0 || life === undefined) return;
    for (const grant of grants) {
      grant.leaving = true;
      grant.abort.abort(noLongerHeld('revoked'));
    }
    const partitions = partitionsOf(grants);
    const withinMs = Math.min(this.#rebalanceTimeoutMs, life.validForMs);
    const event = { partitions, reason, withinMs, signal: life.abort.signal };
    const quiet = warnWhenSlow(
      this.#service.environment,
      this.#clock,
      partitions,
      this.#rebalanceTimeoutMs,
      (warning) => {
        void this.#emit('warning', warning);
      },
    );
    const done = this.#emit('revoked', event).then(() => {
      quiet();
      this.#holdings.release(grants);
      this.#pace.report();
      this.#wake();
    });
    this.#await(done);
  }

  #listen(life: Life): void {
    const { signal } = life.abort;
    void listenToMember({
      service: this.#service,
      path: this.#calls.path,
      memberEpoch: () => this.#epoch,
      silenceMs: () => Math.min(LONGEST_SILENCE_MS, life.sessionTimeoutMs),
      signal,
      listener: {
        onCall: (token, everyMs) => {
          this.#token = token;
          this.#pace.called(everyMs, this.#clock.now());
          this.#wake();
        },
        onNews: (news) => {
          this.#pace.news(news, this.#clock.now());
          this.#wake();
        },
        onRefused: () => {
          this.#pace.doubt();
          this.#wake();
        },
        onError: (error) => this.#tell(error),
      },
    }).catch((error: unknown) => this.#tell(error));
  }

  /** Resolves when no handler is at work that gives up or loses partitions. */
  async #settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #await(work: Promise<void>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }

  #tell(error: unknown): void {
    void this.#emit('error', error);
  }

  /** Handlers that throw are heard of as `error`; if nobody listens to that, as a rejection that nobody handled. */
  async #emit<K extends keyof MemberEvents>(name: K, event: MemberEvents[K]): Promise<void> {
    await this.#handlers.emit(name, event, (thrown) => {
      if (name === 'error') void Promise.reject(thrown);
      else this.report(thrown);
    });
  }
}

/** Joins a group; see `Member`. */
export function createMember(options: MemberOptions): Member {
  return new Member(options);
}
