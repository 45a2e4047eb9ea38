import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { GroupCoordinator } from '@allot/coordinator';
import { createParser } from 'eventsource-parser';
import { createClient as createSseClient } from 'graphql-sse';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { GraphQLWebSockets } from '../src/graphql/websockets.js';
import { Shutdown } from '../src/http/shutdown.js';
import { startReplicas, type Json, type Replica } from './support/service.js';

let replica: Replica;
let other: Replica;
let stop: () => Promise<void>;
const clients: { dispose(): void | Promise<void> }[] = [];

/** Subscriptions that are open, beside what a replica always has open. */
const openOn = new Map<Replica, () => number>();

beforeAll(async () => {
  const started = await startReplicas(2);
  [replica, other] = started.replicas as [Replica, Replica];
  stop = started.stop;
  for (const each of [replica, other]) {
    const shutdown = each.app.get(Shutdown, { strict: false });
    const baseline = shutdown.size;
    openOn.set(each, () => shutdown.size - baseline);
  }
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
});
afterAll(() => stop());

const groups = '/v1/clusters/default/groups';
const join = (via: Replica, group: string, memberId: string) =>
  via.call('POST', `${groups}/${group}/members`, { memberId, subscription: { topics: ['orders'] } });

const GROUP_CHANGED = `subscription ($group: String!, $since: SafeInt) {
  groupChanged(group: $group, sinceRevision: $since) {
    __typename
    ... on GroupSnapshot { revision because group { groupId revision state members { memberId } } }
    ... on GroupRevision { revision kind cause state members { memberId removed current { topic partitions } } groupNow { revision } }
    ... on GroupDeleted { revision groupId }
  }
}`;

type Transport = 'ws' | 'sse';

function open(via: Replica, transport: Transport): Pick<Client, 'iterate'> {
  const client =
    transport === 'ws'
      ? createClient({ url: via.url.replace('http', 'ws') + '/graphql', webSocketImpl: WebSocket, retryAttempts: 0 })
      : createSseClient({ url: `${via.url}/graphql/stream`, retryAttempts: 0 });
  clients.push(client);
  return client as Pick<Client, 'iterate'>;
}

/** Events of one subscription, the answer's frame taken off. */
function subscribe(via: Replica, transport: Transport, query: string, variables: Json) {
  const results = open(via, transport).iterate<Json>({ query, variables });
  return {
    next: async (): Promise<Json> => {
      const { value, done } = await results.next();
      if (done === true) return 'complete';
      const { data, errors } = value as Json;
      return errors === undefined ? Object.values(data as Json)[0] : { errors };
    },
    close: () => results.return!(),
  };
}

describe.each<Transport>(['ws', 'sse'])('groupChanged over %s', (transport) => {
  it('begins with a snapshot and tells each revision once, from whichever replica it came', async () => {
    const group = `a-${transport}`;
    await replica.call('PUT', `${groups}/${group}`, {});
    const events = subscribe(replica, transport, GROUP_CHANGED, { group });
    expect(await events.next()).toEqual({
      __typename: 'GroupSnapshot',
      revision: 1,
      because: 'START',
      group: { groupId: group, revision: 1, state: 'EMPTY', members: [] },
    });
    await join(other, group, 'a');
    expect(await events.next()).toEqual({
      __typename: 'GroupRevision',
      revision: 2,
      kind: 'rebalance.completed',
      cause: 'member-joined',
      state: 'STABLE',
      members: [{ memberId: 'a', removed: false, current: [{ topic: 'orders', partitions: [0, 1, 2, 3] }] }],
      groupNow: { revision: 2 },
    });
    await join(replica, group, 'b');
    expect(await events.next()).toMatchObject({ revision: 3, kind: 'rebalance.started', groupNow: { revision: 3 } });
    await events.close();
  });

  it('resumes after any revision without losing or repeating one', async () => {
    const group = `b-${transport}`;
    for (const id of ['a', 'b', 'c', 'd']) await join(replica, group, id);
    for (let since = 0; since < 4; since++) {
      const events = subscribe(other, transport, GROUP_CHANGED, { group, since });
      for (let revision = since + 1; revision <= 4; revision++) expect(await events.next()).toMatchObject({ revision });
      await events.close();
    }
  });

  it('sends a snapshot that says so where the history is gone', async () => {
    const group = `c-${transport}`;
    for (const id of ['a', 'b', 'c']) await join(replica, group, id);
    await replica.postgres.database.prisma.$executeRaw`
      DELETE FROM group_changes ch USING groups g WHERE g.id = ch.group_pk AND g.group_id = ${group} AND ch.revision < 3`;
    const events = subscribe(replica, transport, GROUP_CHANGED, { group, since: 1 });
    expect(await events.next()).toMatchObject({ __typename: 'GroupSnapshot', revision: 3, because: 'COMPACTED' });
    await join(other, group, 'd');
    expect(await events.next()).toMatchObject({ __typename: 'GroupRevision', revision: 4 });
    await events.close();
  });

  it('ends with the group', async () => {
    const group = `d-${transport}`;
    await replica.call('PUT', `${groups}/${group}`, {});
    const events = subscribe(replica, transport, GROUP_CHANGED, { group, since: 1 });
    await opened(replica, 1);
    await replica.call('DELETE', `${groups}/${group}`, undefined, 204, { 'if-match': '*' });
    expect(await events.next()).toEqual({ __typename: 'GroupDeleted', revision: 1, groupId: group });
    expect(await events.next()).toBe('complete');
  });

  it('starts over with a snapshot when the group is another one by now', async () => {
    const group = `again-${transport}`;
    for (const value of [1_001, 1_002]) await replica.call('PUT', `${groups}/${group}`, { heartbeatIntervalMs: value });
    await replica.call('DELETE', `${groups}/${group}`, undefined, 204, { 'if-match': '*' });
    const { revision } = await other.call<Json>('PUT', `${groups}/${group}`, {});
    for (const since of [0, 1, 2, revision + 1, Number.MAX_SAFE_INTEGER]) {
      const events = subscribe(replica, transport, GROUP_CHANGED, { group, since });
      expect(await events.next()).toMatchObject({ __typename: 'GroupSnapshot', revision });
      await events.close();
    }
  });

  it('refuses a group that is not there with the code of REST', async () => {
    const events = subscribe(replica, transport, GROUP_CHANGED, { group: 'nobody' });
    expect(await events.next().catch((errors: unknown) => ({ errors }))).toMatchObject({
      errors: [{ extensions: { code: 'GROUP_ID_NOT_FOUND', action: 'fix-request' } }],
    });
  });
});

describe('many subscriptions to one group', () => {
  it('read each of its changes once for all of them', async () => {
    await replica.call('PUT', `${groups}/popular`, {});
    const store = replica.postgres.ports.groups as { changesSince: (...args: unknown[]) => Promise<unknown> };
    const read = store.changesSince.bind(store);
    let reads = 0;
    store.changesSince = (...args) => (reads++, read(...args));
    const all = Array.from({ length: 30 }, (_, i) =>
      subscribe(replica, i % 2 === 0 ? 'ws' : 'sse', GROUP_CHANGED, { group: 'popular' }),
    );
    const next = () => Promise.all(all.map((events) => events.next()));
    for (const event of await next()) expect(event).toMatchObject({ __typename: 'GroupSnapshot', revision: 1 });
    for (let revision = 2; revision <= 5; revision++) {
      await other.call('PUT', `${groups}/popular`, { heartbeatIntervalMs: 1_000 + revision });
      for (const event of await next()) expect(event).toMatchObject({ __typename: 'GroupRevision', revision });
    }
    store.changesSince = read;
    // One for each change, one at the beginning, and some for hints that came while one was under way.
    expect(reads).toBeLessThan(15);
    await Promise.all(all.map((events) => events.close()));
  });
});

/** More than a reader may fall behind, and what the buffers of the kernel hold before that. */
const CHANGES = 240;

const REBALANCES = `subscription ($group: String, $since: String) {
  rebalances(group: $group, sincePosition: $since) {
    __typename
    ... on RebalanceChange { position revision groupId phase rebalance { revision cause outcome movedPartitions } group { state } }
    ... on RebalancesMissed { position }
  }
}`;

describe.each<Transport>(['ws', 'sse'])('what happens in a cluster, over %s', (transport) => {
  it('tells rebalances of all groups, or of one, and resumes after any of them', async () => {
    const [one, two] = [`r1-${transport}`, `r2-${transport}`];
    const all = subscribe(replica, transport, REBALANCES, {});
    const mine = subscribe(other, transport, REBALANCES, { group: two });
    await opened(replica, 1);
    await opened(other, 1);
    await join(other, one, 'a');
    await join(replica, two, 'a');
    await join(other, two, 'b');
    const events = [await all.next(), await all.next(), await all.next()];
    expect(events).toMatchObject([
      { groupId: one, revision: 1, phase: 'ended', rebalance: { cause: 'member-joined', outcome: 'completed' } },
      { groupId: two, revision: 1, phase: 'ended', rebalance: { outcome: 'completed' } },
      {
        groupId: two,
        revision: 2,
        phase: 'began',
        rebalance: { revision: 2, outcome: 'running', movedPartitions: 2 },
        group: { state: 'RECONCILING' },
      },
    ]);
    expect([await mine.next(), await mine.next()]).toMatchObject([{ revision: 1 }, { revision: 2 }]);
    for (let seen = 0; seen < 2; seen++) {
      const resumed = subscribe(other, transport, REBALANCES, { since: events[seen].position });
      for (const { group: _now, ...event } of events.slice(seen + 1)) {
        expect(await resumed.next()).toMatchObject(event);
      }
      await resumed.close();
    }
    await all.close();
    await mine.close();
  });

  it('refuses what is no position', async () => {
    for (const since of ['abc', '', '1.0', '99999999999999999999.0.0', '-1.0.0']) {
      const events = subscribe(replica, transport, REBALANCES, { since });
      expect(await events.next().catch((errors: unknown) => ({ errors }))).toMatchObject({
        errors: [{ extensions: { code: 'INVALID_REQUEST', errors: [{ pointer: '/sincePosition' }] } }],
      });
    }
  });

  it('says so when what came after a position is no longer kept', async () => {
    await join(replica, `r3-${transport}`, 'a');
    const missed = subscribe(replica, transport, REBALANCES, { since: '1.0.0' });
    const event = await missed.next();
    expect(event).toEqual({ __typename: 'RebalancesMissed', position: expect.stringMatching(/^\d+\.0\.0$/) });
    await missed.close();
  });

  it('tells the overview at once and whenever it changes, from whichever replica', async () => {
    const overview = `subscription { clusterOverview { revision members groups topics
      groupsByState { state groups } cluster { groups(first: 1) { pageInfo { hasNextPage } } } } }`;
    const events = subscribe(replica, transport, overview, {});
    const first = await events.next();
    await join(other, `o-${transport}`, 'a');
    let next = await events.next();
    while (next.members === first.members) next = await events.next();
    expect(next).toMatchObject({ members: first.members + 1, groups: first.groups + 1 });
    expect(next.revision).toBeGreaterThan(first.revision);
    await other.call('PUT', `/v1/clusters/default/topics/t-${transport}`, {});
    while (next.topics === first.topics) next = await events.next();
    expect(next.topics).toBe(first.topics + 1);
    await events.close();
  });
});

/** Waits until so many subscriptions of a replica are open. */
async function opened(via: Replica, count: number): Promise<void> {
  while (openOn.get(via)!() < count) await new Promise((resolve) => setTimeout(resolve, 10));
  // Open, and what was committed so far is behind it.
  await new Promise((resolve) => setTimeout(resolve, 100));
}

describe('S-06 subscriptions that outlive their socket', () => {
  const left = (via: Replica) => {
    const feed = via.postgres.ports.feed as unknown as { size: number };
    const sockets = via.app.get(GraphQLWebSockets, { strict: false });
    return { watched: feed.size, open: openOn.get(via)!(), sockets: sockets.size };
  };

  it('S-06 leaves nothing behind after a thousand opens and aborts', async () => {
    await join(replica, 's6', 'a');
    const url = `${replica.url.replace('http', 'ws')}/graphql`;
    const query = (i: number) => (i % 2 === 0 ? GROUP_CHANGED : REBALANCES);
    const overWs = (i: number) =>
      new Promise<void>((resolve) => {
        const socket = new WebSocket(url, 'graphql-transport-ws');
        socket.on('open', () => {
          socket.send(JSON.stringify({ type: 'connection_init' }));
          setTimeout(() => socket.terminate(), i % 51);
        });
        socket.on('message', (text: Buffer) => {
          const payload = { query: query(i), variables: { group: 's6' } };
          if (String(text).includes('connection_ack'))
            socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
        });
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
      });
    const overSse = async (i: number) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), i % 51);
      const body = JSON.stringify({ query: query(i), variables: { group: 's6' } });
      const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
      const request = { method: 'POST', body, headers, signal: controller.signal };
      await fetch(`${replica.url}/graphql/stream`, request)
        .then((response) => response.text())
        .catch(() => undefined);
    };
    for (let batch = 0; batch < 20; batch++) {
      const numbers = Array.from({ length: 50 }, (_, i) => batch * 50 + i);
      await Promise.all(numbers.map((i) => (i % 4 < 2 ? overWs(i) : overSse(i))));
    }
    const deadline = Date.now() + 10_000;
    const nothing = { watched: 0, open: 0, sockets: 0 };
    while (JSON.stringify(left(replica)) !== JSON.stringify(nothing) && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(left(replica)).toEqual(nothing);
  }, 120_000);

  it('S-06 ends a subscription whose socket closed while it was being opened', async () => {
    const store = replica.postgres.ports.groups as { read: (ref: unknown) => Promise<unknown> };
    const read = store.read.bind(store);
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    store.read = async (ref) => held.then(() => read(ref));
    const socket = new WebSocket(`${replica.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
    socket.on('message', () => {
      const payload = { query: GROUP_CHANGED, variables: { group: 's6' } };
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
    });
    socket.on('error', () => undefined);
    while (left(replica).open === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    socket.terminate();
    while (left(replica).sockets > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    release();
    store.read = read;
    const deadline = Date.now() + 5_000;
    while (left(replica).open > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(left(replica)).toMatchObject({ watched: 0, open: 0 });
  });

  /** A client that stops reading: what it got until then and since, and how to make it read or not. */
  const SLOW = {
    sse: async (query: string, onEvent: (event: Json) => void) => {
      const parser = createParser({
        onEvent: ({ event, data }) => event === 'next' && onEvent((JSON.parse(data) as Json).data.groupChanged),
      });
      const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
      const request = httpRequest(`${replica.url}/graphql/stream`, { method: 'POST', headers });
      request.end(JSON.stringify({ query }));
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
      return { pause: () => response.pause(), resume: () => response.resume(), end: () => request.destroy() };
    },
    ws: async (query: string, onEvent: (event: Json) => void) => {
      const socket = new WebSocket(`${replica.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      socket.on('message', (text: Buffer) => {
        const { type, payload } = JSON.parse(String(text)) as Json;
        if (type === 'connection_ack') socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
        if (type === 'next') onEvent(payload.data.groupChanged);
      });
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'connection_init' }));
      return { pause: () => socket.pause(), resume: () => socket.resume(), end: () => socket.terminate() };
    },
  };

  it.each<Transport>(['ws', 'sse'])(
    'S-06 gives a slow client a snapshot instead of memory, over %s',
    async (transport) => {
      const group = `slow-${transport}`;
      await replica.call('PUT', `/v1/clusters/default/topics/wide-${transport}`, { partitions: 5_000 });
      const subscription = { topics: [`wide-${transport}`] };
      await replica.call('POST', `${groups}/${group}/members`, { memberId: 'a', subscription });
      const members = Array.from({ length: 20 }, (_, i) => `m${i}: members { current { partitions } }`).join(' ');
      const query = `subscription { groupChanged(group: "${group}") { __typename
      ... on GroupSnapshot { revision because } ... on GroupRevision { revision groupNow { ${members} } } } }`;
      const connections: Socket[] = [];
      replica.app.getHttpServer().on('connection', (socket: Socket) => connections.push(socket));
      const buffered = () => connections.reduce((sum, { writableLength }) => sum + writableLength, 0);
      const events: Json[] = [];
      const client = await SLOW[transport](query, (event) => events.push(event));
      while (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      client.pause();
      let mostBuffered = 0;
      // Past HTTP, which has enough to do with the large events.
      const coordinator = replica.app.get(GroupCoordinator, { strict: false });
      const ref = { cluster: 'default', groupId: group };
      for (let i = 1; i <= CHANGES; i++) {
        await coordinator.putGroup(ref, { sessionTimeoutMs: 45_000 + i }, { actor: 'test' });
        mostBuffered = Math.max(mostBuffered, buffered());
      }
      expect(mostBuffered).toBeGreaterThan(0);
      expect(mostBuffered).toBeLessThan(2 * 1024 * 1024);
      client.resume();
      while (!events.some(({ revision }) => revision === CHANGES + 1)) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const snapshot = events.findIndex(({ because }) => because === 'BEHIND');
      expect(snapshot).toBeGreaterThan(0);
      expect(events.slice(0, snapshot).map(({ revision }) => revision)).toEqual(
        Array.from({ length: snapshot }, (_, i) => i + 1),
      );
      client.end();
    },
    180_000,
  );
});
