import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { listPartitioners, resolvePartitioner } from '../../src/partitioners/partitioner-registry.js';
import type { PartitionerRecord, PartitionerTopic } from '../../src/partitioners/partitioner.js';
import { initialState } from '../../src/partitioners/partitioner-state.js';

const topics: fc.Arbitrary<PartitionerTopic> = fc.integer({ min: 1, max: 40 }).chain((partitions) => {
  const some = fc.subarray(Array.from({ length: partitions }, (_, i) => i));
  return fc.record(
    {
      partitions: fc.constant(partitions),
      available: some.filter((available) => available.length > 0),
      late: some,
      queues: fc.array(fc.option(fc.nat(50), { nil: undefined }), { minLength: partitions, maxLength: partitions }),
    },
    { requiredKeys: ['partitions'] },
  );
});

const records: fc.Arbitrary<PartitionerRecord> = fc.record(
  {
    key: fc.string({ unit: 'grapheme' }).map((text) => new TextEncoder().encode(text)),
    size: fc.nat(40_000),
    batchFull: fc.boolean(),
    newBatch: fc.boolean(),
    nowMs: fc.nat(2_000_000),
  },
  { requiredKeys: ['nowMs'] },
);

describe.each(listPartitioners().map((partitioner) => [partitioner.name, partitioner] as const))(
  'the contract of partitioners: %s',
  (_, partitioner) => {
    it('chooses a partition of the topic, the same one again, from a state that is plain data', () => {
      fc.assert(
        fc.property(fc.maxSafeInteger(), topics, fc.array(records), (seed, topic, sent) => {
          let state = initialState(seed, 'orders');
          for (const record of sent) {
            const before = JSON.stringify([record, topic, state]);
            const choice = partitioner.partition(record, topic, state);
            expect(JSON.stringify([record, topic, state])).toBe(before);
            expect(choice.partition).toBeGreaterThanOrEqual(0);
            expect(choice.partition).toBeLessThan(topic.partitions);
            const stored = JSON.parse(JSON.stringify(state)) as typeof state;
            expect(partitioner.partition(record, topic, stored)).toEqual(choice);
            if (record.key !== undefined && record.key.length > 0 && partitioner.partitionForKey !== undefined) {
              expect(choice.partition).toBe(partitioner.partitionForKey(record.key, topic.partitions));
            }
            state = choice.state;
          }
        }),
      );
    });

    it('an explicit partition wins and leaves the state as it is; one that does not exist is refused', () => {
      const state = initialState(3);
      const key = new Uint8Array(4);
      expect(partitioner.partition({ partition: 2, key }, { partitions: 3, available: [0] }, state)).toEqual({
        partition: 2,
        state,
      });
      expect(() => partitioner.partition({ partition: 3 }, { partitions: 3 }, state)).toThrow(
        /Partition 3 does not exist: the topic has 3/,
      );
      for (const partition of [-1, 0.5, Number.NaN]) {
        expect(() => partitioner.partition({ partition }, { partitions: 3 }, state)).toThrow(/is not possible/);
      }
    });

    it('refuses a topic that cannot be', () => {
      const state = initialState(3);
      const refuse = (topic: PartitionerTopic) =>
        expect(() => partitioner.partition({ nowMs: 0 }, topic, state)).toThrow(
          expect.objectContaining({ code: 'INVALID_REQUEST' }),
        );
      refuse({ partitions: 0 });
      refuse({ partitions: 1.5 });
      refuse({ partitions: 2, available: [2] });
      refuse({ partitions: 2, available: [1, 0] });
      refuse({ partitions: 2, available: [1, 1] });
      refuse({ partitions: 2, late: [-1] });
      refuse({ partitions: 2, queues: [1] });
      refuse({ partitions: 2, queues: [1, -1] });
    });
  },
);

describe('the registry of partitioners', () => {
  it('knows names and Kafka class names, each once', () => {
    const names = listPartitioners().flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names)
      expect([resolvePartitioner(name).name, ...resolvePartitioner(name).aliases]).toContain(name);
    expect(resolvePartitioner(' org.apache.kafka.clients.producer.RoundRobinPartitioner ').name).toBe('round-robin');
    expect(resolvePartitioner('DefaultPartitioner').name).toBe('default');
  });

  it('names the known ones when asked for another', () => {
    expect(() => resolvePartitioner('dice')).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_PARTITIONER',
        message: expect.stringContaining('built-in, default, round-robin'),
      }),
    );
  });

  it('refuses a seed that is no integer', () => {
    expect(() => initialState(0.5)).toThrow(/no integer/);
  });
});
