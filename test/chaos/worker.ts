import { randomUUID } from 'node:crypto';
import { Wire, type WireOptions } from './wire.js';

/** What a worker holds from one moment on; times are of CLOCK_MONOTONIC in ms, the same for all processes of a machine. */
export interface Holding {
  readonly at: number;
  readonly member: string;
  readonly epoch: number;
  /** Until when it may work without another answer. */
  readonly until: number;
  readonly held: Readonly<Record<string, readonly number[]>>;
  /** From the request to the answer, when this is the first answer that gave it partitions. */
  readonly firstGrantMs?: number;
  readonly revision?: number;
}

/** What a worker was told when it asked whether it still owns what it believes to own. */
export interface Verdict {
  readonly member: string;
  /** When it asked, and when it had the answer. */
  readonly from: number;
  readonly to: number;
  /** The partitions that it may write to, by the service. */
  readonly valid: Readonly<Record<string, readonly number[]>>;
}

export interface WorkerOptions extends WireOptions {
  readonly topic: string;
  /** A static member; restarts keep it. */
  readonly instanceId?: string;
  readonly log: (entry: { readonly holding: Holding } | { readonly verdict: Verdict }) => void;
}

/** What a host does with its workers. */
export interface Worklike {
  run(): Promise<void>;
  /** Stops at once without a word. */
  crash(): void;
  leave(): Promise<void>;
  /** A static member stops for a while, and keeps its place. */
  leaveTemporarily(): Promise<void>;
}

/** No worker's clock runs faster or slower than this, and all of them allow for it. */
export const DRIFT = 0.01;

interface Answer {
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly state: string;
  readonly assignment?: Record<string, number[]>;
  readonly revoking: Record<string, number[]>;
  readonly heartbeatIntervalMs: number;
  readonly validForMs: number;
  readonly revision: number;
}

export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * A worker as docs/workers.md asks it to be, with a clock that drifts, over a network that loses one answer in a hundred and delivers some
 * requests twice. When it wakes up too late it first asks whether it may still write, as a process does that does not know it was frozen.
 */
export class Worker implements Worklike {
  #stopped = false;
  /** Of its own making, so that a join whose answer was lost is not a second member when it is sent again. */
  readonly #member = randomUUID();
  #epoch = 0;
  /** Of the last answer: by it the service knows a request that was given up and arrives late. */
  #revision = 0;
  #until = 0;
  #held: Record<string, number[]> = {};
  #joinedAt = 0;
  #granted = false;
  /** Its own seconds in one of ours. */
  readonly #rate: number;
  readonly #wire: Wire;

  constructor(private readonly options: WorkerOptions) {
    this.#rate = 1 + (options.random() * 2 - 1) * DRIFT;
    this.#wire = new Wire(options);
  }

  /** Works until it is told to stop; then it leaves, or (`crash`) just vanishes. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const waitMs = await this.#turn();
      await sleep(waitMs);
    }
  }

  /** Stops at once without a word. */
  crash(): void {
    this.#stopped = true;
    this.#drop();
  }

  async leave(): Promise<void> {
    this.#stopped = true;
    this.#drop();
    await this.#wire.send('DELETE', `/members/${this.#member}`).catch(() => undefined);
  }

  /** A static member stops for a while, and keeps its place. */
  async leaveTemporarily(): Promise<void> {
    this.#stopped = true;
    this.#drop();
    await this.#wire.send('POST', `/members/${this.#member}/heartbeat`, { memberEpoch: -2 }).catch(() => undefined);
  }

  /** One exchange; answers how long to wait for the next. */
  async #turn(): Promise<number> {
    const late = monotonicMs() > this.#until;
    if (Object.keys(this.#held).length > 0 && (late || this.options.random() < 0.05)) await this.#verify();
    const sentAt = monotonicMs();
    if (sentAt > this.#until) this.#drop();
    try {
      const answer = this.#epoch === 0 ? await this.#join() : await this.#beat();
      if (this.#stopped) return 0;
      this.#follow(answer, sentAt);
      // What is to be given up is reported at once; who waits for others asks now and then.
      if (Object.keys(answer.revoking).length > 0) return 10;
      const pause = answer.state === 'STABLE' ? answer.heartbeatIntervalMs : 500;
      return pause * (0.9 + this.options.random() * 0.2);
    } catch (error) {
      const { action } = error as { action?: string };
      if (action === 'rejoin') {
        this.#drop();
        this.#epoch = 0;
        return this.options.random() * 200;
      }
      return 100 + this.options.random() * 300;
    }
  }

  #follow(answer: Answer, sentAt: number): void {
    if (answer.memberEpoch < this.#epoch) return;
    this.#epoch = answer.memberEpoch;
    this.#revision = answer.revision;
    this.#until = sentAt + (answer.validForMs * (1 - 2 * DRIFT)) / this.#rate;
    if (answer.assignment !== undefined) this.#held = answer.assignment;
    const first = !this.#granted && Object.keys(this.#held).length > 0;
    if (first) this.#granted = true;
    this.#write({ revision: answer.revision, ...(first && { firstGrantMs: monotonicMs() - this.#joinedAt }) });
  }

  #join(): Promise<Answer> {
    this.#joinedAt ||= monotonicMs();
    const { topic, instanceId } = this.options;
    return this.#wire.send<Answer>('POST', `/members/${this.#member}/heartbeat`, {
      memberEpoch: 0,
      subscription: { topics: [topic] },
      revision: this.#revision,
      ...(instanceId !== undefined && { instanceId }),
    });
  }

  #beat(): Promise<Answer> {
    const send = () =>
      this.#wire.send<Answer>('POST', `/members/${this.#member}/heartbeat`, {
        memberEpoch: this.#epoch,
        owned: this.#held,
        revision: this.#revision,
      });
    const answer = send();
    // The same request once more, maybe through another replica: its answer is nobody's.
    if (this.options.random() < 0.02) void send().catch(() => undefined);
    return answer;
  }

  /** Asks before a write, as of what it believes; the log has what the service allowed. */
  async #verify(): Promise<void> {
    const partitions = this.#held;
    const from = monotonicMs();
    const claim = { memberId: this.#member, memberEpoch: this.#epoch, partitions };
    const verdict = await this.#wire
      .send<{ valid: boolean; fenced: Record<string, number[]> }>('POST', '/verify-ownership', claim)
      .catch(() => undefined);
    if (verdict === undefined) return;
    const valid = Object.entries(partitions).map(([topic, list]) => {
      const fenced = new Set(verdict.fenced[topic] ?? []);
      return [topic, list.filter((partition) => !fenced.has(partition))] as const;
    });
    this.options.log({
      verdict: { member: this.#member, from, to: monotonicMs(), valid: Object.fromEntries(valid) },
    });
  }

  #drop(): void {
    if (Object.keys(this.#held).length === 0) return;
    this.#held = {};
    this.#write({});
  }

  #write(more: Partial<Holding>): void {
    const { log } = this.options;
    const [at, member, epoch, until, held] = [monotonicMs(), this.#member, this.#epoch, this.#until, this.#held];
    log({ holding: { at, member, epoch, until, held, ...more } });
  }
}
