/** Ends the tests' PostgreSQL and waits until its folder is gone. */
export default async function tearDown(): Promise<void> {
  const server = globalThis.allotTestServer;
  if (server === undefined || server.exitCode !== null) return;
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.stdin!.end();
  await ended;
}
