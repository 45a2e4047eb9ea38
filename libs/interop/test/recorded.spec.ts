import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseImport } from '../src/parse-import.js';
import { fixture } from './fixture.js';

/** What test/record/record.sh kept of Kafka's own tools: four groups on three topics, in each version the same. */
const VERSIONS = readdirSync(new URL('fixtures/recorded', import.meta.url)).sort();
const FILES = [
  'topics.txt',
  'offsets.txt',
  'offsets-verbose.txt',
  'members.txt',
  'members-verbose.txt',
  'state.txt',
  'state-verbose.txt',
  'missing.txt',
  'reassign-generate.txt',
  'reassign-execute.txt',
  'topics-to-move.txt',
];

it('every grammar of the members view is recorded', () => {
  expect(VERSIONS).toEqual(expect.arrayContaining(['3.7.2', '3.9.0', '4.0.0', '4.4.0']));
});

describe.each(VERSIONS)('recorded from Kafka %s', (version) => {
  const text = (name: string) => fixture(`recorded/${version}/${name}`);
  /** 3.8 and 3.9 print members' partitions without their topics. */
  const namesLost = /^3\.[89]/.test(version);

  it.each(FILES)('%s: nothing is left out', (name) => {
    const { lines } = parseImport(text(name));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter(({ status }) => status === 'not-understood')).toEqual([]);
  });

  it('topics', () => {
    const { topics, warnings } = parseImport(text('topics.txt'));
    expect(
      new Map(topics.map(({ name, partitionCount, partitions }) => [name, [partitionCount, partitions.length]])),
    ).toEqual(
      new Map([
        ['orders', [11, 11]],
        ['payments', [3, 3]],
        ['single', [1, 1]],
      ]),
    );
    const orders = topics.find(({ name }) => name === 'orders')!;
    expect(orders.configs.get('cleanup.policy')).toBe('compact,delete');
    expect(orders.partitions[10]).toMatchObject({ partition: 10, leader: 1, replicas: [1], isr: [1] });
    expect(warnings).toEqual([]);
  });

  it('all views of a group agree', () => {
    const { groups, warnings } = parseImport(
      ['state.txt', 'offsets.txt', 'members-verbose.txt', 'topics.txt'].map(text).join('\n'),
    );
    expect(groups.map(({ groupId, state, declaredMemberCount }) => [groupId, state, declaredMemberCount])).toEqual([
      ['billing', 'stable', 2],
      ['idle reports', 'empty', 0],
      ['shipping', 'stable', 2],
      ['spare', 'stable', 2],
    ]);
    const codes = new Set(warnings.map(({ code }) => code));
    expect(codes).toEqual(new Set(['lag-unknown', 'negative-lag']));
    expect(groups.map(({ unstable }) => unstable)).not.toContain(true);
    for (const { members, partitions } of groups) {
      for (const { memberId, assignment } of members) {
        const owned = partitions
          .filter((row) => row.memberId === memberId)
          .map(({ topic, partition }) => `${topic}-${partition}`);
        expect([...assignment!].flatMap(([topic, list]) => list.map((partition) => `${topic}-${partition}`))).toEqual(
          expect.arrayContaining(owned),
        );
      }
    }
  });

  it('ids with blanks, static members, idle members', () => {
    const { groups } = parseImport(text('members.txt') + text('offsets.txt'));
    const member = (clientId: string) => groups.flatMap(({ members }) => members).find((m) => m.clientId === clientId)!;
    expect(member('billing 1').memberId).toMatch(/^billing 1-/);
    expect(member('billing-2').instanceId).toBe('rack-a-2');
    const spare = groups.find(({ groupId }) => groupId === 'spare')!;
    expect(spare.members.map(({ assignment }) => assignment!.size).sort()).toEqual([0, 1]);
    expect(groups.find(({ groupId }) => groupId === 'idle reports')).toMatchObject({
      state: 'empty',
      members: [],
      partitions: [{ topic: 'payments', partition: 1, currentOffset: 2, logEndOffset: 5, lag: 3 }],
    });
  });

  it('lag: behind, at the end, past the end, unknown', () => {
    const { groups, warnings } = parseImport(text('offsets.txt'));
    const lag = new Map(groups[0]!.partitions.map((row) => [`${row.topic}-${row.partition}`, row.lag]));
    expect(['orders-0', 'orders-9', 'orders-10', 'orders-1'].map((tp) => lag.get(tp))).toEqual([3, 0, -2, undefined]);
    expect(warnings.map(({ code }) => code)).toContain('idle-members-not-shown');
  });

  it('members view alone', () => {
    const { groups, warnings } = parseImport(text('members-verbose.txt'));
    const shipping = groups.find(({ groupId }) => groupId === 'shipping')!;
    const numbers = new Map(shipping.members.map(({ clientId, assignment }) => [clientId, assignment]));
    if (namesLost) {
      expect([...numbers.values()]).toEqual([undefined, undefined]);
      expect(warnings.map(({ code }) => code)).toContain('topic-names-missing');
    } else {
      // 3.7 has no consumer protocol yet, so there the group uses the classic one and its range assignor.
      const payments = version.startsWith('3.7') ? [[2], [0, 1]] : [undefined, [0, 1, 2]];
      expect(['shipping-1', 'shipping-2'].map((id) => numbers.get(id)!.get('payments'))).toEqual(payments);
      expect(numbers.get('shipping-1')!.get('orders')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }
  });

  it('a group that does not exist', () => {
    expect(parseImport(text('missing.txt')).groups).toMatchObject([{ groupId: 'no such', state: 'dead' }]);
  });

  it('reassignments', () => {
    const generated = parseImport(text('reassign-generate.txt')).reassignments;
    expect(generated.map(({ role, partitions }) => [role, partitions.length])).toEqual([
      ['current', 3],
      ['proposed', 3],
    ]);
    expect(parseImport(text('reassign-execute.txt')).reassignments).toMatchObject([{ role: 'current' }]);
    expect(parseImport(text('topics-to-move.txt')).topicsToMove).toMatchObject([{ topics: ['payments'] }]);
  });
});
