import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { getIntrospectionQuery } from 'graphql';
import { ATTACKS } from './support/graphql-attacks.js';
import { startApp } from './support/app.js';

let app: NestFastifyApplication;

beforeAll(async () => {
  // No port is there: what reaches a resolver that asks one is an INTERNAL_ERROR, and fails the test.
  app = await startApp();
});
afterAll(() => app.close());

function send({ method = 'POST', url = '/graphql', headers, body }: (typeof ATTACKS)[number]) {
  const json = { 'content-type': 'application/json' };
  return app.inject({
    method,
    url,
    headers: headers ?? (body === undefined ? {} : json),
    ...(body !== undefined && { payload: body }),
  });
}

describe('attacks on GraphQL', () => {
  const spent: { readonly name: string; readonly ms: number }[] = [];

  it.each(ATTACKS.map((attack) => [attack.name, attack] as const))('refuses %s', async (name, attack) => {
    const { statusCode, body } = await send(attack);
    expect(statusCode).toBeGreaterThanOrEqual(400);
    expect(statusCode).toBeLessThan(500);
    expect(body).not.toContain('INTERNAL_ERROR');
    expect(body.length).toBeLessThan(10_000);
    // The first time compiles what the next ones run; the least of five is what it costs.
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const before = process.cpuUsage();
      await send(attack);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1_000);
    }
    spent.push({ name, ms: Math.min(...times) });
  });

  it('R11 refuses each in little time', () => {
    const slowest = [...spent].sort((a, b) => b.ms - a.ms).slice(0, 3);
    const list = slowest.map(({ name, ms }) => `${name}: ${ms.toFixed(1)} ms`).join('; ');
    process.stdout.write(`R11: ${spent.length} attacks refused; CPU of the slowest: ${list}\n`);
    expect(spent).toHaveLength(ATTACKS.length);
    expect(ATTACKS.length).toBeGreaterThanOrEqual(30);
  });

  it('still answers the query by which tools learn the schema', async () => {
    const response = await app.inject({ method: 'POST', url: '/graphql', payload: { query: getIntrospectionQuery() } });
    expect(response.json<{ data: { __schema: object } }>().data.__schema).toBeDefined();
  });
});
