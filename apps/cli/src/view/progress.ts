import { Worker } from 'node:worker_threads';
import type { OutputStream } from '../terminal.js';

/** What takes less is not worth a word. */
const SILENT_MS = 1_000;

/**
 * Runs in a thread of its own, because planning keeps the main thread busy, and writes to the descriptor itself, because
 * `process.stderr` of a thread goes through the main one. On a terminal one line counts the seconds; elsewhere a line is
 * written at the start and every ten seconds.
 */
const TICKER = `
  const { workerData } = require('node:worker_threads');
  const { writeSync } = require('node:fs');
  const { label, silentMs, live, stop } = workerData;
  const started = Date.now();
  const say = (text) => { try { writeSync(2, text); } catch {} };
  let shown = false;
  for (let wait = silentMs; Atomics.wait(stop, 0, 0, wait) === 'timed-out'; wait = live ? 500 : 10000) {
    const seconds = Math.round((Date.now() - started) / 1000);
    say(live ? '\\r\\x1b[2K' + label + ' ... ' + seconds + ' s' : label + ' ... ' + seconds + ' s\\n');
    shown = true;
  }
  if (shown && live) say('\\r\\x1b[2K');
  Atomics.store(stop, 0, 2);
  Atomics.notify(stop, 0);
`;

/** Does something that may take long, and says so on stderr while it does. */
export async function during<T>(
  label: string,
  stderr: OutputStream,
  work: () => T | Promise<T>,
  silentMs: number = SILENT_MS,
): Promise<T> {
  // Only the real stderr can be written to from another thread.
  if (stderr !== process.stderr) return work();
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(TICKER, { eval: true, workerData: { label, silentMs, live: stderr.isTTY === true, stop } });
  worker.unref();
  worker.on('error', () => undefined);
  try {
    return await work();
  } finally {
    Atomics.store(stop, 0, 1);
    Atomics.notify(stop, 0);
    // Its last act clears the line; nothing may be written before. A thread that has not begun yet is not waited for.
    Atomics.wait(stop, 0, 1, 50);
    await worker.terminate();
  }
}
