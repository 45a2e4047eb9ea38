import { readFileSync } from 'node:fs';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { startReplicas, type Json, type Replica } from './support/service.js';

const PAGE = readFileSync(new URL('../../../docs/graphql.md', import.meta.url), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```graphql\n([^]*?)```/g)].map(([, text]) => text!);

let replica: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(1);
  replica = started.replicas[0]!;
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 10 });
  for (const memberId of ['a', 'b']) {
    const subscription = { topics: ['orders'] };
    await replica.call('POST', '/v1/clusters/default/groups/checkout/members', { memberId, subscription });
  }
});
afterAll(() => stop());

describe('docs/graphql.md', () => {
  it('has queries, mutations and subscriptions', () => {
    expect(EXAMPLES.length).toBeGreaterThanOrEqual(7);
  });

  it.each(EXAMPLES.filter((text) => !text.startsWith('subscription')))('runs %s', async (query) => {
    const { data, errors } = await replica.call<Json>('POST', '/graphql', { query });
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).not.toContain('"code"');
  });

  it.each(EXAMPLES.filter((text) => text.startsWith('subscription')))('subscribes by %s', async (query) => {
    const url = `${replica.url.replace('http', 'ws')}/graphql`;
    const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
    const events = client.iterate<Json>({ query });
    const first = events.next();
    // Rebalances are told from now on, so one must come.
    const timer = setInterval(() => {
      const change = {
        sessionTimeoutMs: 45_000 + Math.floor(Math.random() * 1_000),
        assignor: Math.random() < 0.5 ? 'range' : 'uniform',
      };
      void replica.send('PUT', '/v1/clusters/default/groups/checkout', change);
    }, 300);
    const { value } = await first;
    clearInterval(timer);
    expect((value as Json).errors).toBeUndefined();
    expect(Object.values((value as Json).data)[0]).toBeTruthy();
    await events.return!();
    await client.dispose();
  });
});
