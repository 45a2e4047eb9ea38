import { describe, expect, it } from '@jest/globals';
import { loadTable, pickByLoad } from '../../src/partitioners/built-in.js';
import type {
  PartitionerOptions,
  PartitionerRecord,
  PartitionerState,
  PartitionerTopic,
} from '../../src/partitioners/partitioner.js';
import { resolvePartitioner } from '../../src/partitioners/partitioner-registry.js';
import { initialState } from '../../src/partitioners/partitioner-state.js';

/** Sends records one after the other; answers their partitions and the state after the last one. */
function send(
  partitioner: string,
  records: readonly PartitionerRecord[],
  topic: PartitionerTopic,
  start: PartitionerState = initialState(7),
  options: PartitionerOptions = {},
) {
  let state = start;
  const partitions = records.map((record) => {
    const choice = resolvePartitioner(partitioner).partition(record, topic, state, options);
    state = choice.state;
    return choice.partition;
  });
  return { partitions, state };
}

const repeat = (count: number, record: PartitionerRecord = {}) => Array.from({ length: count }, () => record);
const key = new TextEncoder().encode('foo');

describe('round-robin', () => {
  it('F-12 counts each topic by itself', () => {
    const topic = { partitions: 4 };
    const states = new Map([
      ['topic1', initialState(1, 'topic1')],
      ['topic2', initialState(1, 'topic2')],
    ]);
    const seen = ['topic1', 'topic2', 'topic1', 'topic2'].map((name) => {
      const { partitions, state } = send('RoundRobinPartitioner', [{}], topic, states.get(name));
      states.set(name, state);
      return [name, ...partitions];
    });
    expect(seen).toEqual([
      ['topic1', 0],
      ['topic2', 0],
      ['topic1', 1],
      ['topic2', 1],
    ]);
  });

  it('takes the partitions that have a leader, whatever the key, and all when none has one', () => {
    expect(send('round-robin', repeat(5, { key }), { partitions: 4, available: [1, 3] }).partitions).toEqual([
      1, 3, 1, 3, 1,
    ]);
    expect(send('round-robin', repeat(5), { partitions: 4, available: [] }).partitions).toEqual([0, 1, 2, 3, 0]);
  });

  it('skips a partition for a record that needs a new batch', () => {
    expect(send('round-robin', repeat(3, { newBatch: true }), { partitions: 6 }).partitions).toEqual([1, 3, 5]);
  });

  it('wraps its counter as a Java int does', () => {
    const start = { random: 0, counter: 2 ** 31 - 1 };
    // 2^31 - 1, then -2^31, whose sign is masked to 0, then -2^31 + 1, which becomes 1.
    expect(send('round-robin', repeat(3), { partitions: 10 }, start).partitions).toEqual([7, 0, 1]);
  });
});

describe('default-round-robin', () => {
  it('starts at a random partition and goes on in turn among those that have a leader', () => {
    const { partitions } = send('default-round-robin', repeat(8), { partitions: 5, available: [0, 2, 4] });
    expect(new Set(partitions.slice(0, 3))).toEqual(new Set([0, 2, 4]));
    expect(partitions.slice(3, 6)).toEqual(partitions.slice(0, 3));
  });

  it('does not count records with a key', () => {
    const topic = { partitions: 6 };
    const { state } = send('default-round-robin', [{}], topic);
    expect(send('default-round-robin', [{ key }, { key }], topic, state)).toEqual({
      partitions: [597841616 % 6, 597841616 % 6],
      state,
    });
  });
});

describe.each(['default', 'uniform-sticky'])('the sticky choice of %s', (name) => {
  it('stays until a batch is full and then changes', () => {
    const records = [...repeat(4), { newBatch: true }, ...repeat(4)];
    const { partitions } = send(name, records, { partitions: 3 });
    expect(new Set(partitions.slice(0, 4)).size).toBe(1);
    expect(new Set(partitions.slice(4)).size).toBe(1);
    expect(partitions[4]).not.toBe(partitions[0]);
  });

  it('goes to every partition that has a leader and to no other', () => {
    const { partitions } = send(name, repeat(200, { newBatch: true }), { partitions: 5, available: [0, 3, 4] });
    expect(new Set(partitions)).toEqual(new Set([0, 3, 4]));
  });

  it('keeps a partition that has lost its leader until its batch is full', () => {
    const { state } = send(name, [{}], { partitions: 2, available: [1] });
    expect(send(name, [{}, { newBatch: true }], { partitions: 2, available: [0] }, state).partitions).toEqual([1, 0]);
  });

  it('takes the only partition available, again and again, and any when none is', () => {
    expect(send(name, repeat(3, { newBatch: true }), { partitions: 9, available: [5] }).partitions).toEqual([5, 5, 5]);
    const { partitions } = send(name, repeat(200, { newBatch: true }), { partitions: 3, available: [] });
    expect(new Set(partitions)).toEqual(new Set([0, 1, 2]));
  });
});

describe('keys under the sticky partitioners', () => {
  it('default hashes them, and a full batch of another partition leaves the choice as it is', () => {
    const topic = { partitions: 5 };
    const hashed = 597841616 % 5;
    const start = { random: 0, sticky: { partition: (hashed + 1) % 5 } };
    const { partitions, state } = send('default', [{ key }, { key, newBatch: true }], topic, start);
    expect(partitions).toEqual([hashed, hashed]);
    expect(state).toEqual(start);
    const same = send('default', [{ key, newBatch: true }], topic, { random: 0, sticky: { partition: hashed } });
    expect(same.partitions).toEqual([hashed]);
    expect(same.state.sticky!.partition).not.toBe(hashed);
  });

  it('uniform-sticky ignores them', () => {
    const start = { random: 0, sticky: { partition: 3 } };
    expect(send('uniform-sticky', [{ key }], { partitions: 5 }, start).partitions).toEqual([3]);
  });
});

describe('the built-in partitioner', () => {
  const queues = [5, 0, 3, 0, 1];

  it('F-10 weighs partitions by their queues', () => {
    const table = loadTable({ partitions: 5, queues })!;
    expect(table.bounds).toEqual([1, 7, 10, 16, 21]);
    const drawn = [0, 0, 0, 0, 0];
    for (let value = 0; value < 42; value++) drawn[pickByLoad(table, value)]!++;
    expect(drawn).toEqual([2, 12, 6, 12, 10]);
  });

  it('F-10 never takes a partition without leader while another has one, else any', () => {
    const some = send('built-in', repeat(300, { size: 20_000 }), { partitions: 5, queues, available: [0, 2] });
    expect(new Set(some.partitions)).toEqual(new Set([0, 2]));
    const none = send('built-in', repeat(300, { size: 20_000 }), { partitions: 5, queues, available: [] });
    expect(new Set(none.partitions)).toEqual(new Set([0, 1, 2, 3, 4]));
  });

  it('leaves late partitions out, and chooses evenly when queues say nothing', () => {
    expect(loadTable({ partitions: 3, queues: [2, 2, 2], late: [1] })).toEqual({ partitions: [0, 2], bounds: [1, 2] });
    expect(loadTable({ partitions: 3, queues: [2, 2, 2], available: [2] })).toEqual({ partitions: [2], bounds: [1] });
    expect(loadTable({ partitions: 3, queues: [2, 2, 2] })).toBeUndefined();
    expect(loadTable({ partitions: 3, queues: [2, undefined, 5] })).toBeUndefined();
    expect(loadTable({ partitions: 3, queues: [1, 2, 3], late: [0, 1, 2] })).toBeUndefined();
    expect(loadTable({ partitions: 1, queues: [4] })).toBeUndefined();
    expect(loadTable({ partitions: 3 })).toBeUndefined();
  });

  it('stays for batch.size bytes, and up to twice as many while the batch is not full', () => {
    const topic = { partitions: 100 };
    const bytes = (state: PartitionerState) => state.sticky!.bytes;
    const first = send('built-in', [{ size: 10_000 }], topic);
    expect(bytes(first.state)).toBe(10_000);
    const held = send('built-in', [{ size: 10_000, batchFull: false }], topic, first.state);
    expect(held.partitions).toEqual(first.partitions);
    expect(held.state.sticky).toEqual({ partition: first.partitions[0], bytes: 20_000 });
    const moved = send('built-in', [{ size: 12_768, batchFull: false }], topic, held.state);
    expect(moved.partitions).toEqual(first.partitions);
    expect(bytes(moved.state)).toBe(0);
    expect(bytes(send('built-in', [{ size: 16_384 }], topic).state)).toBe(0);
    expect(bytes(send('built-in', [{ size: 16_383 }], topic).state)).toBe(16_383);
    expect(bytes(send('built-in', [{ size: 99 }], topic, undefined, { batchSize: 100 }).state)).toBe(99);
    expect(bytes(send('built-in', [{ size: 100 }], topic, undefined, { batchSize: 100 }).state)).toBe(0);
  });

  it('hashes keys unless told to ignore them', () => {
    const topic = { partitions: 12 };
    const start = { random: 5, sticky: { partition: 11, bytes: 0 } };
    expect(send('built-in', [{ key, size: 1 }], topic, start)).toEqual({ partitions: [597841616 % 12], state: start });
    expect(send('built-in', [{ key, size: 1 }], topic, start, { ignoreKeys: true }).partitions).toEqual([11]);
  });

  it('chooses evenly when adaptive partitioning is off', () => {
    const topic = { partitions: 2, queues: [0, 1_000_000] };
    const { partitions } = send('built-in', repeat(200, { size: 20_000 }), topic, undefined, { adaptive: false });
    expect(partitions.filter((partition) => partition === 1).length).toBeGreaterThan(60);
    const adaptive = send('built-in', repeat(200, { size: 20_000 }), topic);
    expect(new Set(adaptive.partitions)).toEqual(new Set([0]));
  });
});

describe('random-interval', () => {
  it('keeps its choice for the interval, leader or not, and draws anew after it', () => {
    const topic = { partitions: 1_000_000 };
    const { partitions, state } = send('random-interval', [{ nowMs: 0 }, { nowMs: 600_000 }], topic);
    expect(partitions[1]).toBe(partitions[0]);
    expect(state.sticky!.sinceMs).toBe(0);
    const later = send('random-interval', [{ nowMs: 600_001 }], topic, state);
    expect(later.partitions[0]).not.toBe(partitions[0]);
    expect(later.state.sticky!.sinceMs).toBe(600_001);
    expect(send('random-interval', [{ nowMs: 9 }], { ...topic, available: [0] }, state).partitions).toEqual([
      partitions[0],
    ]);
  });

  it('refuses without a clock, and asks to retry when no partition has a leader', () => {
    expect(() => send('random-interval', [{}], { partitions: 3 })).toThrow(/"nowMs"/);
    expect(() => send('random-interval', [{ nowMs: 1 }], { partitions: 3, available: [] })).toThrow(/has a leader/);
  });

  it('places text keys by their Java hash code and refuses keys that are no text', () => {
    // "orders".hashCode() is -1008770331.
    const orders = new TextEncoder().encode('orders');
    expect(send('random-interval', [{ key: orders }], { partitions: 50 }).partitions).toEqual([31]);
    expect(() => send('random-interval', [{ key: Uint8Array.of(0xff) }], { partitions: 50 })).toThrow(/not UTF-8/);
  });
});

describe('clients in other languages, without a key', () => {
  it('librdkafka draws a second time for a partition without leader, but not a third time', () => {
    const { partitions } = send('random', repeat(4_000), { partitions: 2, available: [0] });
    // Half of the first draws hit 1, and half of the second draws too.
    expect(partitions.filter((partition) => partition === 1).length / 4_000).toBeCloseTo(0.25, 1);
  });

  it('sarama takes partitions that have a leader, and asks to retry when none has', () => {
    const { partitions } = send('sarama', repeat(100), { partitions: 4, available: [1, 2] });
    expect(new Set(partitions)).toEqual(new Set([1, 2]));
    expect(() => send('sarama', [{}], { partitions: 4, available: [] })).toThrow(/has a leader/);
  });

  it('franz-go stays for a batch, kafkajs goes in turn', () => {
    const stuck = send('franz-go', [...repeat(3), { newBatch: true }], { partitions: 1_000_000 }).partitions;
    expect(new Set(stuck.slice(0, 3)).size).toBe(1);
    expect(stuck[3]).not.toBe(stuck[0]);
    const start = { random: 0, counter: 0 };
    for (const name of ['kafkajs', 'kafkajs-legacy']) {
      expect(send(name, repeat(4), { partitions: 3 }, start).partitions).toEqual([1, 2, 0, 1]);
    }
  });
});
