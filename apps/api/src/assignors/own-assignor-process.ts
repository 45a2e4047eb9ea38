import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** What the module says of itself. */
export interface OwnAssignorFacts {
  readonly name: string;
  readonly summary: string;
  readonly sticky: boolean;
}

export interface OwnAssignorLimits {
  /** How long an answer may take. */
  readonly limitMs: number;
  /** How large the heap of its process may be. */
  readonly memoryMb: number;
}

/** The answer as JSON, or a code and the end of a sentence that starts with the assignor's name. */
export type OwnAssignorReply = { readonly answer: string } | { readonly code: string; readonly why: string };

/** A module that the service cannot use; the message is the end of a sentence that starts with its path. */
export class UnusableModule extends Error {}

/** How much longer than the limit the service waits for the thread that keeps it. */
const GRACE_MS = 250;

/**
 * A module in a process of its own, asked synchronously. Coordinator and planner compute inside a transaction and cannot await,
 * so the caller blocks until the thread of own-assignor-bridge.mjs has the answer of own-assignor-host.mjs, or a reason why
 * there is none, which it has once the limit is over. A process that ended is started again in the background.
 */
export class OwnAssignorProcess {
  #number = 0;

  private constructor(
    readonly facts: OwnAssignorFacts,
    private readonly bridge: Worker,
    private readonly port: MessagePort,
    private readonly replied: Int32Array,
    private readonly limitMs: number,
  ) {}

  /** @throws UnusableModule. */
  static async start(path: string, { limitMs, memoryMb }: OwnAssignorLimits): Promise<OwnAssignorProcess> {
    const { port1: port, port2 } = new MessageChannel();
    const replied = new Int32Array(new SharedArrayBuffer(4));
    const bridge = new Worker(new URL('./own-assignor-bridge.mjs', import.meta.url), {
      workerData: { port: port2, replied, path, limitMs, memoryMb },
      transferList: [port2],
      execArgv: [],
    });
    const first = await new Promise<{ loaded: OwnAssignorFacts } | { unusable: string }>((resolve, reject) => {
      bridge.once('message', resolve);
      bridge.once('error', reject);
    });
    if ('unusable' in first) throw new UnusableModule(first.unusable);
    // A service that wants to end does not wait for it, and a fault of the bridge shows in every reply.
    bridge.unref();
    bridge.on('error', () => undefined);
    return new OwnAssignorProcess(first.loaded, bridge, port, replied, limitMs);
  }

  /** Blocks for the limit at most, plus the little that the thread between needs. */
  ask(group: string, longest: number): OwnAssignorReply {
    const number = ++this.#number;
    this.port.postMessage({ number, group, longest });
    const deadline = performance.now() + this.limitMs + GRACE_MS;
    for (let seen: number; (seen = Atomics.load(this.replied, 0)) !== number;) {
      const left = deadline - performance.now();
      if (left <= 0) return { code: 'ASSIGNOR_TIMEOUT', why: `gave no answer within ${this.limitMs} ms` };
      Atomics.wait(this.replied, 0, seen, left);
    }
    return this.#receive(number);
  }

  #receive(number: number): OwnAssignorReply {
    for (;;) {
      const { message } = receiveMessageOnPort(this.port) as { message: { number: number } & OwnAssignorReply };
      // Others came too late for the question that they belong to.
      if (message.number === number) return message;
    }
  }

  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.bridge.once('exit', () => resolve()));
    this.bridge.ref();
    this.port.postMessage('close');
    await ended;
  }
}
