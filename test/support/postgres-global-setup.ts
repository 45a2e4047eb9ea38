import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

declare global {
  var allotTestServer: ChildProcess | undefined;
}

/** Starts the tests' PostgreSQL once, in a process of its own that ends with this one, however it ends. */
export default async function setUp(): Promise<void> {
  const server = spawn(
    process.execPath,
    ['--no-warnings', '--import', './test/support/typescript.mjs', './test/support/test-server.ts'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  globalThis.allotTestServer = server;
  process.env['ALLOT_TEST_SERVER'] = await new Promise<string>((resolve, reject) => {
    let output = '';
    server.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('\n')) resolve(output.trim());
    });
    server.once('exit', (code) => reject(new Error(`The tests' PostgreSQL did not start (code ${code}); see above.`)));
  });
}
