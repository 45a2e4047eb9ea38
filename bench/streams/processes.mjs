import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const PROBE = ['--expose-gc', '--no-warnings', '--import', fileOf('./probe.mjs')];

/** A child that answers messages one at a time. */
export class Child {
  #child;
  #answers = [];
  #wake;

  constructor(script, args = [], { execArgv = [], env = {}, silent = false } = {}) {
    const stdio = ['ignore', silent ? 'pipe' : 'inherit', 'inherit', 'ipc'];
    this.#child = fork(script, args, { execArgv, env: { ...process.env, ...env }, stdio });
    this.stdout = this.#child.stdout;
    this.#child.on('message', (message) => {
      this.#answers.push(message);
      this.#wake?.();
    });
    this.#child.once('exit', (code) => {
      this.ended = true;
      this.code = code;
      this.#wake?.();
    });
  }

  send(message) {
    this.#child.send(message);
  }

  async answer() {
    while (this.#answers.length === 0) {
      if (this.ended) throw new Error(`a process ended (code ${this.code})`);
      await new Promise((resolve) => (this.#wake = resolve));
    }
    const answer = this.#answers.shift();
    if (answer.failed !== undefined) throw new Error(answer.failed);
    return answer;
  }

  async ask(message) {
    this.send(message);
    return this.answer();
  }

  async stop() {
    if (this.ended) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(timer);
  }
}

/** Bare Node http, whose events are as large as the service's. */
export async function startBare(eventBytes) {
  const child = new Child(fileOf('./bare.mjs'), [String(eventBytes)], { execArgv: PROBE });
  const { url } = await child.answer();
  return { child, url };
}

export async function startReplica(databaseUrl) {
  const env = {
    DATABASE_URL: databaseUrl,
    PORT: '0',
    HOST: '127.0.0.1',
    ALLOT_LOG_LEVEL: 'error',
  };
  const child = new Child(fileOf('../../apps/api/dist/main.js'), [], { execArgv: PROBE, env, silent: true });
  const url = await new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /API\s+(http:\S+)\/v1/.exec(output);
      if (found !== null) resolve(found[1]);
    });
    child.stdout.once('end', () => reject(new Error('the service did not start')));
  });
  return { child, url };
}

/** So many readers over so many processes. */
export class Readers {
  #children = [];

  constructor(processes) {
    for (let i = 0; i < processes; i++) this.#children.push(new Child(fileOf('./readers.mjs')));
  }

  async open(url, paths, options = {}) {
    const { port } = new URL(url);
    const share = Math.ceil(paths.length / this.#children.length);
    await Promise.all(
      this.#children.map((child, i) =>
        child.ask({ open: paths.slice(i * share, (i + 1) * share), port: Number(port), ...options }),
      ),
    );
  }

  /** Runs `act`, which answers the revision-to-come's time of commit (or nothing), and waits for the event at every reader (or some). */
  async timeOf(revision, act, of) {
    const share = of?.share;
    const asked = this.#children.map((child, i) => ({
      child,
      places: of?.places.filter((place) => Math.floor(place / share) === i).map((place) => place % share),
    }));
    const used = asked.filter(({ places }) => places === undefined || places.length > 0);
    await Promise.all(used.map(({ child, places }) => child.ask({ expect: revision, of: places })));
    const begun = process.hrtime.bigint();
    const from = (await act()) ?? begun;
    const times = await Promise.all(used.map(({ child }) => child.answer()));
    const last = times.map(({ last: at }) => BigInt(at)).reduce((a, b) => (a > b ? a : b));
    const first = times.map(({ first: at }) => BigInt(at)).reduce((a, b) => (a < b ? a : b));
    const ms = (ns) => Number(ns) / 1e6;
    return { totalMs: ms(last - begun), fanOutMs: ms(last - first), sinceCommitMs: ms(last - from) };
  }

  async stop() {
    await Promise.all(this.#children.map((child) => child.stop()));
  }
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
