import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { LIMITS } from '../src/config/limits.js';
import { startReplicas, type Json, type Replica } from './support/service.js';

let replica: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(1);
  replica = started.replicas[0]!;
  stop = started.stop;
});
afterAll(() => stop());

const url = (path = '/graphql') => `${replica.url.replace('http', 'ws')}${path}`;

/** How a socket ends: the status that refused it, or the code that closed it. */
function fate(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode!));
    socket.on('close', resolve);
    socket.on('error', () => undefined);
  });
}

/** A socket that has said hello, with what it is told. */
async function greeted(): Promise<{ socket: WebSocket; next: () => Promise<Json> }> {
  const socket = new WebSocket(url(), 'graphql-transport-ws');
  const told: Json[] = [];
  let wake: (() => void) | undefined;
  socket.on('message', (text: Buffer) => {
    told.push(JSON.parse(String(text)));
    wake?.();
  });
  socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
  const next = async (): Promise<Json> => {
    while (told.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return told.shift();
  };
  expect((await next()).type).toBe('connection_ack');
  return { socket, next };
}

const subscribe = (id: string, query: string) => JSON.stringify({ id, type: 'subscribe', payload: { query } });

describe('WebSockets', () => {
  it('are refused at another path and to pages of other sites', async () => {
    expect(await fate(new WebSocket(url('/other'), 'graphql-transport-ws'))).toBe(404);
    const origin = 'https://evil.example';
    expect(await fate(new WebSocket(url(), 'graphql-transport-ws', { origin }))).toBe(403);
    const own = new WebSocket(url(), 'graphql-transport-ws', { origin: replica.url });
    own.on('open', () => own.close(1000));
    expect(await fate(own)).toBe(1000);
  });

  it('are closed when they say no hello in time, or name no protocol', async () => {
    expect(await fate(new WebSocket(url(), 'graphql-transport-ws'))).toBe(4408);
    expect(await fate(new WebSocket(url()))).toBe(4406);
  });

  it('pass the same door as HTTP, and answer queries and mutations as well', async () => {
    const { socket, next } = await greeted();
    socket.send(subscribe('1', '{ cluster { name } }'));
    expect(await next()).toMatchObject({ id: '1', type: 'next', payload: { data: { cluster: { name: 'default' } } } });
    expect(await next()).toEqual({ id: '1', type: 'complete' });
    socket.send(subscribe('2', `{ ${Array.from({ length: 51 }, (_, i) => `a${i}: __typename`).join(' ')} }`));
    expect(await next()).toMatchObject({
      id: '2',
      type: 'error',
      payload: [{ extensions: { code: 'LIMIT_EXCEEDED' } }],
    });
    socket.send(subscribe('3', '{ nothing }'));
    expect(await next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
    socket.send(subscribe('4', 'mutation { deleteTopic(name: "none", force: true) { __typename } }'));
    const { payload } = await next();
    expect(payload.errors[0].extensions).toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION', action: 'fix-request' });
    socket.terminate();
  });

  it('run a bounded number of operations', async () => {
    const { socket, next } = await greeted();
    const most = LIMITS.graphqlOperationsPerConnection;
    for (let i = 0; i <= most; i++) socket.send(subscribe(String(i), 'subscription { rebalances { __typename } }'));
    const refused = await next();
    expect(refused).toMatchObject({ id: String(most), payload: [{ extensions: { code: 'LIMIT_EXCEEDED' } }] });
    socket.terminate();
  });

  it('end with too large a message, and alone', async () => {
    const { socket } = await greeted();
    const other = await greeted();
    socket.send('x'.repeat(LIMITS.graphqlBodyBytes + 1));
    expect(await fate(socket)).toBe(1009);
    other.socket.send(subscribe('1', '{ __typename }'));
    expect((await other.next()).payload.data).toEqual({ __typename: 'Query' });
    other.socket.terminate();
  });

  it('answer an upgrade that is none without harm', async () => {
    const socket = connect(Number(new URL(replica.url).port), '127.0.0.1');
    socket.write('GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    expect(text).toMatch(/^HTTP\/1.1 400 /);
  });
});
