import { describe, expect, it } from '@jest/globals';
import { AllotError } from '@allot/model';
import { assignorNames } from '@allot/strategies';
import fc from 'fast-check';
import { compare } from '../src/compare.js';
import { explainMember, memberExplanationToJson } from '../src/explain-member.js';
import { explainPartition } from '../src/explain.js';
import { planOwners } from '../src/export/plan-owners.js';
import { planToCsv } from '../src/export/plan-to-csv.js';
import { planToMarkdown } from '../src/export/plan-to-markdown.js';
import { comparisonFromJson, planFromJson, rightSizeFromJson } from '../src/plan-from-json.js';
import { planToJson } from '../src/plan-to-json.js';
import { plan } from '../src/plan.js';
import type { PlanResult } from '../src/plan-types.js';
import { recommend } from '../src/recommend.js';
import { rightSize } from '../src/right-size.js';
import { simulationFromJson } from '../src/simulation-from-json.js';
import { simulationToJson } from '../src/simulation-to-json.js';
import { simulate } from '../src/simulate.js';
import { readCsv } from './support/read-csv.js';

const runs = { numRuns: Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 300) };

/** Mostly what belongs in a place, now and then anything. */
const or = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 150, arbitrary }, { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<unknown> });
const some = <T extends Record<string, fc.Arbitrary<unknown>>>(model: T): fc.Arbitrary<unknown> =>
  or(fc.record(model, { requiredKeys: [] }));

const name = or(fc.constantFrom('t', 'u', '__proto__', 'ghost', 'a/b'));
const id = or(fc.constantFrom('c1', 'c2', 'c3', '__proto__', 'constructor'));
const count = or(fc.oneof({ weight: 30, arbitrary: fc.nat(8) }, fc.constantFrom(-1, 1.5, 1e9)));
const names = or(fc.array(name, { maxLength: 4 }));
const rack = or(fc.constantFrom('a', 'b'));
const weight = or(fc.oneof({ weight: 30, arbitrary: fc.constantFrom(1, 2, 0.5) }, fc.constantFrom(0, -1)));
const broker = or(fc.oneof({ weight: 30, arbitrary: fc.constantFrom(1, 2, 3) }, fc.constantFrom(4, -1)));
const brokers = or(fc.constant([{ id: 1, rack: 'a' }, { id: 2, rack: 'b' }, { id: 3 }]));
/** Lists of racks and weights are mostly as long as they must be. */
const topic = fc.nat(8).chain((partitions) => {
  const lengths = { minLength: partitions, maxLength: partitions };
  const placed = fc.oneof(
    { weight: 2, arbitrary: fc.record({ racks: or(fc.array(fc.array(rack, { maxLength: 2 }), lengths)) }) },
    { weight: 2, arbitrary: fc.record({ replicas: or(fc.array(fc.subarray([1, 2, 3]), lengths)) }) },
    fc.constant({}),
  );
  const described = or(
    fc.record(
      {
        name,
        partitions: fc.oneof({ weight: 20, arbitrary: fc.constant(partitions) }, count),
        weights: or(fc.array(weight, lengths)),
      },
      { requiredKeys: ['name', 'partitions'] },
    ),
  );
  return fc.tuple(described, placed).map(([given, more]) => {
    return typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...given, ...more } : given;
  });
});
/** Mostly without repeats. */
const distinct = (items: fc.Arbitrary<unknown>, key: string, maxLength: number): fc.Arbitrary<unknown> => {
  const selector = (item: unknown): unknown => JSON.stringify((item as Record<string, unknown> | null)?.[key]);
  return or(
    fc.oneof({ weight: 20, arbitrary: fc.uniqueArray(items, { maxLength, selector }) }, fc.array(items, { maxLength })),
  );
};
const member = or(
  fc.record(
    {
      id,
      topics: names,
      instanceId: or(fc.integer({ min: 0, max: 99 }).map(String)),
      rack,
      weight,
      owned: or(
        fc.dictionary(
          fc.constantFrom('t', 'u', '__proto__'),
          fc.array(fc.integer({ min: -2, max: 9 }), { maxLength: 4 }),
        ),
      ),
      generation: or(fc.integer({ min: -1, max: 3 })),
      streams: or(fc.integer({ min: 1, max: 3 })),
    },
    { requiredKeys: ['id', 'topics'] },
  ),
);
const assignor = or(fc.constantFrom(...assignorNames(), ...assignorNames(), 'nobody', ['nobody', 'range']));
const change = fc.oneof(
  some({
    addMembers: or(
      fc.oneof(count, fc.array(or(fc.oneof(id, some({ id, rack, weight, instanceId: id }))), { maxLength: 3 })),
    ),
    topics: names,
  }),
  some({ removeMembers: or(fc.oneof(count, fc.array(id, { maxLength: 2 }))) }),
  some({ member: id, topics: names, rack: or(fc.constant(null)), weight }),
  some({ topic: name, partitions: count, recreate: or(fc.boolean()) }),
  some({ addTopic: topic }),
  some({ removeTopic: name }),
  some({ assignor }),
  some({ addBrokers: or(fc.array(some({ id: broker, rack }), { maxLength: 2 })) }),
  some({ removeBrokers: or(fc.array(broker, { maxLength: 2 })) }),
  some({ broker, rack: or(fc.constantFrom('a', 'c', null)) }),
);
const step = fc.oneof(
  change,
  some({ rollingRestart: some({ batchSize: count, members: or(fc.array(id, { maxLength: 2 })) }) }),
  some({ crash: or(fc.oneof(count, fc.array(id, { maxLength: 2 }))) }),
  some({ zoneLoss: rack }),
);
const place = { topic: name, partition: or(fc.nat(4)) };
const places = or(fc.array(fc.record(place), { maxLength: 3 }));
const body = (more: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  or(
    fc.record(
      {
        assignor,
        kafkaVersion: or(fc.constantFrom('4.0', '4.1', 'x')),
        protocol: or(fc.constantFrom('eager', 'cooperative', 'consumer')),
        pins: or(fc.array(fc.record({ ...place, member: id }), { maxLength: 2 })),
        weightedSticky: some({
          balance: or(fc.constantFrom('count', 'load')),
          maxSkew: count,
          relativeHysteresis: weight,
          absoluteHysteresis: weight,
          moveBudget: count,
          coolingDown: places,
        }),
        partitionOrder: places,
        brokers,
        topics: distinct(topic, 'name', 3),
        members: distinct(member, 'id', 4),
        ...more,
      },
      { requiredKeys: ['brokers', 'topics', 'members', ...Object.keys(more)] as never[] },
    ),
  );

/** Whether it answered; everything that is refused must be refused as an error for the caller, with a message. */
function answers(run: () => unknown): boolean {
  try {
    JSON.parse(JSON.stringify(run()));
    return true;
  } catch (error) {
    if (!(error instanceof AllotError)) throw error;
    expect(error.message).not.toMatch(/undefined|NaN|\[object/);
    return false;
  }
}

/** Everything that can be asked of a plan; its answers must agree with the plan. */
function explainAll(result: PlanResult): unknown[] {
  const counts = new Map<string, number>();
  for (const { name: topicName, partitions } of [...result.before.topics, ...result.after.topics]) {
    counts.set(topicName, Math.max(partitions, counts.get(topicName) ?? 0));
  }
  const partitions = [...counts].flatMap(([topicName, most]) =>
    Array.from({ length: Math.min(most, 20) }, (_, partition) => explainPartition(result, topicName, partition)),
  );
  for (const { topic: topicName, partition, to, candidates } of partitions) {
    if (to !== null) expect(result.target.get(to)!.get(topicName)).toContain(partition);
    const chosen = candidates.filter(({ passedOver }) => passedOver === null);
    expect(chosen.every(({ member: who }) => to === null || who === to)).toBe(true);
  }
  const members = [...new Set([...result.current.keys(), ...result.target.keys()])];
  return [...partitions, ...members.map((who) => memberExplanationToJson(explainMember(result, who)))];
}

describe('S-05 any JSON at all', () => {
  it.each<[string, fc.Arbitrary<unknown>, (value: unknown) => unknown]>([
    [
      'a plan',
      body({ changes: or(fc.array(change, { maxLength: 3 })) }),
      (value) => planToJson(plan(planFromJson(value))),
    ],
    [
      'explanations of every partition and member',
      body({ changes: or(fc.array(change, { maxLength: 2 })) }),
      (value) => explainAll(plan(planFromJson(value))),
    ],
    [
      'a report and a list of partitions',
      body({ changes: or(fc.array(change, { maxLength: 2 })) }),
      (value) => {
        const result = planToJson(plan(planFromJson(value)));
        const [, ...records] = readCsv(planToCsv(result));
        expect(records).toHaveLength(planOwners(result).length);
        return [records, planToMarkdown(result)];
      },
    ],
    [
      'a simulation',
      body({ steps: or(fc.array(step, { maxLength: 3 })) }),
      (value) => simulationToJson(simulate(simulationFromJson(value))),
    ],
    [
      'recommendations',
      body({ steps: or(fc.array(step, { maxLength: 2 })) }),
      (value) => recommend(simulationFromJson(value)),
    ],
    [
      'a comparison',
      body({ assignors: or(fc.array(assignor, { maxLength: 3 })) }),
      (value) => {
        const { input, assignors } = comparisonFromJson(value);
        return compare(input, assignors);
      },
    ],
    [
      'a right size',
      body({ upTo: or(fc.integer({ min: 1, max: 9 })) }),
      (value) => {
        const { input, upTo } = rightSizeFromJson(value);
        return rightSize(input, upTo);
      },
    ],
  ])('is answered or refused as %s, never a fault', (_, arbitrary, run) => {
    let answered = 0;
    fc.assert(
      fc.property(arbitrary, (value) => {
        if (answers(() => run(value))) answered++;
      }),
      runs,
    );
    // Were nothing answered, nothing but the reader would have been tested.
    expect(answered).toBeGreaterThan(runs.numRuns / 20);
  });
});
