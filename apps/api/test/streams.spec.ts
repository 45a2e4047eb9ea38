import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Replica } from './support/service.js';
import { Reader } from './support/stream-reader.js';

let replica: Replica;
let other: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(2);
  [replica, other] = started.replicas as [Replica, Replica];
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
});
afterAll(() => stop());

const groups = '/v1/clusters/default/groups';

describe("a group's stream", () => {
  it('begins with a snapshot and tells each revision once, from whichever replica it came', async () => {
    await replica.call('PUT', `${groups}/s1`, {});
    const reader = await Reader.open(replica, `${groups}/s1/events`);
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reader.response.headers.get('x-accel-buffering')).toBe('no');
    expect(await reader.next()).toMatchObject({ name: 'snapshot', id: 1, data: { state: 'EMPTY', revision: 1 } });
    await other.call('POST', `${groups}/s1/members`, { memberId: 'a', subscription: { topics: ['orders'] } });
    expect(await reader.next()).toMatchObject({
      name: 'rebalance.completed',
      id: 2,
      data: { cause: 'member-joined', members: [{ memberId: 'a', current: { orders: [0, 1, 2, 3] } }] },
    });
    await replica.call('POST', `${groups}/s1/members`, { memberId: 'b', subscription: { topics: ['orders'] } });
    expect(await reader.next()).toMatchObject({ name: 'rebalance.started', id: 3, data: { state: 'RECONCILING' } });
    reader.close();
  });

  it('resumes after any event without losing or repeating one', async () => {
    for (const id of ['a', 'b', 'c', 'd']) {
      await replica.call('POST', `${groups}/s2/members`, { memberId: id, subscription: { topics: ['orders'] } });
    }
    for (let cut = 0; cut <= 4; cut++) {
      const reader = await Reader.open(other, `${groups}/s2/events`, { 'last-event-id': String(cut) });
      for (let id = cut + 1; id <= 4; id++) expect(await reader.next()).toMatchObject({ id, data: { revision: id } });
      reader.close();
    }
    const query = await Reader.open(replica, `${groups}/s2/events?sinceRevision=3`);
    expect(await query.next()).toMatchObject({ id: 4 });
    query.close();
  });

  it('sends a snapshot to a reader that comes from another life of the group', async () => {
    await replica.call('PUT', `${groups}/s3`, {});
    const reader = await Reader.open(replica, `${groups}/s3/events?sinceRevision=500`);
    expect(await reader.next()).toMatchObject({ name: 'snapshot', id: 1 });
    await replica.call('DELETE', `${groups}/s3`, undefined, 204, { 'if-match': '*' });
    expect(await reader.next()).toMatchObject({ name: 'deleted' });
    await expect(reader.next()).rejects.toThrow('ended');
  });

  it('tells a reader that came back to no news that the group is gone', async () => {
    const remove = () => replica.call('DELETE', `${groups}/s3a`, undefined, 204, { 'if-match': '*' });
    await replica.call('PUT', `${groups}/s3a`, {});
    const reader = await Reader.open(replica, `${groups}/s3a/events`, { 'last-event-id': '1' });
    await remove();
    expect(await reader.next()).toMatchObject({ name: 'deleted', id: 1 });
    await expect(reader.next()).rejects.toThrow('ended');
    expect((await replica.send('GET', `${groups}/s3a/events`, undefined, { 'last-event-id': '1' })).status).toBe(404);
  });

  it('never takes a new group for the deleted one of the same id', async () => {
    const etag = async () => (await replica.send('GET', `${groups}/s3b`)).headers.get('etag');
    await replica.call('PUT', `${groups}/s3b`, {});
    expect(await etag()).toBe('"1"');
    await replica.call('DELETE', `${groups}/s3b`, undefined, 204, { 'if-match': '*' });
    await other.call('PUT', `${groups}/s3b`, {}, 201);
    expect(await etag()).toBe('"3"');
    const resumed = await replica.send('GET', `${groups}/s3b/events`, undefined, { 'last-event-id': '1' });
    expect([resumed.status, resumed.json.code]).toEqual([410, 'REVISION_COMPACTED']);
  });

  it('says that history is gone instead of hiding a gap', async () => {
    for (const id of ['a', 'b', 'c']) {
      await replica.call('POST', `${groups}/s4/members`, { memberId: id, subscription: { topics: ['orders'] } });
    }
    await replica.postgres.database.prisma.$executeRaw`
      DELETE FROM group_changes ch USING groups g WHERE g.id = ch.group_pk AND g.group_id = 's4' AND ch.revision < 3`;
    const compacted = await replica.send('GET', `${groups}/s4/events`, undefined, { 'last-event-id': '1' });
    expect([compacted.status, compacted.json.code, compacted.json.oldest]).toEqual([410, 'REVISION_COMPACTED', 3]);
    const kept = await Reader.open(replica, `${groups}/s4/events`, { 'last-event-id': '2' });
    expect(await kept.next()).toMatchObject({ id: 3 });
    kept.close();
    expect((await replica.send('GET', `${groups}/s4/events`, undefined, { 'last-event-id': 'x' })).status).toBe(400);
  });

  it('speaks NDJSON to those who ask for it', async () => {
    await replica.call('PUT', `${groups}/s5`, {});
    const response = await fetch(`${replica.url}${groups}/s5/events`, { headers: { accept: 'application/x-ndjson' } });
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    expect(JSON.parse(new TextDecoder().decode(value))).toMatchObject({
      event: 'snapshot',
      id: 1,
      data: { groupId: 's5' },
    });
  });

  it('S-06 S-07 leaves no watcher behind after a hundred opens and aborts', async () => {
    await replica.call('PUT', `${groups}/s6`, {});
    const opens = Array.from({ length: 100 }, async (_, i) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), i % 20);
      const open = fetch(`${replica.url}${groups}/s6/events`, { signal: controller.signal });
      await open.then((response) => response.text()).catch(() => undefined);
    });
    await Promise.all(opens);
    await untilUnwatched();
  });

  it('answers HEAD without keeping the connection for events that nobody will read', async () => {
    await replica.call('PUT', `${groups}/s7`, {});
    const socket = connect(Number(new URL(replica.url).port), '127.0.0.1')
      .setEncoding('utf8')
      .setTimeout(5_000);
    socket.on('timeout', () => socket.destroy());
    const head = `HEAD ${groups}/s7/events HTTP/1.1\r\nHost: x\r\n\r\n`;
    socket.write(`${head}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1.1 200 [^]*text\/event-stream[^]*HTTP\/1.1 200 [^]*"status":"ok"/);
    await untilUnwatched();
  });

  async function untilUnwatched(): Promise<void> {
    const feed = replica.postgres.ports.feed as unknown as { size: number };
    const deadline = Date.now() + 5_000;
    while (feed.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(feed.size).toBe(0);
  }
});

describe("a member's stream", () => {
  it('tells what concerns the member, moves its bookmark over the rest, and ends with the member', async () => {
    const join = (memberId: string) =>
      replica.call('POST', `${groups}/m1/members`, { memberId, subscription: { topics: ['orders'] } });
    await join('a');
    const reader = await Reader.open(other, `${groups}/m1/members/a/events`);
    expect(await reader.next()).toMatchObject({
      name: 'snapshot',
      id: 1,
      data: { memberId: 'a', current: { orders: [0, 1, 2, 3] } },
    });
    await join('b');
    expect(await reader.next()).toMatchObject({
      id: 2,
      data: { members: [{ memberId: 'a', target: { orders: [0, 1] } }] },
    });
    await replica.call('POST', `${groups}/m1/members/a/heartbeat`, { memberEpoch: 1, owned: { orders: [0, 1] } });
    expect(await reader.next()).toMatchObject({ id: 3, data: { members: [{ memberId: 'a', memberEpoch: 2 }] } });
    await replica.call('POST', `${groups}/m1/members/b/heartbeat`, { memberEpoch: 2, owned: {} });
    expect(await reader.next()).toMatchObject({ name: 'bookmark', id: 4 });
    await replica.call('DELETE', `${groups}/m1/members/a`, undefined, 204);
    expect(await reader.next()).toMatchObject({
      name: 'removed',
      id: 5,
      data: { memberId: 'a', cause: 'member-left' },
    });
    await expect(reader.next()).rejects.toThrow('ended');
  });

  it('is refused for a member that is not there', async () => {
    await replica.call('PUT', `${groups}/m2`, {});
    expect((await replica.send('GET', `${groups}/m2/members/x/events`)).json.code).toBe('UNKNOWN_MEMBER_ID');
  });
});
