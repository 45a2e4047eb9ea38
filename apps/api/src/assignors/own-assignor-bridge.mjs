// @ts-check
// The thread between the service, which waits for an answer and can do nothing else meanwhile, and the process of an assignor of
// one's own, which may loop, die or fill its memory. Plain JavaScript, so that it runs unchanged from source and from dist.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * @typedef {object} Settings
 * @property {import('node:worker_threads').MessagePort} port Questions come in, replies go out.
 * @property {Int32Array<SharedArrayBuffer>} replied The number of the last question that was replied to; the service waits on it.
 * @property {string} path The module.
 * @property {number} limitMs How long an answer may take.
 * @property {number} memoryMb How large the heap of its process may be.
 *
 * @typedef {{ number: number, group: string, longest: number }} Question
 * @typedef {{ answer: string } | { code: string, why: string }} Reply
 * @typedef {{ loaded: object } | { unusable: string } | Reply} FromHost
 */

const { port, replied, path, limitMs, memoryMb } = /** @type {Settings} */ (workerData);
const HOST = fileURLToPath(new URL('./own-assignor-host.mjs', import.meta.url));

/** How long a module may take to load. */
const LOAD_MS = 10_000;
/** After how long a process that ended is started again, at first and at most; it doubles until there is an answer. */
const RESTART_MS = 1_000;
const LONGEST_RESTART_MS = 60_000;
/** How much longer than the service the process waits for itself. */
const PATIENCE_MS = 2_000;

/** @type {import('node:child_process').ChildProcess | undefined} */
let host;
let ready = false;
/** Whether it was ever ready; before, nobody asks, and a fault is one of the start. */
let known = false;
let why = 'is being started';
let restartMs = RESTART_MS;
/** @type {Question | undefined} */
let asked;
/** @type {NodeJS.Timeout | undefined} */
let timer;

function start() {
  // Nothing of the environment, which may hold the password of the database.
  const started = fork(HOST, [path, String(limitMs + PATIENCE_MS)], {
    execArgv: [`--max-old-space-size=${memoryMb}`],
    env: {},
    // Texts of megabytes would be written as JSON once more.
    serialization: 'advanced',
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  host = started;
  timer = setTimeout(() => giveUp(`was not loaded within ${LOAD_MS / 1000} s`), LOAD_MS);
  started.on('message', (message) => {
    if (host === started) onMessage(/** @type {FromHost} */ (message));
  });
  started.on('error', (error) => {
    if (host === started) giveUp(`has no process: ${error.message}`);
  });
  started.once('exit', (code, signal) => {
    if (host === started) giveUp(`ended its process ${howOf(code, signal)}`);
  });
}

/** @param {number | null} code @param {string | null} signal */
function howOf(code, signal) {
  if (signal === null) return `with exit code ${code}`;
  return signal === 'SIGABRT' ? `by SIGABRT, as Node does when memory runs out (${memoryMb} MB)` : `by ${signal}`;
}

/** @param {FromHost} message */
function onMessage(message) {
  clearTimeout(timer);
  if ('unusable' in message) giveUp(message.unusable);
  else if ('loaded' in message) {
    ready = true;
    if (!known) parentPort?.postMessage(message);
    known = true;
  } else {
    restartMs = RESTART_MS;
    reply(message);
  }
}

/** Ends the process and starts another one later. @param {string} reason @param {string} code */
function giveUp(reason, code = 'ASSIGNOR_FAILED') {
  clearTimeout(timer);
  const ended = host;
  host = undefined;
  ready = false;
  why = reason;
  ended?.kill('SIGKILL');
  if (!known) {
    parentPort?.postMessage({ unusable: reason });
    return port.close();
  }
  reply({ code, why });
  timer = setTimeout(start, restartMs);
  restartMs = Math.min(2 * restartMs, LONGEST_RESTART_MS);
}

/** @param {Reply} message */
function reply(message) {
  if (asked === undefined) return;
  const { number } = asked;
  asked = undefined;
  port.postMessage({ number, ...message });
  Atomics.store(replied, 0, number);
  Atomics.notify(replied, 0);
}

port.on('message', (/** @type {Question | 'close'} */ question) => {
  if (question === 'close') {
    clearTimeout(timer);
    const ended = host;
    host = undefined;
    ended?.kill('SIGKILL');
    return port.close();
  }
  asked = question;
  if (!ready) return reply({ code: 'ASSIGNOR_FAILED', why });
  host?.send({ group: question.group, longest: question.longest });
  timer = setTimeout(() => giveUp(`gave no answer within ${limitMs} ms`, 'ASSIGNOR_TIMEOUT'), limitMs);
});

start();
