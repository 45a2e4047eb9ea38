import { describe, expect, it } from '@jest/globals';
import { parseImport, parseReassignmentJson } from '../src/parse-import.js';
import { printReassignmentJson, printTopicsToMoveJson } from '../src/reassignment-printer.js';
import { fixture } from './fixture.js';

const ENTRY = '{"topic":"t","partition":0,"replicas":[1,2]}';

describe('H-10 reassignment JSON as pasted', () => {
  it('H-10 surrounded by the output of --execute, unsorted, broken inside a key and a number', () => {
    const { reassignments, lines, warnings } = parseReassignmentJson(fixture('reassignment-execute.txt'));
    expect(reassignments).toEqual([
      {
        role: 'current',
        firstLine: 4,
        lastLine: 6,
        partitions: [
          { topic: 'orders', partition: 10, replicas: [5, 1, 2] },
          { topic: 'orders', partition: 0, replicas: [1, 2, 3] },
          { topic: 'orders', partition: 1, replicas: [2, 3, 14] },
          { topic: 'orders', partition: 2, replicas: [3, 4, 5] },
        ],
      },
    ]);
    expect(warnings).toMatchObject([{ code: 'wrapped-lines', lineNumbers: [5, 6] }]);
    expect(lines.map(({ status }) => status)).not.toContain('not-understood');
  });

  it('H-10 current and proposed, with log_dirs', () => {
    const { reassignments, warnings } = parseReassignmentJson(fixture('reassignment-generate.txt'));
    expect(
      reassignments.map(({ role, partitions }) => [role, partitions[0]!.replicas, partitions[0]!.logDirs]),
    ).toEqual([
      ['current', [1, 2], ['any', 'any']],
      ['proposed', [2, 3], ['any', 'any']],
    ]);
    expect(warnings).toEqual([]);
  });

  it('H-10 a topics-to-move file', () => {
    const { topicsToMove, lines } = parseReassignmentJson(fixture('topics-to-move.txt'));
    expect(topicsToMove).toEqual([{ topics: ['orders', 'payments'], firstLine: 1, lastLine: 4 }]);
    expect(lines.every(({ status }) => status === 'understood')).toBe(true);
    expect(parseImport(fixture('topics-to-move.txt')).formats).toEqual(['topics-to-move-json']);
  });

  it('H-10 several on one line, after a prompt, in quotes', () => {
    const { reassignments } = parseReassignmentJson(`> echo '{"version":1,"partitions":[${ENTRY}]}{"partitions":[]}'`);
    expect(reassignments.map(({ role, partitions }) => [role, partitions.length])).toEqual([
      ['unlabelled', 1],
      ['unlabelled', 0],
    ]);
  });

  it.each([
    [`{"partitions":[${ENTRY}`, /line 1, column 60: expected a comma or \], found the end/],
    [`{"partitions":[${ENTRY},]}`, /expected a value, found "\]}"/],
    [`{"partitions":\n[{"topic" "t"}]}`, /line 2, column 11: expected a colon/],
    ['{"partitions":[{"topic":"t', /line 1, column 25: the string that starts here does not end/],
    ['{"partitions":[],"partitions":[]}', /the key "partitions" appears twice/],
    ['{"version":2,"partitions":[]}', /version 2 is not known/],
    ['{"version":1}', /no list "partitions"/],
    [`{"partitions":[${ENTRY},${ENTRY}]}`, /partitions\[1\] is about t-0 again/],
    ['{"partitions":[{"topic":"t","partition":-1,"replicas":[1]}]}', /partition -1 is not a partition number/],
    ['{"partitions":[{"topic":"t","partition":1.5,"replicas":[1]}]}', /partition 1.5/],
    ['{"partitions":[{"topic":"t","partition":1,"replicas":[]}]}', /replicas \[\]/],
    ['{"partitions":[{"topic":"t","partition":1,"replicas":[1,1]}]}', /names a broker twice/],
    [
      '{"partitions":[{"topic":"t","partition":1,"replicas":[1],"log_dirs":["any","any"]}]}',
      /2 entries for 1 replicas/,
    ],
    ['{"partitions":[{"topic":"t","partition":1,"replicas":[1],"log_dirs":["rel/ative"]}]}', /absolute paths/],
    ['{"topics":[{"topic":"t"},{"topic":"t"}]}', /names t again/],
    ['{"topics":[{"name":"t"}]}', /topics\[0\].topic \(missing\)/],
    [`{"topics":[${'['.repeat(40)}`, /nested too deep/],
  ])('H-10 refused as a whole, with position or place: %s', (text, reason) => {
    const { reassignments, topicsToMove, lines, warnings } = parseReassignmentJson(text);
    expect([...reassignments, ...topicsToMove]).toEqual([]);
    expect(lines[0]).toMatchObject({ kind: 'reassignment-json', status: 'not-understood' });
    expect(warnings[0]).toMatchObject({ code: 'invalid-json', lineNumbers: [1] });
    expect(warnings[0]!.message).toMatch(reason);
  });

  it('H-10 what follows a broken JSON is still read', () => {
    const { reassignments, topics } = parseImport(
      `{"partitions":[{"topic":"t\n${fixture('topics-2.8.txt')}{"partitions":[${ENTRY}]}\n`,
    );
    expect(reassignments).toHaveLength(1);
    expect(topics.length).toBeGreaterThan(0);
  });

  it('__proto__ is an ordinary topic name', () => {
    const text = printReassignmentJson([{ topic: '__proto__', partition: 0, replicas: [1] }]);
    expect(parseReassignmentJson(text).reassignments[0]!.partitions).toEqual([
      { topic: '__proto__', partition: 0, replicas: [1] },
    ]);
  });
});

describe('printers', () => {
  it('write partitions sorted, replicas in order, log_dirs where given or asked for', () => {
    const partitions = [
      { topic: 'b', partition: 0, replicas: [3, 1] },
      { topic: 'a', partition: 10, replicas: [2], logDirs: ['/data/1'] },
      { topic: 'a', partition: 9, replicas: [2, 1] },
    ];
    expect(printReassignmentJson(partitions)).toBe(
      '{"version":1,"partitions":[{"topic":"a","partition":9,"replicas":[2,1]},' +
        '{"topic":"a","partition":10,"replicas":[2],"log_dirs":["/data/1"]},{"topic":"b","partition":0,"replicas":[3,1]}]}',
    );
    expect(printReassignmentJson(partitions.slice(0, 1), { anyLogDirs: true })).toMatch(/"log_dirs":\["any","any"\]/);
    expect(printTopicsToMoveJson(['b', 'a', 'b'])).toBe('{"topics":[{"topic":"a"},{"topic":"b"}],"version":1}');
  });

  it.each([
    [[{ topic: 't', partition: 0, replicas: [] }]],
    [[{ topic: 't', partition: 0, replicas: [1, 1] }]],
    [[{ topic: 't', partition: -1, replicas: [1] }]],
    [[{ topic: 'bad name', partition: 0, replicas: [1] }]],
    [[{ topic: 't', partition: 0, replicas: [1], logDirs: [] }]],
    [
      [
        { topic: 't', partition: 0, replicas: [1] },
        { topic: 't', partition: 0, replicas: [2] },
      ],
    ],
  ])('refuse what Kafka would refuse: %j', (partitions) => {
    expect(() => printReassignmentJson(partitions)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });
});
