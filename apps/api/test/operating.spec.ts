import { setTimeout as sleep } from 'node:timers/promises';
import type { GroupStore } from '@allot/coordinator';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GROUP_STORE } from '../src/ports.js';
import { startReplicas, type Json, type Replica } from './support/service.js';

let replica: Replica;
let other: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(2);
  [replica, other] = started.replicas as [Replica, Replica];
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
  await replica.call('PUT', '/v1/clusters/default/topics/logs', { partitions: 2 });
});
afterAll(() => stop());

const groups = '/v1/clusters/default/groups';
const put = (groupId: string, body: Json, query = '') => replica.call('PUT', `${groups}/${groupId}${query}`, body);
const read = (groupId: string) => other.call('GET', `${groups}/${groupId}`);
const join = (groupId: string, memberId: string, more: Json = {}) =>
  replica.call('POST', `${groups}/${groupId}/members`, { memberId, subscription: { topics: ['orders'] }, ...more });
const send = (method: string, path: string, body?: Json) => replica.send(method, `${groups}/${path}`, body);

/** A worker that does as it is told, on any replica. */
class Worker {
  epoch = 0;
  held: Json = {};

  constructor(
    private readonly groupId: string,
    readonly memberId: string,
    private readonly more: Json = {},
  ) {}

  async join(): Promise<this> {
    return this.#follow(await join(this.groupId, this.memberId, this.more));
  }

  async beat(): Promise<this> {
    const path = `${groups}/${this.groupId}/members/${this.memberId}/heartbeat`;
    return this.#follow(await other.call('POST', path, { memberEpoch: this.epoch, owned: this.held }));
  }

  #follow({ memberEpoch, assignment }: Json): this {
    this.epoch = memberEpoch;
    if (assignment !== undefined) this.held = assignment;
    return this;
  }
}

async function settle(...workers: Worker[]): Promise<void> {
  for (let round = 0; round < 4; round++) for (const worker of workers) await worker.beat();
}

async function until<T>(look: () => Promise<T>, found: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const value = await look();
    if (found(value)) return value;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)}`);
    await sleep(50);
  }
}

describe('settings of a stored group', () => {
  it('keep pins, options and orders; null takes an optional one away', async () => {
    const wish = {
      assignor: 'weighted-sticky',
      kafkaVersion: null,
      pins: [{ topic: 'orders', partition: 3, member: 'a' }],
      weightedSticky: { balance: 'load', absoluteHysteresis: 5, cooldownMs: 60_000 },
      partitionOrder: [{ topic: 'orders', partition: 1 }],
      moveBudget: 7,
      initialDelayMs: 20,
      assignmentIntervalFromMembers: 3,
      staticPolicy: 'newest-wins',
      onInstanceConflict: 'retry',
      autoFreeze: { share: 0.5, minMembers: 4 },
      maintenanceWindows: [{ days: ['SUNDAY'], from: '02:00', until: '04:00', timeZone: 'Europe/Berlin' }],
    };
    const made = await put('s1', wish);
    const { assignor, kafkaVersion, ...kept } = wish;
    expect(made.spec).toMatchObject({ ...kept, frozen: false });
    expect(made.spec).not.toHaveProperty('kafkaVersion');
    const taken = Object.fromEntries(Object.keys(kept).map((name) => [name, null]));
    const left = await put('s1', taken);
    for (const name of Object.keys(kept)) expect(left.spec).not.toHaveProperty(name);
    expect((await read('s1')).spec).toEqual(left.spec);
    await put('s1', { assignor: 'uniform', kafkaVersion: '4.0' });
    expect((await put('s1', { kafkaVersion: null })).spec).not.toHaveProperty('kafkaVersion');
  });

  it('D-05 give a new target when they change, and say why', async () => {
    const [a, b] = [await new Worker('s2', 'a').join(), await new Worker('s2', 'b').join()];
    await settle(a, b);
    expect(b.held).toEqual({ orders: [2, 3] });
    await put('s2', { pins: [{ topic: 'orders', partition: 0, member: 'b' }] }, '?reason=closer');
    await settle(a, b);
    expect(b.held.orders).toContain(0);
    const { items } = await replica.call<Json>('GET', `${groups}/s2/rebalances`);
    expect(items[0]).toMatchObject({ cause: 'pins-changed', reason: 'closer', outcome: 'completed' });
  });

  it.each([
    [{ moveBudget: 0 }, '/moveBudget'],
    [{ autoFreeze: { share: 1, minMembers: 2 } }, '/autoFreeze/share'],
    [{ pins: [{ topic: 'orders', partition: -1, member: 'a' }] }, '/pins/0/partition'],
    [{ maintenanceWindows: [{ days: ['SUNDAY'], from: '2', until: '04:00' }] }, '/maintenanceWindows/0/from'],
    [{ weightedSticky: { maxSkew: 0 } }, '/weightedSticky/maxSkew'],
    [{ staticPolicy: 'both' }, '/staticPolicy'],
    [
      {
        pins: [
          { topic: 'orders', partition: 1, member: 'a' },
          { topic: 'orders', partition: 1, member: 'b' },
        ],
      },
      '/pins/1',
    ],
  ])('refuse %j', async (body, pointer) => {
    const { status, json } = await send('PUT', 's3', body);
    expect([status, json.errors?.[0]?.pointer]).toEqual([400, pointer]);
  });
});

describe('operating a group over HTTP', () => {
  it('freezes with a reason that everybody sees, and thaws at once', async () => {
    const a = await new Worker('f1', 'a').join();
    expect((await put('f1', { frozen: true }, '?reason=storage%20moves')).hold).toMatchObject({
      by: 'frozen',
      reason: 'storage moves',
      targetWaits: false,
    });
    const b = await new Worker('f1', 'b').join();
    await settle(a, b);
    const group = await read('f1');
    expect(group).toMatchObject({ state: 'ASSIGNING', hold: { by: 'frozen', targetWaits: true } });
    expect(group.spec.frozen).toBe(true);
    expect(b.held).toEqual({});
    await put('f1', { frozen: false });
    await settle(a, b);
    expect(b.held).toEqual({ orders: [2, 3] });
    expect(await read('f1')).toMatchObject({ state: 'STABLE', spec: { frozen: false } });
  });

  it('wakes a group at the end of its maintenance window', async () => {
    const a = await new Worker('w1', 'a').join();
    await settle(a);
    const until_ = new Date(Date.now() + 1_500).toISOString();
    await put('w1', { maintenanceWindows: [{ from: '2026-01-01T00:00:00Z', until: until_ }] });
    await new Worker('w1', 'b').join();
    expect(await read('w1')).toMatchObject({
      state: 'ASSIGNING',
      assignmentEpoch: 1,
      hold: { by: 'maintenance-window', until: until_, targetWaits: true },
    });
    const group = await until(
      () => read('w1'),
      ({ assignmentEpoch }) => assignmentEpoch === 2,
    );
    expect(group.hold).toBeUndefined();
  });

  it('freezes a group that loses most of its members, and shows it', async () => {
    await put('x1', { sessionTimeoutMs: 800, autoFreeze: { share: 0.5, minMembers: 3 } });
    const workers = [];
    for (const id of ['a', 'b', 'c', 'd']) workers.push(await new Worker('x1', id).join());
    const kept = workers[0]!;
    const group = await until(
      async () => {
        await kept.beat();
        return read('x1');
      },
      ({ hold }) => hold?.by === 'auto-frozen',
    );
    expect(group).toMatchObject({ state: 'ASSIGNING', spec: { frozen: false } });
    expect((await put('x1', { frozen: false })).hold).toBeUndefined();
  });

  it('drains a member: it hands over, and only then stopping it is safe', async () => {
    const [a, b] = [await new Worker('d1', 'a').join(), await new Worker('d1', 'b').join()];
    await settle(a, b);
    const check = () => replica.call('GET', `${groups}/d1/members/a/check-drain`);
    const moves = [
      { topic: 'orders', partition: 0, to: 'b' },
      { topic: 'orders', partition: 1, to: 'b' },
    ];
    expect(await check()).toEqual({ draining: false, safe: false, holds: { orders: [0, 1] }, handsOver: moves });
    const dry = await replica.call('POST', `${groups}/d1/members/a/drain?dryRun=true`);
    expect(dry).toMatchObject({ draining: true, safe: false, handsOver: moves });
    expect((await check()).draining).toBe(false);
    await replica.call('POST', `${groups}/d1/members/a/drain?reason=deploy`);
    const { revision } = await read('d1');
    expect(await replica.call('POST', `${groups}/d1/members/a/drain`)).toMatchObject({ draining: true, safe: false });
    expect(await read('d1')).toMatchObject({
      revision,
      members: [{ memberId: 'a', draining: true }, { memberId: 'b' }],
    });
    await settle(a, b);
    expect([a.held, b.held]).toEqual([{}, { orders: [0, 1, 2, 3] }]);
    expect(await replica.call('POST', `${groups}/d1/members/a/check-drain`)).toEqual({
      draining: true,
      safe: true,
      holds: {},
      handsOver: [],
    });
    expect(await replica.call('DELETE', `${groups}/d1/members/a/drain`)).toMatchObject({ draining: false });
    await settle(a, b);
    expect(a.held).toEqual({ orders: [0, 1] });
    expect((await send('POST', 'd1/members/x/drain')).json).toMatchObject({ code: 'UNKNOWN_MEMBER_ID' });
  });

  it('moves no more than the budget at a time', async () => {
    await put('b1', { assignor: 'sticky', moveBudget: 1, assignmentIntervalMs: 0 });
    const a = await new Worker('b1', 'a').join();
    const b = await new Worker('b1', 'b').join();
    expect(await read('b1')).toMatchObject({ deferredMoves: 1 });
    await until(
      async () => {
        await settle(a, b);
        return b.held;
      },
      ({ orders = [] }) => orders.length === 2,
    );
    expect(await read('b1')).not.toHaveProperty('deferredMoves');
    const { items } = await replica.call<Json>('GET', `${groups}/b1/rebalances`);
    expect(items.map((item: Json) => [item.cause, item.movedPartitions, item.outcome])).toEqual([
      ['moves-continued', 1, 'completed'],
      ['member-joined', 1, 'completed'],
      ['member-joined', 0, 'completed'],
    ]);
  });

  it('E-14 refuses a second process, or the first one, and records the conflict', async () => {
    const subscription = { topics: ['orders'] };
    await new Worker('e1', 'a', { instanceId: 'i' }).join();
    const refused = await send('POST', 'e1/members', { memberId: 'b', instanceId: 'i', subscription });
    expect(refused).toMatchObject({
      status: 409,
      json: { code: 'UNRELEASED_INSTANCE_ID', action: 'retry', heldBy: 'a' },
    });
    const { revision } = await read('e1');
    await send('POST', 'e1/members', { instanceId: 'i', subscription });
    expect((await read('e1')).revision).toBe(revision);
    await put('e1', { staticPolicy: 'newest-wins' });
    const c = await new Worker('e1', 'c', { instanceId: 'i' }).join();
    const late = await send('POST', 'e1/members/a/heartbeat', { memberEpoch: 1, owned: { orders: [0, 1, 2, 3] } });
    expect(late).toMatchObject({ status: 409, json: { code: 'FENCED_INSTANCE_ID', action: 'stop', heldBy: 'c' } });
    const again = await send('POST', 'e1/members', { memberId: 'a', instanceId: 'i', subscription });
    expect(again.json).toMatchObject({ code: 'FENCED_INSTANCE_ID' });
    expect(c.held).toEqual({});
    await replica.call('DELETE', `${groups}/e1/members/a`);
    await settle(c);
    expect(c.held).toEqual({ orders: [0, 1, 2, 3] });
    const { changes } = await replica.app
      .get<GroupStore>(GROUP_STORE)
      .changesSince({ cluster: 'default', groupId: 'e1' }, 0, 100);
    const conflicts = changes.filter(({ cause }) => cause === 'instance-conflict');
    expect(conflicts.map(({ details }) => details)).toEqual([
      { instanceId: 'i', heldBy: 'a', claimedBy: 'b', outcome: 'refused' },
      { instanceId: 'i', heldBy: 'a', claimedBy: 'c', outcome: 'taken-over' },
    ]);
  });

  it('KAFKA-18188 removes a member by its id or instance id, and keeps the reason', async () => {
    await new Worker('r1', 'a', { instanceId: 'i a' }).join();
    await new Worker('r1', 'b').join();
    await replica.call('DELETE', `${groups}/r1/members?instanceId=i%20a&reason=gone`);
    await replica.call('DELETE', `${groups}/r1/members/b?reason=stuck`);
    expect((await read('r1')).members).toEqual([]);
    expect((await send('DELETE', 'r1/members?instanceId=i')).json).toMatchObject({ code: 'UNKNOWN_MEMBER_ID' });
    expect((await send('DELETE', 'r1/members')).status).toBe(400);
  });

  it('lets a member choose its partitions, apart from what is subscribed', async () => {
    const a = await new Worker('m1', 'a').join();
    const chosen = await join('m1', 'm', { subscription: undefined, assign: { logs: [1] } });
    expect(chosen).toMatchObject({ memberEpoch: 1, state: 'STABLE', assignment: { logs: [1] } });
    expect(await read('m1')).toMatchObject({ groupEpoch: 1, members: [{}, { memberId: 'm', manual: true }] });
    for (const [assign, code] of [
      [{ orders: [0] }, 'PARTITION_COVERED'],
      [{ logs: [1] }, 'PARTITION_IN_USE'],
      [{ logs: [2] }, 'INVALID_REQUEST'],
      [{}, 'INVALID_REQUEST'],
    ] as const) {
      expect((await send('POST', 'm1/members', { assign })).json).toMatchObject({ code });
    }
    const b = await new Worker('m1', 'b', { subscription: { topics: ['logs'] } }).join();
    await settle(a, b);
    expect(b.held).toEqual({ logs: [0] });
    expect(await read('m1')).toMatchObject({ leftOut: { logs: [1] } });
    await replica.call('DELETE', `${groups}/m1/members/m`);
    await settle(a, b);
    expect(b.held).toEqual({ logs: [0, 1] });
  });

  it('tells a member of topics that do not exist', async () => {
    const answer = await join('u1', 'a', { subscription: { topics: ['orders', 'zeta', 'alpha'] } });
    expect(answer.unknownTopics).toEqual(['alpha', 'zeta']);
    expect((await read('u1')).unknownTopics).toEqual(['alpha', 'zeta']);
    expect(await join('u1', 'b')).not.toHaveProperty('unknownTopics');
  });

  it('waits for more members when a group was empty, if it is told to', async () => {
    await put('i1', { initialDelayMs: 700 });
    const answers = [await join('i1', 'a'), await join('i1', 'b')];
    expect(answers).toMatchObject([{ memberEpoch: 0 }, { memberEpoch: 0 }]);
    expect(await read('i1')).toMatchObject({ state: 'ASSIGNING', hold: { by: 'initial-delay', targetWaits: true } });
    const group = await until(
      () => read('i1'),
      ({ assignmentEpoch }) => assignmentEpoch > 0,
    );
    expect(group.members.map(({ target }: Json) => target)).toEqual([{ orders: [0, 1] }, { orders: [2, 3] }]);
  });
});
