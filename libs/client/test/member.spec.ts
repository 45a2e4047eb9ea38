import { describe, expect, it } from '@jest/globals';
import { createMember, forEachPartition, stopOnSignals, type Member, type MemberOptions } from '@allot/client';
import { json, problem, ScriptedStream, settle, VirtualMachine, type Answerer } from './support/virtual-machine.js';

const SESSION = 6_000;
const answer = (more: object = {}) => ({
  ...{ memberId: 'm', memberEpoch: 1, state: 'STABLE', revoking: {}, revision: 1, groupEpoch: 1, assignmentEpoch: 1 },
  ...{ heartbeatIntervalMs: 1_000, sessionTimeoutMs: SESSION, rebalanceTimeoutMs: 60_000, validForMs: SESSION - 250 },
  ...more,
});

/** A member by heartbeats, what it told, and its machine. */
function start(script: Answerer, options: Partial<MemberOptions> = {}, machine = new VirtualMachine(script)) {
  const told: [name: string, event: unknown][] = [];
  const member = createMember({
    ...{ servers: ['http://a'], group: 'g', memberId: 'm', subscription: { topics: ['t'] }, transport: 'heartbeat' },
    environment: machine.environment,
    ...options,
  });
  for (const name of ['joined', 'assigned', 'revoked', 'lost', 'fenced', 'warning', 'error', 'stopped'] as const) {
    member.on(name, (event) => void told.push([name, event]));
  }
  const names = () => told.map(([name]) => name);
  return { member, machine, told, names };
}

const held = (member: Member) => Object.fromEntries(member.assignment);
const partitions = (topic: string, ...numbers: number[]) => new Map([[topic, numbers]]);

describe('a member by heartbeats', () => {
  it('joins under its own id, takes what it gets, and reports it with epoch and revision', async () => {
    const { member, machine, told } = start(({ body }) =>
      json(
        answer(
          body.memberEpoch === 0
            ? { assignment: { t: [0, 1] }, memberEpoch: 4, revision: 7 }
            : { memberEpoch: 4, revision: 7 },
        ),
      ),
    );
    await machine.run(3_000);
    expect(machine.sent[0]).toMatchObject({
      ...{ method: 'POST', url: 'http://a/v1/clusters/default/groups/g/members/m/heartbeat' },
      body: { memberEpoch: 0, revision: 0, subscription: { topics: ['t'] } },
    });
    expect(machine.sent.slice(1).map(({ at, body }) => [at, body])).toEqual([
      [2_000, { memberEpoch: 4, owned: { t: [0, 1] }, revision: 7 }],
      [3_000, { memberEpoch: 4, owned: { t: [0, 1] }, revision: 7 }],
      [4_000, { memberEpoch: 4, owned: { t: [0, 1] }, revision: 7 }],
    ]);
    expect(told).toEqual([
      ['joined', { memberId: 'm', memberEpoch: 4 }],
      ['assigned', { partitions: partitions('t', 0, 1), all: partitions('t', 0, 1), memberEpoch: 4 }],
    ]);
    expect([held(member), member.memberEpoch, member.epochOf({ topic: 't', partition: 1 })]).toEqual([
      { t: [0, 1] },
      4,
      4,
    ]);
  });

  it('tells the service of a revocation only when every handler has ended; heartbeats go on meanwhile', async () => {
    let beats = 0;
    const { member, machine, told } = start(({ body }) => {
      if (body.memberEpoch === 0) return json(answer({ assignment: { t: [0, 1] } }));
      const dropped = body.owned.t.length === 1;
      beats += dropped ? 0 : 1;
      if (dropped) return json(answer({ memberEpoch: 2, revision: 3 }));
      return json(answer({ assignment: { t: [0] }, revoking: { t: [1] }, state: 'UNREVOKED_PARTITIONS', revision: 2 }));
    });
    let signal: AbortSignal | undefined;
    member.on('assigned', () => void (signal = member.signalOf({ topic: 't', partition: 1 })));
    member.on('revoked', () => machine.wait(2_500));
    await machine.run(1_500);
    expect([signal!.aborted, held(member)]).toEqual([true, { t: [0] }]);
    await machine.run(1_900);
    expect([beats, machine.sent.every(({ body }) => body.owned === undefined || body.owned.t.length === 2)]).toEqual([
      3,
      true,
    ]);
    await machine.run(200);
    expect(machine.sent.at(-1)).toMatchObject({ at: 4_500, body: { memberEpoch: 1, owned: { t: [0] }, revision: 2 } });
    expect(told.filter(([name]) => name === 'revoked')).toMatchObject([
      ['revoked', { partitions: partitions('t', 1), reason: 'rebalance' }],
    ]);
    expect(member.memberEpoch).toBe(2);
  });

  it('warns when giving up takes long', async () => {
    const { member, machine, told } = start(({ body }) =>
      json(
        body.memberEpoch === 0
          ? answer({ assignment: { t: [1] }, rebalanceTimeoutMs: 4_000 })
          : answer({ assignment: {}, revoking: { t: [1] }, state: 'UNREVOKED_PARTITIONS', rebalanceTimeoutMs: 4_000 }),
      ),
    );
    member.on('revoked', () => machine.wait(3_000));
    await machine.run(3_500);
    expect(told.find(([name]) => name === 'warning')?.[1]).toMatchObject({
      ...{ code: 'REVOKE_SLOW', elapsedMs: 2_000, remainingMs: 2_000, partitions: partitions('t', 1) },
    });
  });

  it('S-10 stops before its session ends when no answer comes, and joins anew holding nothing', async () => {
    let silent = false;
    const { member, machine, told } = start(({ body }) => {
      if (silent) return undefined;
      return json(answer(body.memberEpoch === 0 ? { assignment: { t: [0] } } : {}));
    });
    await machine.run(0);
    silent = true;
    const signal = member.signalOf({ topic: 't', partition: 0 })!;
    let lostAt = 0;
    member.on('lost', () => {
      lostAt = machine.now;
      return machine.wait(1_000);
    });
    await machine.run(SESSION - 700);
    expect([lostAt, signal.aborted, member.isValid]).toEqual([0, false, true]);
    await machine.run(400);
    // 5,750 x 0.98 - 300, from when the join was sent.
    expect(lostAt).toBe(1_000 + 5_335);
    expect([signal.aborted, member.isValid, held(member)]).toEqual([true, false, {}]);
    expect(told.at(-1)).toEqual(['lost', { partitions: partitions('t', 0), reason: 'deadline' }]);
    const before = machine.sent.length;
    silent = false;
    await machine.run(600);
    expect(machine.sent.length).toBe(before);
    await machine.run(1_000);
    expect(machine.sent[before]!.body).toMatchObject({ memberEpoch: 0, revision: 1 });
    expect(held(member)).toEqual({ t: [0] });
  });

  it('R8 stops in time whatever two clocks do that run wrong by 1 % each', async () => {
    for (const sessionMs of [1_000, SESSION, 45_000]) {
      for (const [mine, theirs] of [
        [0.99, 1.01],
        [1.01, 0.99],
      ] as const) {
        let sentAt = 0;
        const machine: VirtualMachine = new VirtualMachine(async ({ body, at }) => {
          if (body.memberEpoch > 0) return undefined;
          sentAt ||= at;
          const reply = json(answer({ assignment: { t: [0] }, validForMs: sessionMs, sessionTimeoutMs: sessionMs }));
          await machine.wait(sessionMs / 10);
          return reply;
        }, mine);
        const { member } = start(machine.answer, {}, machine);
        let lostAt = 0;
        member.on('lost', () => void (lostAt ||= machine.now));
        await machine.run(sessionMs * 1.2);
        expect(lostAt - sentAt).toBeLessThan(sessionMs / theirs);
        expect(lostAt - sentAt).toBeGreaterThan(sessionMs * 0.9);
      }
    }
  });

  it('R8 counts the time that its machine slept', async () => {
    const { member, machine, names } = start(({ body }) =>
      json(answer(body.memberEpoch === 0 ? { assignment: { t: [0] } } : {})),
    );
    await machine.run(500);
    machine.answer = () => undefined;
    machine.sleep(SESSION);
    expect(member.isValid).toBe(false);
    expect(held(member)).toEqual({});
    await machine.run(SESSION);
    expect(names()).toContain('lost');
  });

  it('ignores what comes too late for it: an answer from before it was lost, and one that was given up', async () => {
    let late: ((response: Response) => void) | undefined;
    const { member, machine } = start(
      ({ body }) => {
        if (body.memberEpoch > 0) return new Promise<Response>((resolve) => (late ??= resolve));
        return json(answer(late === undefined ? { assignment: { t: [0] } } : { memberEpoch: 5, revision: 9 }));
      },
      { requestTimeoutMs: 60_000 },
    );
    await machine.run(7_000);
    expect(member.memberEpoch).toBe(5);
    late!(json(answer({ memberEpoch: 2, assignment: { t: [0, 1, 2] } })));
    await settle();
    expect([member.memberEpoch, held(member)]).toEqual([5, {}]);
  });

  it('takes a partition that was given back while it was given up as one more assignment', async () => {
    let step = 0;
    const { member, machine, told } = start(({ body }) => {
      if (body.memberEpoch === 0) return json(answer({ assignment: { t: [0] } }));
      step++;
      if (step === 1)
        return json(answer({ assignment: {}, revoking: { t: [0] }, state: 'UNREVOKED_PARTITIONS', revision: 2 }));
      const reported = body.owned.t !== undefined;
      return json(answer({ memberEpoch: 3, revision: 3, ...(!reported && { assignment: { t: [0] } }) }));
    });
    member.on('revoked', () => machine.wait(1_500));
    await machine.run(4_000);
    expect(told.filter(([name]) => ['assigned', 'revoked', 'lost'].includes(name)).map(([name]) => name)).toEqual([
      'assigned',
      'revoked',
      'assigned',
    ]);
    expect(member.epochOf({ topic: 't', partition: 0 })).toBe(3);
  });

  it('drops everything at once when it is fenced, also while it gives something up, and joins again', async () => {
    let joins = 0;
    const { member, machine, told, names } = start(({ body }) => {
      if (body.memberEpoch === 0)
        return json(answer(joins++ === 0 ? { assignment: { t: [0, 1] } } : { memberEpoch: 9 }));
      if (machine.now < 2_500)
        return json(answer({ assignment: { t: [0] }, revoking: { t: [1] }, state: 'UNREVOKED_PARTITIONS' }));
      return body.memberEpoch === 9 ? json(answer({ memberEpoch: 9 })) : problem(409, 'FENCED_MEMBER_EPOCH', 'rejoin');
    });
    let tooLate: AbortSignal | undefined;
    member.on('revoked', ({ signal }) => {
      tooLate = signal;
      return machine.wait(5_000);
    });
    await machine.run(2_100);
    expect(tooLate!.aborted).toBe(true);
    expect(told.find(([name]) => name === 'lost')).toEqual([
      'lost',
      { partitions: partitions('t', 0, 1), reason: 'fenced' },
    ]);
    expect(told.find(([name]) => name === 'fenced')?.[1]).toMatchObject({
      error: { code: 'FENCED_MEMBER_EPOCH', action: 'rejoin' },
    });
    await machine.run(3_000);
    // The handler that gives up still works: joining now could bring back what it is about to drop.
    expect(joins).toBe(1);
    await machine.run(3_000);
    expect([joins, member.memberEpoch, held(member)]).toEqual([2, 9, {}]);
    expect(machine.sent.every(({ body }) => body.memberEpoch !== 9 || body.owned.t === undefined)).toBe(true);
    expect(names().filter((name) => name === 'joined')).toHaveLength(2);
  });

  it('ends when another process has its place, and says why', async () => {
    const { member, machine, names } = start(
      ({ body }) =>
        body.memberEpoch === 0 ? json(answer({ assignment: { t: [0] } })) : problem(409, 'FENCED_INSTANCE_ID', 'stop'),
      { instanceId: 'i' },
    );
    await machine.run(5_000);
    await expect(member.stopped).rejects.toMatchObject({
      code: 'FENCED_INSTANCE_ID',
      action: 'stop',
      retriable: false,
      status: 409,
    });
    expect(names()).toEqual(['joined', 'assigned', 'lost', 'fenced', 'stopped']);
    expect(machine.sent).toHaveLength(2);
  });

  it('S-01 goes on with another replica when one fails, later and later, and waits as long as it is told', async () => {
    const { member, machine } = start(
      ({ url, body }) => {
        if (new URL(url).host === 'a') throw new TypeError('connect ECONNREFUSED');
        if (machine.sent.length < 6) return problem(503, 'STORE_UNAVAILABLE', 'retry', { retryAfterMs: 700 });
        return json(answer(body.memberEpoch === 0 ? { assignment: { t: [0] } } : {}));
      },
      { servers: ['http://a/', 'http://b'] },
    );
    await machine.run(10_000);
    const gap = (i: number) => machine.sent[i + 1]!.at - machine.sent[i]!.at;
    const hosts = machine.sent.slice(0, 6).map(({ url }) => new URL(url).host);
    expect(hosts).toEqual(['b', 'a', 'b', 'a', 'b', 'a']);
    expect([gap(0), gap(1)]).toEqual([700 + 100, 200]);
    expect(held(member)).toEqual({ t: [0] });
  });

  it('stops in order: gives up, then leaves; a static member keeps its place', async () => {
    for (const instanceId of [undefined, 'i']) {
      const { member, machine, names } = start(
        ({ body, method }) => {
          if (method === 'DELETE' || body.memberEpoch < 0) return new Response(null, { status: 204 });
          return json(answer(body.memberEpoch === 0 ? { assignment: { t: [0] } } : { assignment: { t: [0] } }));
        },
        instanceId === undefined ? {} : { instanceId },
      );
      member.on('revoked', () => machine.wait(2_000));
      await machine.run(100);
      const stopped = member.stop();
      await machine.run(1_950);
      expect(machine.sent.filter(({ body }) => body?.memberEpoch === 1).length).toBeGreaterThan(0);
      await machine.run(100);
      await stopped;
      const { method, url, body } = machine.sent.at(-1)!;
      if (instanceId === undefined)
        expect([method, new URL(url).pathname]).toEqual(['DELETE', '/v1/clusters/default/groups/g/members/m']);
      else expect(body).toEqual({ memberEpoch: -2 });
      expect(names()).toEqual(['joined', 'assigned', 'revoked', 'stopped']);
      await expect(member.stopped).resolves.toBeUndefined();
    }
  });

  it('does not wait for ever to stop, and vanishes with its signal', async () => {
    const script: Answerer = ({ body }) => json(answer(body?.memberEpoch === 0 ? { assignment: { t: [0] } } : {}));
    const slow = start(script);
    slow.member.on('revoked', () => slow.machine.wait(50_000));
    await slow.machine.run(100);
    const limit = new AbortController();
    const stopped = slow.member.stop({ signal: limit.signal });
    await slow.machine.run(500);
    limit.abort();
    await slow.machine.run(60_000);
    await stopped;
    expect(slow.names()).toContain('lost');
    const crash = new AbortController();
    const { member, machine, told } = start(script, { signal: crash.signal });
    await machine.run(100);
    crash.abort();
    expect(held(member)).toEqual({});
    await machine.run(10_000);
    expect(told.map(([name]) => name)).toEqual(['joined', 'assigned', 'lost', 'stopped']);
    expect(machine.sent).toHaveLength(1);
  });

  const holding: Answerer = ({ body, method }) =>
    method === 'DELETE'
      ? new Response(null, { status: 204 })
      : json(answer(body.memberEpoch === 0 ? { assignment: { t: [0, 1] } } : {}));
  const never = () => new Promise<void>(() => undefined);
  const left = (machine: VirtualMachine) => machine.sent.filter(({ method }) => method === 'DELETE').length;

  it('ends though a handler never returns, and then does not leave: somebody may be at work still', async () => {
    for (const limit of [new AbortController(), undefined]) {
      const { member, machine, names } = start(holding);
      member.on('revoked', never);
      member.on('lost', never);
      await machine.run(100);
      let ended = false;
      void member.stop(limit === undefined ? {} : { signal: limit.signal }).then(() => (ended = true));
      await machine.run(50_000);
      expect([ended, left(machine), member.isValid]).toEqual([false, 0, true]);
      limit?.abort();
      // The group's rebalance timeout is 60,000.
      if (limit === undefined) await machine.run(10_000);
      await settle();
      expect([ended, left(machine), held(member), names().at(-1)]).toEqual([true, 0, {}, 'lost']);
      const sent = machine.sent.length;
      await machine.run(100_000);
      expect(machine.sent.length).toBe(sent);
    }
  });

  it('comes to an end when a handler waits for it to stop', async () => {
    for (const name of ['joined', 'assigned', 'revoked', 'stopped'] as const) {
      const { member, machine } = start(holding);
      let ended = false;
      member.on(name, () => member.stop().then(() => void (ended = true)));
      await machine.run(100);
      void member.stop();
      await machine.run(1_000);
      // Only what gives partitions up is waited for, and so can wait for itself: the rebalance timeout ends that.
      expect([name, ended, left(machine)]).toEqual([name, name !== 'revoked', name === 'revoked' ? 0 : 1]);
      await machine.run(60_000);
      expect([name, ended]).toEqual([name, true]);
      await expect(member.stopped).resolves.toBeUndefined();
    }
  });

  it('comes to an end when a handler of `fenced` or `lost` waits for it to stop', async () => {
    for (const name of ['lost', 'fenced'] as const) {
      const { member, machine, names } = start(({ body }) =>
        body.memberEpoch === 0
          ? json(answer({ assignment: { t: [0] } }))
          : problem(409, 'FENCED_MEMBER_EPOCH', 'rejoin'),
      );
      member.on(name, () => member.stop());
      await machine.run(63_000);
      await expect(member.stopped).resolves.toBeUndefined();
      expect(names()).toEqual(['joined', 'assigned', 'lost', 'fenced', 'stopped']);
      expect(machine.sent).toHaveLength(2);
    }
  });

  it('vanishes at whatever moment its signal aborts, and asks nothing any more', async () => {
    let replies = 0;
    for (let at = 0; at <= 4_000; at += 50) {
      const crash = new AbortController();
      const machine: VirtualMachine = new VirtualMachine(async (sent) => {
        await machine.wait(120);
        replies++;
        const { url, body } = sent;
        if (url.includes('/events')) return new ScriptedStream().response;
        if (body.memberEpoch === 0) return json(answer({ assignment: { t: [0, 1] } }));
        if (sent.at > 2_500) return problem(409, 'FENCED_MEMBER_EPOCH', 'rejoin');
        return json(answer({ assignment: { t: [0] }, revoking: { t: [1] }, state: 'UNREVOKED_PARTITIONS' }));
      });
      const { member } = start(machine.answer, { signal: crash.signal, transport: 'stream' }, machine);
      member.on('revoked', () => machine.wait(300));
      await machine.run(at);
      crash.abort();
      expect([held(member), member.isValid, member.validForMs]).toEqual([{}, false, 0]);
      const sent = machine.sent.length;
      await machine.run(1_000);
      await expect(member.stopped).resolves.toBeUndefined();
      expect(machine.sent.length).toBe(sent);
    }
    expect(replies).toBeGreaterThan(80);
  });

  it('tells what a handler of `stopped` throws', async () => {
    const { member, machine, told } = start(holding);
    member.on('stopped', () => Promise.reject(new Error('late')));
    await machine.run(100);
    void member.stop();
    await machine.run(100);
    expect(told.at(-1)).toEqual(['error', new Error('late')]);
  });

  it('stops on SIGTERM when asked to', async () => {
    const listeners = new Map<string, () => void>();
    const process = {
      once: (name: string, listener: () => void) => listeners.set(name, listener),
      removeListener: (name: string) => listeners.delete(name),
    };
    const { member, machine } = start(() => json(answer()));
    stopOnSignals(member, process);
    await machine.run(100);
    listeners.get('SIGTERM')!();
    await machine.run(100);
    await member.stopped;
    expect([listeners.size, machine.sent.at(-1)!.method]).toEqual([0, 'DELETE']);
  });

  it('asks whether it still holds something, as of when it received it', async () => {
    const { member, machine } = start(({ url, body }) => {
      if (url.endsWith('verify-ownership')) return json({ valid: true, fenced: {}, reasons: [], validForMs: 10 });
      return json(answer(body.memberEpoch === 0 ? { assignment: { t: [0] } } : { memberEpoch: 6 }));
    });
    await machine.run(3_000);
    await expect(member.verify([{ topic: 't', partition: 0 }])).resolves.toMatchObject({ valid: true });
    expect(machine.requests('verify-ownership')[0]!.body).toEqual({
      memberId: 'm',
      memberEpoch: 1,
      partitions: { t: [0] },
    });
    await expect(member.verify([{ topic: 't', partition: 5 }])).rejects.toMatchObject({ code: 'NOT_HELD' });
  });

  it('asks again, of the next server, when a question to verify got no answer; not when it was refused', async () => {
    let asked = 0;
    const { member, machine } = start(({ url, body }) => {
      if (!url.endsWith('verify-ownership')) {
        return json(answer(body.memberEpoch === 0 ? { assignment: { t: [0] } } : {}));
      }
      if (++asked < 3) throw new TypeError('fetch failed');
      return json({ valid: true, fenced: {}, reasons: [], validForMs: 10 });
    });
    await machine.run(1_000);
    await expect(member.verify([{ topic: 't', partition: 0 }])).resolves.toMatchObject({ valid: true });
    expect(asked).toBe(3);
    asked = -Infinity;
    await expect(member.verify([{ topic: 't', partition: 0 }])).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    expect(machine.requests('verify-ownership')).toHaveLength(6);
  });

  it('tells what its handlers throw, and goes on', async () => {
    const { member, machine, told } = start(({ body }) =>
      json(answer(body.memberEpoch === 0 ? { assignment: { t: [0] } } : {})),
    );
    member.on('assigned', () => Promise.reject(new Error('mine')));
    await machine.run(2_000);
    expect(told.filter(([name]) => name === 'error').map(([, error]) => String(error))).toEqual(['Error: mine']);
    expect(machine.sent.length).toBeGreaterThan(2);
  });
});

describe('work on each partition', () => {
  it('runs from when it is received until it is given up, and only then does the service hear of it', async () => {
    const { member, machine } = start(({ body }) => {
      if (body.memberEpoch === 0) return json(answer({ assignment: { t: [0, 1] } }));
      if (body.owned.t.length < 2) return json(answer({ memberEpoch: 2 }));
      return json(answer({ assignment: { t: [0] }, revoking: { t: [1] }, state: 'UNREVOKED_PARTITIONS' }));
    });
    const log: string[] = [];
    forEachPartition(member, async ({ topic, partition, signal, epoch }) => {
      log.push(`+${topic}-${partition}@${epoch}`);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await machine.wait(300);
      log.push(`-${partition}`);
      throw new Error('over');
    });
    await machine.run(1_200);
    expect(log).toEqual(['+t-0@1', '+t-1@1']);
    expect(machine.sent.at(-1)!.body.owned).toEqual({ t: [0, 1] });
    await machine.run(200);
    expect(log).toEqual(['+t-0@1', '+t-1@1', '-1']);
    expect(machine.sent.at(-1)!.body.owned).toEqual({ t: [0] });
  });
});

describe('work that fails', () => {
  it('is told for each partition, at once, while the others work on', async () => {
    const { member, machine, told } = start(({ body }) =>
      json(answer(body.memberEpoch === 0 ? { assignment: { t: [0, 1, 2] } } : {})),
    );
    forEachPartition(member, async ({ partition, signal }) => {
      if (partition > 0) await machine.wait(partition * 300);
      if (partition > 0) throw new Error(`work ${partition}`);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    });
    const errors = () => told.filter(([name]) => name === 'error').map(([, error]) => (error as Error).message);
    await machine.run(400);
    expect(errors()).toEqual(['work 1']);
    await machine.run(400);
    expect(errors()).toEqual(['work 1', 'work 2']);
    expect(machine.sent.at(-1)!.body.owned).toEqual(undefined);
    await machine.run(1_000);
    expect(machine.sent.at(-1)!.body.owned).toEqual({ t: [0, 1, 2] });
  });
});

describe('a member that listens', () => {
  const streaming =
    (stream: () => ScriptedStream | undefined, more: Answerer): Answerer =>
    (sent) =>
      new URL(sent.url).pathname.endsWith('/events') ? stream()?.response : more(sent);

  it('answers the calls of its stream instead of sending heartbeats', async () => {
    const stream = new ScriptedStream();
    const script = streaming(
      () => stream,
      ({ url, body }) => {
        if (url.endsWith('/lease')) return json({ memberEpoch: 1, assignmentEpoch: 1, validForMs: 5_750 });
        return json(answer(body.memberEpoch === 0 ? { assignment: { t: [0] } } : {}));
      },
    );
    const { member, machine } = start(script, { transport: 'stream' });
    for (let i = 0; i < 10; i++) {
      await machine.run(2_000);
      stream.event('lease', { token: `t${i}`, everyMs: 2_000 });
    }
    await machine.run(10);
    expect(machine.requests('/lease').map(({ body }) => body)).toEqual(
      Array.from({ length: 10 }, (_, i) => ({ memberEpoch: 1, token: `t${i}` })),
    );
    expect(new URL(machine.requests('/events')[0]!.url).search).toBe('?memberEpoch=1');
    // The one before the first call came.
    expect(machine.requests('/heartbeat').filter(({ at }) => at > 3_100)).toEqual([]);
    expect([member.isValid, held(member)]).toEqual([true, { t: [0] }]);
  });

  it('lives by heartbeats as soon as calls do not come through, though the connection is open', async () => {
    const stream = new ScriptedStream();
    const script = streaming(
      () => (machine.requests('/events').length === 1 ? stream : new ScriptedStream()),
      ({ url }) => json(url.endsWith('/lease') ? { memberEpoch: 1, assignmentEpoch: 1, validForMs: 5_750 } : answer()),
    );
    const { machine, names }: ReturnType<typeof start> = start(script, { transport: 'stream' });
    await machine.run(10);
    stream.event('lease', { token: 't', everyMs: 2_000 });
    await machine.run(2_900);
    expect(machine.requests('/heartbeat')).toHaveLength(1);
    await machine.run(6_000);
    expect(machine.requests('/heartbeat').length).toBeGreaterThan(5);
    expect(names()).not.toContain('lost');
    // Silent for a session: the next connection may do better.
    expect(machine.requests('/events').length).toBe(2);
  });

  it('sends a heartbeat at once when something is new for it, soon when only the epoch is, and never for old news', async () => {
    const stream = new ScriptedStream();
    const script = streaming(
      () => stream,
      ({ body }) =>
        json(
          answer(body.memberEpoch === 0 ? { heartbeatIntervalMs: 5_000 } : { revision: 4, heartbeatIntervalMs: 5_000 }),
        ),
    );
    const { machine } = start(script, { transport: 'stream' });
    await machine.run(10);
    stream.event('lease', { token: 't', everyMs: 60_000 });
    await machine.run(10);
    const beats = () => machine.requests('/heartbeat').length;
    expect(beats()).toBe(1);
    stream.event('assignment', { assignmentEpoch: 1 }, 4);
    await machine.run(0);
    expect(beats()).toBe(2);
    stream.event('assignment', { assignmentEpoch: 1 }, 4);
    stream.event('bookmark', { revision: 5, assignmentEpoch: 1 }, 5);
    await machine.run(500);
    expect(beats()).toBe(2);
    stream.event('bookmark', { revision: 6, assignmentEpoch: 2 }, 6);
    await machine.run(2_400);
    expect(beats()).toBe(2);
    await machine.run(200);
    expect(beats()).toBe(3);
  });

  it('listens again after a break, from the event it saw last', async () => {
    const streams = [new ScriptedStream(), new ScriptedStream()];
    let next = 0;
    const script = streaming(
      () => streams[next++],
      () => json(answer()),
    );
    const { machine } = start(script, { transport: 'stream' });
    await machine.run(10);
    streams[0]!.event('snapshot', {}, 3);
    await machine.run(10);
    streams[0]!.break();
    await machine.run(1_000);
    const [first, second] = machine.requests('/events');
    expect([first!.headers.get('last-event-id'), second!.headers.get('last-event-id')]).toEqual([null, '3']);
  });

  it('finds out by a heartbeat what a refused call or a `removed` means', async () => {
    const stream = new ScriptedStream();
    let fenced = false;
    const script = streaming(
      () => (fenced ? new ScriptedStream() : stream),
      ({ body }) => {
        if (body.memberEpoch === 0) return json(answer({ assignment: { t: [0] }, memberEpoch: fenced ? 2 : 1 }));
        return fenced && body.memberEpoch === 1
          ? problem(404, 'UNKNOWN_MEMBER_ID', 'rejoin')
          : json(answer({ memberEpoch: 2 }));
      },
    );
    const { machine, told } = start(script, { transport: 'stream' });
    await machine.run(10);
    fenced = true;
    stream.event('removed', { memberId: 'm' }, 9);
    await machine.run(300);
    expect(told.filter(([name]) => ['lost', 'fenced', 'joined'].includes(name)).map(([name]) => name)).toEqual([
      'joined',
      'lost',
      'fenced',
      'joined',
    ]);
  });
});
