import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** Nothing is passed on any more, and nobody is told: as after a cable was pulled. */
  frozen: boolean;
}

/** A TCP proxy between a replica and its database that does what networks do. */
export class FaultProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #answersToLose = 0;
  #delayMs = 0;
  /** Told what a client sends, before it is passed on. May hold it back by a promise. */
  onRequest: ((data: Buffer) => Promise<void> | undefined) | undefined;
  /** Told what the server answers, before it is passed on. */
  onAnswer: ((data: Buffer) => Promise<void> | undefined) | undefined;

  private constructor(
    server: Server,
    readonly port: number,
    private readonly target: () => number,
  ) {
    this.#server = server;
  }

  static async start(port: number, target: () => number): Promise<FaultProxy> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new FaultProxy(server, port, target);
    server.on('connection', (client) => proxy.#accept(client));
    return proxy;
  }

  /** Breaks every connection. */
  cut(): void {
    for (const { client, server } of this.#links) {
      client.destroy();
      server.destroy();
    }
  }

  /** The connections of now go half open; new ones work. */
  freeze(): void {
    for (const link of this.#links) link.frozen = true;
  }

  /** The next requests reach the server, whose answers never come back. */
  loseAnswers(count: number): void {
    this.#answersToLose = count;
  }

  slowDown(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    const link: Link = { client, server: connect(this.target(), '127.0.0.1'), frozen: false };
    this.#links.add(link);
    let forward = Promise.resolve();
    let back = Promise.resolve();
    client.on('data', (data) => {
      forward = forward.then(() => this.#request(link, data)).catch(() => this.#break(link));
    });
    link.server.on('data', (data) => {
      back = back.then(() => this.#answer(link, data)).catch(() => this.#break(link));
    });
    for (const socket of [client, link.server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#break(link));
    }
  }

  async #request(link: Link, data: Buffer): Promise<void> {
    if (link.frozen) return;
    await this.onRequest?.(data);
    if (this.#delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#delayMs));
    link.server.write(data);
  }

  async #answer(link: Link, data: Buffer): Promise<void> {
    if (link.frozen) return;
    if (this.#answersToLose > 0) {
      this.#answersToLose--;
      this.#break(link);
      return;
    }
    await this.onAnswer?.(data);
    link.client.write(data);
  }

  #break(link: Link): void {
    this.#links.delete(link);
    // A frozen link stays as it is until both sides gave it up or all are cut.
    if (link.frozen && !link.client.destroyed) return;
    link.client.destroy();
    link.server.destroy();
  }
}
