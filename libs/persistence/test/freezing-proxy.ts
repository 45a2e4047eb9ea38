import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP proxy whose frozen connections neither pass anything on nor close, as after a cable was pulled. */
export async function startProxy(port: number) {
  let frozen = false;
  const sockets = new Set<Socket>();
  const server = createServer((inner) => {
    const outer = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => frozen || to.write(data));
      from.on('error', () => undefined);
      from.on('close', () => frozen || to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => void (frozen = true),
    thaw: () => void (frozen = false),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
