import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PrismaOperationStore } from '@allot/persistence';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { type OpenApi, type PathOperation, operationsOf, schemasFor } from './support/openapi.js';
import { type AbstractRequest, requestsOf } from './support/requests-of.js';
import { type Replica, startReplicas } from './support/service.js';

/** Sequences of up to 20 requests each. `npm run test:fuzz` runs many more. */
const RUNS = Number(process.env['ALLOT_FUZZ_RUNS'] ?? 40);
const REQUESTS = 20;
/** Streams and long polls never end by themselves. */
const CUT_OFF_MS = 5_000;

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as OpenApi;
const operations = operationsOf(document);
const validators = new Map<string, ValidateFunction>();
const compiler = schemasFor(document);

/** Names out of answers, by the path parameter that they may stand for. */
const learnt: Readonly<Record<string, string[]>> = {
  cluster: ['default'],
  group: ['g1'],
  member: ['c1'],
  plan: ['none'],
};
const reached = new Map<string, Set<number>>();
/** The requests of the running sequence, for the message of a failure. */
const trail: string[] = [];
let requests = 0;
let failed = true;
let replica: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(1);
  replica = started.replicas[0]!;
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
  await replica.call('PUT', '/v1/clusters/default/groups/g1', { type: 'consumer' });
});
afterAll(async () => {
  await stop();
  const statuses = [...reached.values()].reduce((all, some) => new Set([...all, ...some]), new Set<number>());
  const list = [...statuses].sort((a, b) => a - b).join(', ');
  const verdict = failed ? 'an answer was wrong, see above' : 'no answer of 5xx, every answer as documented';
  process.stderr.write(`fuzz: ${requests} requests, ${verdict}; statuses ${list}\n`);
});

describe('the API under requests derived from its document', () => {
  it('never fails and always answers as documented', async () => {
    const sequences = fc.array(requestsOf(document, operations), { minLength: 1, maxLength: REQUESTS, size: 'max' });
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        trail.length = 0;
        for (const request of sequence) await check(request);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 3_000_000, markInterruptAsFailure: false },
    );
    await meetForCertain();
    failed = false;
  }, 3_600_000);

  it('has reached every operation with a success and with a refusal', () => {
    // Takes enough requests to be certain.
    if (RUNS < 1000) return;
    const missed = operations.flatMap(({ operation: { operationId } }) => {
      const statuses = [...(reached.get(operationId) ?? [])];
      return [
        ...(statuses.some((status) => status < 400) ? [] : [`${operationId}: a success`]),
        ...(statuses.some((status) => status >= 400) ? [] : [`${operationId}: a refusal`]),
      ];
    });
    expect(missed).toEqual([]);
  });
});

/** What random requests may never meet: a plan, a stream and a heartbeat of a member that is there, and a sound topology. */
async function meetForCertain(): Promise<void> {
  const group = '/v1/clusters/default/groups/certain';
  const { memberId } = await replica.call('POST', `${group}/members`, { subscription: { topics: ['orders'] } });
  const { id, baseRevision } = await replica.call('POST', `${group}/plans`, {});
  const { id: unwanted } = await replica.call('POST', `${group}/plans`, {});
  const classic = '/v1/clusters/default/groups/certain-classic';
  await replica.call('PUT', classic, { type: 'classic', initialDelayMs: 0 });
  const joining = { instanceId: 'i', subscription: { topics: ['orders'] } };
  const { memberId: led } = await replica.call('POST', `${classic}/join`, joining);
  await replica.call('PUT', '/v1/clusters/certain', {});
  const others = '/v1/clusters/default/groups/certain-others';
  const member = { subscription: { topics: ['orders'] } };
  await replica.call('POST', `${others}/members`, { ...member, instanceId: 'i' });
  const { memberId: leaving } = await replica.call('POST', `${others}/members`, member);
  const request = { method: 'POST', url: '/v1/plans', body: {} };
  const limits = { leaseMs: 600_000, keepMs: 600_000, mostRunning: 20 };
  const operation = await new PrismaOperationStore(replica.postgres.database).begin(
    { id: randomUUID(), principal: 'anonymous', request },
    limits,
  );
  const topology = { topics: [{ name: 'orders', partitions: 2 }], members: [{ id: 'c1', topics: ['orders'] }] };
  const certain: Record<string, readonly [path: string, body?: object, headers?: Record<string, string>]> = {
    streamMember: [`${group}/members/${memberId}/events`],
    explainPlan: [`${group}/plans/${id}/explain?member=${memberId}`],
    approvePlan: [`${group}/plans/${id}/approve`],
    applyPlan: [`${group}/plans/${id}/apply`, undefined, { 'if-match': `"${baseRevision}"` }],
    discardPlan: [`${group}/plans/${unwanted}/discard`],
    getRevision: [`${group}/revisions/${baseRevision}`],
    diffRevisions: [`${group}/revisions/${baseRevision}/diff/${baseRevision}`],
    heartbeat: [`${group}/members/${memberId}/heartbeat`, { memberEpoch: 1 }],
    joinClassicGroup: [`${classic}/join`, { ...joining, memberId: led }],
    syncClassicGroup: [`${classic}/sync`, { memberId: led, generation: 1, assignments: {} }],
    heartbeatClassicGroup: [`${classic}/heartbeat`, { memberId: led, generation: 1 }],
    leaveClassicGroup: [`${classic}/leave`, { members: [{ memberId: led }] }],
    answerLease: [`${group}/members/${memberId}/lease`, { memberEpoch: 1, token: '999999999999999' }],
    deleteCluster: ['/v1/clusters/certain', undefined, { 'if-match': '*' }],
    removeInstance: [`${others}/members?instanceId=i`],
    leaveGroup: [`${others}/members/${leaving}`],
    getOperation: [`/v1/operations/${operation.id}`],
    cancelOperation: [`/v1/operations/${operation.id}`],
    planTopology: ['/v1/plans', topology],
    explainTopology: ['/v1/plans/explain?member=c1', topology],
    rightSizeGroup: ['/v1/plans/right-size', topology],
    compareAssignors: ['/v1/plans/compare', { ...topology, assignors: ['range', 'sticky'] }],
    compareGroupAssignors: [`${group}/plans/compare`, { assignors: ['range'] }],
    rightSizeStoredGroup: [`${group}/plans/right-size`],
    simulateGroup: [`${group}/simulations`, { steps: [{ rollingRestart: { batchSize: 1 } }] }],
    recommendGroupSettings: [`${group}/simulations/recommend`, { steps: [{ crash: 1 }] }],
    simulate: ['/v1/simulations', { ...topology, steps: [{ rollingRestart: { batchSize: 1 } }] }],
  };
  for (const [operationId, [path, body, headers = {}]] of Object.entries(certain)) {
    const target = operations.find(({ operation }) => operation.operationId === operationId);
    if (target === undefined) throw new Error(`the document has no operation ${operationId}`);
    const sent = body === undefined ? undefined : { type: 'application/json', text: JSON.stringify(body) };
    const { status, text } = await send(target, path, headers, sent);
    if (status >= 400) throw new Error(`${operationId} refused what is sound: ${status} ${text}`);
    note(target, status);
  }
}

async function check(request: AbstractRequest): Promise<void> {
  try {
    await checkAnswer(request);
  } catch (error) {
    throw new Error([String(error), 'after', ...trail].join('\n'), { cause: error });
  }
}

async function checkAnswer(request: AbstractRequest): Promise<void> {
  const { target, headers, body } = request;
  const url = urlOf(request);
  const what = `${target.method} ${url.slice(0, 300)} ${JSON.stringify(headers)} ${body?.type ?? ''} ${body?.text.slice(0, 2000) ?? ''}`;
  const started = performance.now();
  const answer = await send(target, url, headers as Record<string, string>, body);
  requests++;
  trail.push(`${answer.status} in ${Math.round(performance.now() - started)} ms to ${what.slice(0, 500)}`);
  note(target, answer.status);
  if (answer.status >= 500) throw new Error(`${answer.status} to ${what}: ${answer.text}`);
  const documented = target.operation.responses[String(answer.status)];
  if (documented === undefined) throw new Error(`${answer.status} is not documented: ${what}: ${answer.text}`);
  const type = answer.type.split(';')[0]!;
  const media = documented.content?.[type];
  if (documented.content === undefined || Object.keys(documented.content).length === 0) {
    if (answer.text !== '' && answer.text !== undefined)
      throw new Error(`a body where none is documented: ${what}: ${answer.text}`);
    return;
  }
  if (media === undefined) throw new Error(`${type} is not documented for ${answer.status}: ${what}`);
  if (!type.endsWith('json') || answer.text === undefined) return;
  const json = JSON.parse(answer.text) as unknown;
  const validate = validatorOf(`${target.operation.operationId} ${answer.status}`, media.schema);
  if (!validate(json))
    throw new Error(`not as documented: ${JSON.stringify(validate.errors)} of ${what}: ${answer.text}`);
  learn(json);
}

interface FuzzAnswer {
  readonly status: number;
  readonly type: string;
  /** Undefined when the answer was cut off. */
  readonly text: string | undefined;
}

async function send(
  { method, path }: PathOperation,
  url: string,
  headers: Record<string, string>,
  body: AbstractRequest['body'],
): Promise<FuzzAnswer> {
  const signal = AbortSignal.timeout(CUT_OFF_MS);
  const response = await fetch(replica.url + url, {
    method,
    signal: path.endsWith('/assignment') || path.endsWith('/events') ? signal : null,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': body.type }) },
    ...(body === undefined ? {} : { body: body.text }),
  }).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (response === undefined && path.endsWith('/events')) throw new Error(`no stream within ${CUT_OFF_MS} ms: ${url}`);
  if (response === undefined) return { status: 200, type: 'application/json', text: undefined };
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && path.endsWith('/events')) {
    await response.body?.cancel();
    return { status: response.status, type, text: undefined };
  }
  return { status: response.status, type, text: await response.text() };
}

function urlOf({ target, path, query }: AbstractRequest): string {
  const filled = target.path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const word = path[name]!;
    const names = learnt[name] ?? ['orders'];
    const text = 'text' in word ? word.text : names[word.learnt % names.length]!;
    return encodeName(text);
  });
  const pairs = query.map(([key, value]) => `${encodeName(key)}=${encodeName(value)}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

/** As encodeURIComponent, but lone surrogates do not throw. */
function encodeName(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function learn(json: unknown): void {
  if (typeof json !== 'object' || json === null) return;
  const { memberId, groupId, id, baseRevision, numPartitions, name } = json as Record<string, unknown>;
  remember('member', memberId);
  remember('group', groupId);
  if (baseRevision !== undefined) remember('plan', id);
  if (numPartitions !== undefined) remember('cluster', name);
}

/** The last few, so that most of them are still there. */
function remember(parameter: string, value: unknown): void {
  const names = learnt[parameter]!;
  if (typeof value === 'string' && !names.includes(value) && names.push(value) > 8) names.shift();
}

function note({ operation }: PathOperation, status: number): void {
  const statuses = reached.get(operation.operationId) ?? new Set<number>();
  reached.set(operation.operationId, statuses.add(status));
}

function validatorOf(key: string, schema: object): ValidateFunction {
  let validator = validators.get(key);
  if (validator === undefined) {
    validator = compiler.compile(schema);
    validators.set(key, validator);
  }
  return validator;
}
