import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** `npm start` as a process, from source. */
class Process {
  static readonly running = new Set<Process>();
  output = '';
  readonly #child: ChildProcess;
  readonly exit: Promise<number | NodeJS.Signals | null>;

  constructor(env: Record<string, string>) {
    this.#child = spawn(
      process.execPath,
      ['--no-deprecation', '--import', './test/support/typescript.mjs', 'apps/api/src/main.ts'],
      { cwd: ROOT, env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.on('data', (chunk) => (this.output += String(chunk)));
    }
    this.exit = new Promise((resolve) => this.#child.on('exit', (code, signal) => resolve(signal ?? code)));
    Process.running.add(this);
    void this.exit.then(() => Process.running.delete(this));
  }

  /** The URL in the banner; fails when the process ends without one. */
  async ready(): Promise<string> {
    const ended = this.exit.then((code) => {
      throw new Error(`ended with ${code}: ${this.output}`);
    });
    const seen = new Promise<string>((resolve) => {
      const look = () => {
        const url = /API {6}(http:\S+)\/v1/.exec(this.output)?.[1];
        if (url !== undefined) resolve(url);
      };
      this.#child.stdout!.on('data', look);
    });
    return Promise.race([seen, ended]);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

let folder: string;
const start = (env: Record<string, string> = {}) => new Process({ PORT: '0', ALLOT_DATA_DIR: folder, ...env });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'allot-main-'));
});
afterEach(async () => {
  for (const left of Process.running) {
    left.kill('SIGKILL');
    await left.exit;
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function waitFor(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const json = { 'content-type': 'application/json' };

describe('npm start', () => {
  it('serves, keeps what it was told over a stop and over a kill, and stops on a signal', async () => {
    const first = start();
    const url = await first.ready();
    expect(first.output).toMatch(/Allot \d+\.\d+\.\d+ is ready after [\d.]+ s/);
    expect(first.output).toContain(`${url}/docs`);
    expect(first.output).toContain(`${url}/graphql`);
    const topic = '/v1/clusters/default/topics/orders';
    const made = await fetch(url + topic, { method: 'PUT', headers: json, body: '{"partitions": 10}' });
    expect(made.status).toBe(201);

    const second = start();
    expect(await second.exit).toBe(1);
    expect(second.output).toMatch(/^Allot cannot run:\n {2}Another Allot is already running on this data/m);

    first.kill('SIGTERM');
    expect(await first.exit).toBe(0);

    const third = start();
    const thirdUrl = await third.ready();
    expect(await (await fetch(thirdUrl + topic)).json()).toMatchObject({ partitions: 10 });
    third.kill('SIGKILL');
    expect(await third.exit).toBe('SIGKILL');

    const fourth = start();
    const fourthUrl = await fourth.ready();
    expect(await (await fetch(fourthUrl + topic)).json()).toMatchObject({ partitions: 10 });

    // An open stream does not hold a stop up: it is ended.
    await fetch(`${fourthUrl}/v1/clusters/default/groups/g1`, { method: 'PUT', headers: json, body: '{}' });
    const stream = await fetch(`${fourthUrl}/v1/clusters/default/groups/g1/events`);
    expect(stream.status).toBe(200);
    const rest = stream.text();
    const stopped = performance.now();
    // Ctrl-C under npm: the terminal signals, and npm passes the signal on.
    fourth.kill('SIGINT');
    await waitFor(() => fourth.output.includes('Stopping'));
    fourth.kill('SIGINT');
    expect(await rest).toContain('event: snapshot');
    expect(await fourth.exit).toBe(0);
    expect(performance.now() - stopped).toBeLessThan(9_000);
    expect(fourth.output).not.toContain('connection was lost');
  }, 120_000);

  it('says which port is taken, and leaves nothing running', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const blocked = start({ PORT: String(port) });
    expect(await blocked.exit).toBe(1);
    expect(blocked.output).toContain(`Port ${port} on 127.0.0.1 is taken`);
    server.close();
    // The data are free again.
    const next = start();
    await next.ready();
    next.kill('SIGTERM');
    expect(await next.exit).toBe(0);
  }, 120_000);

  it('stops its database before it ends when it is told to stop while it starts', async () => {
    const early = start();
    await waitFor(() => existsSync(join(folder, 'instance.lock')));
    early.kill('SIGTERM');
    expect(await early.exit).toBe(0);
    expect(early.output).not.toContain('is ready');
    expect(readdirSync(folder)).not.toContain('instance.lock');
    expect(readdirSync(join(folder, 'postgres'))).not.toContain('postmaster.pid');
  }, 120_000);

  it.each([
    [{ PORT: 'x' }, 'PORT must be a whole number from 0 to 65535, but is "x".'],
    [{ HOST: '0.0.0.0' }, 'no access control'],
    [{ DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1:1/d' }, 'No PostgreSQL answers at 127.0.0.1:1/d (ECONNREFUSED)'],
  ])(
    'refuses %j in words',
    async (env, words) => {
      const refused = start(env as Record<string, string>);
      expect(await refused.exit).toBe(1);
      expect(refused.output).toContain(words);
      expect(refused.output).not.toMatch(/hunter2|\n {4}at /);
    },
    60_000,
  );
});
