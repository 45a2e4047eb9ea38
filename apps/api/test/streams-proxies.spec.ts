import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchGroup } from '@allot/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startReplicas, type Replica } from './support/service.js';
import { StreamProxy } from './support/stream-proxy.js';
import { Reader } from './support/stream-reader.js';

let replica: Replica;
let other: Replica;
let proxy: StreamProxy;
let stop: () => Promise<void>;
const groups = '/v1/clusters/default/groups';

beforeAll(async () => {
  const started = await startReplicas(2);
  [replica, other] = started.replicas as [Replica, Replica];
  stop = started.stop;
});
// Of its own for each test: `fetch` may have kept a connection on which the proxy behaves as in the last one.
beforeEach(async () => {
  proxy = await StreamProxy.start(() => replica.url);
});
afterEach(() => proxy.stop());
afterAll(() => stop());

/** A group whose revisions are 1 to `count`: each changes a setting. */
async function makeGroup(group: string, count: number): Promise<string> {
  for (let revision = 1; revision <= count; revision++) await change(group, revision);
  return `${groups}/${group}`;
}

const change = (group: string, value: number) =>
  other.call('PUT', `${groups}/${group}`, { heartbeatIntervalMs: 1_000 + value });

async function revisionsOf(group: string, last: number, sinceRevision = 0): Promise<number[]> {
  const revisions: number[] = [];
  for await (const { revision } of watchGroup({ servers: [proxy.url], group, sinceRevision })) {
    revisions.push(revision);
    if (revision >= last) break;
  }
  return revisions;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('streams through proxies', () => {
  it('S-07 lose and repeat nothing when the connection is cut at any boundary of an event, or within one', async () => {
    const path = await makeGroup('cut', 8);
    // Where events end in the chunked body, from a stream that nobody cuts.
    const reader = await rawReader(replica, `${path}/events?sinceRevision=0`, (text) => text.includes('id: 8\n'));
    const body = reader.text.slice(reader.text.indexOf('\r\n\r\n') + 4);
    const ends = [...body.matchAll(/\n\n\r\n/g)].map(({ index }) => index + 4);
    expect(ends).toHaveLength(8);
    const cuts = ends.flatMap((end) => [end - 40, end - 3, end, end + 1]);
    for (const afterBytes of [0, ...cuts]) {
      proxy.mode = { kind: 'cut', afterBytes };
      const restore = setTimeout(() => (proxy.mode = { kind: 'pass' }), 40);
      expect([afterBytes, await revisionsOf('cut', 8)]).toEqual([afterBytes, range(1, 8)]);
      clearTimeout(restore);
    }
  });

  it('S-07 lose and repeat nothing while events come and every connection is cut after a while', async () => {
    await makeGroup('busy', 1);
    let cut = 100;
    const shorter = setInterval(() => (proxy.mode = { kind: 'cut', afterBytes: (cut += 97) % 900 }), 5);
    const changes = (async () => {
      for (let value = 2; value <= 60; value++) await change('busy', value);
    })();
    expect(await revisionsOf('busy', 50)).toEqual(range(1, 50));
    clearInterval(shorter);
    await changes;
  });

  it('S-07 pass at once through a proxy that buffers, because they ask for it', async () => {
    const path = await makeGroup('buffered', 1);
    proxy.mode = { kind: 'buffer', bytes: 64 * 1024, obeys: true };
    const reader = await Reader.open(proxy, `${path}/events`);
    expect(await reader.next()).toMatchObject({ name: 'snapshot', id: 1 });
    await change('buffered', 2);
    expect(await reader.next()).toMatchObject({ name: 'group', id: 2 });
    reader.close();
  });

  it('are given up when they are half open, and go on through another connection', async () => {
    await makeGroup('frozen', 1);
    const errors: string[] = [];
    const events = watchGroup({
      servers: [proxy.url],
      group: 'frozen',
      silenceMs: 700,
      onRetry: ({ code }) => errors.push(code),
    });
    expect((await events.next()).value).toMatchObject({ type: 'snapshot', revision: 1 });
    proxy.freeze();
    await change('frozen', 2);
    expect((await events.next()).value).toMatchObject({ type: 'group', revision: 2 });
    expect(errors).toEqual(['TIMEOUT']);
    await events.return();
  });

  it('resume as NDJSON too, with the revision as the id of each line', async () => {
    const path = await makeGroup('lines', 3);
    const response = await fetch(`${proxy.url}${path}/events?sinceRevision=1`, {
      headers: { accept: 'application/x-ndjson' },
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (text.split('\n').length < 3) text += (await reader.read()).value;
    await reader.cancel();
    const lines = text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { event: 'group', id: 2 },
      { event: 'group', id: 3 },
    ]);
  });

  it('reach a client of HTTP/1.0 without chunks', async () => {
    const path = await makeGroup('old', 2);
    const { text, socket } = await rawReader(
      replica,
      `${path}/events?sinceRevision=1`,
      (t) => t.includes('id: 2'),
      '1.0',
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nevent: group\nid: 2\n/);
    expect(text).not.toMatch(/transfer-encoding/i);
    socket.destroy();
  });
});

interface RawReader {
  text: string;
  readonly socket: Socket;
}

/** A request on a bare socket; resolves when what came satisfies `enough`, and goes on reading. */
async function rawReader(
  via: Replica,
  path: string,
  enough: (text: string) => boolean,
  version = '1.1',
): Promise<RawReader> {
  const { hostname, port } = new URL(via.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  const reader: RawReader = { text: '', socket };
  socket.on('data', (data) => (reader.text += String(data)));
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/${version}\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`);
  const deadline = Date.now() + 10_000;
  while (!enough(reader.text)) {
    if (Date.now() > deadline) throw new Error(`only this came: ${reader.text}`);
    await sleep(5);
  }
  return reader;
}
