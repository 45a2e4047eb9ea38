import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { startApp } from './support/app.js';
import { MemoryCatalog } from './support/memory-catalog.js';

let app: NestFastifyApplication;

beforeEach(async () => {
  app = await startApp({ catalog: new MemoryCatalog() });
});
afterEach(() => app.close());

type Headers = Record<string, string>;

async function send(method: 'GET' | 'PUT' | 'DELETE', url: string, body?: unknown, headers: Headers = {}) {
  const response = await app.inject({
    method,
    url,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const json = response.body === '' ? undefined : response.json<Record<string, unknown>>();
  return { status: response.statusCode, json, headers: response.headers };
}

const TOPIC = '/v1/clusters/default/topics/orders';

describe('topics', () => {
  it('are created, read, grown and deleted', async () => {
    const created = await send('PUT', TOPIC, { partitions: 10 });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ name: 'orders', partitions: 10, revision: 1 });
    expect(created.headers).toMatchObject({ etag: '"1"', location: TOPIC });

    const again = await send('PUT', TOPIC, { partitions: 10 });
    expect([again.status, again.headers.etag]).toEqual([200, '"1"']);

    const grown = await send('PUT', TOPIC, { partitions: 12 }, { 'if-match': '"1"' });
    expect([grown.status, grown.json!.partitions, grown.headers.etag]).toEqual([200, 12, '"2"']);

    const read = await send('GET', TOPIC);
    expect([read.status, read.json, read.headers.etag]).toEqual([200, grown.json, '"2"']);
    expect((await send('GET', TOPIC, undefined, { 'if-none-match': '"2"' })).status).toBe(304);

    expect((await send('DELETE', TOPIC, undefined, { 'if-match': '"2"' })).status).toBe(204);
    expect((await send('GET', TOPIC)).json).toMatchObject({ status: 404, code: 'UNKNOWN_TOPIC_OR_PARTITION' });
  });

  it("take the cluster's default partition count", async () => {
    await send('PUT', '/v1/clusters/default', { numPartitions: 3 });
    expect((await send('PUT', TOPIC)).json).toMatchObject({ partitions: 3 });
  });

  it('keep what is said of their partitions', async () => {
    const columns = {
      replicas: [
        [1, 2],
        [2, 1],
      ],
      leaders: [1, null],
      isr: [[1], []],
      racks: [
        ['a', 'b'],
        ['b', 'a'],
      ],
    };
    const { status, json } = await send('PUT', TOPIC, { ...columns, weights: [1.5, 0] });
    expect([status, json]).toEqual([201, expect.objectContaining({ partitions: 2, ...columns, weights: [1.5, 0] })]);
    expect((await send('PUT', TOPIC, { partitions: 3, racks: [['a']] })).json).toMatchObject({
      status: 400,
      errors: [{ pointer: '/racks' }],
    });
  });

  it('are not changed by a dry run, which fails as the real call would', async () => {
    const dry = await send('PUT', `${TOPIC}?dryRun=true`, { partitions: 10 });
    expect([dry.status, dry.headers['allot-dry-run']]).toEqual([200, 'true']);
    expect((await send('GET', TOPIC)).status).toBe(404);
    await send('PUT', TOPIC, { partitions: 10 });
    const shrink = await send('PUT', `${TOPIC}?dryRun=true`, { partitions: 9 });
    expect(shrink.json).toMatchObject({ status: 422, code: 'INVALID_PARTITIONS' });
  });

  it('are only changed or deleted as they were read', async () => {
    await send('PUT', TOPIC, { partitions: 10 });
    expect((await send('PUT', TOPIC, { partitions: 11 }, { 'if-match': '"7"' })).json).toMatchObject({
      status: 412,
      code: 'STALE_REVISION',
      action: 'refresh',
    });
    expect((await send('DELETE', TOPIC)).json).toMatchObject({ status: 428, code: 'PRECONDITION_REQUIRED' });
    expect((await send('DELETE', TOPIC, undefined, { 'if-match': 'W/"1"' })).status).toBe(400);
    expect((await send('PUT', `${TOPIC}2`, {}, { 'if-match': '*' })).status).toBe(404);
    expect((await send('DELETE', TOPIC, undefined, { 'if-match': '*' })).status).toBe(204);
  });

  it.each([
    ['text', '"10"'],
    ['a fraction', '1.5'],
    ['a negative number', '-1'],
    ['zero', '0'],
    ['null', 'null'],
    ['a list', '[10]'],
  ])('refuse %s as a partition count', async (_what, text) => {
    const { json } = await send('PUT', TOPIC, `{"partitions": ${text}}`);
    expect(json).toMatchObject({ status: 400, code: 'INVALID_REQUEST', action: 'fix-request' });
    expect(json!.errors).toEqual([
      { pointer: '/partitions', detail: expect.stringContaining('must be a whole number from 1 to 100000') },
    ]);
  });

  it.each(['1e9', '100001', '9007199254740993'])('refuse %s partitions for the limit', async (text) => {
    const { json } = await send('PUT', TOPIC, `{"partitions": ${text}}`);
    expect([json!.status, json!.errors]).toEqual([
      text.length > 15 ? 400 : 422,
      [{ pointer: '/partitions', detail: expect.stringContaining('to 100000') }],
    ]);
  });

  it('refuse unknown fields, with a suggestion', async () => {
    expect((await send('PUT', TOPIC, { partition: 10, 'a/b': 1 })).json).toMatchObject({
      errors: [
        { pointer: '/partition', detail: 'is unknown; did you mean partitions?' },
        { pointer: '/a~1b', detail: expect.stringContaining('is unknown; known are partitions') },
      ],
    });
    for (const key of ['__proto__', 'constructor', 'toString']) {
      const { json } = await send('PUT', TOPIC, `{"${key}": {"partitions": 3}}`);
      expect([json!.status, json!.code]).toEqual([400, 'INVALID_REQUEST']);
    }
  });

  it.each(['[]', '"text"', '7', 'true'])('refuse the body %s', async (body) => {
    expect((await send('PUT', TOPIC, body)).json).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
  });

  it('refuse bodies that are no JSON, too deep, too large or of another type', async () => {
    const code = async (body: string | Buffer, type = 'application/json') => {
      const response = await app.inject({
        method: 'PUT',
        url: TOPIC,
        payload: body,
        headers: { 'content-type': type },
      });
      return [response.statusCode, response.json<{ code: string }>().code];
    };
    expect(await code('{"partitions": 1')).toEqual([400, 'MALFORMED_JSON']);
    expect(await code('{"partitions": NaN}')).toEqual([400, 'MALFORMED_JSON']);
    expect(await code(Buffer.from([0x22, 0xff, 0x22]))).toEqual([400, 'MALFORMED_JSON']);
    expect(await code('['.repeat(1e6))).toEqual([400, 'MALFORMED_JSON']);
    expect(await code(`"${'x'.repeat(17 * 1024 * 1024)}"`)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await code('partitions=1', 'application/x-www-form-urlencoded')).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(await code('{}', 'text/plain')).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('are listed by pages', async () => {
    for (const name of ['b', 'a', 'c']) await send('PUT', `/v1/clusters/default/topics/${name}`);
    const first = await send('GET', '/v1/clusters/default/topics?pageSize=2');
    expect((first.json!.items as { name: string }[]).map(({ name }) => name)).toEqual(['a', 'b']);
    const next = await send('GET', `/v1/clusters/default/topics?pageSize=2&pageToken=${first.json!.nextPageToken}`);
    expect(next.json).toEqual({ items: [expect.objectContaining({ name: 'c' })] });
    for (const query of ['pageSize=0', 'pageSize=x', 'pageSize=1&pageSize=2', 'pageToken=abc', 'size=3']) {
      expect((await send('GET', `/v1/clusters/default/topics?${query}`)).json).toMatchObject({ status: 400 });
    }
    expect((await send('GET', '/v1/clusters/default/topics?pageSize=1001')).json).toMatchObject({ status: 422 });
    const foreign = `/v1/clusters?pageToken=${first.json!.nextPageToken}`;
    expect((await send('GET', foreign)).json).toMatchObject({ errors: [{ pointer: 'pageToken' }] });
  });

  it('may be called __proto__', async () => {
    const url = '/v1/clusters/default/topics/__proto__';
    expect((await send('PUT', url, { partitions: 2 })).status).toBe(201);
    expect((await send('GET', url)).json).toMatchObject({ name: '__proto__', partitions: 2 });
  });
});

describe('clusters', () => {
  it.each(['a/b:c d', '組', '__proto__', 'x'.repeat(255), '100%', '..%2F'])('may be called %s', async (name) => {
    const url = `/v1/clusters/${encodeURIComponent(name)}`;
    const created = await send('PUT', url);
    expect([created.status, created.json!.name, created.headers.location]).toEqual([201, name, url]);
    expect((await send('PUT', `${url}/topics/t`, { partitions: 2 })).status).toBe(201);
    expect((await send('GET', `${url}/topics/t`)).json).toMatchObject({ partitions: 2 });
    expect((await send('DELETE', url, undefined, { 'if-match': '*' })).json).toMatchObject({
      code: 'NON_EMPTY_CLUSTER',
    });
  });

  it('have names of a sane length without control characters', async () => {
    expect((await send('PUT', `/v1/clusters/${'x'.repeat(256)}`)).json).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect((await send('PUT', `/v1/clusters/${'x'.repeat(5000)}`)).json).toMatchObject({ code: 'URI_TOO_LONG' });
    for (const bad of ['a%0Ab', '%00', 'a%C2%85']) {
      expect((await send('PUT', `/v1/clusters/${bad}`)).json).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    }
    expect((await send('PUT', '/v1/clusters/%FF')).json).toMatchObject({ status: 400 });
  });

  it('keep default', async () => {
    const { json } = await send('DELETE', '/v1/clusters/default', undefined, { 'if-match': '*' });
    expect(json).toMatchObject({ status: 409, code: 'CLUSTER_PROTECTED' });
  });
});

describe('brokers', () => {
  it('have an id, a rack and a fence', async () => {
    const url = '/v1/clusters/default/brokers/1';
    expect((await send('PUT', url, { rack: 'a' })).json).toEqual({ id: 1, rack: 'a', fenced: false, revision: 1 });
    expect((await send('PUT', url, { rack: null, fenced: true })).json).toEqual({ id: 1, fenced: true, revision: 2 });
    expect((await send('GET', '/v1/clusters/default/brokers')).json).toMatchObject({ items: [{ id: 1 }] });
    expect((await send('DELETE', url, undefined, { 'if-match': '"2"' })).status).toBe(204);
    expect((await send('GET', url)).json).toMatchObject({ code: 'BROKER_NOT_FOUND' });
    for (const id of ['-1', '1.5', 'x', '2147483648', '01']) {
      expect((await send('GET', `/v1/clusters/default/brokers/${id}`)).json).toMatchObject({ status: 400 });
    }
  });
});
