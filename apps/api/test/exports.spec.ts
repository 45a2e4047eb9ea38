import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { preferredType } from '../src/exports/preferred-type.js';
import { startReplicas, type Replica } from './support/service.js';

describe('the media type of an answer', () => {
  const TYPES = ['application/json', 'text/csv', 'text/markdown'];

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/csv', 'text/csv'],
    ['TEXT/Markdown; charset=utf-8', 'text/markdown'],
    ['text/*', 'text/csv'],
    ['text/csv, application/json', 'application/json'],
    ['text/csv, application/json;q=0.5', 'text/csv'],
    ['text/markdown;q=0.9, text/csv;q=0.8, */*;q=0.1', 'text/markdown'],
    ['*/*, text/csv', 'text/csv'],
    ['text/csv;q=0, */*', 'application/json'],
    ['application/problem+json', 'application/json'],
    ['text/csv;q=nonsense, text/markdown;q=0.2', 'text/markdown'],
  ])('Accept: %s is %s', (accept, type) => expect(preferredType(accept, TYPES)).toBe(type));
});

describe('plans as CSV and Markdown', () => {
  let replica: Replica;
  let stop: () => Promise<void>;
  const group = '/v1/clusters/default/groups/a%7Cb';

  beforeAll(async () => {
    const started = await startReplicas(1);
    replica = started.replicas[0]!;
    stop = started.stop;
    await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
    await replica.call('POST', `${group}/members`, { memberId: '=c1', subscription: { topics: ['orders'] } });
  });
  afterAll(() => stop());

  it('a plan that is not stored', async () => {
    const body = {
      topics: [{ name: '__proto__', partitions: 2 }],
      members: [{ id: 'say "hi"', topics: ['__proto__'] }],
    };
    const { status, headers, text } = await replica.send('POST', '/v1/plans', body, { accept: 'text/csv' });
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      expect.stringContaining('Accept'),
    ]);
    expect(text).toBe(
      'topic,partition,from,to\r\n__proto__,0,"say ""hi""","say ""hi"""\r\n__proto__,1,"say ""hi""","say ""hi"""\r\n',
    );
    const report = await replica.send('POST', '/v1/plans', body, { accept: 'text/markdown' });
    expect(report.text).toMatch(/^# Change of consumer group\n/);
  });

  it('a stored plan, with what it rests on and its ETag', async () => {
    const { id, baseRevision } = await replica.call(
      'POST',
      `${group}/plans`,
      { changes: [{ addMembers: ['c2'] }] },
      201,
    );
    const csv = await replica.send('GET', `${group}/plans/${id}`, undefined, { accept: 'text/csv' });
    expect(csv.text).toBe(
      "topic,partition,from,to\r\norders,0,'=c1,'=c1\r\norders,1,'=c1,'=c1\r\norders,2,'=c1,c2\r\norders,3,'=c1,c2\r\n",
    );
    const report = await replica.send('GET', `${group}/plans/${id}`, undefined, { accept: 'text/markdown' });
    expect(report.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(report.text).toContain(`| Made on | revision ${baseRevision} of the group |`);
    expect(report.text).toContain(`rollbackTo: ${baseRevision}`);
    expect(report.text).toContain('# Change of consumer group a|b');
    const tag = { accept: 'text/csv', 'if-none-match': csv.headers.get('etag')! };
    expect((await replica.send('GET', `${group}/plans/${id}`, undefined, tag)).status).toBe(304);
    const json = await replica.send('GET', `${group}/plans/${id}`);
    expect(json.json.id).toBe(id);
  });

  it('is answered again as it was, and in no other media type, under its Idempotency-Key', async () => {
    const body = { topics: [{ name: 'orders', partitions: 1 }], members: [{ id: 'c1', topics: ['orders'] }] };
    const send = (accept: string) => replica.send('POST', '/v1/plans', body, { accept, 'idempotency-key': 'export-1' });
    const first = await send('text/csv');
    const again = await send('text/csv');
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect([again.text, again.headers.get('content-type')]).toEqual([first.text, 'text/csv; charset=utf-8']);
    expect((await send('application/json')).json).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('is waited for where it is liked better than JSON, since an operation has its result as JSON', async () => {
    const topics = Array.from({ length: 20 }, (_, i) => ({ name: `t${i}`, partitions: 200 }));
    const members = Array.from({ length: 40 }, (_, i) => ({ id: `c${i}`, topics: topics.map(({ name }) => name) }));
    const headers = { accept: 'application/json;q=0.5, text/csv', prefer: 'wait=0' };
    const { status, text } = await replica.send('POST', '/v1/plans', { topics, members }, headers);
    expect([status, text.slice(0, 5)]).toEqual([200, 'topic']);
  });

  it('problems stay problems', async () => {
    const { status, headers } = await replica.send('GET', `${group}/plans/none`, undefined, { accept: 'text/csv' });
    expect([status, headers.get('content-type')]).toEqual([404, expect.stringContaining('application/problem+json')]);
    expect((await replica.send('GET', `${group}/plans/none`, undefined, { accept: 'image/png' })).status).toBe(406);
  });
});
