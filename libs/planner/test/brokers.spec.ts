import { describe, expect, it } from '@jest/globals';
import { effectOf, plan, planFromJson, simulate, simulationFromJson } from '../src/index.js';

/** Two members in two racks; both partitions have a replica in each rack. */
const group = {
  assignor: 'range',
  brokers: [
    { id: 1, rack: 'a' },
    { id: 2, rack: 'b' },
    { id: 3, rack: 'c' },
  ],
  topics: [
    {
      name: 'orders',
      partitions: 2,
      replicas: [
        [1, 3],
        [2, 3],
      ],
    },
  ],
  members: [
    { id: 'c1', rack: 'a', topics: ['orders'] },
    { id: 'c2', rack: 'b', topics: ['orders'] },
  ],
};
const run = (changes: unknown[], more: object = {}) => plan(planFromJson({ ...group, ...more, changes }));
const racksAfter = (changes: unknown[]) => run(changes).after.topics[0]!.racks;
const errorsOf = (body: unknown) => {
  try {
    plan(planFromJson(body));
  } catch (error) {
    return (error as { errors: { pointer: string; detail: string }[] }).errors;
  }
  throw new Error('nothing was refused');
};

describe('changes of brokers', () => {
  it('gives partitions the racks of their replicas, so that it answers as the same group with racks does', () => {
    const { topics, brokers: _, ...rest } = group;
    const { replicas: __, ...topic } = topics[0]!;
    const withRacks = {
      ...rest,
      topics: [
        {
          ...topic,
          racks: [
            ['a', 'c'],
            ['b', 'c'],
          ],
        },
      ],
    };
    expect(run([]).target).toEqual(plan(planFromJson(withRacks)).target);
    expect(run([]).rackLocality.before).toEqual({ local: 2, known: 2 });
  });

  it("takes the replicas of brokers that go, and counts the owners that are in no replica's rack any more", () => {
    const { after, rackLocality } = run([{ removeBrokers: [1] }]);
    expect(after.topics[0]!.racks).toEqual([['c'], ['b', 'c']]);
    expect(rackLocality).toEqual({ before: { local: 2, known: 2 }, after: { local: 1, known: 2 } });
  });

  it('lets a rack-aware assignor answer to a broker that is in another rack', () => {
    const swapped = run([
      { broker: 1, rack: 'b' },
      { broker: 2, rack: 'a' },
    ]);
    expect(swapped.target.get('c1')).toEqual(new Map([['orders', [1]]]));
    expect(swapped.moves).toBe(2);
    expect(swapped.rackLocality).toEqual({ before: { local: 2, known: 2 }, after: { local: 2, known: 2 } });
  });

  it('takes a new broker with the replicas that a topic then has there', () => {
    const changes = [
      { addBrokers: [{ id: 4, rack: 'd' }] },
      { topic: 'orders', partitions: 2, replicas: [[1, 4], [4]] },
    ];
    expect(racksAfter(changes)).toEqual([['a', 'd'], ['d']]);
    expect(racksAfter(changes.slice(0, 1))).toEqual([
      ['a', 'c'],
      ['b', 'c'],
    ]);
  });

  it('knows no rack of a broker that has none, and no racks at all where no replica is in one', () => {
    expect(racksAfter([{ broker: 3, rack: null }])).toEqual([['a'], ['b']]);
    expect(racksAfter([1, 2, 3].map((broker) => ({ broker, rack: null })))).toBeUndefined();
  });

  it('does not bring the replicas of a removed broker back with its id', () => {
    expect(racksAfter([{ removeBrokers: [3] }, { addBrokers: [{ id: 3, rack: 'c' }] }])).toEqual([['a'], ['b']]);
  });

  it('warns of partitions without a replica, and of topics whose replicas nobody says', () => {
    const { warnings } = run([
      { removeBrokers: [1, 3] },
      { addTopic: { name: 'audit', partitions: 1 } },
      { broker: 2, rack: 'a' },
    ]);
    expect(warnings.find(({ code }) => code === 'no-replica-left')!.message).toContain('orders-0');
    expect(warnings.find(({ code }) => code === 'unknown-replicas')!.topics).toEqual(['audit']);
  });

  it('plays them in a simulation, one after the other', () => {
    const { changes: _, ...body } = { ...group, changes: undefined };
    const steps = [{ removeBrokers: [1] }, { addBrokers: [{ id: 1, rack: 'b' }] }, { broker: 2, rack: 'a' }];
    const { after } = simulate(simulationFromJson({ ...body, steps }));
    expect(after.topics[0]!.racks).toEqual([['c'], ['a', 'c']]);
    expect(() => simulate(simulationFromJson({ ...body, steps: [steps[0], steps[0]] }))).toThrow(
      '/steps/1/removeBrokers',
    );
  });

  it('cannot be applied to a group: the brokers change first', () => {
    for (const on of ['live', 'imported'] as const) {
      const changes = [{ removeBrokers: [1] }];
      expect(effectOf(changes, run(changes), on).blockers).toMatchObject([
        { code: 'brokers-are-the-clusters', pointer: '/changes/0', message: expect.stringContaining('first') },
      ]);
    }
  });
});

describe('brokers that are wrong', () => {
  const [topic] = group.topics;
  it.each([
    [{ topics: [{ ...topic, racks: [['a'], ['b']] }] }, '/topics/0/racks', 'not both'],
    [{ topics: [{ ...topic, replicas: [[1, 9], [8]] }] }, '/topics/0/replicas', 'not listed: 9, 8'],
    [{ topics: [{ ...topic, replicas: [[1]] }] }, '/topics/0/replicas', '1 entries for 2 partitions'],
    [{ topics: [{ ...topic, replicas: [[1, 1], [2]] }] }, '/topics/0/replicas/0', 'at most one replica'],
    [{ brokers: undefined }, '/topics/0/replicas', '"brokers"'],
    [{ brokers: [{ id: 1 }, { id: 1 }, { id: 2 }, { id: 3 }] }, '/brokers/1/id', 'listed already'],
    [
      { changes: [{ removeBrokers: [1, 7] }] },
      '/changes/0/removeBrokers',
      'no broker 7 at this point; there are 1, 2, 3',
    ],
    [{ changes: [{ broker: 7, rack: 'b' }] }, '/changes/0/broker', 'no broker 7'],
    [{ changes: [{ broker: 1 }] }, '/changes/0/rack', 'Expected text'],
    [{ changes: [{ addBrokers: [{ id: 1 }] }] }, '/changes/0/addBrokers/0/id', 'there already'],
    [{ changes: [{ topic: 'orders', partitions: 2, racks: [], replicas: [] }] }, '/changes/0/racks', 'not both'],
    [{ changes: [{ topic: 'orders', partitions: 1, recreate: true, replicas: [[5]] }] }, '/changes/0/replicas', ': 5'],
    [
      { brokers: undefined, topics: [{ name: 'orders', partitions: 2 }], changes: [{ removeBrokers: [1] }] },
      '/changes/0',
      'No broker is known',
    ],
  ])('refuses %j', (more, pointer, detail) => {
    const [error] = errorsOf({ ...group, ...more });
    expect(error).toMatchObject({ pointer, detail: expect.stringContaining(detail) });
  });
});
