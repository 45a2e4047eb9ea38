import { describe, expect, it } from '@jest/globals';
import { MAX_IMPORT_LINES } from '../src/paste.js';
import { parseImport } from '../src/parse-import.js';
import { fixture } from './fixture.js';

const OFFSETS = fixture('offsets-2.3.txt');
const MEMBERS = fixture('members-2.6-verbose.txt');
const TOPICS = fixture('topics-2.8.txt');
const MEGABYTE = 1 << 20;

/** About 10 MB each, aimed at repetition inside the readers. */
const GARBAGE: readonly (readonly [string, () => string])[] = [
  ['one line of letters', () => 'a'.repeat(10 * MEGABYTE)],
  ['one line of blanks', () => ' '.repeat(10 * MEGABYTE)],
  ['one line of words below a table', () => `${OFFSETS}\n${'word '.repeat(2 * MEGABYTE)}`],
  ['one line of numbers below a members table', () => `${MEMBERS}\n${'1 '.repeat(5 * MEGABYTE)}`],
  ['one assignment of open brackets', () => `${MEMBERS}\n${'a(1), '.repeat(MEGABYTE)}a(`],
  ['many open brackets', () => '{"a":['.repeat((10 * MEGABYTE) / 6)],
  ['many broken objects', () => '{"topics":[\n'.repeat(400_000)],
  ['many objects on one line', () => '{"topics":[]}'.repeat(800_000)],
  ['an endless string', () => `{"version":"${'x'.repeat(10 * MEGABYTE)}`],
  ['many fields', () => `Topic: t ${'Leader: 1 x: '.repeat(MEGABYTE)}`],
  ['many cut records', () => 'Topic: t Partition: 0 Leader:\n1\n'.repeat(200_000)],
  ['many rows broken in two', () => `${OFFSETS}\n${'billing orders 0 1 2 3\n'.repeat(400_000)}`],
  ['many headers', () => `${OFFSETS.split('\n')[1]!}\n`.repeat(60_000)],
  ['many half headers', () => 'GROUP TOPIC\nPARTITION\n'.repeat(200_000)],
  ['escape codes', () => '\u001b[31m\u001b]0;'.repeat(MEGABYTE)],
  ['configs', () => `Topic: t PartitionCount: 1 ReplicationFactor: 1 Configs: a=${',x'.repeat(5 * MEGABYTE)}`],
  ['messages without end', () => "Consumer group '\n".repeat(400_000)],
];

describe('hostile input', () => {
  it.each(GARBAGE)('10 MB of %s are read in linear time and accounted for', (_, text) => {
    const input = text();
    const started = performance.now();
    const { lines } = parseImport(input);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(lines).toHaveLength(input.split('\n').length - (input.endsWith('\n') ? 1 : 0));
  });

  it('more lines than the limit are refused, not cut', () => {
    const text = '\n'.repeat(MAX_IMPORT_LINES + 1);
    expect(() => parseImport(text)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    expect(parseImport(text.slice(1)).lines).toHaveLength(MAX_IMPORT_LINES);
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
