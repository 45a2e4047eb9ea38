import { randomUUID } from 'node:crypto';
import { request, type Agent } from 'node:http';

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

export interface WorkerOptions {
  readonly group: string;
  readonly topic: string;
  readonly replicas: readonly string[];
  readonly agent: Agent;
  readonly log: (holding: Holding) => void;
  readonly random: () => number;
}

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

/** A worker as docs/workers.md asks it to be, over a network that loses one answer in a hundred. */
export class Worker {
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

  constructor(private readonly options: WorkerOptions) {}

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
    await this.#send('DELETE', `/members/${this.#member}`).catch(() => undefined);
  }

  /** One exchange; answers how long to wait for the next. */
  async #turn(): Promise<number> {
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
    this.#until = sentAt + answer.validForMs;
    if (answer.assignment !== undefined) this.#held = answer.assignment;
    const first = !this.#granted && Object.keys(this.#held).length > 0;
    if (first) this.#granted = true;
    this.#write({ revision: answer.revision, ...(first && { firstGrantMs: monotonicMs() - this.#joinedAt }) });
  }

  #join(): Promise<Answer> {
    this.#joinedAt ||= monotonicMs();
    const subscription = { topics: [this.options.topic] };
    return this.#send('POST', `/members/${this.#member}/heartbeat`, {
      memberEpoch: 0,
      subscription,
      revision: this.#revision,
    });
  }

  #beat(): Promise<Answer> {
    return this.#send('POST', `/members/${this.#member}/heartbeat`, {
      memberEpoch: this.#epoch,
      owned: this.#held,
      revision: this.#revision,
    });
  }

  #drop(): void {
    if (Object.keys(this.#held).length === 0) return;
    this.#held = {};
    this.#write({});
  }

  #write(more: Partial<Holding>): void {
    const { log } = this.options;
    log({
      at: monotonicMs(),
      member: this.#member,
      epoch: this.#epoch,
      until: this.#until,
      held: this.#held,
      ...more,
    });
  }

  #send(method: string, path: string, body?: unknown): Promise<Answer> {
    const { replicas, group, agent, random } = this.options;
    const url = `${replicas[Math.floor(random() * replicas.length)]}/v1/clusters/default/groups/${group}${path}`;
    const loses = random() < 0.01;
    return new Promise((resolve, reject) => {
      const call = request(
        url,
        { method, agent, timeout: 3_000, headers: { 'content-type': 'application/json' } },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (text += chunk));
          response.once('error', reject);
          response.once('end', () => {
            if (loses) return reject(new Error('the answer was lost'));
            const status = response.statusCode ?? 0;
            if (status >= 300) return reject(Object.assign(new Error(`${status} ${text}`), readProblem(text)));
            resolve(text === '' ? (undefined as never) : (JSON.parse(text) as Answer));
          });
        },
      );
      call.once('timeout', () => call.destroy(new Error('timed out')));
      call.once('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function readProblem(text: string): { action?: string } {
  try {
    return JSON.parse(text) as { action?: string };
  } catch {
    return {};
  }
}
