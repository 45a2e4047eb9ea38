import { describe, expect, it } from '@jest/globals';
import { MAX_IMPORT_LINES } from '../src/paste.js';
import { parseImport } from '../src/parse-import.js';
import { fixture } from './fixture.js';
import { offsetsView, topicsDescribe } from './tool-layouts.js';

const OFFSETS = fixture('offsets-2.3.txt');
const MEMBERS = fixture('members-2.6-verbose.txt');
const TOPICS = fixture('topics-2.8.txt');

/** Half a megabyte of each, aimed at repetition inside the readers; 10 MB with ALLOT_PROPERTY_RUNS. */
const MEGABYTES = process.env['ALLOT_PROPERTY_RUNS'] === undefined ? 0.5 : 10;
const SIZE = MEGABYTES * (1 << 20);

const GARBAGE: readonly (readonly [string, () => string])[] = [
  ['one line of letters', () => 'a'.repeat(SIZE)],
  ['one line of blanks', () => ' '.repeat(SIZE)],
  ['one line of words below a table', () => `${OFFSETS}\n${'word '.repeat(SIZE / 5)}`],
  ['one line of numbers below a members table', () => `${MEMBERS}\n${'1 '.repeat(SIZE / 2)}`],
  ['one assignment of open brackets', () => `${MEMBERS}\n${'a(1), '.repeat(SIZE / 6)}a(`],
  ['many open brackets', () => '{"a":['.repeat(SIZE / 6)],
  ['many broken objects', () => '{"topics":[\n'.repeat(SIZE / 24)],
  ['many objects on one line', () => '{"topics":[]}'.repeat(SIZE / 13)],
  ['an endless string', () => `{"version":"${'x'.repeat(SIZE)}`],
  ['many fields', () => `Topic: t ${'Leader: 1 x: '.repeat(SIZE / 13)}`],
  ['many cut records', () => 'Topic: t Partition: 0 Leader:\n1\n'.repeat(SIZE / 42)],
  ['many rows broken in two', () => `${OFFSETS}\n${'billing orders 0 1 2 3\n'.repeat(SIZE / 23)}`],
  ['many headers', () => `${OFFSETS.split('\n')[1]!}\n`.repeat(SIZE / 160)],
  ['many half headers', () => 'GROUP TOPIC\nPARTITION\n'.repeat(SIZE / 44)],
  ['escape codes', () => '\u001b[31m\u001b]0;'.repeat(SIZE / 10)],
  ['configs', () => `Topic: t PartitionCount: 1 ReplicationFactor: 1 Configs: a=${',x'.repeat(SIZE / 2)}`],
  ['messages without end', () => "Consumer group '\n".repeat(SIZE / 34)],
];

describe('hostile input', () => {
  it.each(GARBAGE)('%s: read in linear time and accounted for', (_, text) => {
    const input = text();
    const started = performance.now();
    const { lines } = parseImport(input);
    expect(performance.now() - started).toBeLessThan(10_000 * MEGABYTES);
    expect(lines).toHaveLength(input.split('\n').length - (input.endsWith('\n') ? 1 : 0));
  });

  it('more lines than the limit are refused, not cut', () => {
    const text = '\n'.repeat(MAX_IMPORT_LINES + 1);
    expect(() => parseImport(text)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    expect(parseImport(text.slice(1)).lines).toHaveLength(MAX_IMPORT_LINES);
  });

  it('a text of the size people have: 500 topics, 20,000 partitions, 300 groups', () => {
    const partition = { leader: 1, replicas: [1, 2, 3], isr: [1, 2, 3] };
    const topics = Array.from({ length: 500 }, (_, i) => ({
      name: `topic-${i}`,
      partitions: new Array(40).fill(partition),
    }));
    const owner = { member: 'w-0a1b2c3d-1111-4222-8333-444455556666', host: '/10.0.0.1', client: 'w' };
    const groups = Array.from({ length: 300 }, (_, g) =>
      offsetsView(
        'current',
        Array.from({ length: 67 }, (_, i) => ({
          group: `group-${g}`,
          topic: `topic-${i}`,
          partition: g % 40,
          current: i,
          end: g,
          lag: g - i,
          ...owner,
        })),
      ),
    );
    const started = performance.now();
    const result = parseImport(topicsDescribe('4.0', topics) + groups.join(''));
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(result.topics.reduce((sum, topic) => sum + topic.partitions.length, 0)).toBe(20_000);
    expect(result.groups.reduce((sum, group) => sum + group.partitions.length, 0)).toBe(20_100);
    expect(result.lines.map(({ status }) => status)).not.toContain('not-understood');
  });

  it('the empty text has no lines', () => {
    expect(parseImport('')).toEqual({
      formats: [],
      topics: [],
      groups: [],
      reassignments: [],
      topicsToMove: [],
      lines: [],
      warnings: [],
    });
  });

  it('__proto__ and constructor are ordinary topics, groups and members', () => {
    const header = 'GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID';
    const { groups } = parseImport(`${header}\n__proto__ __proto__ 0 1 2 1 __proto__ /h constructor\n`);
    expect(groups).toMatchObject([
      {
        groupId: '__proto__',
        members: [{ memberId: '__proto__', clientId: 'constructor' }],
        partitions: [{ topic: '__proto__' }],
      },
    ]);
    expect(groups[0]!.members[0]!.assignment).toEqual(new Map([['__proto__', [0]]]));
    expect({}).not.toHaveProperty('polluted');
  });

  it('a mixture of everything, with noise in between: every line has its account', () => {
    const text = [
      '$ kafka-topics.sh --describe',
      TOPICS,
      '```',
      'what is this?',
      "Warning: Consumer group 'billing' is rebalancing.",
      OFFSETS,
      fixture('state-2.8.txt'),
      MEMBERS,
      fixture('reassignment-execute.txt'),
      fixture('topics-to-move.txt'),
    ].join('\n');
    const result = parseImport(text);
    expect(result.lines.map(({ lineNumber }) => lineNumber)).toEqual(result.lines.map((_, i) => i + 1));
    expect(result.formats).toEqual([
      'topics-describe',
      'groups-offsets',
      'groups-state',
      'groups-members',
      'reassignment-json',
      'topics-to-move-json',
    ]);
    const leftOut = result.lines.filter(({ status }) => status === 'not-understood');
    expect(leftOut.map(({ lineNumber }) => text.split('\n')[lineNumber - 1])).toEqual(['what is this?']);
    expect(result.warnings.at(-1)).toMatchObject({
      code: 'not-understood-lines',
      lineNumbers: [leftOut[0]!.lineNumber],
    });
  });
});
