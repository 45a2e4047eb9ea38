import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseGroupsDescribe, parseImport, parseReassignmentJson, parseTopicsDescribe } from '../src/parse-import.js';
import { printReassignmentJson, printTopicsToMoveJson } from '../src/reassignment-printer.js';
import { fixture } from './fixture.js';
import type { MemberLine, OffsetLine } from './tool-layouts.js';
import { membersView, offsetsView, topicsDescribe } from './tool-layouts.js';

const RUNS = { numRuns: Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 100) };

const topicName = fc
  .oneof(fc.stringMatching(/^[a-zA-Z0-9._-]{1,30}$/), fc.constantFrom('__proto__', '7', 'constructor', 'GROUP', '-1'))
  .filter((name) => name !== '.' && name !== '..' && name !== '-');
const word = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,20}$/);
/** Ids with blanks inside, also several in a row; never at the ends, where a table cannot show them. */
const spacedId = fc
  .array(word, { minLength: 1, maxLength: 3 })
  .chain((words) => fc.constantFrom(' ', '  ').map((gap) => words.join(gap)));
const uuid = fc.uuid({ version: 4 });
const host = fc.ipV4().map((address) => `/${address}`);
const count = fc.oneof(fc.nat(20), fc.nat());
const brokers = fc.uniqueArray(fc.nat(99), { maxLength: 5 });
const numbers = fc
  .uniqueArray(fc.nat(5000), { minLength: 1, maxLength: 8 })
  .map((list) => [...list].sort((a, b) => a - b));
const assignment = fc
  .uniqueArray(fc.tuple(topicName, numbers), { maxLength: 4, selector: ([name]) => name })
  .map((list) => new Map(list));

const member = (id: fc.Arbitrary<string>) =>
  fc
    .record({ client: id, uuid, host })
    .map(({ client, uuid: end, host: address }) => ({ client, host: address, member: `${client}-${end}` }));

const offsetLines = (id: fc.Arbitrary<string>): fc.Arbitrary<OffsetLine[]> =>
  fc
    .record({
      group: id,
      owners: fc.uniqueArray(member(id), { minLength: 1, maxLength: 4, selector: (owner) => owner.member }),
      rows: fc.uniqueArray(
        fc.record({
          topic: topicName,
          partition: fc.nat(200),
          owner: fc.option(fc.nat(3)),
          current: fc.option(count),
          end: fc.option(count),
        }),
        { maxLength: 12, selector: ({ topic, partition }) => `${partition}-${topic}` },
      ),
    })
    .map(({ group, owners, rows }) => [
      ...rows.map(({ topic, partition, owner, current, end }) => ({
        group,
        topic,
        partition,
        ...(current === null ? {} : { current }),
        ...(end === null ? {} : { end }),
        ...(current === null || end === null ? {} : { lag: end - current }),
        ...(owner === null ? {} : owners[owner % owners.length]!),
      })),
      ...owners.map((owner) => ({ group, ...owner })),
    ]);

const memberLines = (id: fc.Arbitrary<string>): fc.Arbitrary<MemberLine[]> =>
  fc
    .record({ group: id, ids: fc.uniqueArray(member(id), { minLength: 1, maxLength: 4, selector: (m) => m.member }) })
    .chain(({ group, ids }) =>
      fc
        .tuple(
          ...ids.map((m) =>
            fc
              .record({
                assignment,
                target: assignment,
                epoch: fc.nat(),
                targetEpoch: fc.nat(),
                instance: fc.option(word, { nil: undefined }),
              })
              .map((rest) => ({ group, ...m, ...rest })),
          ),
        )
        .map((lines) => lines.map((line) => ({ ...line, ...(line.instance === undefined ? { instance: '' } : {}) }))),
    );

function expectOffsets(text: string, lines: readonly OffsetLine[], groupId: string | undefined): void {
  const { groups, lines: reports } = parseGroupsDescribe(text);
  expect(reports.filter(({ status }) => status === 'not-understood')).toEqual([]);
  expect(groups).toHaveLength(1);
  expect(groups[0]!.groupId).toBe(groupId);
  const rows = lines.filter(({ topic }) => topic !== undefined);
  const key = (topic: string, partition: number) => `${topic}-${partition}`;
  const read = new Map(groups[0]!.partitions.map((row) => [key(row.topic, row.partition), row]));
  expect(read.size).toBe(rows.length);
  for (const row of rows) {
    expect(read.get(key(row.topic!, row.partition!))).toMatchObject({
      currentOffset: row.current,
      logEndOffset: row.end,
      lag: row.lag,
      memberId: row.member,
      contestedBy: [],
    });
  }
  const ids = new Set(lines.flatMap((line) => line.member ?? []));
  expect(new Set(groups[0]!.members.map(({ memberId }) => memberId))).toEqual(ids);
}

describe('print -> parse', () => {
  it('offsets view of every version, ids with blanks included', () => {
    fc.assert(
      fc.property(
        offsetLines(spacedId),
        fc.constantFrom('old' as const, 'current' as const, 'verbose' as const),
        (lines, version) => {
          expectOffsets(offsetsView(version, lines), lines, version === 'old' ? undefined : lines[0]!.group);
        },
      ),
      RUNS,
    );
  });

  it('offsets view with its spacing lost', () => {
    fc.assert(
      fc.property(offsetLines(word), (lines) => {
        expectOffsets(offsetsView('current', lines).replace(/ +/g, ' '), lines, lines[0]!.group);
      }),
      RUNS,
    );
  });

  it('offsets view with its spacing lost and blanks in ids: right or refused, never wrong', () => {
    fc.assert(
      fc.property(offsetLines(spacedId), (lines) => {
        const { groups, lines: reports } = parseGroupsDescribe(offsetsView('current', lines).replace(/ +/g, ' '));
        const single = (id: string | undefined) => id?.replace(/ +/g, ' ');
        const printed = new Map(lines.map((line) => [`${line.topic}-${line.partition}`, line]));
        for (const group of groups) {
          expect(group.groupId).toBe(single(lines[0]!.group));
          for (const row of group.partitions) {
            const line = printed.get(`${row.topic}-${row.partition}`)!;
            expect([row.memberId, row.currentOffset, row.lag]).toEqual([single(line.member), line.current, line.lag]);
          }
        }
        const understood = reports.filter(({ kind, status }) => kind === 'group-partition' && status === 'understood');
        const refused = reports.filter(({ status }) => status === 'not-understood');
        expect(understood.length + refused.length).toBe(lines.length);
      }),
      RUNS,
    );
  });

  it.each([
    ['1.1', false],
    ['2.3', true],
    ['4.0', true],
    ['4.0', false],
  ] as const)('members view of %s, instance ids: %s', (version, instances) => {
    fc.assert(
      fc.property(memberLines(spacedId), (lines) => {
        const { groups, lines: reports } = parseGroupsDescribe(
          membersView(version, lines, { verbose: true, instances }),
        );
        expect(reports.filter(({ status }) => status === 'not-understood')).toEqual([]);
        expect(groups[0]!.members.map(({ memberId, clientId }) => [memberId, clientId])).toEqual(
          lines.map(({ member: id, client }) => [id, client]),
        );
        // A random table may give one partition to two members; only what it gives once must be read.
        const contested = new Set(duplicates(lines));
        groups[0]!.members.forEach((read, i) => {
          expect(flat(read.assignment!).sort()).toEqual(
            flat(lines[i]!.assignment)
              .filter((tp) => !contested.has(tp))
              .sort(),
          );
          if (version === '4.0') {
            const { target: targetAssignment, epoch: currentEpoch, targetEpoch } = lines[i]!;
            expect(read).toMatchObject({ targetAssignment, currentEpoch, targetEpoch });
          }
        });
      }),
      RUNS,
    );
  });

  it('topics of every version, with tabs or blanks', () => {
    const partition = fc.record({
      leader: fc.option(fc.nat(99), { nil: undefined }),
      replicas: brokers,
      isr: brokers,
      adding: fc.option(brokers, { nil: undefined }),
      elr: fc.option(brokers, { nil: undefined }),
      lastKnownElr: fc.option(brokers, { nil: undefined }),
    });
    const layout = fc.record({
      name: topicName,
      id: fc.option(fc.stringMatching(/^[\w-]{22}$/), { nil: undefined }),
      configs: fc.constantFrom('', 'cleanup.policy=compact,delete', 'a=1,b.c=x:y,z'),
      partitions: fc.array(partition, { minLength: 1, maxLength: 6 }),
    });
    const topics = fc.uniqueArray(layout, { minLength: 1, maxLength: 4, selector: ({ name }) => name });
    const version = fc.constantFrom('1.1' as const, '2.4' as const, '2.8' as const, '4.0' as const);
    fc.assert(
      fc.property(topics, version, fc.boolean(), (described, layoutVersion, blanks) => {
        const printed = topicsDescribe(layoutVersion, described);
        const { topics: read, lines } = parseTopicsDescribe(blanks ? printed.replaceAll('\t', '  ') : printed);
        expect(lines.filter(({ status }) => status !== 'understood')).toEqual([]);
        expect(read.map(({ name, partitionCount }) => [name, partitionCount])).toEqual(
          described.map(({ name, partitions }) => [name, partitions.length]),
        );
        read.forEach((topic, i) => {
          expect(topic.partitions.map(({ leader, replicas, isr }) => ({ leader, replicas, isr }))).toEqual(
            described[i]!.partitions.map(({ leader, replicas, isr }) => ({ leader, replicas, isr })),
          );
          if (layoutVersion === '4.0') {
            expect(topic.partitions.map(({ elr }) => elr)).toEqual(described[i]!.partitions.map(({ elr }) => elr));
          }
        });
      }),
      RUNS,
    );
  });

  it('reassignment JSON, wrapped at any width', () => {
    const entry = fc.record({
      topic: topicName,
      partition: fc.nat(2147483647),
      replicas: fc.uniqueArray(fc.nat(2147483647), { minLength: 1, maxLength: 5 }),
    });
    const entries = fc.uniqueArray(entry, {
      maxLength: 8,
      selector: ({ topic, partition }) => `${topic}-${partition}`,
    });
    fc.assert(
      fc.property(entries, fc.integer({ min: 20, max: 200 }), fc.boolean(), (partitions, width, anyLogDirs) => {
        const printed = printReassignmentJson(partitions, { anyLogDirs });
        const wrapped = printed.match(new RegExp(`.{1,${width}}`, 'g'))!.join('\n');
        const { reassignments, lines } = parseReassignmentJson(wrapped);
        expect(lines.map(({ status }) => status)).not.toContain('not-understood');
        expect(printReassignmentJson(reassignments[0]!.partitions)).toBe(printed);
      }),
      RUNS,
    );
  });

  it('topics to move', () => {
    fc.assert(
      fc.property(fc.uniqueArray(topicName, { maxLength: 8 }), (topics) => {
        expect(new Set(parseReassignmentJson(printTopicsToMoveJson(topics)).topicsToMove[0]!.topics)).toEqual(
          new Set(topics),
        );
      }),
      RUNS,
    );
  });
});

describe('damage', () => {
  const names = [
    'offsets-1.1.txt',
    'offsets-4.0-verbose.txt',
    'members-2.6-verbose.txt',
    'members-3.8-verbose.txt',
    'members-4.0-verbose-upgrading.txt',
    'state-2.8.txt',
    'topics-4.0.txt',
    'reassignment-execute.txt',
    'topics-to-move.txt',
  ];
  const everything = names.map(fixture).join('\n');
  const edit = fc.record({
    at: fc.nat(everything.length),
    remove: fc.oneof(fc.constant(0), fc.nat(5), fc.nat(500)),
    insert: fc.oneof(
      fc.constantFrom('', '\n', '\t', ' ', '-', '{', '"', '\u001b[1m', '\r', "'", '(', ',', ':'),
      fc.string({ maxLength: 20 }),
    ),
  });

  it('never throws, and accounts for every line', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 12 }), (edits) => {
        const text = edits.reduce(
          (damaged, { at, remove, insert }) => damaged.slice(0, at) + insert + damaged.slice(at + remove),
          everything,
        );
        const { lines, warnings, topics, groups } = parseImport(text);
        const expected = text.split(/\r\n|\n|\r/);
        if (expected.at(-1) === '') expected.pop();
        expect(lines.map(({ lineNumber }) => lineNumber)).toEqual(expected.map((_, i) => i + 1));
        for (const { lineNumbers } of warnings) {
          for (const n of lineNumbers) expect(n >= 1 && n <= expected.length).toBe(true);
        }
        for (const { partitions, partitionCount } of topics) {
          expect(new Set(partitions.map(({ partition }) => partition)).size).toBe(partitions.length);
          if (partitionCount !== undefined)
            for (const { partition } of partitions) expect(partition).toBeLessThan(partitionCount);
        }
        for (const { members } of groups) {
          const owned = members.flatMap(({ assignment: lists }) => flat(lists ?? new Map()));
          expect(new Set(owned).size).toBe(owned.length);
        }
      }),
      RUNS,
    );
  });

  it('any text at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(parseImport(text).lines.length).toBe(
          text === '' ? 0 : text.replace(/(?:\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/).length,
        );
      }),
      RUNS,
    );
  });
});

function flat(lists: ReadonlyMap<string, readonly number[]>): string[] {
  return [...lists].flatMap(([topic, list]) => list.map((partition) => `${topic}-${partition}`));
}

function duplicates(lines: readonly MemberLine[]): string[] {
  const all = lines.flatMap((line) => flat(line.assignment));
  return all.filter((tp, i) => all.indexOf(tp) !== i);
}
