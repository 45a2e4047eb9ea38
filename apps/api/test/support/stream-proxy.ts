import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** How answers come through. */
export type ProxyMode =
  /** As they are. */
  | { readonly kind: 'pass' }
  /** As nginx does it: held back until there is enough, unless the answer says `X-Accel-Buffering: no`. */
  | { readonly kind: 'buffer'; readonly bytes: number; readonly obeys: boolean }
  /** The connection breaks after so many bytes of the body. */
  | { readonly kind: 'cut'; readonly afterBytes: number };

/** A proxy between a reader and the service, with the habits of proxies. */
export class StreamProxy {
  mode: ProxyMode = { kind: 'pass' };
  readonly #server: Server;
  readonly #pairs = new Set<{ readonly client: Socket; readonly upstream: Socket; frozen: boolean }>();

  private constructor(
    server: Server,
    readonly url: string,
    private readonly target: () => string,
  ) {
    this.#server = server;
  }

  /** `target` is asked for each connection. */
  static async start(target: () => string): Promise<StreamProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new StreamProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, target);
    server.on('connection', (client) => proxy.#accept(client));
    return proxy;
  }

  /** The connections of now pass nothing on any more, and nobody is told: half open. New ones work. */
  freeze(): void {
    for (const pair of this.#pairs) pair.frozen = true;
  }

  async stop(): Promise<void> {
    for (const { client, upstream } of this.#pairs) {
      client.destroy();
      upstream.destroy();
    }
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    const { hostname, port } = new URL(this.target());
    const upstream = connect(Number(port), hostname);
    const pair = { client, upstream, frozen: false };
    this.#pairs.add(pair);
    const { mode } = this;
    let held = Buffer.alloc(0);
    let passed = 0;
    let head = mode.kind !== 'pass';
    let through = mode.kind === 'pass';
    const end = () => {
      if (pair.frozen) return;
      client.destroy();
      upstream.destroy();
      this.#pairs.delete(pair);
    };
    const pass = (data: Buffer) => {
      if (mode.kind !== 'cut') return void client.write(data);
      const rest = data.subarray(0, mode.afterBytes - passed);
      passed += rest.length;
      client.write(rest, () => passed >= mode.afterBytes && end());
    };
    client.on('data', (data) => !pair.frozen && upstream.write(data));
    upstream.on('data', (data) => {
      if (pair.frozen) return;
      if (through) return void client.write(data);
      held = Buffer.concat([held, data]);
      if (head) {
        const at = held.indexOf('\r\n\r\n');
        if (at === -1) return;
        head = false;
        client.write(held.subarray(0, at + 4));
        through = mode.kind === 'buffer' && mode.obeys && /x-accel-buffering: no/i.test(held.toString('latin1', 0, at));
        held = held.subarray(at + 4);
      }
      if (!through && mode.kind === 'buffer' && held.length < mode.bytes) return;
      pass(held);
      held = Buffer.alloc(0);
    });
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end).setNoDelay(true);
  }
}
