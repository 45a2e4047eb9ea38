import { describe, expect, it } from '@jest/globals';
import { parseImport, parseTopicsDescribe } from '../src/parse-import.js';
import { fixture, wrapAt } from './fixture.js';

function read(text: string) {
  const result = parseTopicsDescribe(text);
  return { ...result, topic: result.topics[0]!, codes: result.warnings.map(({ code }) => code) };
}

const CONFIGS = new Map([
  ['min.insync.replicas', '2'],
  ['cleanup.policy', 'compact,delete'],
  ['segment.bytes', '1073741824'],
]);
const LINE = '\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2';

describe('H-09 kafka-topics --describe, by version', () => {
  it.each(['1.1', '2.4', '2.8', '4.0'])('H-09 layout of %s', (version) => {
    const { topics, lines } = read(fixture(`topics-${version}.txt`));
    expect(lines.every(({ status }) => status === 'understood')).toBe(true);
    expect(
      topics.map(({ name, partitionCount, replicationFactor }) => [name, partitionCount, replicationFactor]),
    ).toEqual([
      ['orders', 3, 3],
      ['__proto__', 1, 4],
    ]);
    expect(topics[0]!.configs).toEqual(CONFIGS);
    expect(topics[0]!.partitions.map(({ leader, replicas, isr }) => ({ leader, replicas, isr }))).toEqual([
      { leader: 1, replicas: [1, 2, 3], isr: [1, 2, 3] },
      { leader: 2, replicas: [2, 3, 1], isr: [2] },
      { leader: undefined, replicas: [3], isr: [] },
    ]);
    expect(topics[0]!.topicId).toBe(version >= '2.8' ? 'qD1xVbR5TQuWmF3sK9aZ0g' : undefined);
  });

  it('H-09 adding and removing replicas, ELR, N/A', () => {
    const { topics, codes } = read(fixture('topics-4.0.txt'));
    expect(topics[1]!.partitions[0]).toMatchObject({ addingReplicas: [4], removingReplicas: [1, 2], elr: undefined });
    expect(topics[0]!.partitions[1]).toMatchObject({ elr: [3], lastKnownElr: [1] });
    expect(topics[0]!.partitions[2]).toMatchObject({ elr: [], lastKnownElr: [3] });
    expect(codes).toEqual(['no-leader', 'reassignment-in-progress']);
  });

  it.each([
    ['tabs turned into blanks', (text: string) => text.replaceAll('\t', '    ')],
    ['single blanks', (text: string) => text.replace(/[\t ]+/g, ' ')],
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['colours', (text: string) => text.replaceAll('Topic:', '\u001b[32mTopic:\u001b[0m')],
    ['non-breaking blanks', (text: string) => text.replaceAll(' ', '\u00a0')],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    [
      'prompts and log lines',
      (text: string) => `$ bin/kafka-topics.sh --describe --bootstrap-server b:1\n${text}user@host:~$\n`,
    ],
  ])('H-09 %s make no difference', (_, damage) => {
    for (const version of ['1.1', '2.4', '2.8', '4.0']) {
      const clean = read(fixture(`topics-${version}.txt`)).topics.map(withoutLines);
      expect(read(damage(fixture(`topics-${version}.txt`))).topics.map(withoutLines)).toEqual(clean);
    }
  });

  it.each([40, 60, 80])('H-09 lines wrapped at %i columns are joined', (width) => {
    const text = fixture('topics-2.8.txt').replaceAll('\t', ' ');
    const { topics, lines, codes } = read(wrapAt(text, width));
    const clean = read(text).topics.map(withoutLines);
    const notUnderstood = lines.filter(({ status }) => status === 'not-understood');
    // What could not be joined for certain is missing, and said so; the rest is right.
    topics.map(withoutLines).forEach((topic, i) => {
      for (const partition of topic.partitions) expect(clean[i]!.partitions).toContainEqual(partition);
      if (notUnderstood.length === 0) expect(topic).toEqual(clean[i]);
    });
    expect(codes).toContain('wrapped-lines');
  });

  it.each([
    ['\tTopic: t\tPartition: 0\tLeader: 1\tRepl\nicas: 1,2\tIsr: 1,2', 'in a key'],
    ['\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,\n2\tIsr: 1,2', 'in a list'],
    ['\tTopic: t\tPartition: 0\nLeader: 1\tReplicas: 1,2\tIsr: 1,2', 'between fields'],
    ['\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: \n1,2', 'before the last value'],
  ])('H-09 a break %#, %s', (text) => {
    const { topics, lines } = read(text);
    if (lines.every(({ status }) => status === 'understood')) {
      expect(topics[0]!.partitions[0]).toMatchObject({ partition: 0, leader: 1, replicas: [1, 2], isr: [1, 2] });
    } else expect(topics).toEqual([]);
  });

  it('H-09 configs broken over several lines', () => {
    const text =
      'Topic: t\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: a=1,cleanup.policy=com\npact,delete,seg\nment.bytes=5\n';
    const { topic, warnings } = read(text + LINE);
    expect(topic.configs).toEqual(
      new Map([
        ['a', '1'],
        ['cleanup.policy', 'compact,delete'],
        ['segment.bytes', '5'],
      ]),
    );
    expect(warnings).toMatchObject([{ code: 'wrapped-lines', lineNumbers: [1, 2, 3] }]);
  });

  it('H-09 a break that leaves two readings is refused', () => {
    const { topics, lines } = read('\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2,23\tIsr: 1,2\n3');
    expect(topics).toEqual([]);
    expect(lines.map(({ status }) => status)).toEqual(['not-understood', 'not-understood']);
    expect(lines[0]!.detail).toMatch(/as one line/);
  });

  it.each([
    ['none', undefined],
    ['-1', undefined],
    ['7', 7],
  ])('H-09 Leader: %s', (word, leader) => {
    const { topics } = read(LINE.replace('Leader: 1', `Leader: ${word}`));
    expect(topics[0]!.partitions[0]!.leader).toBe(leader);
  });

  it('H-09 MarkedForDeletion', () => {
    const text =
      'Topic: t\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: a=b\tMarkedForDeletion: true\n' +
      `${LINE}\tMarkedForDeletion: true`;
    const { topic, codes } = read(text);
    expect(topic).toMatchObject({ markedForDeletion: true, configs: new Map([['a', 'b']]) });
    expect(codes).toEqual(['marked-for-deletion']);
  });
});

describe('incomplete and contradictory descriptions', () => {
  const own = (count: number | string) => `Topic: t\tPartitionCount: ${count}\tReplicationFactor: 2\tConfigs: \n`;
  const partition = (n: number | string) => LINE.replace('Partition: 0', `Partition: ${n}`) + '\n';

  it('a topic line alone: the count is known, the partitions are not', () => {
    const { topic, warnings } = read(own(2_000_000_000));
    expect(topic).toMatchObject({ partitionCount: 2_000_000_000, partitions: [] });
    expect(warnings).toMatchObject([{ code: 'partitions-not-listed', topic: 't' }]);
    expect(warnings[0]!.message).toMatch(/missing: 0-1999999999/);
  });

  it('a gap is named', () => {
    const { topic, warnings } = read(own(6) + partition(0) + partition(3) + partition(4));
    expect(topic.partitionCount).toBe(6);
    expect(warnings[0]!.message).toMatch(/missing: 1-2, 5/);
  });

  it('partition lines alone: the count is unknown', () => {
    const { topic, codes } = read(partition(0) + partition(1));
    expect(topic).toMatchObject({ partitionCount: undefined, lineNumber: undefined });
    expect(codes).toEqual(['topic-line-missing']);
  });

  it('declared 1, listed 2', () => {
    const { topic, warnings } = read(own(1) + partition(0) + partition(1));
    expect(topic).toMatchObject({ partitionCount: 2, declaredPartitionCount: 1 });
    expect(warnings).toMatchObject([{ code: 'declared-count-mismatch' }]);
    expect(warnings[0]!.message).toMatch(/declared 1, listed 2/);
  });

  it('declared 1, a huge number listed: the count stays unknown', () => {
    const { topic, codes } = read(own(1) + partition(0) + partition(2147483647));
    expect(topic.partitionCount).toBeUndefined();
    expect(codes).toEqual(['declared-count-mismatch', 'partitions-not-listed']);
  });

  it('the same partition twice', () => {
    const { topic, lines, codes } = read(
      own(1) + partition(0) + partition(0) + partition(0).replace('Leader: 1', 'Leader: 2'),
    );
    expect(topic.partitions).toMatchObject([{ partition: 0, leader: 1 }]);
    expect(lines.map(({ status }) => status)).toEqual(['understood', 'understood', 'ignored', 'not-understood']);
    expect(codes.slice(0, 2)).toEqual(['duplicate-line', 'conflicting-lines']);
  });

  it.each([
    [own(-3), /PartitionCount "-3"/],
    [own('1e3'), /PartitionCount "1e3"/],
    [own('99999999999'), /PartitionCount/],
    [partition(-1), /Partition "-1" is not a partition number/],
    [partition('2147483648'), /not a partition number/],
    [LINE.replace('\tIsr: 1,2', ''), /Isr missing/],
    [LINE.replace('Replicas: 1,2', 'Replicas: 1,1'), /names a broker twice/],
    [LINE.replace('Replicas: 1,2', 'Replicas: 1,x'), /not a list of broker ids/],
    [LINE.replace('Topic: t', 'Topic: ö'), /not a topic name/],
    [LINE.replace('Leader: 1', 'Leader: -2'), /neither a broker id nor none/],
    [LINE + LINE, /appears twice/],
    ['Topic: t\tTopicId: nope\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: ', /not a Kafka UUID/],
    ['Topic: t', /cut/],
  ])('refused with a reason: %j', (text, reason) => {
    const { topics, lines } = read(text);
    expect(topics).toEqual([]);
    expect(lines[0]).toMatchObject({ status: 'not-understood' });
    expect(lines[0]!.detail).toMatch(reason);
  });

  it('replicas, leader and isr that do not fit are reported', () => {
    expect(read(LINE.replace('Leader: 1', 'Leader: 9')).codes).toContain('replicas-inconsistent');
    expect(read(LINE.replace('Isr: 1,2', 'Isr: 1,5')).codes).toContain('replicas-inconsistent');
  });

  it('output of other commands is ignored when only topics are asked for', () => {
    const { lines, codes } = read(fixture('offsets-2.3.txt') + fixture('topics-2.8.txt'));
    expect(codes).toEqual(['no-leader', 'reassignment-in-progress']);
    expect(new Set(lines.map(({ status }) => status))).toEqual(new Set(['ignored', 'understood']));
    expect(parseImport(fixture('offsets-2.3.txt') + fixture('topics-2.8.txt')).formats).toEqual([
      'groups-offsets',
      'topics-describe',
    ]);
  });
});

/** The description without the places where it was found. */
function withoutLines<T extends { lineNumber: unknown; partitions: readonly { lineNumber: number }[] }>(topic: T) {
  return {
    ...topic,
    lineNumber: 0,
    partitions: topic.partitions.map((partition) => ({ ...partition, lineNumber: 0 })),
  };
}
