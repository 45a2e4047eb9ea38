import { describe, expect, it } from '@jest/globals';
import { importedAssignor, importedGroupSpec } from '../src/imported-group-spec.js';
import { parseImport } from '../src/parse-import.js';
import { fixture } from './fixture.js';

const HEADER = 'GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n';
const TOPIC = 'Topic: t\tTopicId: qD1xVbR5TQuWmF3sK9aZ0g\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: \n';
const PARTITIONS =
  '\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\n\tTopic: t\tPartition: 1\tLeader: 2\tReplicas: 2,3\tIsr: 2\n';

function specOf(text: string, id = 'g', racks: Record<number, string> = {}) {
  const result = parseImport(text);
  return importedGroupSpec(
    result,
    result.groups.find(({ groupId }) => groupId === id)!,
    (broker) => racks[broker],
  );
}

describe('an imported group as a plan takes it', () => {
  it('has the topic with its id and racks, and members with what they own', () => {
    const { spec, countedTopics } = specOf(
      `${TOPIC}${PARTITIONS}${HEADER}g t 0 1 1 0 c1 /h a\ng t 1 1 1 0 - - -\n`,
      'g',
      { 1: 'a', 3: 'c' },
    );
    expect(spec).toEqual({
      topics: [{ name: 't', id: 'qD1xVbR5TQuWmF3sK9aZ0g', partitions: 2, racks: [['a'], ['c']] }],
      members: [{ id: 'c1', topics: ['t'], owned: new Map([['t', [0]]]), generation: 1 }],
    });
    expect(countedTopics).toEqual([]);
  });

  it('H-02 knows idle members, and counts partitions that only tables name', () => {
    const { spec, countedTopics } = specOf(`${HEADER}g t 0 1 1 0 c1 /h a\ng t 1 1 1 0 - - -\ng - - - - - c2 /h a\n`);
    expect(spec.topics).toEqual([{ name: 't', partitions: 2 }]);
    expect(spec.members.map(({ id, owned }) => [id, owned])).toEqual([
      ['c1', new Map([['t', [0]]])],
      ['c2', undefined],
    ]);
    expect(countedTopics).toEqual(['t']);
  });

  it('counts over all groups of the text', () => {
    expect(specOf(`${HEADER}g t 1 1 1 0 c1 /h a\nother t 0 1 1 0 x /h a\n`).spec.topics).toEqual([
      { name: 't', partitions: 2 },
    ]);
  });

  it.each([
    [`${HEADER}g t 0 1 1 0 c1 /h a\ng t 2 1 1 0 c1 /h a\n`, 'Line 2: only some partitions of topic t are in the text.'],
    [
      `${PARTITIONS}${HEADER}g t 0 1 1 0 c1 /h a\n`,
      'Line 1: the text has partitions of topic t, but not its own line with PartitionCount.',
    ],
  ])('refuses to guess a partition count: %#', (text, message) => {
    expect(() => specOf(text)).toThrow(
      expect.objectContaining({ code: 'IMPORT_INCOMPLETE', message: expect.stringContaining(message) }),
    );
  });

  it('H-04 refuses members without topics (3.8, 3.9), unless the offsets view tells', () => {
    const members = fixture('members-3.8-verbose.txt');
    const [group] = parseImport(members).groups;
    expect(() => specOf(members, group!.groupId)).toThrow(
      /Line \d+: the text does not say what member .* owns\. Paste the offsets view/,
    );
  });

  it('takes the target where Kafka prints one', () => {
    const text = fixture('members-4.0-verbose.txt');
    const { groups } = parseImport(text);
    const moving = groups.find(({ members }) =>
      members.some(
        ({ assignment, targetAssignment }) =>
          targetAssignment !== undefined && `${[...assignment!]}` !== `${[...targetAssignment]}`,
      ),
    )!;
    const names = new Set(moving.members.flatMap(({ targetAssignment }) => [...(targetAssignment?.keys() ?? [])]));
    const topics = [...names].map((name) => `Topic: ${name}\tPartitionCount: 99\tReplicationFactor: 1\tConfigs: \n`);
    const { spec } = specOf(topics.join('') + text, moving.groupId);
    for (const [i, { assignment, targetAssignment }] of moving.members.entries()) {
      expect(spec.members[i]!.owned ?? new Map()).toEqual(targetAssignment ?? assignment);
    }
  });

  it("tells the broker's range from the client's", () => {
    const state = (epoch: string) =>
      parseImport(
        `GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE GROUP-EPOCH TARGET-ASSIGNMENT-EPOCH #MEMBERS\ng 127.0.0.1:9092 (1) range Stable ${epoch} ${epoch} 1\n`,
      ).groups[0]!;
    expect(importedAssignor(state('3'))).toBe('server-range');
    expect(importedAssignor(state('-'))).toBe('range');
  });
});
