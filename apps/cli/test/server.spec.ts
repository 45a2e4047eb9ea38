import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { plan, planFromJson, planToJson } from '@allot/planner';
import { backoff } from '../src/server/api-client.js';
import { allot } from './fake-terminal.js';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (response: ServerResponse, request: Seen) => void;

/** A server that answers requests one after the other from a list, and remembers them. */
let server: Server;
let url: string;
let answers: Answer[];
let seen: Seen[];

beforeEach(async () => {
  [answers, seen] = [[], []];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const asked = { method: request.method!, path: request.url!, headers: request.headers, body };
      seen.push(asked);
      const answer = answers.shift();
      if (answer === undefined) response.writeHead(500).end('no answer left');
      else answer(response, asked);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const json = (value: unknown, status = 200, type = 'application/json'): Answer => {
  return (response) => response.writeHead(status, { 'content-type': type }).end(JSON.stringify(value));
};
const problem = (status: number, code: string, more: object = {}): Answer =>
  json(
    {
      type: '/problems/x',
      title: 'x',
      status,
      detail: `It is ${code}.`,
      code,
      action: 'fix-request',
      retriable: false,
      requestId: 'r-1',
      ...more,
    },
    status,
    'application/problem+json',
  );
const stream =
  (...parts: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) response.write(part);
    setTimeout(() => response.destroy(), 20);
  };
const event = (name: string, id: number) => `event: ${name}\nid: ${id}\ndata: {"revision":${id},"members":[]}\n\n`;

const RESULT = planToJson(
  plan(
    planFromJson({
      assignor: 'sticky',
      topics: [{ name: 't', partitions: 4 }],
      members: [
        { id: 'a', topics: ['t'] },
        { id: 'b', topics: ['t'] },
      ],
      changes: [{ removeMembers: ['b'] }],
    }),
  ),
);
const PLAN = {
  id: 'p-1',
  groupId: 'a/b',
  status: 'open',
  applicable: true,
  blockers: [],
  baseRevision: 7,
  author: 'me',
  expiresAt: '2026-12-01T00:00:00.000Z',
  result: RESULT,
};
const APPLIED = { ...PLAN, status: 'applied', applied: { revision: 8, actor: 'me', at: '2026-11-30T00:00:00.000Z' } };

describe('allot plan --server', () => {
  it('sends changes in their order, the assignor last, with the key as a bearer', async () => {
    answers = [json(PLAN, 201)];
    const argv = [
      'plan',
      '--server',
      url,
      '--group',
      'a/b',
      '--remove-member',
      'b',
      '--assignor',
      'sticky',
      '--reason',
      'b & c',
    ];
    const { code, out, err } = await allot(argv, { env: { ALLOT_KEY: 'secret' } });
    expect(code).toBe(2);
    expect(out).toContain('Group a/b: what would change (sticky, eager, -1 members)');
    expect(err).toContain('plan p-1 is open; it rests on revision 7 and holds until 2026-12-01');
    expect(seen).toMatchObject([
      {
        method: 'POST',
        path: '/v1/clusters/default/groups/a%2Fb/plans?reason=b+%26+c',
        headers: { authorization: 'Bearer secret', 'idempotency-key': expect.any(String) },
      },
    ]);
    expect(JSON.parse(seen[0]!.body)).toEqual({ changes: [{ removeMembers: ['b'] }, { assignor: 'sticky' }] });
  });

  it('names the option that a problem is about, and the request', async () => {
    answers = [
      problem(400, 'INVALID_REQUEST', {
        errors: [{ pointer: '/changes/1/removeMembers/0', detail: 'No such member.' }],
      }),
    ];
    const { code, err } = await allot([
      'plan',
      '--server',
      url,
      '-g',
      'g',
      '--add-members',
      '1',
      '--remove-member',
      'x',
    ]);
    expect(code).toBe(1);
    expect(err).toBe(
      'error: No such member. [INVALID_REQUEST]\n  at: --remove-member x\n  request: r-1\n  what to do: Change what was asked, then try again.\n',
    );
  });

  it('asks again under the same idempotency key when the answer was lost or the server is busy', async () => {
    answers = [
      (response) => void response.destroy(),
      problem(503, 'OVERLOADED', { action: 'retry', retriable: true, retryAfterMs: 10 }),
      json(PLAN, 201),
    ];
    const { code } = await allot(['plan', '--server', url, '-g', 'g', '-o', 'json']);
    expect(code).toBe(2);
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
  });

  it.each([
    [['--rollback-to', '5'], { rollbackTo: 5 }],
    [[], { changes: [] }],
    [['--pin', 't-0=b'], { changes: [{ pins: [{ topic: 't', partition: 0, member: 'b' }] }] }],
  ])('%j asks for %j', async (argv, body) => {
    answers = [json(PLAN, 201)];
    await allot(['plan', '--server', url, '-g', 'g', ...argv]);
    expect(JSON.parse(seen[0]!.body)).toEqual(body);
  });

  it.each([
    [['plan', '--server', 'localhost:3000', '-g', 'g'], 'is no address of a server'],
    [['plan', '--server', 'http://me:secret@localhost', '-g', 'g'], 'Give the key with ALLOT_KEY or --key'],
    [['plan', '--server', 'http://127.0.0.1:9'], 'Say which group'],
    [
      ['plan', '--server', 'http://127.0.0.1:9', '-g', 'g', 'file.txt'],
      'With --server the group is the one stored there',
    ],
    [['plan', '--server', 'http://127.0.0.1:9', '-g', 'g', '--broker-rack', '1=a'], 'are facts of a text'],
    [['plan', '--rollback-to', '3'], '--rollback-to needs --server'],
    [['apply', '-g', 'g', '--plan', 'p'], 'Say which server'],
    [['apply', '-g', 'g', '--server', 'http://127.0.0.1:9'], 'Say what to apply'],
    [
      ['apply', '-g', 'g', '--server', 'http://127.0.0.1:9', '--plan', 'p', '--remove-members', '1'],
      'Say what to apply',
    ],
    [['explain', '-g', 'g', '--server', 'http://127.0.0.1:9', '--member', 'a'], 'name it with --plan'],
  ])('%j is refused before anything is asked', async (argv, message) => {
    const { code, err } = await allot(argv);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
    expect(seen).toEqual([]);
  });

  it('says that the server cannot be reached, or is no Allot', async () => {
    answers = [(response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>nginx</h1>')];
    const other = await allot(['plan', '--server', url, '-g', 'g']);
    expect(other.err).toContain('answered 404, not as Allot does: <h1>nginx</h1> [UNEXPECTED_ANSWER]');
    answers = [(response) => void response.writeHead(200).end('hello')];
    expect((await allot(['plan', '--server', url, '-g', 'g'])).err).toContain('does not answer as Allot does');
    await new Promise((resolve) => server.close(resolve));
    const gone = await allot(['plan', '--server', url, '-g', 'g']);
    expect(gone.err).toContain(`${url} cannot be reached (ECONNREFUSED)`);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
});

describe('allot apply', () => {
  const argv = () => ['apply', '--server', url, '--group', 'a/b', '--plan', 'p-1'];

  it('applies what was reviewed: If-Match is the revision that the plan rests on', async () => {
    answers = [json(PLAN), json({ ...PLAN, status: 'approved' }), json(APPLIED)];
    const { code, out } = await allot([...argv(), '--approve', '--yes', '--reason', 'agreed']);
    expect([code, out]).toEqual([0, expect.stringContaining('Applied plan p-1: group a/b is at revision 8.\n')]);
    const path = '/v1/clusters/default/groups/a%2Fb/plans/p-1';
    expect(seen.map(({ method, path: to, headers }) => [method, to, headers['if-match']])).toEqual([
      ['GET', path, undefined],
      ['POST', `${path}/approve?reason=agreed`, '"7"'],
      ['POST', `${path}/apply?reason=agreed`, '"7"'],
    ]);
  });

  it('asks on a terminal, and takes nothing but yes', async () => {
    answers = [json(PLAN)];
    const no = await allot(argv(), { input: 'y\n', keyboard: true });
    expect([no.code, no.err]).toEqual([1, expect.stringContaining('Nothing was applied. [NOT_CONFIRMED]')]);
    answers = [json(PLAN)];
    const ended = await allot(argv(), { keyboard: true });
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('[NOT_CONFIRMED]')]);
    answers = [json(PLAN), json(APPLIED)];
    const yes = await allot(argv(), { input: 'yes\n', keyboard: true });
    expect([yes.code, yes.err]).toEqual([0, expect.stringContaining('Apply this to group a/b?')]);
  });

  it('without a terminal and without --yes nothing is applied', async () => {
    answers = [json(PLAN)];
    const { code, err } = await allot(argv());
    expect([code, err, seen.length]).toEqual([1, expect.stringContaining('add --yes'), 1]);
  });

  it('says what stands in the way instead of asking', async () => {
    const blockers = [{ code: 'members-missing', pointer: '/changes/0', message: 'Start them first.' }];
    answers = [json({ ...PLAN, applicable: false, blockers }, 201)];
    const { code, err } = await allot(['apply', '--server', url, '-g', 'g', '--add-members', '1', '--yes']);
    expect([code, err]).toEqual([1, expect.stringContaining('cannot be applied: Start them first. (members-missing)')]);
    expect(err).toContain('[PLAN_NOT_APPLICABLE]');
  });

  it('S-04 a stale plan says what happened since', async () => {
    const changes = [{ revision: 8, at: '2026-11-30T21:00:00.000Z', cause: 'member-joined', actor: 'w-1' }];
    answers = [json(PLAN), problem(412, 'STALE_PLAN', { action: 'refresh', changes, moreChanges: 3 })];
    const { code, err } = await allot([...argv(), '--yes']);
    expect(code).toBe(1);
    expect(err).toContain('  since: revision 8 at 2026-11-30T21:00:00.000Z, member-joined by w-1\n  and 3 more\n');
    expect(err).toContain('what to do: Read the present state and decide again.');
  });

  it('a dry run changes nothing, needs no confirmation, and exits 2 when something would change', async () => {
    answers = [json(PLAN), json(PLAN)];
    const { code, out } = await allot([...argv(), '--dry-run']);
    expect([code, out, seen[1]!.path]).toEqual([
      2,
      expect.stringContaining('nothing was changed'),
      expect.stringContaining('/apply?dryRun=true'),
    ]);
  });

  it('interrupted on the way, it does not claim to know the outcome', async () => {
    const abort = new AbortController();
    answers = [json(PLAN), () => abort.abort()];
    const { code, err } = await allot([...argv(), '--yes'], { signal: abort.signal });
    expect([code, err]).toEqual([130, expect.stringContaining('Whether plan p-1 was applied is not known')]);
  });
});

describe('allot watch', () => {
  it('S-07 goes on behind the last event after a break, and anew where the server has forgotten it', async () => {
    answers = [
      stream(event('snapshot', 5), event('member', 6)),
      stream(event('assignment', 7).slice(0, 30)),
      problem(503, 'SHUTTING_DOWN', { action: 'retry', retriable: true, retryAfterMs: 5 }),
      problem(410, 'REVISION_COMPACTED'),
      stream(': alive\n\n', event('snapshot', 90), event('removed', 91)),
    ];
    const { code, out, err } = await allot(['watch', '--server', url, '--group', 'g', '-o', 'json']);
    expect(code).toBe(0);
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; id: string });
    expect(events.map(({ event: name, id }) => [name, id])).toEqual([
      ['snapshot', '5'],
      ['member', '6'],
      ['snapshot', '90'],
      ['removed', '91'],
    ]);
    expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '6', '6', '6', undefined]);
    expect(err).toContain('revision 6 is no longer kept, so it begins anew');
    expect(err.match(/connecting again in/g)).toHaveLength(4);
  });

  it('ends after so many events, resumes by --since, and shows lines to people', async () => {
    answers = [stream(event('member', 42), event('member', 43), event('member', 44))];
    const { code, out } = await allot([
      'watch',
      '--server',
      url,
      '--group',
      'g',
      '--member',
      'm 1',
      '--since',
      '41',
      '--events',
      '2',
    ]);
    expect([code, out]).toEqual([
      0,
      '    42  member\n    43  member\n'.replaceAll('member', 'member'.padEnd(20) + '  '),
    ]);
    expect(seen).toMatchObject([
      { path: '/v1/clusters/default/groups/g/members/m%201/events', headers: { 'last-event-id': '41' } },
    ]);
  });

  it('ends by Ctrl-C, and by what another try would not mend', async () => {
    const abort = new AbortController();
    answers = [
      (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event('snapshot', 1)),
    ];
    const stopped = await allot(['watch', '--server', url, '--group', 'g'], {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    expect([stopped.code, stopped.out]).toEqual([130, expect.stringContaining('snapshot')]);
    answers = [problem(404, 'GROUP_ID_NOT_FOUND')];
    const missing = await allot(['watch', '--server', url, '--group', 'g']);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('[GROUP_ID_NOT_FOUND]')]);
  });

  it('waits longer each time, and never as long as its neighbours', () => {
    expect([0, 1, 2, 10].map((attempt) => backoff(attempt, 1))).toEqual([250, 500, 1_000, 10_000]);
    expect(backoff(3, 0.25)).toBe(500);
    expect(backoff(0, 0, 2_000)).toBe(2_000);
  });
});

describe('allot import --server', () => {
  it('sends the text as it is, and shows what became of it', async () => {
    const report = {
      dryRun: false,
      totals: { notUnderstood: 0 },
      topics: [{ name: 'orders', partitions: 3, outcome: 'created' }],
      groups: [
        { groupId: 'g', outcome: 'skipped', members: 1, assignedPartitions: 3, reason: 'A live group has this id.' },
      ],
      warnings: [],
      lines: [{ lineNumber: 1, kind: 'topic', status: 'understood', detail: '' }],
    };
    answers = [json(report)];
    const text = 'Topic: orders\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: \n';
    const { code, out } = await allot(['import', '--server', url, '--cluster', 'a b', '--dry-run'], { input: text });
    expect(code).toBe(0);
    expect(out).toMatch(/^topic +orders +created +- +3$/m);
    expect(out).toMatch(/^group +g +skipped +1 +3 +A live group has this id\.$/m);
    expect(seen).toMatchObject([
      { path: '/v1/clusters/a%20b/imports?dryRun=true', body: text, headers: { 'content-type': 'text/plain' } },
    ]);
  });
});

describe('questions about a group on a server', () => {
  const on = (...argv: readonly string[]) => allot([argv[0]!, '--server', url, '--group', 'g', ...argv.slice(1)]);
  const row = {
    assignor: 'range',
    protocol: 'consumer',
    skew: { overall: 1 },
    least: 1,
    most: 2,
    idle: 0,
    movesNow: 3,
    movesOnAdd: 4,
    movesOnRemove: 5,
    rollingRestart: { batchSize: 1, moves: 6, rebalances: 7 },
    rackLocality: { local: 0, known: 0 },
  };
  const cost = { rebalances: 2, moves: 3, forcedMoves: 1, partitionSecondsPaused: 4, peakLoad: 5 };
  const saved = { rebalances: 2, moves: 1, partitionSecondsPaused: 0, peakLoad: 0 };

  it('compare asks for assignors and changes, and shows what the server answers', async () => {
    answers = [json({ rows: [row, { assignor: 'sticky', refused: 'It does not.' }] })];
    const { code, out, err } = await on('compare', '--assignors', 'range,sticky', '--add-members', '2');
    expect([code, seen[0]!.path]).toEqual([0, '/v1/clusters/default/groups/g/plans/compare']);
    expect(JSON.parse(seen[0]!.body)).toEqual({ assignors: ['range', 'sticky'], changes: [{ addMembers: 2 }] });
    expect(out).toMatch(/^range +consumer +1 +1 +2 +0 +3 +4 +5 +6 +7 +-$/m);
    expect(err).toContain('sticky refuses: It does not.');
  });

  it('right-size asks for the largest number', async () => {
    answers = [
      json({ assignor: 'range', sizes: [{ members: 2, busiest: 3, idle: 0 }], evaluatedUpTo: 9, exhaustive: true }),
    ];
    const { out } = await on('right-size', '--up-to', '9', '--assignor', 'sticky');
    expect(seen[0]!.path).toBe('/v1/clusters/default/groups/g/plans/right-size');
    expect(JSON.parse(seen[0]!.body)).toEqual({ upTo: 9, changes: [{ assignor: 'sticky' }] });
    expect(out).toMatch(/^ +2 +3 +0$/m);
  });

  it('simulate sends the steps, another assignor first', async () => {
    const steps = [{ assignor: 'sticky' }, { rollingRestart: { batchSize: 2 } }];
    const answer = { assignor: 'sticky', protocol: 'consumer', total: { ...cost, displaced: 1 } };
    answers = [json({ ...answer, steps: steps.map((step) => ({ step, events: [], ...cost })) })];
    const { out } = await on('simulate', '--rolling-restart', '2', '--assignor', 'sticky', '--timing', 'restartMs=5');
    expect(seen[0]!.path).toBe('/v1/clusters/default/groups/g/simulations');
    expect(JSON.parse(seen[0]!.body)).toEqual({ steps, timing: { restartMs: 5 } });
    expect(out).toMatch(/^1\. --assignor sticky +2 +3 +1 +4 +5$/m);
    expect(out).toMatch(/^2\. --rolling-restart 2 +2/m);
  });

  it('simulate --recommend asks what would make it cheaper', async () => {
    const better = { setting: 'static-membership', how: 'Do.', total: { ...cost, displaced: 0 }, saved };
    answers = [json({ baseline: { ...cost, displaced: 1 }, recommendations: [better] })];
    const { out } = await on('simulate', '--rolling-restart', '1', '--recommend', '--protocol', 'consumer');
    expect(seen[0]!.path).toBe('/v1/clusters/default/groups/g/simulations/recommend');
    expect(JSON.parse(seen[0]!.body)).toEqual({ steps: [{ rollingRestart: { batchSize: 1 } }], protocol: 'consumer' });
    expect(out).toContain('static-membership: Do.');
  });

  it.each([
    [['compare', 'text.txt'], 'the one stored there'],
    [['right-size', '--broker-rack', '1=a'], 'facts of a text'],
    [['compare', '--kafka-version', '3.9'], 'facts of a text'],
    [['simulate', '--static', '--crash', '1'], '--recommend'],
  ])('refuse what is of a text: %j', async (argv, message) => {
    const { code, err } = await on(...argv);
    expect([code, seen]).toEqual([1, []]);
    expect(err).toContain(message);
  });

  it('name the option that a refusal is about', async () => {
    answers = [problem(400, 'INVALID_REQUEST', { errors: [{ pointer: '/steps/0/crash', detail: 'No.' }] })];
    const { err } = await on('simulate', '--crash', '9');
    expect(err).toContain('--crash 9');
  });
});
