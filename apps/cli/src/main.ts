import { run } from './run.js';

// A reader that has seen enough closes the pipe, and disks fill up; whoever writes learns of it by the error of its own write.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

let interrupt: AbortController | undefined;

function interruptible(): AbortSignal {
  if (interrupt === undefined) {
    const controller = (interrupt = new AbortController());
    // The second Ctrl-C ends the process in any case.
    process.once('SIGINT', () => controller.abort());
  }
  return interrupt.signal;
}

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  interruptible,
  random: Math.random,
});
// Input that nobody read to its end must not keep the process.
process.stdin.destroy();
