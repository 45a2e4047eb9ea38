import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { plan, planFromJson, planToJson } from '@allot/planner';
import { allot } from './fake-terminal.js';

const plainly = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const GROUP = `
GROUP     TOPIC     PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST        CLIENT-ID
checkout  payments  0          40              42              2    c-1          /10.0.0.5   app
checkout  payments  1          17              17              0    c-1          /10.0.0.5   app
checkout  payments  2          -               9               -    -            -           -
`;
const OTHER = `
GROUP     TOPIC     PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST        CLIENT-ID
reports   payments  0          40              42              2    r-1          /10.0.0.5   app
`;
const STATE = `
GROUP     COORDINATOR (ID)    ASSIGNMENT-STRATEGY  STATE   #MEMBERS
checkout  127.0.0.1:9092 (1)  sticky               Stable  1
`;
const BODY = {
  assignor: 'sticky',
  topics: [{ name: 'orders', partitions: 10 }],
  members: ['c1', 'c2', 'c3'].map((id) => ({ id, topics: ['orders'] })),
};

describe('allot plan', () => {
  it('answers a paste: who, what, how much, and exit code 2', async () => {
    const { code, out, err } = await allot(['plan', '--add-members', '2'], { input: GROUP });
    expect(code).toBe(2);
    expect(out).toContain('Group checkout: what would change (range, eager, +2 members)');
    expect(out).toMatch(/^~ {2}c-1 +2 +1 +-1$/m);
    expect(out).toMatch(/^\+ {2}c-3 +- +1 +\+1$/m);
    expect(out).toMatch(/^~ {2}payments-1 {2}c-1 +c-2$/m);
    expect(out).toMatch(/^\+ {2}payments-2 {2}nobody {2}c-3$/m);
    expect(out).toContain('1 partition of 3 moves');
    expect(err).toContain("range, Kafka's default, is assumed");
    expect(err).toContain('the partitions of payments are counted');
  });

  it('exits 0 when nothing would change', async () => {
    const owned = { ...BODY, members: [{ id: 'c1', topics: ['orders'] }] };
    const { code, out } = await allot(['plan'], { input: JSON.stringify(owned) });
    expect([code, out.split('\n')[0]]).toEqual([0, 'The group: nothing changes (sticky, eager)']);
  });

  it('answers as the REST API does, in JSON', async () => {
    const argv = [
      'plan',
      '--output',
      'json',
      '--remove-member',
      'c3',
      '--partitions',
      'orders=12',
      '--add-members',
      '1',
    ];
    const { code, out } = await allot(argv, { input: JSON.stringify(BODY) });
    const changes = [{ removeMembers: ['c3'] }, { topic: 'orders', partitions: 12 }, { addMembers: 1 }];
    expect(code).toBe(2);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(planToJson(plan(planFromJson({ ...BODY, changes }))))));
  });

  it.each([
    [
      ['--add-member', 'c4,rack=a,weight=2,instance=i4,topic=orders,topic=pay'],
      { addMembers: [{ id: 'c4', rack: 'a', weight: 2, instanceId: 'i4', topics: ['orders', 'pay'] }] },
    ],
    [['--remove-members', '1'], { removeMembers: 1 }],
    [['--add-topic', 'pay=3'], { addTopic: { name: 'pay', partitions: 3 } }],
    [['--remove-topic', 'orders'], { removeTopic: 'orders' }],
    [['--subscribe', 'c1=orders,pay'], { member: 'c1', topics: ['orders', 'pay'] }],
    [['--rack', 'c1=a'], { member: 'c1', rack: 'a' }],
    [['--weight', 'c1=2.5'], { member: 'c1', weight: 2.5 }],
    [['--assignor', 'range'], { assignor: 'range' }],
    [
      ['--change', '{"topic":"orders","partitions":4,"recreate":true}'],
      { topic: 'orders', partitions: 4, recreate: true },
    ],
  ])('%j is the change %j', async (option, change) => {
    const { out } = await allot(['plan', '-o', 'json', ...option], { input: JSON.stringify(BODY) });
    expect(JSON.parse(out)).toEqual(
      JSON.parse(JSON.stringify(planToJson(plan(planFromJson({ ...BODY, changes: [change] }))))),
    );
  });

  it('pins are one change; the Kafka version and the protocol are rules', async () => {
    const argv = [
      'plan',
      '-o',
      'json',
      '--pin',
      'orders-3=c3',
      '--pin',
      'orders-4=c3',
      '--kafka-version',
      '3.9',
      '--protocol',
      'cooperative',
    ];
    const { out } = await allot(argv, { input: JSON.stringify(BODY) });
    const pins = [3, 4].map((partition) => ({ topic: 'orders', partition, member: 'c3' }));
    const rules = { changes: [{ pins }], kafkaVersion: '3.9', protocol: 'cooperative' };
    expect(JSON.parse(out)).toEqual(plainly(planToJson(plan(planFromJson({ ...BODY, ...rules })))));
  });

  it('takes the assignor from the state view; another one is then a change', async () => {
    const now = await allot(['plan', '-o', 'json'], { input: GROUP + STATE });
    expect(JSON.parse(now.out)).toMatchObject({ assignor: 'sticky', protocol: 'eager' });
    expect(now.err).not.toContain('assumed');
    const switched = await allot(['plan', '-o', 'json', '--assignor', 'range'], { input: GROUP + STATE });
    expect(JSON.parse(switched.out)).toMatchObject({ assignor: 'range', current: { 'c-1': { payments: [0, 1] } } });
  });

  it('asks which group where there are several, and takes the one named', async () => {
    const { code, err } = await allot(['plan'], { input: GROUP + OTHER });
    expect(code).toBe(1);
    expect(err).toContain('The text describes 2 groups: choose one with --group. There are: checkout, reports.');
    const chosen = await allot(['plan', '--group', 'reports', '-o', 'json'], { input: GROUP + OTHER });
    expect(JSON.parse(chosen.out)).toMatchObject({ current: { 'r-1': { payments: [0] } } });
    const wrong = await allot(['plan', '--group', 'nobody'], { input: GROUP });
    expect(wrong.err).toContain('The text does not describe a group "nobody". There are: checkout.');
  });

  it('knows racks of partitions from those of brokers', async () => {
    const topics =
      'Topic: payments\tPartitionCount: 2\tReplicationFactor: 1\tConfigs: \n\tTopic: payments\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n\tTopic: payments\tPartition: 1\tLeader: 2\tReplicas: 2\tIsr: 2\n';
    const argv = [
      'plan',
      '-o',
      'json',
      '--broker-rack',
      '1=a',
      '--broker-rack',
      '2=b',
      '--rack',
      'c-1=a',
      '--add-member',
      'c-2,rack=b',
    ];
    const { out } = await allot(argv, { input: topics + GROUP.replace(/.*payments {2}2.*\n/, '') });
    expect(JSON.parse(out).stats.rackLocality.after).toEqual({ known: 2, local: 2 });
  });

  it('plans a new group on topics alone', async () => {
    const input = 'Topic: orders\tPartitionCount: 4\tReplicationFactor: 1\tConfigs: \n';
    const { code, out, err } = await allot(['plan', '--add-members', '2', '-o', 'json'], { input });
    expect(code).toBe(2);
    expect(JSON.parse(out).target).toEqual({ 'new-1': { orders: [0, 1] }, 'new-2': { orders: [2, 3] } });
    expect(err).toContain('this is a new group on them');
  });

  it('writes CSV and Markdown', async () => {
    const csv = await allot(['plan', '--add-members', '2', '-o', 'csv'], { input: GROUP });
    expect(csv.out).toBe('topic,partition,from,to\r\npayments,0,c-1,c-1\r\npayments,1,c-1,c-2\r\npayments,2,,c-3\r\n');
    const report = await allot(['plan', '--add-members', '2', '-o', 'markdown'], { input: GROUP });
    expect(report.out).toMatch(/^# Change of consumer group checkout\n/);
    expect(report.out).toContain('| `payments` | 1 | `c-1` | `c-2` |');
  });

  it('reads several files, UTF-16 among them, and names file and line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'allot-cli-'));
    const [topics, group] = [join(folder, 'topics.txt'), join(folder, 'group.txt')];
    await writeFile(
      topics,
      Buffer.from('\ufeffTopic: payments\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: \n', 'utf16le'),
    );
    await writeFile(group, GROUP);
    const { code, err } = await allot(['plan', topics, group, '--add-members', '1', '-o', 'csv']);
    expect(code).toBe(2);
    expect(err).not.toContain('counted');
    const incomplete = await allot(['plan', '-'], { input: GROUP.replace('payments  1 ', 'payments  7 ') });
    expect(incomplete.err).toContain('line 3: only some partitions of topic payments are in the text.');
    expect(incomplete.err).toContain('[IMPORT_INCOMPLETE]');
  });
});

describe('what goes wrong', () => {
  it.each([
    [
      ['plan', '--remove-member', 'c9'],
      'No member "c9" is in the group at this point; check the id.',
      'at: --remove-member c9',
    ],
    [['plan', '--add-members', '1', '--partitions', 'orders=3'], 'Kafka topics only grow', 'at: --partitions orders=3'],
    [['plan', '--assignor', 'fair'], 'There is no assignor "fair"', '[UNSUPPORTED_ASSIGNOR]'],
    [['explain', '--partition', 'orders-99'], 'The plan has no partition orders-99', '[UNKNOWN_TOPIC_OR_PARTITION]'],
    [['explain'], 'Say what to explain', 'what to do:'],
    [['simulate', '--zone-loss', 'a'], 'No member is in the rack "a"', 'at: --zone-loss a'],
  ])('%j says what and where', async (argv, message, place) => {
    const { code, out, err } = await allot(argv, { input: JSON.stringify(BODY) });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
    expect(err).toContain(place);
    expect(err).not.toMatch(/^ +at .*\.[jt]s:\d/m);
  });

  it.each([
    ['', 'There is nothing to read.'],
    ['hello\n', 'line 1'],
    ['{"members": [', 'The JSON cannot be read'],
    ['{"topics": [], "members": {}}', 'Expected a list, not an object.'],
    [Buffer.from([0x1f, 0x8b, 8, 0, 0xff]), 'is not text in UTF-8'],
  ])('input %j is refused', async (input, message) => {
    const { code, err } = await allot(['plan'], { input });
    expect(code).toBe(1);
    expect(err).toContain(message);
  });

  it('input without end is refused at 64 MiB', async () => {
    let pieces = 0;
    const { Readable } = await import('node:stream');
    const endless = Readable.from(
      (function* () {
        const piece = Buffer.alloc(2 ** 20, 97);
        for (;;) {
          pieces++;
          yield piece;
        }
      })(),
    );
    const { code, err } = await allot(['plan'], { input: endless });
    expect([code, pieces < 80]).toEqual([1, true]);
    expect(err).toContain('stdin is larger than 64 MiB');
  });

  it.each([
    [['plan', '--add-members', 'two'], '"two" is not a whole number.'],
    [['plan', '--pin', 'orders=c1'], 'Write it like orders-3=c1.'],
    [['plan', '--partitions', '=3'], 'Write it like orders=12.'],
    [['plan', '--change', '{'], 'It is not JSON'],
    [['plan', '--output', 'xml'], 'Allowed choices are table, json, csv, markdown.'],
    [['plan', '--ad-members', '2'], 'Did you mean --add-members?'],
    [['plna'], "unknown command 'plna'"],
    [['partition', 'key'], "required option '-p, --partitions <count>' not specified"],
  ])('%j is a wrong command line', async (argv, message) => {
    const { code, out, err } = await allot(argv);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });

  it('--debug shows where it comes from', async () => {
    const { err } = await allot(['plan', '--debug', '--remove-member', 'c9'], { input: JSON.stringify(BODY) });
    expect(err).toMatch(/AllotError: .*\n +at /);
  });
});

describe('screens', () => {
  const wide = {
    ...BODY,
    members: [
      { id: `${'x'.repeat(60)}-1`, topics: ['orders'] },
      { id: `${'x'.repeat(60)}-2`, topics: ['orders'] },
    ],
  };

  it('shortens names to the width of a terminal, and says so', async () => {
    const { out, err } = await allot(['plan', '--add-members', '1', '--no-color'], {
      input: JSON.stringify(wide),
      columns: 80,
    });
    const tables = out.split('\n').filter((line) => line.includes('x…x'));
    expect(tables.length).toBeGreaterThan(3);
    for (const line of tables) expect(line.length).toBeLessThanOrEqual(80);
    expect(err).toMatch(/\d+ names are shortened to fit the screen; --width 0 or --output json show all of it\./);
  });

  it('shortens nothing in a pipe, nor with --width 0', async () => {
    const piped = await allot(['plan', '--add-members', '1'], { input: JSON.stringify(wide) });
    const asked = await allot(['plan', '--add-members', '1', '--width', '0', '--no-color'], {
      input: JSON.stringify(wide),
      columns: 80,
    });
    expect(piped.out).toBe(asked.out);
    expect(piped.out).toContain('x'.repeat(60));
    expect(piped.err).not.toContain('shortened');
  });

  it.each([
    [{ columns: 100 }, [], true],
    [{}, [], false],
    [{ columns: 100, env: { NO_COLOR: '1' } }, [], false],
    [{ env: { FORCE_COLOR: '1' } }, [], true],
    [{ columns: 100, env: { FORCE_COLOR: '0' } }, [], false],
    [{ columns: 100, env: { TERM: 'dumb' } }, [], false],
    [{ env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, [], false],
    [{ env: { NO_COLOR: '1' } }, ['--color'], true],
    [{ columns: 100 }, ['--no-color'], false],
  ])('%j %j: colours %s', async (options, flags, coloured) => {
    const { out } = await allot(['plan', '--add-members', '1', ...flags], { input: JSON.stringify(BODY), ...options });
    expect(out.includes('\u001b[')).toBe(coloured);
  });

  it('shows control characters in names instead of sending them to the terminal', async () => {
    const members = [{ id: 'evil\u001b[2J\nname', topics: ['orders'] }];
    const { out } = await allot(['plan'], { input: JSON.stringify({ ...BODY, members }) });
    expect(out).toContain('evil\\u001b[2J\\nname');
    expect(out).not.toContain('\u001b');
  });
});

describe('brokers of a paste', () => {
  const TOPIC = `
Topic: payments	PartitionCount: 3	ReplicationFactor: 2	Configs:
	Topic: payments	Partition: 0	Leader: 1	Replicas: 1,2	Isr: 1,2
	Topic: payments	Partition: 1	Leader: 2	Replicas: 2,3	Isr: 2,3
	Topic: payments	Partition: 2	Leader: 3	Replicas: 3,1	Isr: 3,1
`;
  const racks = ['--broker-rack', '1=a', '--broker-rack', '2=b', '--rack', 'c-1=a'];
  const ask = (...argv: string[]) => allot(['plan', ...racks, ...argv, '--output', 'json'], { input: TOPIC + GROUP });
  const localityOf = (out: string) => (JSON.parse(out) as { stats: { rackLocality: unknown } }).stats.rackLocality;

  it('go, come and move, and the racks of partitions follow', async () => {
    expect(localityOf((await ask()).out)).toMatchObject({ after: { local: 2, known: 3 } });
    expect(localityOf((await ask('--remove-broker', '1')).out)).toMatchObject({ after: { local: 0, known: 2 } });
    expect(localityOf((await ask('--move-broker', '2=a')).out)).toMatchObject({ after: { local: 3, known: 3 } });
    const { out } = await ask(
      '--add-broker',
      '4=a',
      '--change',
      '{"topic":"payments","partitions":3,"replicas":[[4],[4],[2]]}',
    );
    expect(localityOf(out)).toMatchObject({ after: { local: 2, known: 3 } });
    expect((await ask('--add-broker', '5')).code).toBe(2);
  });

  it('are named where the text does not have them', async () => {
    const { code, err } = await ask('--remove-broker', '7');
    expect(code).toBe(1);
    expect(err).toContain('There is no broker 7 at this point; there are 1, 2, 3.');
  });
});
