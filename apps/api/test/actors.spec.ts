import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startReplicas, type Replica } from './support/service.js';

let replica: Replica;
let stop: () => Promise<void>;
const group = '/v1/clusters/default/groups/reviewed';

beforeAll(async () => {
  const started = await startReplicas(1, { env: { ALLOT_ACTOR_HEADER: 'X-Forwarded-User' } });
  replica = started.replicas[0]!;
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
  await replica.call('PUT', group, { planApproval: { required: true } });
  await replica.call('POST', `${group}/members`, { subscription: { topics: ['orders'] } });
});
afterAll(() => stop());

const as = (name: string, headers: Record<string, string> = {}) => ({ 'x-forwarded-user': name, ...headers });

describe('who asks, told by a proxy', () => {
  it('is in the history of what was changed', async () => {
    await replica.call('PUT', group, { heartbeatIntervalMs: 1_234 }, 200, as('ada'));
    const { items } = await replica.call('GET', `${group}/changes`);
    expect(items.at(-1)).toMatchObject({ actor: 'ada' });
  });

  it('lets a plan be approved by somebody else only, and applied then', async () => {
    const plan = await replica.call('POST', `${group}/plans`, { changes: [{ assignor: 'sticky' }] }, 201, as('ada'));
    const path = `${group}/plans/${plan.id}`;
    const match = { 'if-match': `"${plan.baseRevision}"` };
    const apply = (who: string) => replica.send('POST', `${path}/apply`, undefined, as(who, match));
    expect((await apply('ada')).json).toMatchObject({ code: 'PLAN_NOT_APPROVED' });
    const approve = (who: string) => replica.send('POST', `${path}/approve`, undefined, as(who, match));
    expect((await approve('ada')).json).toMatchObject({ code: 'PLAN_APPROVER_IS_AUTHOR' });
    expect((await approve('grace')).json).toMatchObject({ status: 'approved', approved: { actor: 'grace' } });
    expect((await apply('ada')).json).toMatchObject({ status: 'applied', applied: { actor: 'ada' } });
  });

  it('has idempotency keys of its own', async () => {
    const key = { 'idempotency-key': 'k' };
    const join = (who: string) =>
      replica.send('POST', `${group}/members`, { subscription: { topics: ['orders'] } }, as(who, key));
    const [first, again, other] = [await join('ada'), await join('ada'), await join('grace')];
    expect(again.json.memberId).toBe(first.json.memberId);
    expect(other.json.memberId).not.toBe(first.json.memberId);
  });

  it('is known over GraphQL, also on a WebSocket', async () => {
    const mutation = (ms: number) =>
      `mutation { putGroup(cluster: "default", group: "reviewed", input: { heartbeatIntervalMs: ${ms} }) { __typename } }`;
    const last = async () => (await replica.call('GET', `${group}/changes`)).items.at(-1).actor;
    await replica.call('POST', '/graphql', { query: mutation(1_300) }, 200, as('lin'));
    expect(await last()).toBe('lin');
    const client = createClient({
      url: `${replica.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocol: string) {
          super(url, protocol, { headers: as('mary') });
        }
      },
    });
    for await (const result of client.iterate({ query: mutation(1_400) })) expect(result.errors).toBeUndefined();
    expect(await last()).toBe('mary');
    const { revision } = await replica.call('GET', group);
    const query = `subscription { groupChanged(group: "reviewed", sinceRevision: ${revision - 2}) { ... on GroupRevision { actor } } }`;
    const told: unknown[] = [];
    for await (const { data } of client.iterate<{ groupChanged: { actor: string } }>({ query })) {
      if (told.push(data!.groupChanged.actor) === 2) break;
    }
    expect(told).toEqual(['lin', 'mary']);
    await client.dispose();
  });

  it('is anonymous without the header, and refused under a name that is none', async () => {
    await replica.call('PUT', group, { heartbeatIntervalMs: 1_235 });
    expect((await replica.call('GET', `${group}/changes`)).items.at(-1)).toMatchObject({ actor: 'anonymous' });
    const long = await replica.send('GET', group, undefined, as('x'.repeat(300)));
    expect({ status: long.status, code: long.json.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  });
});
