import { createClient as createSseClient } from 'graphql-sse';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { startReplicas, type Json, type Replica } from './support/service.js';

let replica: Replica;
let other: Replica;
let stop: () => Promise<void>;
const clients: { dispose(): void | Promise<void> }[] = [];

beforeAll(async () => {
  const started = await startReplicas(2);
  [replica, other] = started.replicas as [Replica, Replica];
  stop = started.stop;
  await replica.call('PUT', '/v1/clusters/default/topics/orders', { partitions: 4 });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
});
afterAll(() => stop());

const groups = '/v1/clusters/default/groups';
const join = (via: Replica, group: string, memberId: string) =>
  via.call('POST', `${groups}/${group}/members`, { memberId, subscription: { topics: ['orders'] } });

const GROUP_CHANGED = `subscription ($group: String!, $since: SafeInt) {
  groupChanged(group: $group, sinceRevision: $since) {
    __typename
    ... on GroupSnapshot { revision because group { groupId revision state members { memberId } } }
    ... on GroupRevision { revision kind cause state members { memberId removed current { topic partitions } } groupNow { revision } }
    ... on GroupDeleted { revision groupId }
  }
}`;

type Transport = 'ws' | 'sse';

function open(via: Replica, transport: Transport): Pick<Client, 'iterate'> {
  const client =
    transport === 'ws'
      ? createClient({ url: via.url.replace('http', 'ws') + '/graphql', webSocketImpl: WebSocket, retryAttempts: 0 })
      : createSseClient({ url: `${via.url}/graphql/stream`, retryAttempts: 0 });
  clients.push(client);
  return client as Pick<Client, 'iterate'>;
}

/** Events of one subscription, the answer's frame taken off. */
function subscribe(via: Replica, transport: Transport, query: string, variables: Json) {
  const results = open(via, transport).iterate<Json>({ query, variables });
  return {
    next: async (): Promise<Json> => {
      const { value, done } = await results.next();
      if (done === true) return 'complete';
      const { data, errors } = value as Json;
      return errors === undefined ? Object.values(data as Json)[0] : { errors };
    },
    close: () => results.return!(),
  };
}

describe.each<Transport>(['ws', 'sse'])('groupChanged over %s', (transport) => {
  it('begins with a snapshot and tells each revision once, from whichever replica it came', async () => {
    const group = `a-${transport}`;
    await replica.call('PUT', `${groups}/${group}`, {});
    const events = subscribe(replica, transport, GROUP_CHANGED, { group });
    expect(await events.next()).toEqual({
      __typename: 'GroupSnapshot',
      revision: 1,
      because: 'START',
      group: { groupId: group, revision: 1, state: 'EMPTY', members: [] },
    });
    await join(other, group, 'a');
    expect(await events.next()).toEqual({
      __typename: 'GroupRevision',
      revision: 2,
      kind: 'rebalance.completed',
      cause: 'member-joined',
      state: 'STABLE',
      members: [{ memberId: 'a', removed: false, current: [{ topic: 'orders', partitions: [0, 1, 2, 3] }] }],
      groupNow: { revision: 2 },
    });
    await join(replica, group, 'b');
    expect(await events.next()).toMatchObject({ revision: 3, kind: 'rebalance.started', groupNow: { revision: 3 } });
    await events.close();
  });

  it('resumes after any revision without losing or repeating one', async () => {
    const group = `b-${transport}`;
    for (const id of ['a', 'b', 'c', 'd']) await join(replica, group, id);
    for (let since = 0; since < 4; since++) {
      const events = subscribe(other, transport, GROUP_CHANGED, { group, since });
      for (let revision = since + 1; revision <= 4; revision++) expect(await events.next()).toMatchObject({ revision });
      await events.close();
    }
  });

  it('sends a snapshot that says so where the history is gone', async () => {
    const group = `c-${transport}`;
    for (const id of ['a', 'b', 'c']) await join(replica, group, id);
    await replica.postgres.database.prisma.$executeRaw`
      DELETE FROM group_changes ch USING groups g WHERE g.id = ch.group_pk AND g.group_id = ${group} AND ch.revision < 3`;
    const events = subscribe(replica, transport, GROUP_CHANGED, { group, since: 1 });
    expect(await events.next()).toMatchObject({ __typename: 'GroupSnapshot', revision: 3, because: 'COMPACTED' });
    await join(other, group, 'd');
    expect(await events.next()).toMatchObject({ __typename: 'GroupRevision', revision: 4 });
    await events.close();
  });

  it('ends with the group', async () => {
    const group = `d-${transport}`;
    await replica.call('PUT', `${groups}/${group}`, {});
    const events = subscribe(replica, transport, GROUP_CHANGED, { group, since: 1 });
    await replica.call('DELETE', `${groups}/${group}`, undefined, 204, { 'if-match': '*' });
    expect(await events.next()).toEqual({ __typename: 'GroupDeleted', revision: 1, groupId: group });
    expect(await events.next()).toBe('complete');
  });

  it('refuses a group that is not there with the code of REST', async () => {
    const events = subscribe(replica, transport, GROUP_CHANGED, { group: 'nobody' });
    expect(await events.next().catch((errors: unknown) => ({ errors }))).toMatchObject({
      errors: [{ extensions: { code: 'GROUP_ID_NOT_FOUND', action: 'fix-request' } }],
    });
  });
});
