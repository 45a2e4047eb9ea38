import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AllotError, type GroupSpec } from '@allot/model';
import type { Assignor } from '@allot/strategies';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '../../../test/support/test-database.js';
import { loadOwnAssignors, type OwnAssignors } from '../src/assignors/load-own-assignors.js';
import { startReplicas, type Json, type Replica } from './support/service.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LIMIT_MS = 400;
/** What a busy machine may add to a limit. */
const SLACK_MS = 600;

const folder = mkdtempSync(join(tmpdir(), 'allot-assignors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let modules = 0;
/** A module whose `assign` has this body; `group` is its argument. Answers its path. */
function moduleOf(body: string, { name = 'mine', sticky = false, top = '' } = {}): string {
  return write(`${top}
    export default { name: '${name}', summary: 'For a test.', sticky: ${sticky}, assign(group) { ${body} } };`);
}

function write(source: string): string {
  const path = join(folder, `module-${++modules}.mjs`);
  writeFileSync(path, source);
  return path;
}

const open = new Set<OwnAssignors>();
afterEach(async () => {
  for (const { close } of open) await close();
  open.clear();
});

async function load(...paths: string[]): Promise<Assignor> {
  const loaded = await loadOwnAssignors(paths, LIMIT_MS);
  open.add(loaded);
  return loaded.assignors[0]!;
}

/** Two partitions for m and idle, and a topic that only m reads. */
const group: GroupSpec = {
  topics: [
    { name: 't', partitions: 2 },
    { name: 'u', partitions: 1 },
  ],
  members: [
    { id: 'm', topics: ['t', 'u'] },
    { id: 'idle', topics: ['t'] },
  ],
};
const LEGAL = '{ m: { t: [1, 0], u: [0] }, idle: {} }';

function faultOf(assignor: Assignor): AllotError & { elapsedMs: number } {
  const start = performance.now();
  try {
    assignor.assign(group);
  } catch (error) {
    expect(error).toBeInstanceOf(AllotError);
    return Object.assign(error as AllotError, { elapsedMs: performance.now() - start });
  }
  throw new Error('the assignor gave a legal answer');
}

describe('an answer', () => {
  it('is taken when it is legal, with partitions in any order', async () => {
    const assignor = await load(moduleOf(`return ${LEGAL}`));
    const { target, assignment, warnings } = assignor.assign(group);
    expect(target).toEqual(
      new Map([
        ['m', new Map(Object.entries({ t: [0, 1], u: [0] }))],
        ['idle', new Map()],
      ]),
    );
    expect([assignment, warnings]).toEqual([target, []]);
    expect(assignor).toMatchObject({ name: 'mine', aliases: [], summary: 'For a test.', sticky: false });
  });

  it('is to the whole group, in plain JSON, whatever its names are', async () => {
    const path = join(folder, 'seen.json');
    const top = `import { writeFileSync } from 'node:fs';`;
    const assignor = await load(
      moduleOf(
        `writeFileSync('${path}', JSON.stringify(group));
         return JSON.parse('{"__proto__": {"__proto__": [0], "constructor": [0]}}');`,
        { top },
      ),
    );
    const odd: GroupSpec = {
      topics: [
        { name: '__proto__', id: 'AAAAAAAAAAAAAAAAAAAAAA', partitions: 1, racks: [['a']], weights: [2] },
        { name: 'constructor', partitions: 1 },
      ],
      members: [
        {
          ...{
            id: '__proto__',
            instanceId: 'i',
            rack: 'a',
            topics: ['__proto__', 'constructor'],
            generation: 3,
            weight: 2,
          },
          owned: new Map([['__proto__', [0]]]),
          streams: new Map([['__proto__', 2]]),
        },
      ],
    };
    const { target } = assignor.assign(odd);
    expect([...target.get('__proto__')!.keys()]).toEqual(['__proto__', 'constructor']);
    const { topics, members } = JSON.parse(readFileSync(path, 'utf8')) as Json;
    expect(topics).toEqual(odd.topics);
    expect(JSON.stringify(members[0].owned)).toBe('{"__proto__":[0]}');
    expect(JSON.stringify(members[0].streams)).toBe('{"__proto__":2}');
    expect(members[0]).toMatchObject({ id: '__proto__', instanceId: 'i', rack: 'a', generation: 3, weight: 2 });
  });

  it.each([
    ['throws', 'throw new TypeError("no such luck")', 'ASSIGNOR_FAILED', 'threw TypeError: no such luck'],
    ['throws nothing', 'throw null', 'ASSIGNOR_FAILED', 'threw null'],
    ['throws what cannot be shown', 'throw Object.create(null)', 'ASSIGNOR_FAILED', 'cannot be shown'],
    ['has no end of calls', 'const f = () => f() + 1; f()', 'ASSIGNOR_FAILED', 'Maximum call stack size'],
    ['goes in circles', 'const x = {}; x.x = x; return x', 'ASSIGNOR_FAILED', 'circular structure'],
    ['exits', 'process.exit(3)', 'ASSIGNOR_FAILED', 'ended its process with exit code 3'],
    [
      'is killed',
      'process.kill(process.pid, "SIGKILL"); while (true);',
      'ASSIGNOR_FAILED',
      'ended its process by SIGKILL',
    ],
    ['lets go of the service', 'process.disconnect()', 'ASSIGNOR_FAILED', 'ended its process'],
    ['promises', `return Promise.resolve(${LEGAL})`, 'INVALID_ASSIGNMENT', 'a promise; `assign` must not be async'],
    ['answers with a Map', 'return new Map()', 'INVALID_ASSIGNMENT', 'return Object.fromEntries(map)'],
    ['says nothing', '', 'INVALID_ASSIGNMENT', 'answered with undefined'],
    ['answers with text', 'return "all to m"', 'INVALID_ASSIGNMENT', 'answered with "all to m" instead of an object'],
    ['answers with a list', 'return []', 'INVALID_ASSIGNMENT', 'answered with [] instead of an object'],
    ['gives a member a number', 'return { m: 7 }', 'INVALID_ASSIGNMENT', 'gave member m 7 instead of an object'],
    [
      'gives a topic a number',
      'return { m: { t: 1 } }',
      'INVALID_ASSIGNMENT',
      'gave member m 1 of t instead of a list',
    ],
    ['gives text', 'return { m: { t: ["0"] } }', 'INVALID_ASSIGNMENT', 'gave member m "0" as a partition number of t'],
    ['gives no number', 'return { m: { t: [NaN] } }', 'INVALID_ASSIGNMENT', 'gave member m null as a partition'],
    ['gives a fraction', 'return { m: { t: [0.5] } }', 'INVALID_ASSIGNMENT', 'gave member m 0.5 as a partition'],
    ['gives twice', 'return { m: { t: [0, 1, 0], u: [0] }, idle: {} }', 'INVALID_ASSIGNMENT', 'member m got t-0 twice'],
    [
      'gives to two',
      'return { m: { t: [0, 1], u: [0] }, idle: { t: [1] } }',
      'INVALID_ASSIGNMENT',
      't-1 has two owners, m and idle',
    ],
    [
      'gives to no subscriber',
      'return { m: { t: [0, 1] }, idle: { u: [0] } }',
      'INVALID_ASSIGNMENT',
      'member idle got u-0 without a subscription',
    ],
    ['forgets one', 'return { m: { t: [0], u: [0] }, idle: {} }', 'INVALID_ASSIGNMENT', 'nobody got t-1'],
    ['invents one', 'return { m: { t: [0, 1, 2], u: [0] }, idle: {} }', 'INVALID_ASSIGNMENT', 'no partition t-2'],
    ['forgets a member', 'return { m: { t: [0, 1], u: [0] } }', 'INVALID_ASSIGNMENT', 'member idle has no entry'],
    ['invents a member', `return { ...${LEGAL}, x: {} }`, 'INVALID_ASSIGNMENT', 'the group has no member x'],
    ['never stops', 'return { m: { t: Array(20_000).fill(0) } }', 'INVALID_ASSIGNMENT', 'longer than any legal one'],
  ])('of a module that %s is a fault', async (_, body, code, words) => {
    const fault = faultOf(await load(moduleOf(body)));
    expect([fault.code, fault.message]).toEqual([code, expect.stringContaining(words)]);
    expect(fault.message.startsWith('The assignor mine ')).toBe(true);
  });

  it.each([
    ['an endless loop', 'while (true);'],
    ['a search that does not end', 'return /^(a+)+$/.test("a".repeat(60) + "b")'],
    ['a wait for its own promise', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  ])('that does not come, by %s, costs the limit once, and nothing for a while', async (_, body) => {
    const assignor = await load(moduleOf(body));
    const first = faultOf(assignor);
    expect(first.code).toBe('ASSIGNOR_TIMEOUT');
    expect(first.message).toBe(`The assignor mine gave no answer within ${LIMIT_MS} ms.`);
    const firstMs = first.elapsedMs;
    expect(firstMs).toBeGreaterThanOrEqual(LIMIT_MS - 1);
    expect(firstMs).toBeLessThan(LIMIT_MS + SLACK_MS);
    const start = performance.now();
    for (let i = 0; i < 100; i++) expect(faultOf(assignor).message).toBe(first.message);
    expect(performance.now() - start).toBeLessThan(LIMIT_MS);
  });

  it.each([
    ['objects', 'const all = []; while (true) all.push({ x: all.length })'],
    ['one list', 'return new Array(1e8).fill({})'],
  ])('that needs more memory than there is, for %s, leaves the service alive', async (_, body) => {
    const fault = faultOf(await load(moduleOf(body)));
    // Which limit comes first depends on the machine.
    expect(['ASSIGNOR_TIMEOUT', 'ASSIGNOR_FAILED']).toContain(fault.code);
    expect(fault.elapsedMs).toBeLessThan(LIMIT_MS + SLACK_MS);
  });

  it('comes again from a new process, once the module behaves', async () => {
    const flag = join(folder, 'looping');
    writeFileSync(flag, '');
    const top = `import { existsSync } from 'node:fs';`;
    const assignor = await load(moduleOf(`while (existsSync('${flag}')); return ${LEGAL}`, { top }));
    expect(faultOf(assignor).code).toBe('ASSIGNOR_TIMEOUT');
    rmSync(flag);
    await until(() => {
      try {
        return assignor.assign(group).target.size === 2;
      } catch {
        return false;
      }
    });
    expect(assignor.assign(group).target.get('idle')).toEqual(new Map());
  });
});

describe('a module', () => {
  it.each([
    ['is not there', () => join(folder, 'nowhere.mjs'), 'cannot be loaded: Error: Cannot find module'],
    ['is no JavaScript', () => write('export default {'), 'cannot be loaded: SyntaxError'],
    ['throws', () => write('throw new Error("not today")'), 'cannot be loaded: Error: not today'],
    ['exits', () => write('process.exit(0)'), 'ended its process with exit code 0'],
    ['has no default export', () => write('export const assign = 1'), 'has no object as its default export'],
    ['exports a function', () => write('export default () => ({})'), 'has no object as its default export'],
    ['has no assign', () => write(`export default { name: 'a', summary: 's', sticky: true }`), '`assign` must be'],
    ['has no name', () => write(`export default { summary: 's', sticky: true, assign() {} }`), '`name` must be'],
    ['has no summary', () => write(`export default { name: 'a', sticky: true, assign() {} }`), '`summary` must say'],
    [
      'does not say whether it sticks',
      () => write(`export default { name: 'a', summary: 's', assign() {} }`),
      '`sticky`',
    ],
    [
      'has the name of a built-in one',
      () => moduleOf('', { name: 'range' }),
      'is called "range", as an assignor that Allot',
    ],
    ['has the alias of a built-in one', () => moduleOf('', { name: 'server-uniform' }), 'choose another name'],
  ])('that %s keeps the service from starting', async (_, path, words) => {
    await expect(load(path())).rejects.toMatchObject({ name: 'StartError', message: expect.stringContaining(words) });
  });

  it('must not have the name of another one, and every problem is told', async () => {
    const [one, other, broken] = [moduleOf(''), moduleOf(''), write('throw 7')];
    const refused = load(one, other, broken);
    await expect(refused).rejects.toThrow(`ALLOT_ASSIGNORS: ${other} is called "mine", as ${one} is`);
    await expect(refused).rejects.toThrow(`ALLOT_ASSIGNORS: ${broken} cannot be loaded: 7`);
  });

  it('sees nothing of the environment of the service', async () => {
    process.env['ALLOT_TEST_SECRET'] = 'password';
    const assignor = await load(moduleOf('throw Error(JSON.stringify(process.env))'));
    expect(faultOf(assignor).message).not.toContain('password');
    delete process.env['ALLOT_TEST_SECRET'];
  });
});

describe('a service with an assignor of its own', () => {
  const mode = join(folder, 'mode');
  const groups = '/v1/clusters/default/groups';
  let replica: Replica;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const top = `import { readFileSync } from 'node:fs';
      const fair = ({ topics, members }) => {
        const answer = Object.fromEntries(members.map(({ id }) => [id, {}]));
        for (const { name, partitions } of topics)
          for (let p = 0; p < partitions; p++) (answer[members[p % members.length].id][name] ??= []).push(p);
        return answer;
      };`;
    const body = `
      switch (readFileSync('${mode}', 'utf8')) {
        case 'loop': while (true);
        case 'exit': process.exit(1);
        case 'throw': throw new Error('on purpose');
        case 'twice': return Object.fromEntries(group.members.map(({ id }) => [id, { orders: [0, 1, 2, 3] }]));
        default: return fair(group);
      }`;
    writeFileSync(mode, 'fair');
    const own = relative(process.cwd(), moduleOf(body, { name: 'moody', top }));
    const env = {
      ALLOT_ASSIGNORS: `${own}, ${join(ROOT, 'examples/assignors/first-come.mjs')}`,
      ALLOT_ASSIGNOR_TIMEOUT_MS: String(LIMIT_MS),
    };
    const started = await startReplicas(1, { env });
    [replica] = started.replicas as [Replica];
    stop = started.stop;
    await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
  });
  afterAll(() => stop());

  it('names it where it lists assignors and takes it where one is named', async () => {
    const listed = await replica.call<Json>('GET', '/v1/assignors');
    expect(listed.items.map(({ name }: Json) => name)).toEqual(
      expect.arrayContaining(['range', 'moody', 'first-come']),
    );
    const made = await replica.call('PUT', `${groups}/listed`, { assignor: ['unheard-of', 'first-come'] });
    expect(made.spec.assignors).toEqual(['first-come']);
    const refused = await replica.send('PUT', `${groups}/refused`, { assignor: 'first-gone' });
    expect(refused.status).toBe(422);
    expect(refused.json.detail).toContain('weighted-sticky, moody, first-come');
  });

  it.each(['throw', 'twice', 'exit', 'loop'])(
    'keeps the target through the fault "%s", says so, and goes on when it is over',
    async (fault) => {
      const path = `${groups}/g-${fault}`;
      writeFileSync(mode, 'fair');
      await replica.call('PUT', path, { assignor: 'moody', sessionTimeoutMs: 60_000 });
      const a = await replica.call('POST', `${path}/members`, { subscription: { topics: ['orders'] } });
      expect(a.assignment).toEqual({ orders: [0, 1, 2, 3] });

      writeFileSync(mode, fault);
      const start = performance.now();
      const b = await replica.call('POST', `${path}/members`, { subscription: { topics: ['orders'] } });
      expect(performance.now() - start).toBeLessThan(LIMIT_MS + 2 * SLACK_MS);
      expect(b.assignment).toEqual({});
      const beat = (member: Json, memberEpoch: number, owned: Json) =>
        replica.call('POST', `${path}/members/${member.memberId}/heartbeat`, { memberEpoch, owned });
      await beat(a, 1, a.assignment);
      const seen = await replica.call('GET', path);
      expect(seen.assignorFault).toContain('The assignor moody ');
      const { members } = await replica.call('GET', `${path}/assignment?view=byMember`);
      expect(members[a.memberId]).toEqual({ current: a.assignment, target: a.assignment });
      expect(members[b.memberId].target).toEqual({});
      const refused = await replica.send('POST', `${path}/plans`, {});
      expect([502, 504]).toContain(refused.status);
      expect(refused.json.code).toMatch(/^ASSIGNOR_TIMEOUT$|^ASSIGNOR_FAILED$|^INVALID_ASSIGNMENT$/);

      writeFileSync(mode, 'fair');
      await until(async () => {
        await beat(b, b.memberEpoch, {});
        return (await replica.call('GET', path)).assignorFault === undefined;
      });
      const healed = await replica.call('GET', `${path}/assignment?view=byMember`);
      expect(healed.members[a.memberId].target).toEqual({ orders: [0, 2] });
      expect(healed.members[b.memberId].target).toEqual({ orders: [1, 3] });
    },
  );

  it('plans with it as it assigns with it', async () => {
    const path = `${groups}/planned`;
    await replica.call('PUT', path, { assignor: 'first-come' });
    await replica.call('POST', `${path}/members`, { subscription: { topics: ['orders'] } });
    const planned = await replica.call('POST', `${path}/plans`, { changes: [{ addMembers: 2 }] });
    const sizes = Object.values<Json>(planned.result.target).map(({ orders }) => orders.length);
    expect(sizes.sort()).toEqual([1, 1, 2]);
  });
});

describe('npm start', () => {
  const running = new Set<ChildProcess>();
  afterEach(() => running.forEach((child) => child.kill('SIGKILL')));

  function start(env: Record<string, string>) {
    const child = spawn(
      process.execPath,
      ['--no-deprecation', '--import', './test/support/typescript.mjs', 'apps/api/src/main.ts'],
      { cwd: ROOT, env: { PATH: process.env['PATH'], PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    running.add(child);
    const process_ = { child, output: '', exit: new Promise((resolve) => child.on('exit', resolve)) };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (process_.output += String(chunk)));
    return process_;
  }

  it('ends with exit code 1 and the reason when a module cannot be used, and leaves no process when it is killed', async () => {
    const database = await createTestDatabase();
    const refused = start({ DATABASE_URL: database.url, ALLOT_ASSIGNORS: './nowhere.mjs' });
    expect(await refused.exit).toBe(1);
    expect(refused.output).toContain('Allot cannot run:\n  ALLOT_ASSIGNORS: ./nowhere.mjs cannot be loaded');

    const pidFile = join(folder, 'pid');
    const top = `import { writeFileSync } from 'node:fs'; writeFileSync('${pidFile}', String(process.pid));`;
    const serving = start({ DATABASE_URL: database.url, ALLOT_ASSIGNORS: moduleOf('', { top }) });
    await until(() => serving.output.includes('is ready'));
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(lives(pid)).toBe(true);
    serving.child.kill('SIGKILL');
    await serving.exit;
    await until(() => !lives(pid));
    await database.drop();
  }, 60_000);
});

/** Whether the process runs. One that ended but whose end nobody has looked at is called Z. */
function lives(pid: number): boolean {
  if (!existsSync('/proc/self/stat')) return signalled(pid);
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

function signalled(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 20_000; !(await condition());) {
    if (performance.now() > deadline) throw new Error('it did not come about within 20 s');
    await sleep(100);
  }
}
