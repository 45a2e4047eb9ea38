import { AllotError } from '@allot/model';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { startApp } from './support/app.js';
import { MemoryCatalog } from './support/memory-catalog.js';

class FragileCatalog extends MemoryCatalog {
  failure: Error | undefined;

  override async getTopic(cluster: string, name: string) {
    if (this.failure !== undefined) throw this.failure;
    return super.getTopic(cluster, name);
  }
}

const catalog = new FragileCatalog();
let app: NestFastifyApplication;

beforeAll(async () => {
  app = await startApp({ catalog });
  for (const name of ['a', 'b', 'c']) await catalog.putTopic('default', name, { partitions: 2 });
  await catalog.putTopic('default', 'd', { partitions: 1, details: [{ replicas: [1, 2], racks: ['x', 'y'] }] });
  await catalog.putBroker('default', 1, { rack: 'x' });
});
afterAll(() => app.close());

interface Answer {
  readonly data?: Record<string, never>;
  readonly errors?: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[];
}

async function query(query: string, variables?: Record<string, unknown>): Promise<Answer> {
  const response = await app.inject({ method: 'POST', url: '/graphql', payload: { query, variables } });
  return response.json<Answer>();
}

const costly = '{ clusters(first: 1000) { nodes { topics(first: 1000) { nodes { name partitions } } } } }';

describe('GraphQL', () => {
  it('reads a cluster with its topics and brokers', async () => {
    const { data, errors } = await query(`{
      cluster { name createdAt revision brokers { nodes { id rack fenced } } broker(id: 9) { id }
        topic(name: "d") { partitions replicas leaders racks weights } missing: topic(name: "x") { name } }
      cluster2: cluster(name: "other") { name }
    }`);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      cluster: {
        name: 'default',
        createdAt: '2026-01-31T12:00:00.000Z',
        revision: 1,
        brokers: { nodes: [{ id: 1, rack: 'x', fenced: false }] },
        broker: null,
        topic: { partitions: 1, replicas: [[1, 2]], leaders: null, racks: [['x', 'y']], weights: null },
        missing: null,
      },
      cluster2: null,
    });
  });

  it('pages forward through a connection', async () => {
    const page = `query ($after: String) {
      cluster { topics(first: 2, after: $after) {
        edges { cursor node { name } } nodes { name } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      } }
    }`;
    const names: string[] = [];
    let after: string | null = null;
    for (let pages = 0; pages < 3; pages++) {
      const { data } = await query(page, { after });
      const { nodes, pageInfo } = (data as never as { cluster: { topics: Page } }).cluster.topics;
      names.push(...nodes.map(({ name }) => name));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(names).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses a wrong page with the code and the field', async () => {
    const { errors } = await query('{ cluster { topics(first: 0) { nodes { name } } } }');
    expect(errors![0]).toMatchObject({
      path: ['cluster', 'topics'],
      extensions: { code: 'INVALID_REQUEST', action: 'fix-request', errors: [{ pointer: '/first' }] },
    });
    const beyond = await query('{ clusters(first: 1001) { nodes { name } } }');
    expect(beyond.errors![0]!.extensions.code).toBe('LIMIT_EXCEEDED');
    const token = await query('{ clusters(after: "abc") { nodes { name } } }');
    expect(token.errors![0]!.extensions).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer: 'after' }] });
  });

  it('gives errors of the domain their code and hides faults', async () => {
    const ask = '{ cluster { topic(name: "a") { name } } }';
    catalog.failure = new AllotError('STORE_UNAVAILABLE', 'Away.', { action: 'retry', retryAfterMs: 500 });
    expect((await query(ask)).errors![0]).toMatchObject({
      message: 'Away.',
      extensions: { code: 'STORE_UNAVAILABLE', retriable: true, retryAfterMs: 500, action: 'retry' },
    });
    catalog.failure = new Error('password=hunter2');
    const { errors } = await query(ask);
    catalog.failure = undefined;
    expect(errors![0]!.extensions).toEqual({ code: 'INTERNAL_ERROR', retriable: false, action: 'retry' });
    expect(JSON.stringify(errors)).not.toContain('hunter2');
  });

  it.each([
    ['that does not parse', '{', 'GRAPHQL_PARSE_FAILED'],
    ['that does not fit the schema', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      'with too many aliases',
      `{ ${Array.from({ length: 51 }, (_, i) => `a${i}: __typename`).join(' ')} }`,
      'LIMIT_EXCEEDED',
    ],
    ['with too many fields', `{ ${'cluster { name } '.repeat(251)} }`, 'LIMIT_EXCEEDED'],
    ['of too many tokens', `{ ${'__typename '.repeat(2500)} }`, 'GRAPHQL_PARSE_FAILED'],
    ['of too many characters', `{ ${'__typename '.repeat(6000)} }`, 'LIMIT_EXCEEDED'],
    ['whose pages would have too many nodes', costly, 'LIMIT_EXCEEDED'],
    [
      'that hides its size in fragments',
      `{ ...a ...a ...a ...a } fragment a on Query { ...b ...b ...b ...b } fragment b on Query { ...c ...c ...c ...c }
       fragment c on Query { ...d ...d ...d ...d } fragment d on Query { x: __typename y: __typename }`,
      'LIMIT_EXCEEDED',
    ],
  ])('refuses a query %s', async (_what, text, code) => {
    const { data, errors } = await query(text);
    expect(data).toBeUndefined();
    expect(errors![0]!.extensions).toMatchObject({ code, action: 'fix-request', retriable: false });
    expect(JSON.stringify(errors)).not.toContain('stacktrace');
  });

  it('shows a page of its own to browsers', async () => {
    const response = await app.inject({ url: '/graphql', headers: { accept: 'text/html' } });
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('Allot GraphQL');
    expect(response.body).not.toMatch(/https?:\/\//);
  });

  it('refuses what a form of another site could send', async () => {
    const headers = { 'content-type': 'text/plain' };
    const response = await app.inject({
      method: 'POST',
      url: '/graphql',
      headers,
      payload: '{"query":"{__typename}"}',
    });
    expect(response.statusCode).toBe(400);
    expect((await app.inject('/graphql?query={__typename}')).statusCode).toBe(400);
  });
});

interface Page {
  readonly nodes: { name: string }[];
  readonly pageInfo: { hasNextPage: boolean; endCursor: string };
}
