import { mkdtemp, readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseImport } from '@allot/interop';
import {
  compare,
  comparisonFromJson,
  recommend,
  rightSize,
  rightSizeFromJson,
  simulate,
  simulationFromJson,
  simulationToJson,
} from '@allot/planner';
import { encodeKey, partitionForKey, reassign } from '@allot/strategies';
import { allot } from './fake-terminal.js';

const plainly = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const BODY = {
  assignor: 'range',
  topics: [
    { name: 'orders', partitions: 8 },
    { name: 'audit', partitions: 1 },
  ],
  members: ['c1', 'c2', 'c3'].map((id) => ({ id, topics: ['orders', 'audit'], rack: id === 'c1' ? 'a' : 'b' })),
};
const input = JSON.stringify(BODY);

describe('allot compare', () => {
  const assignors = ['range', 'cooperative-sticky', 'threads-range'];

  it('answers as the REST API does', async () => {
    const { code, out } = await allot(
      ['compare', '--assignors', assignors.join(', '), '--add-members', '1', '-o', 'json'],
      { input },
    );
    const { input: asked } = comparisonFromJson({ ...BODY, assignors, changes: [{ addMembers: 1 }] });
    expect([code, JSON.parse(out)]).toEqual([0, plainly({ rows: compare(asked, assignors) })]);
  });

  it('is a table, CSV and Markdown; a refusal has its reason', async () => {
    const argv = [
      'compare',
      '--assignors',
      'range,threads-roundrobin',
      '--kafka-version',
      '3.9',
      '--subscribe',
      'c1=orders',
    ];
    const table = await allot(argv, { input });
    expect(table.out).toMatch(/^ASSIGNOR +PROTOCOL +SKEW +LEAST +MOST +IDLE +MOVES NOW +MOVES ON \+1 +MOVES ON -1/);
    expect(table.out).toMatch(/^range +eager +\d/m);
    expect(table.err).toContain('threads-roundrobin refuses:');
    expect((await allot([...argv, '-o', 'csv'], { input })).out).toMatch(
      /^assignor,protocol,skew,.*,refused\r\nrange,eager,\d/,
    );
    expect((await allot([...argv, '-o', 'markdown'], { input })).out).toMatch(
      /^\| Assignor \| Protocol \|.*\n\| --- \| --- \| ---: /,
    );
  });
});

describe('allot simulate', () => {
  it('plays the options in their order', async () => {
    const argv = [
      'simulate',
      '--rolling-restart',
      '2',
      '--add-members',
      '1',
      '--crash',
      'c2',
      '--crash',
      '1',
      '--zone-loss',
      'a',
      '--timing',
      'restartMs=30000',
    ];
    const steps = [
      { rollingRestart: { batchSize: 2 } },
      { addMembers: 1 },
      { crash: ['c2'] },
      { crash: 1 },
      { zoneLoss: 'a' },
    ];
    const expected = simulationToJson(simulate(simulationFromJson({ ...BODY, steps, timing: { restartMs: 30_000 } })));
    const json = await allot([...argv, '-o', 'json'], { input });
    expect([json.code, JSON.parse(json.out)]).toEqual([0, plainly(expected)]);
    const table = await allot(argv, { input });
    expect(table.out).toMatch(/^1\. --rolling-restart 2 +\d/m);
    expect(table.out).toMatch(new RegExp(`^total +${expected.total.rebalances} +${expected.total.moves} `, 'm'));
  });

  it('recommends, each setting with what it saves here', async () => {
    const { out } = await allot(['simulate', '--rolling-restart', '1', '--recommend', '-o', 'json'], { input });
    expect(JSON.parse(out)).toEqual(
      plainly(recommend(simulationFromJson({ ...BODY, steps: [{ rollingRestart: { batchSize: 1 } }] }))),
    );
    const table = await allot(['simulate', '--rolling-restart', '1', '--recommend'], { input });
    expect(table.out).toMatch(/^as it is +6 /m);
    expect(table.out).toContain('static-membership: ');
  });

  it('with --static no member is missed', async () => {
    const { out } = await allot(['simulate', '--rolling-restart', '1', '--static', '-o', 'json'], { input });
    expect(JSON.parse(out).total).toMatchObject({ rebalances: 0, moves: 0 });
  });
});

describe('D-13 allot right-size', () => {
  it('names the numbers of members that really help', async () => {
    const body = {
      ...BODY,
      topics: [{ name: 'orders', partitions: 126 }],
      members: [{ id: 'c1', topics: ['orders'] }],
    };
    const { out } = await allot(['right-size', '-o', 'json'], { input: JSON.stringify(body) });
    const sizes = (JSON.parse(out) as { sizes: { members: number }[] }).sizes.map(({ members }) => members);
    expect(sizes).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 21, 26, 32, 42, 63, 126]);
  });

  it('uses the assignor that the group is to have', async () => {
    const asked = { ...BODY, changes: [{ assignor: 'sticky' }] };
    const { input: plan } = rightSizeFromJson(asked);
    const { out } = await allot(['right-size', '--assignor', 'sticky', '-o', 'json'], { input });
    expect(JSON.parse(out)).toEqual(plainly(rightSize(plan)));
    expect(JSON.parse(out).assignor).toBe('sticky');
    expect((await allot(['right-size'], { input })).out).toContain(
      'Now 3 members; the busiest has 4, and it takes all of them for that.',
    );
  });
});

describe('allot explain', () => {
  it('explains partitions and members in words and in data', async () => {
    const argv = ['explain', '--add-members', '1', '--assignor', 'sticky'];
    const words = await allot([...argv, '--partition', 'orders-0'], { input });
    expect(words.out).toMatch(/orders-0 (stays with|goes from) c1/);
    expect(words.out).toMatch(/MEMBER +BEFORE +AFTER +IN RACK/);
    const data = await allot([...argv, '--partition', 'orders-0', '-o', 'json'], { input });
    expect(JSON.parse(data.out)).toMatchObject({ topic: 'orders', partition: 0, assignor: 'sticky' });
    const member = await allot([...argv, '--member', 'c4'], { input });
    expect(member.out).toMatch(/^c4 joins and gets [\s\S]+^sticky: Balances/m);
  });
});

describe('allot partition', () => {
  const keys = Array.from({ length: 500 }, (_, i) => `order-${i}`);

  it('says where a producer puts keys, line by line', async () => {
    const { code, out } = await allot(['partition', '-p', '12'], { input: `${keys.join('\r\n')}\r\n` });
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, -1)).toEqual(
      keys.map((key) => `${partitionForKey(encodeKey('utf8', key), 12)}`.padStart(2) + `  ${key}`),
    );
  });

  it('an empty line is an empty key; a marked line has none', async () => {
    const { out } = await allot(['partition', '-p', '3', '--null', '-', '--partitioner', 'round-robin', '-o', 'json'], {
      input: '-\n\n-\n',
    });
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { key: string; partition: number });
    expect(lines.map(({ key }) => key)).toEqual(['-', '', '-']);
    expect(lines.every(({ partition }) => partition >= 0 && partition < 3)).toBe(true);
  });

  it('tells what growth moves', async () => {
    const { out, err } = await allot(['partition', '-p', '12', '--grow-to', '24', '-o', 'csv', ...keys.slice(0, 2)]);
    const [header, first] = out.split('\r\n');
    expect([header, first!.startsWith('order-0,')]).toEqual(['key,from,to', true]);
    expect(err).toMatch(/\d of 2 keys change partition/);
  });

  it('counts', async () => {
    const { out } = await allot(['partition', '-p', '4', '--count', '-o', 'json'], { input: keys.join('\n') });
    const counts = (JSON.parse(out) as { keys: number }[]).map((row) => row.keys);
    expect([counts.length, counts.reduce((a, b) => a + b)]).toEqual([4, 500]);
    expect((await allot(['partition', '-p', '4', '--count'], { input: keys.join('\n') })).out).toMatch(
      /^PARTITION +KEYS +SHARE\n/,
    );
  });

  it.each([
    [['partition', '-p', '4', '--key-encoding', 'int32', '7', 'x'], {}, 'key 2: "x" is not a key of encoding int32'],
    [['partition', '-p', '4'], { input: Buffer.from([97, 10, 0xff, 10]) }, 'line 2 is not UTF-8'],
    [['partition', '-p', '0', 'a'], {}, 'partition'],
    [['partition', '-p', '4', '--partitioner', 'none', 'a'], {}, 'There is no partitioner "none"'],
  ])('%j refuses what it cannot know', async (argv, options, message) => {
    const { code, err } = await allot(argv, options);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  it('reads lines cut anywhere, and refuses one without end', async () => {
    const bytes = Buffer.from('schlüssel\n組\nlast');
    const cut = Readable.from(Array.from(bytes, (byte) => Buffer.from([byte])));
    expect((await allot(['partition', '-p', '9'], { input: cut })).out.match(/\S+$/gm)).toEqual([
      'schlüssel',
      '組',
      'last',
    ]);
    const endless = Readable.from(Array.from({ length: 3 }, () => Buffer.alloc(2 ** 19, 97)));
    expect((await allot(['partition', '-p', '9'], { input: endless })).err).toContain('line 1 is longer than 1 MiB');
  });
});

describe('allot place', () => {
  const topics = readFileSync(new URL('../../../libs/interop/test/fixtures/topics-2.8.txt', import.meta.url), 'utf8');
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'allot-place-'));
  });

  it('G-14 moves as few replicas as the library, and writes the files that Kafka takes', async () => {
    const [move, back, list] = ['move.json', 'back.json', 'topics.json'].map((name) => join(folder, name));
    const argv = [
      'place',
      '--brokers',
      '1=a,2=a,3=b,9=b',
      '--reassignment',
      move!,
      '--rollback',
      back!,
      '--topics-to-move',
      list!,
      '-o',
      'json',
    ];
    const { code, out } = await allot(argv, { input: topics });
    const before = parseImport(topics).topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partition, replicas, removingReplicas }) => ({
        topic: name,
        partition,
        replicas: replicas.filter((broker) => !removingReplicas.includes(broker)),
      })),
    );
    const brokers = [1, 2, 3, 9].map((id) => ({ id, rack: id < 3 ? 'a' : 'b' }));
    const expected = reassign({ partitions: before, brokers });
    const answer = JSON.parse(out);
    expect([code, answer.moves]).toEqual([2, expected.moves]);
    expect(answer.reassignment.partitions).toEqual(
      expected.changed.map(({ topic, partition, replicas }) => ({ topic, partition, replicas })),
    );
    expect(JSON.parse(await readFile(move!, 'utf8'))).toEqual(answer.reassignment);
    expect(JSON.parse(await readFile(back!, 'utf8'))).toEqual(answer.rollback);
    expect(parseImport(await readFile(list!, 'utf8')).topicsToMove[0]!.topics).toEqual([
      ...new Set(expected.changed.map(({ topic }) => topic)),
    ]);

    const again = await allot(argv, { input: topics });
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining('back.json cannot be written: it exists already.'),
    ]);
  });

  it('takes its own file back: what it moved, the rollback undoes', async () => {
    const forward = await allot(['place', '--add-broker', '9', '-o', 'json'], { input: topics });
    const { reassignment } = JSON.parse(forward.out);
    const { out } = await allot(['place', '--brokers', '1,2,3,4', '--evacuate', '-o', 'csv'], {
      input: JSON.stringify(reassignment),
    });
    expect(
      out
        .split('\r\n')
        .slice(1, -1)
        .every((line) => !/"[^"]*9[^"]*"$/.test(line)),
    ).toBe(true);
  });

  it('exits 0 when nothing moves, and places new partitions', async () => {
    const input =
      '{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1]},{"topic":"a","partition":1,"replicas":[2]}]}';
    expect((await allot(['place', '--brokers', '1,2'], { input })).code).toBe(0);
    const placed = await allot([
      'place',
      '--brokers',
      '1,2,3',
      '-p',
      '3',
      '--replication-factor',
      '2',
      '--placer',
      'modulo',
      '--topic',
      't',
    ]);
    expect(placed.out).toBe('PARTITION  REPLICAS\nt-0        1,2\nt-1        2,3\nt-2        3,1\n');
  });

  it.each([
    [['place'], 'Say which brokers there shall be', topics],
    [['place', '--remove-broker', '7'], 'No broker 7 has replicas; there are 1, 2, 3, 4.', topics],
    [['place', '--brokers', '1', '--topic', 'nope'], 'The text does not describe a topic "nope".', topics],
    [['place', '--brokers', '1', '-p', '3', '--replication-factor', '2'], 'INVALID_REPLICATION_FACTOR', ''],
    [['place', '--brokers', '1'], 'No replicas are described.', ''],
    [
      ['place', '--brokers', '1'],
      'Line 1: only 0 of the 3 partitions of topic t are listed.',
      'Topic: t\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: \n',
    ],
    [['place', '--brokers', '1,x'], 'Write it like 1,2,3 or 1=a,2=b.', ''],
  ])('%j says what is missing', async (argv, message, text) => {
    const { code, err } = await allot(argv, { input: text });
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('allot import', () => {
  const text =
    'Topic: orders\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\nGROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\ng orders 0 5\n';

  it('H-08 accounts for every line, and says which were left out', async () => {
    const { code, out } = await allot(['import'], { input: text });
    expect(code).toBe(0);
    expect(out).toMatch(/^line 4 +not-understood +group-partition +The row has 4 of 9 cells/m);
    expect(out).toContain('4 lines: 3 understood, 0 ignored, 1 not understood.');
    expect((await allot(['import', '--strict'], { input: text })).code).toBe(1);
    expect((await allot(['import', '--lines'], { input: text })).out).toMatch(/^line 1 +understood +topic /m);
  });

  it('has everything in JSON, odd names included', async () => {
    const odd = text.replaceAll('orders', '__proto__').replace('0 5\n', '0 5 5 0 c1 /h app\n');
    const { out } = await allot(['import', '-o', 'json'], { input: odd });
    const [member] = JSON.parse(out).groups[0].members;
    expect(Object.entries(member.assignment)).toEqual([['__proto__', [0]]]);
  });

  it('refuses what is nothing of the kind', async () => {
    const { code, err } = await allot(['import'], { input: 'hello world\n' });
    expect([code, err]).toEqual([1, expect.stringContaining('Nothing in the text was understood. line 1: ')]);
  });
});
