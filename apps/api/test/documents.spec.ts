import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { openApiDocument, problemsDocument, schemaDocument } from '../src/openapi/api-documents.js';
import { PROBLEM_TYPES } from '../src/problems/problem-types.js';
import { startApp } from './support/app.js';
import { type Operation, type OpenApi, operationsOf, schemasFor } from './support/openapi.js';

const committed = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
const document = JSON.parse(committed('openapi.json')) as OpenApi;
const operations = operationsOf(document);

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('the committed documents', () => {
  it('are what the code says; else run npm run api:generate', () => {
    expect(JSON.parse(committed('openapi.json'))).toEqual(JSON.parse(JSON.stringify(openApiDocument(app))));
    expect(committed('schema.graphql')).toBe(schemaDocument(app));
    expect(committed('../../docs/problems.md')).toBe(problemsDocument());
  });

  it('are served, and found from the address that the service prints', async () => {
    for (const url of ['/', '/v1']) {
      const { openapi, docs, graphql } = (await app.inject(url)).json<Record<string, string>>();
      expect([openapi, docs, graphql]).toEqual(['/v1/openapi.json', '/docs', '/graphql']);
    }
    expect((await app.inject('/v1/openapi.json')).json()).toEqual(document);
    expect((await app.inject('/v1/schema.graphql')).body).toContain('type Cluster {');
    const docs = await app.inject({ url: '/docs', headers: { accept: 'text/html' } });
    for (const [, file] of docs.body.matchAll(/(?:href|src)="([^"]+)"/g)) {
      expect([file, (await app.inject(file!)).statusCode]).toEqual([file, 200]);
    }
    expect((await app.inject('/docs/package.json')).statusCode).toBe(404);
    expect((await app.inject('/docs/..%2Fpackage.json')).statusCode).toBe(404);
    expect((await app.inject('/problems/unknown-member-id')).json()).toMatchObject({ code: 'UNKNOWN_MEMBER_ID' });
    expect((await app.inject('/problems/none')).statusCode).toBe(404);
  });
});

describe('the OpenAPI document', () => {
  it('describes routes that are there', () => {
    const server = app.getHttpAdapter().getInstance();
    for (const { method, path } of operations) {
      const url = path.replace(/\{(\w+)\}/g, ':$1');
      expect([method, path, server.hasRoute({ method: method as 'GET', url })]).toEqual([method, path, true]);
    }
    expect(operations.length).toBeGreaterThan(10);
  });

  it('names, tags and explains every operation, and its problems', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation, path, method } of operations) {
      const where = `${method} ${path}`;
      expect([where, operation.operationId]).toEqual([where, expect.stringMatching(/^[a-z][A-Za-z]+$/)]);
      expect([where, operation.summary]).toEqual([where, expect.stringMatching(/^[A-Z].*[^.]$/)]);
      expect([where, operation.tags?.length]).toEqual([where, 1]);
      const statuses = Object.keys(operation.responses);
      expect([where, statuses]).toEqual([where, expect.arrayContaining(['400', '500', '503'])]);
      expect([where, statuses.some((status) => status.startsWith('2'))]).toEqual([where, true]);
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue;
        expect([where, status, Object.keys(response.content ?? {})]).toEqual([
          where,
          status,
          ['application/problem+json'],
        ]);
      }
    }
  });

  it('declares exactly the parameters of each path', () => {
    for (const { operation, path } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      const declared = (operation.parameters ?? []).filter(({ in: place }) => place === 'path').map(({ name }) => name);
      expect([path, declared.sort()]).toEqual([path, inPath]);
    }
  });

  it('has only valid schemas, whose references resolve and whose examples fit', () => {
    const ajv = schemasFor(document);
    for (const { operation } of operations) {
      for (const { schema, example } of mediaTypesOf(operation)) {
        const validate = ajv.compile(schema);
        if (example !== undefined) {
          validate(example);
          expect([operation.operationId, validate.errors]).toEqual([operation.operationId, null]);
        }
      }
      for (const { schema } of operation.parameters ?? []) ajv.compile(schema);
    }
  });

  it('refers to nothing that is missing and defines nothing that is unused', () => {
    const text = JSON.stringify(document);
    for (const name of Object.keys(document.components.schemas)) {
      expect([name, text.includes(`"#/components/schemas/${name}"`)]).toEqual([name, true]);
    }
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
  });
});

describe('problem types', () => {
  it('have a status, a title and a meaning', () => {
    for (const [code, { status, title, meaning }] of PROBLEM_TYPES) {
      expect([code, status >= 400 && status < 600, title.length > 0, meaning.endsWith('.')]).toEqual([
        code,
        true,
        true,
        true,
      ]);
      expect(code).toMatch(/^[A-Z][A-Z_]+$/);
    }
  });

  it('cover every code that the libraries throw', () => {
    // Words in capitals that are no codes.
    const others = [
      'COMPLETING_REBALANCE',
      'ERR_WORKER_OUT_OF_MEMORY',
      'HPE_HEADER_OVERFLOW',
      'INTERNAL_SERVER_ERROR',
      'NOT_HELD',
      'PERSISTED_QUERY_NOT_FOUND',
      'PG_VERSION',
      'PREPARING_REBALANCE',
      'REBALANCE_TIMEOUT',
      'SESSION_EXPIRED',
      'UNREVOKED_PARTITIONS',
      'UNRELEASED_PARTITIONS',
    ];
    const codes = new Set<string>();
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    for (const file of sourcesBelow(root)) {
      const text = readFileSync(file, 'utf8');
      if (!text.includes('AllotError')) continue;
      for (const [, code] of text.matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)) if (!others.includes(code!)) codes.add(code!);
    }
    expect(codes.size).toBeGreaterThan(30);
    expect([...codes].filter((code) => !PROBLEM_TYPES.has(code) && !code.startsWith('GRAPHQL_'))).toEqual([]);
  });
});

function mediaTypesOf(operation: Operation): { schema: object; example?: unknown }[] {
  const contents = [
    operation.requestBody?.content,
    ...Object.values(operation.responses).map(({ content }) => content),
  ];
  return contents.flatMap((content) =>
    Object.values(content ?? {}).map(({ schema, example, examples }) => ({
      schema,
      example: example ?? Object.values(examples ?? {})[0]?.value,
    })),
  );
}

function sourcesBelow(root: string): string[] {
  const folders = [
    ...readdirSync(join(root, 'libs')).map((lib) => join(root, 'libs', lib, 'src')),
    join(root, 'apps/api/src'),
  ];
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
      .map((file) => join(folder, file)),
  );
}
