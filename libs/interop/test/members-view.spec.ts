import { describe, expect, it } from '@jest/globals';
import { parseGroupsDescribe } from '../src/parse-import.js';
import { fixture, wrapAt } from './fixture.js';

const W1 = 'worker-1-0a1b2c3d-1111-4222-8333-444455556666';
const W2 = 'worker-2-5e6f7a8b-9999-4aaa-8bbb-ccccddddeeee';
const OWNED = [
  new Map([
    ['orders', [0, 1, 2, 10]],
    ['payments', [3]],
  ]),
  new Map([['payments', [0, 1, 2]]]),
  new Map(),
];

function read(text: string) {
  const result = parseGroupsDescribe(text);
  return { ...result, group: result.groups[0]!, codes: result.warnings.map(({ code }) => code) };
}

describe('H-04 members view, verbose: three ASSIGNMENT grammars', () => {
  it.each([
    ['members-1.1-verbose.txt', undefined],
    ['members-2.6-verbose.txt', 'billing'],
    ['members-4.0-verbose.txt', 'billing'],
    ['members-4.0-verbose-upgrading.txt', 'billing'],
  ])('H-04 %s: topics and numbers', (name, groupId) => {
    const { group, lines } = read(fixture(name));
    expect(group.groupId).toBe(groupId);
    expect(group.members.map(({ assignment }) => assignment)).toEqual(OWNED);
    expect(lines.map(({ status }) => status)).not.toContain('not-understood');
  });

  it('H-04 3.8 and 3.9 lost the topic names: the member is read, its partitions are not guessed', () => {
    const { group, codes, warnings, lines } = read(fixture('members-3.8-verbose.txt'));
    expect(group.members.map(({ assignment }) => assignment)).toEqual([undefined, undefined, new Map()]);
    expect(group.members.map(({ declaredPartitionCount }) => declaredPartitionCount)).toEqual([5, 3, 0]);
    expect(codes).toEqual(['topic-names-missing', 'topic-names-missing']);
    expect(warnings[0]!.message).toMatch(/topic names are not present in this tool version.*offsets view/s);
    expect(lines[2]!.detail).toMatch(/use the offsets view/);
  });

  it('H-04 3.8 with the offsets view in the same paste: the partitions come from there', () => {
    const { group, codes } = read(fixture('members-3.8-verbose.txt') + fixture('offsets-2.3.txt'));
    expect(group.members[0]!.assignment).toEqual(
      new Map([
        ['orders', [0, 1]],
        ['payments', [10]],
      ]),
    );
    expect(codes).not.toContain('topic-names-missing');
    expect(codes).toContain('declared-count-mismatch');
  });

  it('H-04 GROUP-INSTANCE-ID only where a member has one; UPGRADED only while protocols mix', () => {
    expect(read(fixture('members-2.6-verbose.txt')).group.members.map(({ instanceId }) => instanceId)).toEqual([
      'rack-a-1',
      undefined,
      undefined,
    ]);
    const upgrading = read(fixture('members-4.0-verbose-upgrading.txt')).group;
    expect(upgrading.members.map(({ upgraded }) => upgraded)).toEqual([true, false, undefined]);
    expect(read(fixture('members-1.1-verbose.txt')).group.members[0]!.upgraded).toBeUndefined();
  });

  it('H-04 4.0: epochs and target assignment; current differs from target, so the snapshot is unstable', () => {
    const { group } = read(fixture('members-4.0-verbose.txt'));
    expect(group.members[0]).toMatchObject({ currentEpoch: 6, targetEpoch: 7 });
    expect(group.members[1]!.targetAssignment).toEqual(
      new Map([
        ['orders', [2, 10]],
        ['payments', [0, 1, 2]],
      ]),
    );
    expect(group.unstable).toBe(true);
  });

  it('H-04 4.0: hyphens for the target of a classic group mean that there is none', () => {
    const { group } = read(fixture('recorded/4.0.0/members-verbose.txt'));
    expect(group.members[0]).toMatchObject({
      currentEpoch: undefined,
      targetEpoch: undefined,
      targetAssignment: undefined,
    });
    expect(group.members[0]!.assignment!.size).toBe(2);
    expect(group.unstable).toBe(false);
  });

  it('H-04 without --verbose nothing is known about the partitions, except of an idle member', () => {
    const { group } = read(fixture('members-4.0.txt'));
    expect(group.members.map(({ assignment }) => assignment)).toEqual([undefined, undefined, new Map()]);
    expect(group.members.map(({ declaredPartitionCount }) => declaredPartitionCount)).toEqual([5, 3, 0]);
  });

  it('H-04 lost spacing: an empty GROUP-INSTANCE-ID does not shift the columns', () => {
    for (const name of ['members-2.6-verbose.txt', 'members-4.0-verbose.txt', 'members-1.1-verbose.txt']) {
      const { group } = read(fixture(name).replace(/ +/g, ' '));
      expect(group.members.map(({ assignment }) => assignment)).toEqual(OWNED);
      expect(group.members.map(({ host }) => host)).toEqual(['10.0.0.11', '10.0.0.12', '10.0.0.13']);
    }
  });

  it.each([80, 120, 160])('H-04 wrapped at %i columns: joined, or refused; never misread', (width) => {
    for (const name of ['members-1.1-verbose.txt', 'members-2.6-verbose.txt', 'members-4.0-verbose.txt']) {
      const { group, lines } = read(wrapAt(fixture(name), width));
      const owned = new Map(group.members.map(({ memberId, assignment }) => [memberId, assignment]));
      expect([OWNED[0], undefined]).toContainEqual(owned.get(W1));
      expect([OWNED[1], undefined]).toContainEqual(owned.get(W2));
      if (!owned.has(W1)) expect(lines.map(({ status }) => status)).toContain('not-understood');
    }
  });
});

describe('H-05 declared count and listed partitions', () => {
  const header = 'GROUP  CONSUMER-ID  HOST  CLIENT-ID  #PARTITIONS  ASSIGNMENT';

  it('H-05 a hand-edited row is imported, with a warning', () => {
    const { group, warnings } = read(`${header}\ng c-1 /10.0.0.1 c 1 topic_3(1),topic_2(4)`);
    expect(group.members[0]!.assignment).toEqual(
      new Map([
        ['topic_3', [1]],
        ['topic_2', [4]],
      ]),
    );
    expect(warnings).toMatchObject([{ code: 'declared-count-mismatch', memberId: 'c-1', lineNumbers: [2] }]);
    expect(warnings[0]!.message).toMatch(/declared 1, listed 2/);
  });

  it('H-05 a blank after the comma or none is the same', () => {
    const [one, two] = ['a(1,0), b(4)', 'a(1,0),b(4)'].map((cell) => read(`${header}\ng c-1 /10.0.0.1 c 3 ${cell}`));
    expect(one!.group).toEqual(two!.group);
    expect(one!.group.members[0]!.assignment).toEqual(
      new Map([
        ['a', [0, 1]],
        ['b', [4]],
      ]),
    );
    expect(one!.codes).toEqual([]);
  });

  it.each([
    ['a(0', /is not an assignment such as/],
    ['a(0,x)', /words do not fit|not a partition number/],
    ['a(0,0)', /listed twice/],
    ['a(0), a(1)', /topic a is listed twice/],
    ['a(0) b(1)', /comma is missing|words do not fit/],
    ['a(0), (1)', /names some topics and leaves out others/],
    ['a(-1)', /not a partition number/],
  ])('an assignment such as %s is refused', (cell, reason) => {
    const { groups, lines } = read(`${header}\ng c-1 /10.0.0.1 c 1 ${cell}`);
    expect(groups.flatMap(({ members }) => members)).toEqual([]);
    expect(lines[1]).toMatchObject({ status: 'not-understood' });
    expect(lines[1]!.detail).toMatch(reason);
  });

  it('a partition in two assignments is kept for neither; both lines are named', () => {
    const { group, warnings } = read(`${header}\ng c-1 /10.0.0.1 c 1 a(0)\ng c-2 /10.0.0.2 c 2 a(0,1)`);
    expect(group.members.map(({ assignment }) => assignment)).toEqual([new Map(), new Map([['a', [1]]])]);
    expect(warnings).toMatchObject([{ code: 'partition-owned-twice', topic: 'a', partition: 0, lineNumbers: [2, 3] }]);
    expect(group.unstable).toBe(true);
  });

  it('a row that may go on in the line below is decided by its declared count, else refused', () => {
    const joined = read(`${header}\ng c-1 /10.0.0.1 c 2 a(0)\n,b(1)`);
    expect(joined.group.members[0]!.assignment!.size).toBe(2);
    const alone = read(`${header}\ng c-1 /10.0.0.1 c 1 a(0)\n,b(1)`);
    expect(alone.group.members[0]!.assignment!.size).toBe(1);
    expect(alone.lines.map(({ status }) => status)).toEqual(['understood', 'understood', 'not-understood']);
    const neither = read(`${header}\ng c-1 /10.0.0.1 c 7 a(0)\n,b(1)`);
    expect(neither.lines.map(({ status }) => status)).toEqual(['understood', 'not-understood', 'not-understood']);
    expect(neither.lines[1]!.detail).toMatch(/as one line/);
  });
});

describe('state view', () => {
  it('reads coordinator, assignor, state and member count; a coordinator longer than its column', () => {
    const { groups } = parseGroupsDescribe(fixture('state-2.8.txt'));
    expect(groups).toMatchObject([
      {
        groupId: 'billing',
        state: 'stable',
        kafkaState: 'Stable',
        assignor: 'range',
        declaredMemberCount: 2,
        coordinator: { host: 'kafka-17.example.internal', port: 9092, brokerId: 17 },
      },
      { groupId: 'idle-reports', state: 'empty', assignor: undefined, declaredMemberCount: 0 },
    ]);
  });

  it.each([
    ['state-3.9.txt', 'CompletingRebalance', 'cooperative-sticky', undefined],
    ['state-4.0-verbose.txt', 'Reconciling', 'uniform', 7],
  ])('%s: rebalancing', (name, kafkaState, assignor, groupEpoch) => {
    const { group, codes } = read(fixture(name));
    expect(group).toMatchObject({ state: 'rebalancing', unstable: true, kafkaState, assignor, groupEpoch });
    expect(codes).toEqual(['group-unstable']);
  });

  it('a member count that the members view does not confirm', () => {
    const { codes } = read(fixture('state-2.8.txt') + fixture('members-2.6-verbose.txt'));
    expect(codes).toContain('declared-count-mismatch');
  });

  it('an unknown state is kept as a word and not interpreted', () => {
    const { group } = read(fixture('state-3.9.txt').replace('CompletingRebalance', 'NotReady           '));
    expect(group).toMatchObject({ state: 'unknown', kafkaState: 'NotReady' });
  });
});
