// @ts-check
// The process that an assignor of one's own lives in. Plain JavaScript, so that it runs unchanged from source and from dist.
// Arguments: the module's path, and after how many milliseconds this process gives itself up.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

const [, , path = '', patience = ''] = process.argv;
const send = /** @type {(message: object) => void} */ (process.send?.bind(process));

// Ctrl+C reaches every process of the terminal; this one ends when the service lets go of it.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});
process.once('disconnect', () => process.exit());

try {
  // When memory runs out, the system should end this process and not the service (Linux; elsewhere there is no such file).
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {}

/** @type {any} */
let assignor;
try {
  assignor = (await import(pathToFileURL(path).href)).default;
  send(complaint() === undefined ? { loaded: facts() } : { unusable: complaint() });
} catch (error) {
  send({ unusable: `cannot be loaded: ${describe(error)}` });
}

process.on('message', (/** @type {{ group: string, longest: number }} */ { group, longest }) => {
  try {
    Object.assign(globalThis, { [WORK]: () => ask(group, longest) });
    send(guarded.runInThisContext({ timeout: Number(patience) }));
  } catch (error) {
    if (!process.connected) process.exit(1);
    send({ code: 'ASSIGNOR_FAILED', why: `threw ${describe(error)}` });
  }
});

// The service ends this process when an answer takes too long. This limit is for the case that the service is gone by then.
const WORK = Symbol.for('allot.work');
const guarded = new Script('globalThis[Symbol.for("allot.work")]()');

/** @param {string} group @param {number} longest */
function ask(group, longest) {
  const answer = assignor.assign(JSON.parse(group));
  const what = notJson(answer);
  if (what !== undefined) return { code: 'INVALID_ASSIGNMENT', why: `answered with ${what}` };
  const text = JSON.stringify(answer);
  return text.length > longest
    ? { code: 'INVALID_ASSIGNMENT', why: 'gave an answer that is longer than any legal one' }
    : { answer: text };
}

/** @param {any} answer */
function notJson(answer) {
  if (typeof answer?.then === 'function') return 'a promise; `assign` must not be async';
  if (answer instanceof Map) return 'a Map; return Object.fromEntries(map)';
  return answer === undefined || ['function', 'symbol'].includes(typeof answer) ? `${typeof answer}` : undefined;
}

function facts() {
  const { name, summary, sticky } = assignor;
  return { name, summary, sticky };
}

function complaint() {
  if (typeof assignor !== 'object' || assignor === null) {
    return 'has no object as its default export; write: export default { name, summary, sticky, assign }';
  }
  const { name, summary, sticky, assign } = assignor;
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9.-]{0,99}$/.test(name)) {
    return '`name` must be 1 to 100 lower-case letters, digits, "." and "-", and start with a letter or digit';
  }
  if (typeof summary !== 'string' || summary.length === 0 || summary.length > 1_000) {
    return '`summary` must say in 1 to 1000 characters what the assignor does';
  }
  if (typeof sticky !== 'boolean') return '`sticky` must be true if the answer depends on what members own, else false';
  if (typeof assign !== 'function') return '`assign` must be a function from a group to an assignment';
  return undefined;
}

/** @param {any} error Whatever was thrown; even looking at it may throw. */
function describe(error) {
  try {
    const text = (error instanceof Error ? `${error.name}: ${error.message}` : `${error}`).replace(/\s+/g, ' ');
    return text.length > 500 ? `${text.slice(0, 500)}...` : text;
  } catch {
    return 'something that cannot be shown';
  }
}
