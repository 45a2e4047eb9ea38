import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedPostgres, EmbeddedPostgresError, chooseDataFolder } from '@allot/persistence';
import pg from 'pg';
import { firstClosedFolder } from '../src/embedded/data-folder.js';
import { restoreSymlinks } from '../src/embedded/postgres-binaries.js';
import { commandOf, isAlive } from '../src/embedded/process-identity.js';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

let parent: string;
let folder: string;
const children: ChildProcess[] = [];
const servers: EmbeddedPostgres[] = [];

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'allot-embedded-'));
  await chmod(parent, 0o755);
  folder = join(parent, 'data');
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
});

afterAll(() => rm(parent, { recursive: true, force: true }));

async function start(fields: object = {}): Promise<EmbeddedPostgres> {
  const server = await EmbeddedPostgres.start({ configured: folder, projectRoot: parent, volatile: true, ...fields });
  servers.push(server);
  return server;
}

async function query<T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function postmasterPid(): Promise<number> {
  return Number((await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

async function untilDead(pid: number): Promise<void> {
  for (let waited = 0; isAlive(pid) && waited < 10_000; waited += 20) await sleep(20);
  expect(isAlive(pid)).toBe(false);
}

/** The service's part, in a process of its own that can be killed. */
async function runElsewhere(mode = 'wait'): Promise<{ child: ChildProcess; url: string; output: () => string }> {
  const child = spawn(
    process.execPath,
    [
      '--no-warnings',
      '--import',
      './test/support/typescript.mjs',
      'libs/persistence/test/run-embedded.ts',
      folder,
      mode,
    ],
    { cwd: PROJECT, detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.push(child);
  let output = '';
  child.stdout!.on('data', (chunk) => (output += String(chunk)));
  for (let waited = 0; !output.includes('\n') && waited < 20_000; waited += 20) await sleep(20);
  return { child, url: (JSON.parse(output.split('\n')[0]!) as { url: string }).url, output: () => output };
}

describe('the embedded PostgreSQL', () => {
  it('starts on the loopback alone, keeps its data, port and password, and stops', async () => {
    const first = await start();
    expect(new URL(first.url).hostname).toBe('127.0.0.1');
    const [settings] = await query<{ addresses: string; sockets: string; encoding: string; version: number }>(
      first.url,
      `SELECT current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets,
              current_setting('server_encoding') AS encoding, current_setting('server_version_num')::int / 10000 AS version`,
    );
    expect(settings).toEqual({ addresses: '127.0.0.1', sockets: '', encoding: 'UTF8', version: 18 });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const wrongPassword = new URL(first.url);
    wrongPassword.password = 'wrong';
    await expect(query(wrongPassword.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    const pid = await postmasterPid();
    await Promise.all([first.stop(), first.stop()]);
    expect(isAlive(pid)).toBe(false);

    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await second.stop();
    expect((await stat(join(folder, 'instance.json'))).mode & 0o077).toBe(0);
  });

  it('refuses a second instance and names the first', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(new RegExp(`already running.*process ${process.pid}`, 's'));
    await expect(start()).rejects.toBeInstanceOf(EmbeddedPostgresError);
    expect(await query(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await first.stop();
  });

  it('moves to another port when its own is taken', async () => {
    const before = await start();
    await before.stop();
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(before.port, '127.0.0.1', resolve));
    const moved = await start();
    expect(moved.port).not.toBe(before.port);
    expect(await query(moved.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await moved.stop();
    await new Promise((resolve) => squatter.close(resolve));
    const again = await start();
    expect(again.port).toBe(moved.port);
    await again.stop();
  });

  it('takes over after kill -9 of the service: the orphaned server is stopped, nothing committed is lost', async () => {
    const { child, url } = await runElsewhere();
    await query(url, 'CREATE TABLE committed AS SELECT 1 AS one');
    const orphan = await postmasterPid();
    child.kill('SIGKILL');
    await untilDead(child.pid!);
    expect(isAlive(orphan)).toBe(true);
    const notices: string[] = [];
    const server = await start({ onNotice: (line: string) => notices.push(line) });
    expect(isAlive(orphan)).toBe(false);
    expect(notices.join()).toContain(String(orphan));
    expect(await query(server.url, 'SELECT one FROM committed')).toEqual([{ one: 1 }]);
    await server.stop();
  });

  it('recovers after kill -9 of service and server together', async () => {
    const { child, url } = await runElsewhere();
    await query(url, 'CREATE TABLE recovered AS SELECT 1 AS one');
    const pid = await postmasterPid();
    child.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await untilDead(child.pid!);
    await untilDead(pid);
    const server = await start();
    expect(await query(server.url, 'SELECT one FROM recovered')).toEqual([{ one: 1 }]);
    await server.stop();
  });

  it('leaves a stranger alone whose number stands in a stale postmaster.pid or lock', async () => {
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    children.push(stranger);
    const pidFile = join(folder, 'postgres', 'postmaster.pid');
    const fake = [stranger.pid, join(folder, 'postgres'), 1_700_000_000, 5432, '', '127.0.0.1', '', 'ready', ''].join(
      '\n',
    );
    await writeFile(pidFile, fake);
    await writeFile(join(folder, 'instance.lock'), JSON.stringify({ pid: stranger.pid, startTime: 'long ago' }));
    const server = await start();
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(isAlive(stranger.pid!)).toBe(true);
    await server.stop();
  });

  it('is not hit by Ctrl-C: the service drains first, then stops it', async () => {
    const { child, output } = await runElsewhere();
    const pid = await postmasterPid();
    expect(commandOf(pid)).toContain(join(folder, 'postgres'));
    // What a terminal does: the signal goes to the whole process group.
    process.kill(-child.pid!, 'SIGINT');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(output()).toContain('drained');
    expect(child.exitCode).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });

  it('does not outlive a service that exits without stopping it', async () => {
    const { child } = await runElsewhere('exit');
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    expect(child.exitCode).toBe(7);
    for (let waited = 0; waited < 5_000; waited += 20) {
      if (!(await stat(join(folder, 'postgres', 'postmaster.pid')).catch(() => undefined))) break;
      await sleep(20);
    }
    const server = await start();
    await server.stop();
  });

  it('tells when the server ends by itself', async () => {
    const told = new Promise<string>(
      (resolve) =>
        void start({ onCrash: resolve }).then(async () => {
          process.kill(await postmasterPid(), 'SIGQUIT');
        }),
    );
    expect(await told).toContain(join(folder, 'postgres.log'));
  });

  it('says what to do when the password is gone or the data is of another version', async () => {
    const instance = join(folder, 'instance.json');
    await rename(instance, `${instance}.away`);
    await expect(start()).rejects.toThrow(/instance\.json.*is missing/);
    await rename(`${instance}.away`, instance);
    const version = join(folder, 'postgres', 'PG_VERSION');
    await writeFile(version, '17\n');
    await expect(start()).rejects.toThrow(/PostgreSQL 17.*PostgreSQL 18/s);
    await writeFile(version, '18\n');
    await (await start()).stop();
  });
});

describe('the data folder', () => {
  it('must be open to the user that the server runs as', async () => {
    const closed = join(parent, 'closed');
    await mkdir(join(closed, 'inner'), { recursive: true });
    await chmod(closed, 0o700);
    const { uid, gid } = await stat(closed);
    expect(firstClosedFolder(join(closed, 'inner'), { uid: uid + 1, gid: gid + 1 })).toBe(closed);
    expect(firstClosedFolder(join(closed, 'inner'), { uid, gid })).toBeUndefined();
    await chmod(closed, 0o710);
    expect(firstClosedFolder(closed, { uid: uid + 1, gid })).toBeUndefined();
    await chmod(closed, 0o701);
    expect(firstClosedFolder(closed, { uid: uid + 1, gid: gid + 1 })).toBeUndefined();
  });

  it('is the project’s own, or the one that is configured, with a clear word to root when that is closed', async () => {
    expect(chooseDataFolder({ projectRoot: parent }).path).toBe(join(parent, '.allot'));
    const closed = join(parent, 'shut');
    await mkdir(closed, { mode: 0o700 });
    const choose = () => chooseDataFolder({ projectRoot: parent, configured: join(closed, 'data') });
    if (process.getuid?.() === 0) expect(choose).toThrow(`chmod o+x ${closed}`);
    else expect(choose().path).toBe(join(closed, 'data'));
  });

  it('says what to do where it cannot be made', async () => {
    const file = join(parent, 'a file');
    await writeFile(file, '');
    expect(() => chooseDataFolder({ projectRoot: parent, configured: file })).toThrow(
      `${file}, cannot be made (EEXIST). Name one that can be written with ALLOT_DATA_DIR`,
    );
  });
});

it('makes the links that an install without scripts left out', async () => {
  const root = join(parent, 'package');
  await mkdir(join(root, 'native', 'lib'), { recursive: true });
  await writeFile(join(root, 'native', 'lib', 'libx.so.1.2'), 'x');
  const links = ['libx.so', 'libx.so.1'].map((name) => ({
    source: 'native/lib/libx.so.1.2',
    target: `native/lib/${name}`,
  }));
  await writeFile(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  await restoreSymlinks(root);
  await restoreSymlinks(root);
  for (const { target } of links) {
    expect((await lstat(join(root, target))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(root, target), 'utf8')).toBe('x');
  }
});
