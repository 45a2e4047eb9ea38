import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { monotonicMs, type Holding, type Verdict } from './worker.js';
import type { WorkLog } from './checker.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const CLOCK = new URL('./skewed-clock.mjs', import.meta.url).href;
const MAIN = fileURLToPath(new URL('../../apps/api/dist/main.js', import.meta.url));

/** A replica of the service in a process of its own, on a fixed port, so that it can be killed and come back. */
export class ReplicaProcess {
  #child: ChildProcess | undefined;
  #stopped = false;
  readonly url: string;
  peakRssMb = 0;

  /** `skewMs`: how wrong its wall clock is. */
  constructor(
    private readonly databaseUrl: string,
    readonly port: number,
    private readonly skewMs = 0,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  async start(): Promise<void> {
    const env = {
      ...process.env,
      DATABASE_URL: this.databaseUrl,
      PORT: String(this.port),
      HOST: '127.0.0.1',
      ALLOT_LOG_LEVEL: 'error',
      ALLOT_MIN_SESSION_TIMEOUT_MS: '1000',
      CHAOS_SKEW_MS: String(this.skewMs),
    };
    this.#child = spawn(process.execPath, ['--import', CLOCK, MAIN], {
      cwd: root,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const child = this.#child;
    // On a machine that is busy with all the rest a start may take long.
    for (let i = 0; i < 1_200; i++) {
      if (child.exitCode !== null) throw new Error(`a replica ended while starting (code ${child.exitCode})`);
      const ready = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
        (response) => response.ok,
        () => false,
      );
      if (ready) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('a replica did not get ready');
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async kill(): Promise<void> {
    await end(this.#child, 'SIGKILL');
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
    this.#stopped = true;
  }

  resume(): void {
    if (this.#stopped) this.#child?.kill('SIGCONT');
    this.#stopped = false;
  }

  /** Its wall clock goes from so much ahead to so much behind, or back. */
  moveClock(): void {
    this.#child?.kill('SIGUSR2');
  }

  async stop(): Promise<void> {
    this.resume();
    await end(this.#child, 'SIGTERM');
  }

  async measure(): Promise<void> {
    const status = await readFile(`/proc/${this.#child?.pid}/status`, 'utf8').catch(() => '');
    this.peakRssMb = Math.max(this.peakRssMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }
}

/** A process with many workers, whose log goes to the checker. */
export class WorkerHost {
  readonly #child: ChildProcess;
  readonly #members = new Set<string>();
  readonly #read: Promise<unknown>;

  constructor(
    options: object,
    private readonly log: WorkLog,
  ) {
    const script = fileURLToPath(new URL('./worker-host.ts', import.meta.url));
    const args = ['--no-warnings', '--import', './test/support/typescript.mjs', script, JSON.stringify(options)];
    this.#child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.#child.stdout! });
    lines.on('line', (line) => {
      // The last line of a killed process may be cut.
      if (!line.endsWith('}')) return;
      const entry = JSON.parse(line) as { readonly holding: Holding } | { readonly verdict: Verdict };
      if ('verdict' in entry) return log.addVerdict(entry.verdict);
      this.#members.add(entry.holding.member);
      log.add(entry.holding);
    });
    this.#read = once(lines, 'close');
    this.#child.stdin!.on('error', () => undefined);
  }

  command(word: 'crash' | 'leave' | 'restart'): void {
    this.#child.stdin!.write(`${word}\n`);
  }

  /** Ends all its workers without a word. */
  async kill(): Promise<void> {
    await end(this.#child, 'SIGKILL');
    const at = monotonicMs();
    await this.#read;
    for (const member of this.#members) this.log.kill(member, at);
  }

  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
