import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** So many ports of 127.0.0.1 that are free right now. */
export async function openPorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => (server.close(), once(server, 'close'))));
  return ports;
}
