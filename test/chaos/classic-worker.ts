import { randomUUID } from 'node:crypto';
import { DRIFT, monotonicMs, type Worklike, type WorkerOptions } from './worker.js';
import { Wire } from './wire.js';

type Assignment = Readonly<Record<string, readonly number[]>>;

interface Answer {
  readonly memberId: string;
  readonly generation: number;
  readonly completed?: boolean;
  readonly action?: string;
  readonly assignment?: Assignment;
  readonly revoking?: Assignment;
  readonly heartbeatIntervalMs: number;
  readonly validForMs: number;
  readonly revision: number;
}

interface Problem {
  readonly action?: string;
  readonly code?: string;
  readonly memberId?: string;
  readonly revision?: number;
}

/** How long a request may wait for others; the client gives up well after. */
const PATIENCE_MS = 2_000;
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A member of a classic group as docs/classic-groups.md asks it to be: cooperative, so it works on while the group rebalances. */
export class ClassicWorker implements Worklike {
  #stopped = false;
  #member: string | undefined;
  /** The id that it asks for while it has none: its first request can be sent again. */
  #wanted: string = randomUUID();
  #generation = -1;
  #until = 0;
  #held: Assignment = {};
  #revision = 0;
  readonly #joinedAt = monotonicMs();
  #granted = false;
  #next: 'join' | 'sync' | 'heartbeat' = 'join';
  readonly #rate: number;
  readonly #wire: Wire;

  constructor(private readonly options: WorkerOptions) {
    this.#rate = 1 + (options.random() * 2 - 1) * DRIFT;
    this.#wire = new Wire(options);
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      if (monotonicMs() > this.#until) this.#hold({});
      await sleep(await this.#turn().catch((error: unknown) => this.#recover(error as Problem)));
    }
  }

  crash(): void {
    this.#stopped = true;
    this.#hold({});
  }

  async leave(): Promise<void> {
    this.crash();
    if (this.#member === undefined) return;
    await this.#wire.send('POST', '/leave', { members: [{ memberId: this.#member }] }).catch(() => undefined);
  }

  /** A static member of a classic group does not say that it goes; it comes back within its session, or not. */
  async leaveTemporarily(): Promise<void> {
    this.crash();
  }

  /** One exchange; answers how long to wait for the next. */
  #turn(): Promise<number> {
    if (this.#next === 'join') return this.#join();
    return this.#next === 'sync' ? this.#sync() : this.#beat();
  }

  async #join(): Promise<number> {
    const { topic, instanceId } = this.options;
    const held = this.#held;
    const answer = await this.#send('/join', {
      ...(this.#member === undefined ? { newMemberId: this.#wanted } : { memberId: this.#member }),
      revision: this.#revision,
      ...(instanceId !== undefined && { instanceId }),
      subscription: { topics: [topic] },
      protocols: ['cooperative-sticky'],
      owned: held,
      generation: this.#generation,
      timeoutMs: PATIENCE_MS,
    });
    this.#member = answer.memberId;
    if (answer.completed !== true) return 0;
    this.#generation = answer.generation;
    this.#next = 'sync';
    return 0;
  }

  async #sync(): Promise<number> {
    const answer = await this.#send('/sync', this.#identity({ timeoutMs: PATIENCE_MS }));
    if (answer.completed !== true) return 0;
    return this.#follow(answer);
  }

  async #beat(): Promise<number> {
    const answer = await this.#send('/heartbeat', this.#identity({}));
    return this.#follow(answer);
  }

  #identity(more: object): object {
    const { instanceId } = this.options;
    return {
      memberId: this.#member,
      generation: this.#generation,
      ...(instanceId !== undefined && { instanceId }),
      ...more,
    };
  }

  /** What is to be given up is dropped, and the group joined again without it. */
  #follow({ assignment = this.#held, revoking = {}, action, heartbeatIntervalMs }: Answer): number {
    this.#hold(assignment);
    const rejoins = action === 'rejoin' || Object.keys(revoking).length > 0;
    this.#next = rejoins ? 'join' : 'heartbeat';
    return rejoins ? 0 : heartbeatIntervalMs * (0.9 + this.options.random() * 0.2);
  }

  async #send(path: string, body: object): Promise<Answer> {
    const sentAt = monotonicMs();
    const send = () => this.#wire.send<Answer>('POST', path, body, PATIENCE_MS + 2_000);
    const answered = send();
    // The same request once more, maybe through another replica: its answer is nobody's.
    if (this.options.random() < 0.02) void send().catch(() => undefined);
    const answer = await answered;
    if (this.#stopped) throw new Error('stopped');
    this.#revision = Math.max(this.#revision, answer.revision);
    // Who only waits is told no span; what it was told before stands.
    if (answer.validForMs !== undefined) {
      this.#until = Math.max(this.#until, sentAt + (answer.validForMs * (1 - 2 * DRIFT)) / this.#rate);
      if (Object.keys(this.#held).length > 0) this.#write();
    }
    return answer;
  }

  #recover({ action, ...problem }: Problem): number {
    const { random } = this.options;
    this.#revision = Math.max(this.#revision, problem.revision ?? 0);
    if (problem.code === 'MEMBER_ID_REQUIRED') {
      this.#member = problem.memberId;
      return 0;
    }
    if (problem.code === 'REBALANCE_IN_PROGRESS') {
      this.#next = 'join';
      return random() * 100;
    }
    if (action !== 'rejoin' && action !== 'stop') return 100 + random() * 300;
    this.#hold({});
    this.#next = 'join';
    this.#generation = -1;
    if (problem.code === 'ILLEGAL_GENERATION') return random() * 200;
    this.#member = undefined;
    this.#wanted = randomUUID();
    return random() * 200;
  }

  #hold(held: Assignment): void {
    if (JSON.stringify(held) === JSON.stringify(this.#held)) return;
    this.#held = held;
    this.#write();
  }

  #write(): void {
    const member = this.#member ?? 'nobody';
    const first = !this.#granted && Object.keys(this.#held).length > 0;
    if (first) this.#granted = true;
    const at = monotonicMs();
    const [epoch, until, held, revision] = [this.#generation, this.#until, this.#held, this.#revision];
    const holding = { at, member, epoch: Math.max(0, epoch), until, held, revision };
    this.options.log({ holding: { ...holding, ...(first && { firstGrantMs: at - this.#joinedAt }) } });
  }
}
