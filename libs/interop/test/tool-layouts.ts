/**
 * The tables of `kafka-consumer-groups` and the lines of `kafka-topics` as each version lays them out, to write fixtures
 * and round trips with. Widths: ids at least 15, numbers fixed, one blank between columns, the last column not padded.
 */

export interface OffsetLine {
  readonly group: string;
  readonly topic?: string;
  readonly partition?: number;
  readonly leaderEpoch?: number;
  readonly current?: number;
  readonly end?: number;
  readonly lag?: number;
  readonly member?: string;
  readonly host?: string;
  readonly client?: string;
}

export interface MemberLine {
  readonly group: string;
  readonly member: string;
  readonly instance?: string;
  readonly host: string;
  readonly client: string;
  readonly assignment: ReadonlyMap<string, readonly number[]>;
  readonly target?: ReadonlyMap<string, readonly number[]>;
  readonly epoch?: number;
  readonly targetEpoch?: number;
  readonly upgraded?: boolean;
}

type Cell = string | number | boolean | undefined;

function table(header: readonly string[], rows: readonly (readonly Cell[])[], widths: readonly (number | undefined)[]) {
  const texts = [header, ...rows.map((row) => row.map((cell) => (cell === undefined ? '-' : `${cell}`)))];
  const fitted = widths.map((width, c) =>
    width === undefined ? undefined : Math.max(width, ...texts.map((t) => t[c]!.length)),
  );
  return texts
    .map((cells) => cells.map((cell, c) => (fitted[c] === undefined ? cell : cell.padEnd(fitted[c]))).join(' '))
    .join('\n');
}

/** Offsets view: `old` up to 2.2, `current` from 2.3, `verbose` from 4.0 with --verbose. */
export function offsetsView(version: 'old' | 'current' | 'verbose', lines: readonly OffsetLine[]): string {
  const header = ['TOPIC', 'PARTITION', 'CURRENT-OFFSET', 'LOG-END-OFFSET', 'LAG', 'CONSUMER-ID', 'HOST', 'CLIENT-ID'];
  const widths: (number | undefined)[] = [15, 10, 15, 15, 15, 15, 15, undefined];
  const rows = lines.map((line): Cell[] => [
    line.topic,
    line.partition,
    line.current,
    line.end,
    line.lag,
    line.member,
    line.host,
    line.client,
  ]);
  if (version === 'verbose') {
    header.splice(2, 0, 'LEADER-EPOCH');
    widths.splice(2, 0, 15);
    rows.forEach((row, i) => row.splice(2, 0, lines[i]!.leaderEpoch));
  }
  if (version !== 'old') {
    header.unshift('GROUP');
    widths.unshift(15);
    rows.forEach((row, i) => row.unshift(lines[i]!.group));
  }
  return `\n${table(header, rows, widths)}\n`;
}

/** Members view: plain, or verbose in the grammar of 1.1 to 3.7, of 3.8 and 3.9, or of 4.0 and later. */
export function membersView(
  version: '1.1' | '2.3' | '3.8' | '4.0',
  lines: readonly MemberLine[],
  options: { verbose: boolean; instances: boolean; upgraded?: boolean },
): string {
  const header = ['CONSUMER-ID', 'HOST', 'CLIENT-ID', '#PARTITIONS'];
  const widths: (number | undefined)[] = [15, 15, 15, 15];
  const rows = lines.map((line): Cell[] => [line.member, line.host, line.client, countOf(line.assignment)]);
  if (options.instances) {
    header.splice(1, 0, 'GROUP-INSTANCE-ID');
    widths.splice(1, 0, 17);
    rows.forEach((row, i) => row.splice(1, 0, lines[i]!.instance ?? ''));
  }
  if (version !== '1.1') {
    header.unshift('GROUP');
    widths.unshift(15);
    rows.forEach((row, i) => row.unshift(lines[i]!.group));
  }
  if (options.verbose && version === '4.0') {
    header.push('CURRENT-EPOCH', 'CURRENT-ASSIGNMENT', 'TARGET-EPOCH', 'TARGET-ASSIGNMENT');
    widths.push(15, 20, 15, 20);
    rows.forEach((row, i) => {
      const { epoch, assignment, targetEpoch, target } = lines[i]!;
      row.push(epoch, topicList(assignment), targetEpoch, topicList(target ?? new Map()));
    });
    if (options.upgraded) {
      header.push('UPGRADED');
      widths.push(undefined);
      rows.forEach((row, i) => row.push(lines[i]!.upgraded));
    }
  } else if (options.verbose) {
    header.push('ASSIGNMENT');
    widths.push(undefined);
    rows.forEach((row, i) => row.push(assignmentCell(lines[i]!.assignment, version === '3.8')));
  }
  return `\n${table(header, rows, widths)}\n`;
}

function countOf(assignment: ReadonlyMap<string, readonly number[]>): number {
  return [...assignment.values()].reduce((sum, list) => sum + list.length, 0);
}

function topicList(assignment: ReadonlyMap<string, readonly number[]>): string | undefined {
  if (assignment.size === 0) return undefined;
  return [...assignment].map(([topic, numbers]) => `${topic}:${numbers.join(',')}`).join(';');
}

/** 3.8 and 3.9 lost the topic names and sort the numbers as text. */
function assignmentCell(assignment: ReadonlyMap<string, readonly number[]>, namesLost: boolean): string | undefined {
  if (assignment.size === 0) return undefined;
  return [...assignment]
    .map(([topic, numbers]) =>
      namesLost ? `(${numbers.map(String).sort().join(',')})` : `${topic}(${numbers.join(',')})`,
    )
    .sort()
    .join(', ');
}

export interface TopicLayout {
  readonly name: string;
  readonly id?: string | undefined;
  readonly configs?: string;
  readonly partitions: readonly {
    readonly leader: number | undefined;
    readonly replicas: readonly number[];
    readonly isr: readonly number[];
    readonly adding?: readonly number[];
    readonly removing?: readonly number[];
    readonly elr?: readonly number[];
    readonly lastKnownElr?: readonly number[];
  }[];
}

/** `kafka-topics --describe`: up to 2.3, from 2.4, from 2.8 (topic id, reassignments), from 3.7 on (ELR). */
export function topicsDescribe(version: '1.1' | '2.4' | '2.8' | '4.0', topics: readonly TopicLayout[]): string {
  return topics.map((topic) => `${topicLine(version, topic)}\n${partitionLines(version, topic)}`).join('');
}

function topicLine(version: string, topic: TopicLayout): string {
  const gap = version === '1.1' ? '' : ' ';
  const fields = [
    ['Topic', topic.name],
    ...(topic.id === undefined || version < '2.8' ? [] : [['TopicId', topic.id]]),
    ['PartitionCount', topic.partitions.length],
    ['ReplicationFactor', topic.partitions[0]?.replicas.length ?? 0],
    ['Configs', topic.configs ?? ''],
  ];
  return fields.map(([key, value]) => `${key}:${gap}${value}`).join('\t');
}

function partitionLines(version: string, topic: TopicLayout): string {
  return topic.partitions
    .map((p, number) => {
      const fields: [string, string | number][] = [
        ['Topic', topic.name],
        ['Partition', number],
        ['Leader', p.leader ?? 'none'],
        ['Replicas', p.replicas.join(',')],
        ['Isr', p.isr.join(',')],
      ];
      if (version >= '2.8' && (p.adding ?? p.removing)) {
        fields.push(
          ['Adding Replicas', (p.adding ?? []).join(',')],
          ['Removing Replicas', (p.removing ?? []).join(',')],
        );
      }
      if (version === '4.0') {
        fields.push(['Elr', p.elr?.join(',') ?? 'N/A'], ['LastKnownElr', p.lastKnownElr?.join(',') ?? 'N/A']);
      }
      return fields.map(([key, value]) => `\t${key}: ${value}`).join('') + '\n';
    })
    .join('');
}
