import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PrismaOperationStore } from '@allot/persistence';
import pg from 'pg';
import { Computing } from '../src/computing/computing.js';
import type { Answers, QuestionKind, Questions } from '../src/computing/questions.js';
import { patienceOf } from '../src/operations/prefer.js';
import { startReplicas, type Replica } from './support/service.js';

let replicas: Replica[];
let stop: () => Promise<void>;
let client: pg.Client;
let store: PrismaOperationStore;

/** Takes a while for everything, as for large questions. */
class SlowComputing extends Computing {
  constructor(private readonly inline: Computing) {
    super();
  }

  override async answer<K extends QuestionKind>(kind: K, question: Questions[K]): Promise<Answers[K]> {
    await sleep(50);
    return this.inline.answer(kind, question);
  }
}

const LIMITS = { leaseMs: 20_000, keepMs: 60_000, mostRunning: 20 };

beforeAll(async () => {
  const started = await startReplicas(2, { computing: (inline) => new SlowComputing(inline) });
  replicas = started.replicas;
  stop = started.stop;
  client = new pg.Client({ connectionString: started.database.url });
  await client.connect();
  store = new PrismaOperationStore(replicas[0]!.postgres.database);
});
afterAll(async () => {
  await client.end();
  await stop();
});

const QUESTION = {
  assignor: 'range',
  topics: [{ name: 'orders', partitions: 10 }],
  members: ['a', 'b', 'c'].map((id) => ({ id, topics: ['orders'] })),
};
const ask = (headers: Record<string, string> = {}, body: object = QUESTION) =>
  replicas[0]!.send('POST', '/v1/plans', body, headers);

/** Asks of the other replica until the operation has ended. */
async function outcomeOf(location: string) {
  const { json } = await replicas[1]!.send('GET', location, undefined, { prefer: 'wait=20' });
  return json;
}

/** An operation of a replica that died, as it leaves it. */
async function orphan(url: string, body: unknown, attempts = 1): Promise<string> {
  const id = randomUUID();
  await store.begin({ id, principal: 'anonymous', request: { method: 'POST', url, body } }, LIMITS);
  await client.query(`UPDATE operations SET lease_until = now() - interval '1 second', attempts = $2 WHERE id = $1`, [
    id,
    attempts,
  ]);
  return `/v1/operations/${id}`;
}

describe('a question that takes longer than its client waits', () => {
  it('is answered with where the answer will be, by any replica', async () => {
    const { status, headers, json } = await ask({ prefer: 'respond-async, wait=0' });
    expect({ status, state: json.status }).toEqual({ status: 202, state: 'running' });
    expect(headers.get('preference-applied')).toBe('respond-async');
    expect(headers.get('retry-after')).toBe('1');
    const done = await outcomeOf(headers.get('location')!);
    expect(done).toMatchObject({ status: 'succeeded', attempts: 1, request: 'POST /v1/plans' });
    expect(done.result).toEqual((await ask()).json);
    expect(await outcomeOf(headers.get('location')!)).toEqual(done);
  });

  it('leaves nothing behind when it is answered in time', async () => {
    const before = await client.query('SELECT count(*) FROM operations');
    expect((await ask({ prefer: 'respond-async' })).status).toBe(200);
    expect((await ask({ prefer: 'wait=5' })).status).toBe(200);
    expect((await client.query('SELECT count(*) FROM operations')).rows).toEqual(before.rows);
  });

  it('keeps what is wrong with the question', async () => {
    const { headers } = await ask({ prefer: 'wait=0' }, { ...QUESTION, assignor: 'nobody' });
    expect(await outcomeOf(headers.get('location')!)).toMatchObject({
      status: 'failed',
      problem: { code: 'UNSUPPORTED_ASSIGNOR', status: 422 },
    });
  });

  it('S-03 is one operation however often the request is repeated under its key', async () => {
    const headers = { prefer: 'respond-async, wait=0', 'idempotency-key': 'plan-1' };
    const first = await ask(headers);
    const again = await ask(headers);
    expect(again.status).toBe(202);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('S-03 goes on when its replica is gone, and what it makes is made', async () => {
    await replicas[0]!.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
    await replicas[0]!.call('PUT', '/v1/clusters/default/groups/g', {});
    const location = await orphan('/v1/clusters/default/groups/g/plans', { changes: [{ addMembers: 2 }] });
    const done = await outcomeOf(location);
    expect(done).toMatchObject({ status: 'succeeded', attempts: 2 });
    const { items } = await replicas[1]!.call('GET', '/v1/clusters/default/groups/g/plans');
    expect(items.map(({ id }: { id: string }) => id)).toContain(done.result.id);
  });

  it('S-03 is said to be interrupted when it took three replicas with it', async () => {
    expect(await outcomeOf(await orphan('/v1/plans', QUESTION, 3))).toMatchObject({
      status: 'failed',
      problem: { code: 'OPERATION_INTERRUPTED' },
    });
  });

  it('cannot be ended by a replica that lost it', async () => {
    const id = (await orphan('/v1/plans', QUESTION)).split('/').at(-1)!;
    await client.query(`UPDATE operations SET attempts = 2, lease_until = now() + interval '1 h' WHERE id = $1`, [id]);
    expect(await store.finish({ id, attempts: 1 }, { result: 'late' }, 60_000)).toBe(false);
    expect(await store.hold([{ id, attempts: 1 }], 20_000)).toEqual(new Set());
    expect(await store.finish({ id, attempts: 2 }, { result: 'in time' }, 60_000)).toBe(true);
  });

  it('can be cancelled, and is listed without its result', async () => {
    const id = (await orphan('/v1/plans', QUESTION)).split('/').at(-1)!;
    await client.query(`UPDATE operations SET lease_until = now() + interval '1 h' WHERE id = $1`, [id]);
    const path = `/v1/operations/${id}`;
    expect(await replicas[1]!.call('DELETE', path)).toMatchObject({ id, status: 'cancelled' });
    expect(await store.finish({ id, attempts: 1 }, { result: 'late' }, 60_000)).toBe(false);
    const { items, nextPageToken } = await replicas[1]!.call('GET', '/v1/operations?pageSize=1&status=cancelled');
    expect(items).toEqual([expect.objectContaining({ id, status: 'cancelled' })]);
    expect(nextPageToken).toBeUndefined();
    expect((await replicas[1]!.call('GET', '/v1/operations?pageSize=2')).items).toHaveLength(2);
  });

  it('is refused when as many run as may', async () => {
    await client.query(`UPDATE operations SET status = 'cancelled' WHERE status = 'running'`);
    for (let i = 0; i < LIMITS.mostRunning; i++) await orphan('/v1/plans', QUESTION);
    await client.query(`UPDATE operations SET lease_until = now() + interval '1 h' WHERE status = 'running'`);
    const { status, json } = await ask({ prefer: 'wait=0' });
    expect({ status, code: json.code }).toEqual({ status: 429, code: 'TOO_MANY_OPERATIONS' });
  });

  it('is not there under another name', async () => {
    for (const id of ['no-uuid', '00000000-0000-4000-8000-000000000000']) {
      expect((await replicas[0]!.send('GET', `/v1/operations/${id}`)).json).toMatchObject({
        code: 'OPERATION_NOT_FOUND',
      });
    }
  });
});

describe('how long a client waits', () => {
  it.each([
    [undefined, { ms: 15_000, isAsync: false }],
    ['respond-async', { ms: 200, isAsync: true }],
    ['Respond-Async, wait=3', { ms: 3_000, isAsync: true }],
    ['wait=0', { ms: 0, isAsync: false }],
    ['return=minimal', { ms: 15_000, isAsync: false }],
  ])('with Prefer: %s', (prefer, patience) => expect(patienceOf(prefer)).toEqual(patience));

  it.each(['wait=', 'wait=1.5', 'wait=-1', 'wait=601', 'wait=soon'])('is not %s', (prefer) => {
    expect(() => patienceOf(prefer)).toThrow(/whole number of seconds/);
  });
});
