import { describe, expect, it } from '@jest/globals';
import { watchGroup, type GroupEvent } from '@allot/client';
import { json, problem, ScriptedStream, settle, VirtualMachine, type Answerer } from './support/virtual-machine.js';

const EVENTS = 12;
const bytes = (from: number) => {
  const list = Array.from({ length: EVENTS - from }, (_, i) => from + 1 + i);
  const text = list.map((id) => `event: change\nid: ${id}\ndata: {"text": "é${id}"}\n\n`).join('');
  return new TextEncoder().encode(text);
};

/** A service with so many events, whose first connection breaks after some bytes. */
function cutAfter(cut: number, how: 'end' | 'break'): Answerer {
  let connections = 0;
  return ({ headers }) => {
    const stream = new ScriptedStream();
    const rest = bytes(Number(headers.get('last-event-id') ?? 0));
    stream.write(connections++ === 0 ? rest.slice(0, cut) : rest);
    if (connections === 1) setImmediate(() => stream[how]());
    return stream.response;
  };
}

async function watch(machine: VirtualMachine, most: number, more: object = {}): Promise<GroupEvent[]> {
  const events: GroupEvent[] = [];
  const stop = new AbortController();
  const { environment } = machine;
  const options = { servers: ['http://a', 'http://b'], group: 'g/1', environment, signal: stop.signal, ...more };
  const done = (async () => {
    for await (const event of watchGroup(options)) {
      events.push(event);
      if (events.length === most) break;
    }
  })();
  let ended = false;
  void done.then(
    () => (ended = true),
    () => (ended = true),
  );
  for (let i = 0; i < 200 && !ended; i++) await machine.run(500);
  stop.abort();
  await settle();
  await done;
  return events;
}

describe('watching a group', () => {
  it('S-07 loses and repeats nothing, wherever the connection breaks', async () => {
    const expected = Array.from({ length: EVENTS }, (_, i) => i + 1);
    const { length } = bytes(0);
    for (let cut = 0; cut <= length; cut += 1) {
      const machine = new VirtualMachine(cutAfter(cut, cut % 2 === 0 ? 'end' : 'break'));
      const events = await watch(machine, EVENTS);
      expect(events.map(({ revision }) => revision)).toEqual(expected);
      expect(events.map(({ data }) => data['text'])).toEqual(expected.map((id) => `é${id}`));
    }
  }, 60_000);

  it('gives up a connection that is silent, and goes to another replica', async () => {
    let connections = 0;
    const machine = new VirtualMachine(() => {
      const stream = new ScriptedStream();
      if (++connections > 1) stream.event('snapshot', {}, 5);
      return stream.response;
    });
    const errors: string[] = [];
    await watch(machine, 1, { silenceMs: 1_000, onRetry: ({ code }: { code: string }) => errors.push(code) });
    expect(errors).toEqual(['TIMEOUT']);
    expect(new Set(machine.sent.map(({ url }) => new URL(url).host))).toEqual(new Set(['a', 'b']));
    expect(new URL(machine.sent[0]!.url).pathname).toBe('/v1/clusters/default/groups/g%2F1/events');
  });

  it('starts over with a snapshot when the history is gone, and ends with the group', async () => {
    const machine = new VirtualMachine(({ headers }) => {
      if (headers.has('last-event-id')) return problem(410, 'REVISION_COMPACTED', 'refresh', { oldest: 9 });
      const stream = new ScriptedStream();
      stream.event('snapshot', {}, 20);
      stream.event('deleted', {}, 20);
      return stream.response;
    });
    const events = await watch(machine, 10, { sinceRevision: 3 });
    expect(events.map(({ type }) => type)).toEqual(['snapshot', 'deleted']);
  });

  it('waits longer and longer while nothing works, and throws what another attempt would not mend', async () => {
    const machine = new VirtualMachine(
      () => problem(503, 'STORE_UNAVAILABLE', 'retry'),
      1,
      () => 1,
    );
    await watch(machine, 1);
    const gaps = machine.sent.slice(1, 9).map(({ at }, i) => at - machine.sent[i]!.at);
    expect(gaps).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    machine.answer = () => json({ code: 'GROUP_ID_NOT_FOUND', action: 'fix-request', detail: 'no' }, 404);
    await expect(watch(machine, 1)).rejects.toMatchObject({ code: 'GROUP_ID_NOT_FOUND', status: 404 });
  });
});
