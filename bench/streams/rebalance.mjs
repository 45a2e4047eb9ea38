// P11: how long after a join is committed the last of those whom it concerns has heard of it on its stream, over what cannot be avoided:
// one commit, and bare http writing to as many streams.
import pg from 'pg';
import { median, Readers, startBare, startReplica } from './processes.mjs';

const PARTITIONS = 10_000;
const GROUP = '/v1/clusters/default/groups/rebalance';

export async function measureRebalance(databaseUrl, { members, rounds, call }) {
  const { child, url } = await startReplica(databaseUrl);
  await call(url, 'PUT', '/v1/clusters/default/topics/rebalance', { partitions: PARTITIONS });
  await call(url, 'PUT', GROUP, {
    assignor: 'uniform',
    sessionTimeoutMs: 600_000,
    maxSize: members + 10,
    assignmentIntervalMs: 1_000,
  });
  const ids = Array.from({ length: members }, (_, i) => `m${String(i).padStart(5, '0')}`);
  await settle(url, ids, patient(call));
  await call(url, 'PUT', GROUP, { assignmentIntervalMs: 0 });
  const readers = new Readers(1);
  await readers.open(
    url,
    ids.map((id) => `${GROUP}/members/${id}/events`),
  );
  const bare = await startBare(400);
  const bareReaders = new Readers(1);
  await bareReaders.open(
    bare.url,
    ids.map(() => '/'),
  );
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query('CREATE TABLE IF NOT EXISTS bench_commit (n int); INSERT INTO bench_commit VALUES (0)');
  const ours = [];
  const floor = [];
  let affected = 0;
  let bareRevision = 1;
  for (let round = 0; round < Math.max(rounds, 10); round++) {
    const { members: before } = await call(url, 'GET', GROUP);
    // Whom it will concern is found by joining once before; the next join is told the same.
    const taken = await affectedBy(url, ids, before, call);
    const { revision } = await call(url, 'GET', GROUP);
    affected = taken.length;
    const time = await readers.timeOf(
      revision + 1,
      async () => {
        await call(url, 'POST', `${GROUP}/members`, { memberId: 'newcomer', subscription: { topics: ['rebalance'] } });
        return process.hrtime.bigint();
      },
      { places: taken, share: members },
    );
    if (round > 0) ours.push(time.totalMs);
    await fetch(`${url}${GROUP}/members/newcomer`, { method: 'DELETE' });
    const begun = performance.now();
    await database.query('UPDATE bench_commit SET n = n + 1');
    const commitMs = performance.now() - begun;
    const { totalMs } = await bareReaders.timeOf(bareRevision + 1, async () => {
      ({ revision: bareRevision } = await call(bare.url, 'PUT', '/'));
    });
    if (round > 0) floor.push(commitMs + totalMs);
  }
  await database.end();
  await Promise.all([readers.stop(), bareReaders.stop()]);
  await Promise.all([child.stop(), bare.child.stop()]);
  const p99 = [...ours].sort((a, b) => a - b)[Math.ceil(ours.length * 0.99) - 1];
  const line = `join of one more to ${members} members with ${PARTITIONS} partitions: the last of ${affected} concerned after ${median(ours).toFixed(0)} ms (p99 ${p99.toFixed(0)}); a commit and bare http ${median(floor).toFixed(0)} ms`;
  return { ratio: p99 / median(floor), line };
}

/** Members whom a join gives another target, by their place. */
async function affectedBy(url, ids, before, call) {
  await call(url, 'POST', `${GROUP}/members`, { memberId: 'newcomer', subscription: { topics: ['rebalance'] } });
  const { members: after } = await call(url, 'GET', GROUP);
  await fetch(`${url}${GROUP}/members/newcomer`, { method: 'DELETE' });
  const old = new Map(before.map(({ memberId, target }) => [memberId, JSON.stringify(target)]));
  const changed = new Set(
    after
      .filter(({ memberId, target }) => old.has(memberId) && old.get(memberId) !== JSON.stringify(target))
      .map(({ memberId }) => memberId),
  );
  return ids.flatMap((id, place) => (changed.has(id) ? [place] : []));
}

/** Tries again what was refused because too many came at once. */
function patient(call) {
  return async (...request) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call(...request);
      } catch (error) {
        if (attempt === 20 || !String(error).includes(': 503 ')) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500 * Math.random()));
      }
    }
  };
}

/** Lets everybody join, and heartbeat until the group is stable. */
async function settle(url, ids, call) {
  const state = new Map();
  const each = async (list, work) => {
    let next = 0;
    const lane = async () => {
      while (next < list.length) await work(list[next++]);
    };
    await Promise.all(Array.from({ length: 16 }, lane));
  };
  await each(ids, async (memberId) => {
    const answer = await call(url, 'POST', `${GROUP}/members`, { memberId, subscription: { topics: ['rebalance'] } });
    state.set(memberId, { epoch: answer.memberEpoch, held: answer.assignment, state: answer.state });
  });
  for (let round = 0; round < 10; round++) {
    await each(ids, async (memberId) => {
      const known = state.get(memberId);
      const body = { memberEpoch: known.epoch, owned: known.held };
      const answer = await call(url, 'POST', `${GROUP}/members/${memberId}/heartbeat`, body);
      state.set(memberId, { epoch: answer.memberEpoch, held: answer.assignment ?? known.held, state: answer.state });
    });
    const { state: groupState } = await call(url, 'GET', GROUP);
    if (groupState === 'STABLE') return;
  }
  throw new Error('the group did not become stable');
}
