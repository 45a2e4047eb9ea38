import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { getIntrospectionQuery } from 'graphql';
import { breakingChanges } from '../src/openapi/breaking-changes.js';
import { startApp } from './support/app.js';

const LISTED = 'query Who { __typename }';
const OTHER = '{ __typename }';
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const persisted = (text: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(text) } } });

async function ask(app: NestFastifyApplication, payload: object, url = '/graphql') {
  const response = await app.inject({ method: 'POST', url, payload });
  return { status: response.statusCode, body: response.body };
}

describe('persisted queries', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  it('are learnt with their text, and then answered by their hash', async () => {
    expect((await ask(app, persisted(LISTED))).body).toContain('PERSISTED_QUERY_NOT_FOUND');
    expect((await ask(app, { query: LISTED, ...persisted(LISTED) })).body).toContain('"__typename":"Query"');
    expect((await ask(app, persisted(LISTED))).body).toContain('"__typename":"Query"');
  });
});

describe('an allow list, and no introspection', () => {
  let app: NestFastifyApplication;
  const folder = mkdtempSync(join(tmpdir(), 'allot-'));
  beforeAll(async () => {
    const file = join(folder, 'queries.json');
    writeFileSync(file, JSON.stringify({ who: LISTED, schema: getIntrospectionQuery() }));
    app = await startApp({}, { ALLOT_GRAPHQL_ALLOW_LIST: file, ALLOT_GRAPHQL_INTROSPECTION: '0' });
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  it('answers listed queries by text or by hash, and no others', async () => {
    expect((await ask(app, { query: LISTED })).body).toContain('"__typename":"Query"');
    expect((await ask(app, persisted(LISTED))).body).toContain('"__typename":"Query"');
    const refused = await ask(app, { query: OTHER });
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('QUERY_NOT_ALLOWED')]);
    expect((await ask(app, persisted(OTHER))).body).toContain('QUERY_NOT_ALLOWED');
    expect((await ask(app, { query: OTHER }, '/graphql/stream')).body).toContain('QUERY_NOT_ALLOWED');
    expect((await ask(app, persisted(LISTED), '/graphql/stream')).status).toBe(200);
  });

  it('does not tell the schema', async () => {
    for (const path of ['/graphql', '/graphql/stream']) {
      const { body } = await ask(app, { query: getIntrospectionQuery() }, path);
      expect(body).toContain('GRAPHQL_VALIDATION_FAILED');
      expect(body).not.toContain('"__schema"');
    }
  });

  it('is refused when it is none', async () => {
    const file = join(folder, 'wrong.json');
    writeFileSync(file, '{"a": 1}');
    await expect(startApp({}, { ALLOT_GRAPHQL_ALLOW_LIST: file })).rejects.toThrow('must have a list of queries');
    await expect(startApp({}, { ALLOT_GRAPHQL_ALLOW_LIST: join(folder, 'none') })).rejects.toThrow('cannot be read');
  });
});

describe('the schema', () => {
  it('breaks no client of the last release', () => {
    const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
    expect(breakingChanges(read('schema.released.graphql'), read('schema.graphql'))).toEqual([]);
  });

  it('is known to break clients when a field goes or an argument becomes required', () => {
    const released = 'type Query { a(b: Int): Int c: Int! }';
    expect(breakingChanges(released, 'type Query { a(b: Int!): Int c: Int! }')).toHaveLength(1);
    expect(breakingChanges(released, 'type Query { a(b: Int): Int c: Int }')).toHaveLength(1);
    expect(breakingChanges(released, 'type Query { a(b: Int): Int }')).toEqual(['Query.c was removed.']);
    expect(breakingChanges(released, `${released} type More { d: Int }`)).toEqual([]);
  });
});
