import { setTimeout as sleep } from 'node:timers/promises';
import {
  createMember,
  forEachPartition,
  listPartitions,
  watchGroup,
  type Member,
  type MemberOptions,
} from '@allot/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Replica } from '../../apps/api/test/support/service.js';
import { StreamProxy } from '../../apps/api/test/support/stream-proxy.js';

let replicas: Replica[];
let proxies: StreamProxy[];
let stop: () => Promise<void>;
const members: Member[] = [];
const groups = '/v1/clusters/default/groups';
/** Long enough for a busy machine to be heard in. */
const SESSION = 6_000;

beforeAll(async () => {
  const started = await startReplicas(2);
  ({ replicas, stop } = started);
  proxies = await Promise.all(replicas.map(({ url }) => StreamProxy.start(() => url)));
  await replicas[0]!.call('PUT', '/v1/clusters/default/topics/t', { partitions: 6 });
});
afterEach(async () => {
  await Promise.all(members.splice(0).map((member) => member.stop({ leave: 'vanish' })));
});
afterAll(async () => {
  for (const proxy of proxies) await proxy.stop();
  await stop();
});

async function makeGroup(group: string): Promise<void> {
  const settings = { assignor: 'uniform', sessionTimeoutMs: SESSION, heartbeatIntervalMs: 1_000 };
  await replicas[0]!.call('PUT', `${groups}/${group}`, settings);
}

/** A member behind the proxies, and when it lost what. */
function join(group: string, options: Partial<MemberOptions> = {}) {
  const servers = proxies.map(({ url }) => url);
  const member = createMember({ servers, group, subscription: { topics: ['t'] }, ...options });
  const lost: { at: number; reason: string }[] = [];
  const fenced: string[] = [];
  member.on('lost', ({ reason }) => void lost.push({ at: Date.now(), reason }));
  member.on('fenced', ({ error }) => void fenced.push(error.code));
  members.push(member);
  return { member, lost, fenced, count: () => listPartitions(member.assignment).length };
}

async function until(holds: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('this did not come about in time');
    await sleep(20);
  }
}

const membersOf = async (group: string): Promise<string[]> =>
  (await replicas[0]!.call('GET', `${groups}/${group}`)).members.map(({ memberId }: { memberId: string }) => memberId);

describe.each(['stream', 'heartbeat'] as const)('members by %s', (transport) => {
  it('S-01 share the partitions, hand them over when one stops, and take over from one that vanished', async () => {
    const group = `share-${transport}`;
    await makeGroup(group);
    const a = join(group, { transport });
    await until(() => a.count() === 6);
    const b = join(group, { transport });
    await until(() => a.count() === 3 && b.count() === 3);
    await b.member.stop();
    await until(() => a.count() === 6);
    const crash = new AbortController();
    const c = join(group, { transport, signal: crash.signal });
    await until(() => a.count() === 3 && c.count() === 3);
    crash.abort();
    expect(c.count()).toBe(0);
    await until(() => a.count() === 6);
    expect([a.lost, b.lost]).toEqual([[], []]);
  }, 120_000);

  it('live on when every connection is cut or goes half open, as long as one replica can be reached', async () => {
    const group = `cut-${transport}`;
    await makeGroup(group);
    const { member, lost, count } = join(group, { transport, requestTimeoutMs: 1_000 });
    await until(() => count() === 6);
    for (const proxy of proxies) {
      proxy.freeze();
      await sleep(SESSION);
    }
    expect([lost, count(), member.isValid]).toEqual([[], 6, true]);
  }, 120_000);

  it('S-10 R8 stop before the service gives their partitions away when they cannot reach it', async () => {
    const group = `alone-${transport}`;
    await makeGroup(group);
    const isolated = await StreamProxy.start(() => replicas[0]!.url);
    const { member, lost } = join(group, { transport, servers: [isolated.url], requestTimeoutMs: 1_000 });
    await until(() => listPartitions(member.assignment).length === 6);
    const work: number[] = [];
    const clock = setInterval(() => member.isValid && work.push(Date.now()), 5);
    await isolated.stop();
    await until(() => lost.length > 0);
    expect(await membersOf(group)).toEqual([member.id]);
    await until(async () => (await membersOf(group)).length === 0);
    const { at } = await lastChange(group);
    clearInterval(clock);
    expect(Math.max(...work)).toBeLessThan(at);
    expect(lost).toMatchObject([{ reason: 'deadline' }]);
  }, 120_000);
});

describe('a member', () => {
  it('keeps its place over a restart when it is static', async () => {
    await makeGroup('static');
    const a = join('static', { instanceId: 'one' });
    const b = join('static', { instanceId: 'two' });
    await until(() => a.count() === 3 && b.count() === 3);
    const before = a.member.assignment;
    await a.member.stop();
    const again = join('static', { instanceId: 'one' });
    await until(() => again.count() === 3);
    expect([again.member.assignment, b.lost]).toEqual([before, []]);
  }, 120_000);

  it('S-10 hears that it was fenced while it gives something up, and drops everything', async () => {
    await makeGroup('fenced');
    const a = join('fenced', { transport: 'heartbeat' });
    let tooLate: AbortSignal | undefined;
    a.member.on('revoked', async ({ signal }) => {
      tooLate = signal;
      await replicas[1]!.call('DELETE', `${groups}/fenced/members/${a.member.id}`, undefined, 204);
      await until(() => signal.aborted);
    });
    await until(() => a.count() === 6);
    const b = join('fenced');
    await until(() => a.fenced.length > 0);
    expect(tooLate!.aborted).toBe(true);
    expect([a.fenced, a.lost.map(({ reason }) => reason)]).toEqual([['UNKNOWN_MEMBER_ID'], ['fenced']]);
    await until(() => a.count() === 3 && b.count() === 3);
  }, 120_000);

  it('works on each partition alone, with an epoch that rises from holder to holder, and can ask whether it still may', async () => {
    await makeGroup('work');
    const running = new Map<number, number>();
    const epochs = new Map<number, number[]>();
    let overlap = false;
    const verdicts: boolean[] = [];
    const start = () => {
      // Not through the proxies: connections that another test froze may be used again.
      const { member } = join('work', { servers: replicas.map(({ url }) => url) });
      return forEachPartition(member, async ({ partition, epoch, signal, verify }) => {
        overlap ||= (running.get(partition) ?? 0) > 0;
        running.set(partition, (running.get(partition) ?? 0) + 1);
        epochs.set(partition, [...(epochs.get(partition) ?? []), epoch]);
        verdicts.push((await verify()).valid);
        await sleep(100_000, undefined, { signal }).catch(() => sleep(50));
        running.set(partition, running.get(partition)! - 1);
      });
    };
    const first = start();
    await until(() => verdicts.length === 6);
    start();
    await until(() => verdicts.length === 9);
    await first.stop();
    await until(() => verdicts.length === 12);
    expect([overlap, new Set(verdicts)]).toEqual([false, new Set([true])]);
    for (const list of epochs.values()) expect(list).toEqual([...list].sort((a, b) => a - b));
    for (const list of epochs.values()) expect(new Set(list).size).toBe(list.length);
  }, 120_000);
});

async function lastChange(group: string): Promise<{ at: number }> {
  for await (const { data } of watchGroup({ servers: [replicas[0]!.url], group, sinceRevision: 0 })) {
    if (data['cause'] === 'session-expired') return { at: Date.parse(String(data['at'])) };
  }
  throw new Error('nobody expired');
}
