import type { Environment } from '@allot/client';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

export interface Sent {
  /** Virtual ms. */
  readonly at: number;
  readonly method: string;
  readonly url: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever the client sent
  readonly body: any;
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

/** Answers requests; `undefined` never does. */
export type Answerer = (sent: Sent) => Response | undefined | Promise<Response | undefined>;

/** A machine whose time passes when the test says so, and whose network is a function of the test. */
export class VirtualMachine {
  readonly sent: Sent[] = [];
  readonly environment: Environment;
  #now = 1_000;
  #slept = 0;
  #order = 0;
  #ids = 0;
  readonly #timers = new Set<Timer>();

  constructor(
    public answer: Answerer,
    /** How fast its clock runs, 1 for right. */
    private readonly rate = 1,
    public random: () => number = () => 0.5,
  ) {
    this.environment = {
      fetch: (url, init) => this.#fetch(url, init),
      monotonicMs: () => this.#now * this.rate,
      wallMs: () => 1_700_000_000_000 + this.#now * this.rate + this.#slept,
      after: (ms, callback) => this.after(ms / this.rate, callback),
      random: () => this.random(),
      newId: () => `id-${++this.#ids}`,
    };
  }

  /** True time, ms. */
  get now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: ++this.#order, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** The machine sleeps: its monotonic clock and its timers stand still, the wall clock does not. */
  sleep(ms: number): void {
    this.#slept += ms;
  }

  /** Lets time pass, one timer after the other. */
  async run(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at || a.order - b.order);
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  /** Requests of one kind, by the end of their path. */
  requests(end: string): Sent[] {
    return this.sent.filter(({ url }) => new URL(url).pathname.endsWith(end));
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const signal = init.signal ?? new AbortController().signal;
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined;
    const sent = { at: this.#now, method: init.method!, url, body, headers: new Headers(init.headers), signal };
    this.sent.push(sent);
    const aborted = new Promise<never>((_, reject) => {
      const fail = () => reject(signal.reason as Error);
      if (signal.aborted) fail();
      signal.addEventListener('abort', fail);
    });
    const answer = Promise.resolve(this.answer(sent)).then(
      (response) => response ?? new Promise<never>(() => undefined),
    );
    return Promise.race([answer, aborted]);
  }
}

/** Lets everything happen that happens without time passing. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
}

export function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
}

export function problem(status: number, code: string, action: string, more: object = {}): Response {
  return json({ code, action, detail: `${code} happened`, ...more }, status);
}

/** The body of a stream that the test writes. */
export class ScriptedStream {
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  readonly response: Response;
  cancelled = false;

  constructor() {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (this.#controller = controller),
      cancel: () => void (this.cancelled = true),
    });
    this.response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  write(text: string | Uint8Array): void {
    if (!this.cancelled) this.#controller.enqueue(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  }

  event(type: string, data: unknown, id?: number): void {
    this.write(`event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    if (!this.cancelled) this.#controller.close();
  }

  break(): void {
    if (!this.cancelled) this.#controller.error(new TypeError('terminated'));
  }
}
