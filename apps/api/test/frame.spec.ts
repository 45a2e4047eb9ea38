import { type AddressInfo, connect } from 'node:net';
import { AllotError } from '@allot/model';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { startApp } from './support/app.js';

let app: NestFastifyApplication;
let databaseError: Error | undefined;

beforeAll(async () => {
  app = await startApp({
    database: { check: () => (databaseError ? Promise.reject(databaseError) : Promise.resolve()) },
  });
});
afterAll(() => app.close());

describe('health', () => {
  it('answers while the process runs', async () => {
    const response = await app.inject('/healthz');
    expect([response.statusCode, response.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('is ready only while the database answers', async () => {
    expect((await app.inject('/readyz')).statusCode).toBe(200);
    databaseError = new AllotError('STORE_UNAVAILABLE', 'The database is away.', {
      action: 'retry',
      retryAfterMs: 1500,
    });
    const response = await app.inject('/readyz');
    databaseError = undefined;
    expect(response.statusCode).toBe(503);
    expect(response.headers['retry-after']).toBe('2');
    expect(response.json()).toMatchObject({ code: 'STORE_UNAVAILABLE', retriable: true, retryAfterMs: 1500 });
  });

  it('gives metrics by route template', async () => {
    await app.inject('/healthz');
    const response = await app.inject('/metrics');
    expect(response.headers['content-type']).toContain('text/plain');
    expect(response.body).toContain('allot_build_info{version="0.1.0"');
    expect(response.body).toContain('route="/healthz",status="200"');
  });
});

describe('problems', () => {
  it('says what is not there', async () => {
    const response = await app.inject('/v1/nothing?key=secret');
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(response.json()).toEqual({
      type: '/problems/not-found',
      title: 'Not found',
      status: 404,
      detail: 'There is nothing at this path. See /docs for the paths there are.',
      instance: '/v1/nothing',
      code: 'NOT_FOUND',
      retriable: false,
      action: 'fix-request',
      requestId: response.headers['x-request-id'],
    });
  });

  it('names the methods of a path', async () => {
    const response = await app.inject({ method: 'DELETE', url: '/healthz' });
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(response.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  });

  it('refuses malformed paths, bodies and media types', async () => {
    const send = async (options: object) => {
      const response = await app.inject({ url: '/healthz', ...options });
      expect(response.headers['content-type']).toContain('application/problem+json');
      return [response.statusCode, response.json<{ code: string }>().code];
    };
    expect(await send({ url: '/v1/%' })).toEqual([400, 'INVALID_REQUEST']);
    expect(await send({ url: '/healthz', headers: { accept: 'image/png' } })).toEqual([406, 'NOT_ACCEPTABLE']);
  });

  it('answers what is no HTTP, and headers that are too large', async () => {
    const server = app.getHttpAdapter().getInstance();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.getHttpServer().address() as AddressInfo;
    const talk = async (text: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.end(text);
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      return answer;
    };
    const headers = 'Host: a\r\nConnection: close\r\n';
    expect(await talk('hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [^]*application\/problem\+json[^]*INVALID_REQUEST/);
    expect(await talk(`FETCH /healthz HTTP/1.1\r\n${headers}\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    const large = `GET /healthz HTTP/1.1\r\n${headers}X: ${'x'.repeat(40_000)}\r\n\r\n`;
    expect(await talk(large)).toMatch(/^HTTP\/1\.1 431 [^]*application\/problem\+json/);
    expect(await talk(`OPTIONS /healthz HTTP/1.1\r\n${headers}\r\n`)).toMatch(/^HTTP\/1\.1 405 /);
  });

  it('hides what failed inside, and keeps it under the request id', async () => {
    databaseError = new Error('password=hunter2');
    const response = await app.inject({ url: '/readyz', headers: { 'x-request-id': 'trace-7' } });
    databaseError = undefined;
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('hunter2');
    expect(response.json()).toMatchObject({ code: 'INTERNAL_ERROR', requestId: 'trace-7' });
  });

  it('replaces a request id that could break a log line', async () => {
    const response = await app.inject({ url: '/healthz', headers: { 'x-request-id': 'a b<script>' } });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});
