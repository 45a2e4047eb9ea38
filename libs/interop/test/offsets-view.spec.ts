import { describe, expect, it } from '@jest/globals';
import { parseGroupsDescribe, parseImport } from '../src/parse-import.js';
import { fixture, wrapAt } from './fixture.js';

const W1 = 'worker-1-0a1b2c3d-1111-4222-8333-444455556666';
const W2 = 'worker-2-5e6f7a8b-9999-4aaa-8bbb-ccccddddeeee';
const ROWS = [
  { topic: 'orders', partition: 0, currentOffset: 1205, logEndOffset: 1210, lag: 5, memberId: W1 },
  { topic: 'orders', partition: 1, currentOffset: undefined, logEndOffset: 310, lag: undefined, memberId: W1 },
  { topic: 'payments', partition: 2, currentOffset: 40, logEndOffset: 52, lag: 12, memberId: undefined },
  { topic: 'payments', partition: 10, currentOffset: 77, logEndOffset: 77, lag: 0, memberId: W1 },
];
const HEADER =
  'GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID';

function only(text: string, groupId?: string) {
  const result = parseGroupsDescribe(text, groupId === undefined ? {} : { groupId });
  expect(result.groups).toHaveLength(1);
  return { ...result, group: result.groups[0]! };
}

function codes(result: { warnings: readonly { code: string }[] }): string[] {
  return result.warnings.map(({ code }) => code);
}

describe('H-01 offsets view, three headers', () => {
  it.each([
    ['offsets-1.1.txt', undefined],
    ['offsets-2.2.txt', 'billing'],
    ['offsets-2.3.txt', 'billing'],
    ['offsets-4.0-verbose.txt', 'billing'],
  ])('H-01 %s: columns are found by name', (name, groupId) => {
    const { group, lines } = only(fixture(name));
    expect(group.groupId).toBe(groupId);
    expect(group.partitions).toMatchObject(ROWS);
    expect(group.members.map(({ memberId, host, clientId }) => [memberId, host, clientId])).toEqual([
      [W1, '10.0.0.11', 'worker-1'],
      [W2, '10.0.0.12', 'worker-2'],
    ]);
    expect(lines.filter(({ status }) => status === 'not-understood')).toEqual([]);
  });

  it('H-01 --verbose brings the leader epoch of each partition', () => {
    const { group } = only(fixture('offsets-4.0-verbose.txt'));
    expect(group.partitions.map(({ leaderEpoch }) => leaderEpoch)).toEqual([4, 7, undefined, 0]);
  });

  it('H-01 a table without GROUP column takes the group from the command line, else from the caller, else warns', () => {
    const text = fixture('offsets-1.1.txt');
    expect(codes(only(text))).toContain('group-id-missing');
    expect(only(text, 'billing').group.groupId).toBe('billing');
    expect(codes(only(text, 'billing'))).not.toContain('group-id-missing');
    expect(only(fixture('offsets-2.2.txt'), 'other').group.groupId).toBe('billing');
  });

  it('H-01 a command line or message names the next table only, also if backslashes break the command', () => {
    const table = fixture('offsets-1.1.txt');
    const command = '$ kafka-consumer-groups.sh --describe \\\n  --bootstrap-server b:1 \\\n  --group "billing eu"\n';
    const { groups, lines } = parseGroupsDescribe(command + table + table);
    expect(groups.map(({ groupId }) => groupId)).toEqual(['billing eu', undefined]);
    expect(lines.map(({ status }) => status)).not.toContain('not-understood');
    expect(lines.slice(0, 3).map(({ kind }) => kind)).toEqual(['prompt', 'continuation', 'continuation']);
  });

  it('H-01 a group called INFO is not taken for a log line', () => {
    const text = `${HEADER}\nINFO orders 0 5 7 2 - - -`.replace(/ +/g, ' ');
    expect(only(text).group).toMatchObject({ groupId: 'INFO', partitions: [{ topic: 'orders', lag: 2 }] });
  });

  it('H-01 cells longer than their column, and lost spacing, do not shift anything', () => {
    const long = 'group-with-a-name-that-is-longer-than-its-column';
    const row = `${long} orders          0          5               7               2               ${W1} /10.0.0.11      worker-1`;
    for (const text of [
      `${HEADER}\n${row}`,
      `${HEADER}\n${row}`.replace(/ +/g, ' '),
      `${HEADER}\n${row}`.replace(/ +/g, '\t'),
    ]) {
      expect(only(text).group).toMatchObject({
        groupId: long,
        partitions: [{ topic: 'orders', partition: 0, currentOffset: 5, logEndOffset: 7, lag: 2, memberId: W1 }],
      });
    }
  });

  it('H-01 ids with blanks are read by position, or by shape if only one reading exists, else refused', () => {
    const id = `night shift-0a1b2c3d-1111-4222-8333-444455556666`;
    const header = HEADER.replace('CONSUMER-ID    ', 'CONSUMER-ID'.padEnd(id.length));
    const row = `my  group       7               0          5               7               2               ${id} /10.0.0.11      night shift`;
    expect(only(`${header}\n${row}`).group).toMatchObject({
      groupId: 'my  group',
      members: [{ memberId: id, clientId: 'night shift' }],
    });
    const spaced = `${header}\nmy group orders 0 5 7 2 ${id} /10.0.0.11 night shift`;
    expect(only(spaced).group).toMatchObject({
      groupId: 'my group',
      members: [{ memberId: id, clientId: 'night shift' }],
    });
    const { groups, lines } = parseGroupsDescribe(`${header}\na 1 2 3 4 5 6 ${id} /10.0.0.11 night`);
    expect(groups).toMatchObject(
      [{ groupId: 'a', partitions: [{ topic: '1', partition: 2, currentOffset: 3, lag: 5 }] }].slice(1),
    );
    expect(lines[1]).toMatchObject({ status: 'not-understood' });
    expect(lines[1]!.detail).toMatch(/original spacing/);
  });

  it('H-01 a paste with prompt, CRLF, colours, log lines and two groups', () => {
    const text =
      '[ops@bastion ~]$ kafka-consumer-groups.sh --bootstrap-server b:9092 --describe --all-groups\r\n' +
      '[2024-03-01 10:00:00,123] WARN something (org.apache.kafka.clients.NetworkClient)\r\n' +
      `${fixture('offsets-2.3.txt').replaceAll('\n', '\r\n')}\r\n` +
      `\u001b[1m${HEADER}\u001b[0m\r\nother           t               0          1               2               1               -               -               -\r\n`;
    const { groups, lines } = parseGroupsDescribe(text);
    expect(groups.map(({ groupId }) => groupId)).toEqual(['billing', 'other']);
    expect(lines.map(({ status }) => status)).not.toContain('not-understood');
    expect(lines.slice(0, 2)).toMatchObject([
      { kind: 'prompt', status: 'ignored' },
      { kind: 'log', status: 'ignored' },
    ]);
  });

  it.each([80, 100, 132, 150])('H-01 lines wrapped at %i columns are joined, or refused; never misread', (width) => {
    for (const stripped of [true, false]) {
      const wrapped = wrapAt(fixture('offsets-2.3.txt'), width, stripped);
      const { groups, lines } = parseGroupsDescribe(wrapped);
      expect(lines).toHaveLength(wrapped.split('\n').length - 1);
      expect(groups[0]?.partitions ?? []).toMatchObject(ROWS);
      expect(groups[0]!.members.map(({ clientId }) => clientId)).toEqual(['worker-1', 'worker-2']);
    }
  });
});

describe('H-02 rows that must survive', () => {
  const { group, warnings } = only(fixture('offsets-2.3.txt'));

  it('H-02 (i) a member without partitions is an idle member', () => {
    expect(group.members[1]).toMatchObject({ memberId: W2, assignment: new Map() });
  });

  it('H-02 (ii) a partition without owner is unowned, its lag valid', () => {
    expect(group.partitions[2]).toMatchObject({
      topic: 'payments',
      partition: 2,
      memberId: undefined,
      contestedBy: [],
      lag: 12,
    });
  });

  it('H-02 (iii) owned but never committed: the lag is unknown, not 0', () => {
    expect(group.partitions[1]).toMatchObject({ memberId: W1, currentOffset: undefined, lag: undefined });
    expect(warnings).toMatchObject([{ code: 'lag-unknown', groupId: 'billing', lineNumbers: [4] }]);
  });

  it('H-02 an offsets view without idle members does not prove that there are none', () => {
    const text = fixture('offsets-2.3.txt').replace(/^.*worker-2-.*\n/m, '');
    expect(codes(only(text))).toEqual(['lag-unknown', 'idle-members-not-shown']);
    const state = fixture('state-2.8.txt').split('\n').slice(0, 3).join('\n');
    expect(codes(only(`${text}${state}\n`))).toEqual(['lag-unknown', 'idle-members-not-shown']);
    expect(codes(only(`${text}${state.replace(/2$/, '1')}\n`))).toEqual(['lag-unknown']);
  });

  it('H-02 the members own what the rows say', () => {
    expect(group.members[0]!.assignment).toEqual(
      new Map([
        ['orders', [0, 1]],
        ['payments', [10]],
      ]),
    );
  });
});

describe('H-06 messages around the table', () => {
  const unowned = `${HEADER}\nbilling         orders          0          3               9               6               -               -               -\n`;

  it('H-06 no active members: state empty, partitions unowned, lag valid', () => {
    const { group, lines } = only(`\nConsumer group 'billing' has no active members.\n\n${unowned}`);
    expect(group).toMatchObject({
      state: 'empty',
      unstable: false,
      members: [],
      partitions: [{ memberId: undefined, lag: 6 }],
    });
    expect(lines[1]).toMatchObject({ kind: 'message', status: 'understood' });
  });

  it('H-06 no active members, but the table lists one: the views disagree', () => {
    const result = only(`Consumer group 'billing' has no active members.\n${fixture('offsets-2.3.txt')}`);
    expect(codes(result)).toContain('views-disagree');
    expect(result.group.unstable).toBe(true);
  });

  it('H-06 rebalancing: the snapshot is marked unstable', () => {
    const result = only(`Warning: Consumer group 'billing' is rebalancing.\n${fixture('offsets-2.3.txt')}`);
    expect(result.group).toMatchObject({ state: 'rebalancing', unstable: true });
    expect(codes(result)).toContain('group-unstable');
  });

  it.each([
    "Error: Consumer group 'no such' does not exist.",
    "Error: The consumer group 'no such' does not exist.",
    'Error: Executing consumer group command failed due to org.apache.kafka.common.errors.GroupIdNotFoundException: Group no such not found.',
  ])('H-06 %s', (line) => {
    const result = only(line);
    expect(result.group).toMatchObject({ groupId: 'no such', state: 'dead', members: [], partitions: [] });
    expect(codes(result)).toEqual(['group-does-not-exist']);
  });

  it('H-06 a message names the group of a table without GROUP column', () => {
    const table = fixture('offsets-1.1.txt');
    expect(only(`Warning: Consumer group 'it''s mine' is rebalancing.\n${table}`).group.groupId).toBe("it''s mine");
  });

  it('H-06 the old note and an error of the tool are accounted for', () => {
    const { lines } = only(fixture('offsets-1.1.txt'));
    expect(lines[0]).toMatchObject({ kind: 'message', status: 'understood', detail: 'A note of the tool.' });
    const failed = parseImport(
      'Error: Executing consumer group command failed due to timeout\n\tat kafka.Foo.bar(Foo.java:1)',
    );
    expect(failed.lines.map(({ status }) => status)).toEqual(['ignored', 'ignored']);
    expect(failed.warnings).toMatchObject([{ code: 'tool-error', lineNumbers: [1] }]);
  });
});

describe('H-08 partial input', () => {
  it('H-08 a partition without leader has hyphens; the others are imported', () => {
    const text = `${HEADER}\n${[
      'billing         orders          0          3               9               6               -               -               -',
      'billing         orders          1          3               -               -               -               -               -',
    ].join('\n')}\n`;
    expect(only(text).group.partitions).toMatchObject([
      { partition: 0, lag: 6, logEndOffset: 9 },
      { partition: 1, currentOffset: 3, logEndOffset: undefined, lag: undefined },
    ]);
  });

  it('H-08 a cut row is refused by name; the rows before it stay', () => {
    const text = fixture('offsets-2.3.txt');
    const { group, lines } = only(text.slice(0, text.indexOf('worker-2-5e6f') + 5));
    expect(group.partitions).toHaveLength(3);
    expect(lines.at(-1)).toMatchObject({ status: 'not-understood', kind: 'group-partition' });
    expect(lines.at(-1)!.detail).toMatch(/HOST, CLIENT-ID missing/);
  });

  it('H-08 a cut row below a whole one is named as such; one word may be the rest of a client id', () => {
    const row = `billing         orders          0          5               7               2               c1              /10.0.0.11      client`;
    const { lines } = only(`${HEADER}\n${row}\nbilling         orders          1          3`);
    expect(lines[2]!.detail).toMatch(/4 of 9 cells/);
    const { group, lines: withWord } = only(`${HEADER}\n${row}\n-17`);
    expect(group.partitions).toHaveLength(1);
    expect(withWord[2]).toMatchObject({ kind: 'continuation', status: 'not-understood' });
  });

  it('H-08 rows without their header, and a header without its columns, are named', () => {
    const rows = fixture('offsets-2.3.txt').split('\n').slice(2).join('\n');
    expect(parseImport(rows).lines.every(({ status }) => status === 'not-understood')).toBe(true);
    const cut = parseImport(`GROUP           TOPIC           PARTITION  CURRENT-OFFSET\n${rows}`);
    expect(cut.lines[0]!.detail).toMatch(/without the column\(s\) LOG-END-OFFSET, LAG, CONSUMER-ID/);
  });
});

describe('contradictions', () => {
  const row = (partition: string, owner: string, current = '3') =>
    `billing         orders          ${partition.padEnd(10)} ${current.padEnd(15)} 9               6               ${owner}`;
  const owned = (n: number) => `c${n}              /10.0.0.${n}       c${n}`;

  it('the same partition under two members: both lines named, no owner', () => {
    const { group, warnings } = only(`${HEADER}\n${row('0', owned(1))}\n${row('0', owned(2))}\n${row('1', owned(2))}`);
    expect(warnings[0]).toMatchObject({
      code: 'partition-owned-twice',
      lineNumbers: [2, 3],
      topic: 'orders',
      partition: 0,
    });
    expect(group.unstable).toBe(true);
    expect(group.partitions[0]).toMatchObject({ memberId: undefined, contestedBy: ['c1', 'c2'] });
    expect(group.members.map(({ assignment }) => assignment)).toEqual([new Map(), new Map([['orders', [1]]])]);
  });

  it('a repeated row is ignored, a contradicting one not understood', () => {
    const { lines, warnings, group } = only(
      `${HEADER}\n${row('0', owned(1))}\n${row('0', owned(1))}\n${row('0', owned(1), '4')}`,
    );
    expect(lines.map(({ status }) => status)).toEqual(['understood', 'understood', 'ignored', 'not-understood']);
    expect(warnings.slice(0, 2)).toMatchObject([
      { code: 'duplicate-line', lineNumbers: [2, 3] },
      { code: 'conflicting-lines', lineNumbers: [2, 4] },
    ]);
    expect(group.partitions).toHaveLength(1);
  });

  it.each([
    ['-3', /PARTITION "-3" is not a partition number/],
    ['2147483648', /PARTITION "2147483648" is not a partition number/],
    ['x', /PARTITION "x"/],
  ])('partition %s is refused', (partition, reason) => {
    const { groups, lines } = parseGroupsDescribe(`${HEADER}\n${row(partition, owned(1))}`);
    expect(groups).toEqual([]);
    expect(lines[1]!.detail).toMatch(reason);
  });

  it('an offset that a number cannot hold is refused, not rounded', () => {
    const { lines } = parseGroupsDescribe(`${HEADER}\n${row('0', owned(1), '9007199254740993')}`);
    expect(lines[1]!.detail).toMatch(/CURRENT-OFFSET "9007199254740993"/);
  });

  it('a partition that the described topic does not have', () => {
    const topics =
      'Topic: orders\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n';
    const { warnings } = parseImport(`${topics}${HEADER}\n${row('4', owned(1))}`);
    expect(warnings.slice(1)).toMatchObject([
      { code: 'partition-not-in-topic', topic: 'orders', groupId: 'billing', lineNumbers: [4] },
    ]);
  });
});
