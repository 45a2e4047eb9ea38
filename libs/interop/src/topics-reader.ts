import type { PartitionRecord, TopicRecord } from './describe-record.js';
import { readDescribeRecord } from './describe-record.js';
import type { ImportedPartition, ImportedTopic } from './import-result.js';
import type { LineLedger } from './line-ledger.js';
import { formatRanges } from './paste.js';

interface TopicDraft {
  readonly name: string;
  own: (TopicRecord & { readonly index: number }) | undefined;
  readonly partitions: Map<number, PartitionRecord & { readonly index: number }>;
  markedForDeletion: boolean;
}

/** A record that a terminal broke is looked for in at most this many lines. */
const MAX_WRAPPED_LINES = 4;

/** Gathers the topics of `kafka-topics --describe`. */
export class TopicsReader {
  readonly #drafts = new Map<string, TopicDraft>();

  constructor(readonly ledger: LineLedger) {}

  static startsRecord(line: string): boolean {
    return line.trimStart().startsWith('Topic:');
  }

  /**
   * Reads the record that starts at `index`. `freeLines` is the number of lines right after it that are nothing else, so
   * they can only be its wrapped rest. Answers the number of lines consumed.
   */
  read(index: number, freeLines: number): number {
    const { lines } = this.ledger;
    const alone = readDescribeRecord(lines[index]!);
    const rest = Math.min(freeLines, MAX_WRAPPED_LINES - 1);
    const endsOpen = alone.type === 'problem' || (alone.type === 'topic' && !alone.complete);
    if (rest === 0) {
      this.#accept(index, 1, alone);
      return 1;
    }
    if (alone.type === 'topic' && alone.complete) return this.#readWrappedConfigs(index, alone, rest);
    const joined = joinings(lines.slice(index, index + 1 + rest))
      .map(({ text, count }) => ({ record: readDescribeRecord(text), count }))
      .filter(({ record }) => record.type === 'partition' || (record.type === 'topic' && record.complete));
    const readings = new Map(joined.map((reading) => [fingerprint(reading.record), reading]));
    // A rest that brings a field of its own, and fits, is no accident.
    const restHasField = joined.length > 0 && lines[index + 1]!.includes(':');
    const aloneReads = !endsOpen && !restHasField && !readings.has(fingerprint(alone));
    if (aloneReads) readings.set(fingerprint(alone), { record: alone, count: 1 });
    if (readings.size === 1) {
      const { record, count } = [...readings.values()][0]!;
      this.#accept(index, count, record);
      return count;
    }
    if (readings.size === 0) {
      this.#accept(index, 1, alone);
      return 1;
    }
    this.ledger.notUnderstood(
      index,
      'topic-partition',
      'A line break was put into this record and it can be read in more than one way. Paste it as one line.',
    );
    this.ledger.continuation(index, 1 + rest, 'not-understood');
    return 1 + rest;
  }

  /** Configs are the end of a topic's line and free text: lines without blanks directly below continue them. */
  #readWrappedConfigs(index: number, alone: TopicRecord, rest: number): number {
    const { lines } = this.ledger;
    let found = { record: alone, count: 1 };
    let text = lines[index]!.trimEnd();
    for (let count = 2; count <= rest + 1 && alone.configs.size > 0; count++) {
      const next = lines[index + count - 1]!.trim();
      if (!/^[\w.=,:*/-]+(?:\s+MarkedForDeletion: ?true)?$/.test(next)) break;
      text += next;
      const record = readDescribeRecord(text);
      if (record.type !== 'topic') break;
      found = { record, count };
    }
    this.#accept(index, found.count, found.record);
    return found.count;
  }

  #accept(index: number, count: number, record: ReturnType<typeof readDescribeRecord>): void {
    if (record.type === 'problem') {
      this.ledger.notUnderstood(index, 'topic-partition', record.reason);
      return;
    }
    const draft = this.#draft(record.topic);
    const status =
      record.type === 'topic' ? this.#acceptTopic(draft, record, index) : this.#acceptPartition(draft, record, index);
    this.ledger.continuation(index, count, status === 'not-understood' ? status : 'understood');
    if (count > 1 && status !== 'not-understood') {
      const lineNumbers = Array.from({ length: count }, (_, offset) => index + offset + 1);
      this.ledger.warn({
        code: 'wrapped-lines',
        message: `Lines ${index + 1} to ${index + count} were read as one line of topic ${record.topic}.`,
        lineNumbers,
        topic: record.topic,
      });
    }
    if (record.markedForDeletion) draft.markedForDeletion = true;
  }

  #draft(name: string): TopicDraft {
    let draft = this.#drafts.get(name);
    if (draft === undefined) {
      draft = { name, own: undefined, partitions: new Map(), markedForDeletion: false };
      this.#drafts.set(name, draft);
    }
    return draft;
  }

  #acceptTopic(draft: TopicDraft, record: TopicRecord, index: number) {
    if (draft.own !== undefined) return this.#repeated('topic', record, index, draft.own);
    draft.own = { ...record, index };
    const count = record.partitionCount === 1 ? '1 partition' : `${record.partitionCount} partitions`;
    this.ledger.understood(index, 'topic', `Topic ${record.topic}, ${count}.`);
    return 'understood' as const;
  }

  #acceptPartition(draft: TopicDraft, record: PartitionRecord, index: number) {
    const earlier = draft.partitions.get(record.partition);
    if (earlier !== undefined) return this.#repeated('topic-partition', record, index, earlier);
    draft.partitions.set(record.partition, { ...record, index });
    const leader = record.leader === undefined ? 'no leader' : `leader ${record.leader}`;
    this.ledger.understood(index, 'topic-partition', `Partition ${record.topic}-${record.partition}, ${leader}.`);
    return 'understood' as const;
  }

  #repeated(
    kind: 'topic' | 'topic-partition',
    record: TopicRecord | PartitionRecord,
    index: number,
    earlier: (TopicRecord | PartitionRecord) & { readonly index: number },
  ) {
    const { index: earlierIndex, ...first } = earlier;
    const same = fingerprint(record) === fingerprint(first);
    const status = same ? ('ignored' as const) : ('not-understood' as const);
    const what = record.type === 'topic' ? `topic ${record.topic}` : `partition ${record.topic}-${record.partition}`;
    this.ledger.report(
      index,
      kind,
      status,
      same
        ? `Repeats line ${earlierIndex + 1}.`
        : `Contradicts line ${earlierIndex + 1} about ${what}; that line was kept. Paste one description only.`,
    );
    this.ledger.warn({
      code: same ? 'duplicate-line' : 'conflicting-lines',
      message: `Lines ${earlierIndex + 1} and ${index + 1} both describe ${what}${same ? '' : ', differently; the first was kept'}.`,
      lineNumbers: [earlierIndex + 1, index + 1],
      topic: record.topic,
      ...(record.type === 'partition' ? { partition: record.partition } : {}),
    });
    return status;
  }

  finish(): ImportedTopic[] {
    return [...this.#drafts.values()].map((draft) => this.#finishTopic(draft));
  }

  #finishTopic(draft: TopicDraft): ImportedTopic {
    const records = [...draft.partitions.values()].sort((a, b) => a.partition - b.partition);
    const declared = draft.own?.partitionCount;
    const listed = records.length;
    const highest = records.at(-1)?.partition ?? -1;
    let partitionCount = declared;
    if (declared !== undefined && highest >= declared) partitionCount = highest === listed - 1 ? listed : undefined;
    this.#warnAboutCounts(draft, records, partitionCount);
    this.#warnAboutPartitions(draft.name, records);
    if (draft.markedForDeletion) {
      const line = (draft.own?.index ?? records[0]!.index) + 1;
      this.#warn('marked-for-deletion', draft.name, `Topic ${draft.name} is marked for deletion.`, [line]);
    }
    return {
      name: draft.name,
      topicId: draft.own?.topicId,
      partitionCount,
      declaredPartitionCount: declared,
      replicationFactor: draft.own?.replicationFactor,
      configs: draft.own?.configs ?? new Map(),
      markedForDeletion: draft.markedForDeletion,
      partitions: records.map(toImportedPartition),
      lineNumber: draft.own === undefined ? undefined : draft.own.index + 1,
    };
  }

  #warnAboutCounts(
    draft: TopicDraft,
    records: readonly (PartitionRecord & { readonly index: number })[],
    partitionCount: number | undefined,
  ): void {
    const { name, own } = draft;
    const listed = records.length;
    if (own === undefined) {
      const message =
        `Topic ${name} has ${listed} partition line(s) but not its own line, so its partition count is unknown. ` +
        'Paste the line with PartitionCount too.';
      this.#warn('topic-line-missing', name, message, [records[0]!.index + 1]);
      return;
    }
    const ownLine = [own.index + 1];
    const highest = records.at(-1)?.partition ?? -1;
    if (highest >= own.partitionCount) {
      const outcome =
        partitionCount === undefined
          ? `partition ${highest} is listed and others are not: the count is unknown`
          : `taken as ${partitionCount}`;
      const message = `Topic ${name}: declared ${own.partitionCount}, listed ${listed} partitions; ${outcome}.`;
      this.#warn('declared-count-mismatch', name, message, ownLine);
    }
    const gaps = missingRanges(
      records.map(({ partition }) => partition),
      Math.max(own.partitionCount, highest + 1),
    );
    if (gaps.length > 0) {
      const message =
        `Topic ${name}: declared ${own.partitionCount}, listed ${listed} partitions; missing: ${formatRanges(gaps)}. ` +
        'Their leaders and replicas are unknown.';
      this.#warn('partitions-not-listed', name, message, ownLine);
    }
  }

  #warnAboutPartitions(topic: string, records: readonly (PartitionRecord & { readonly index: number })[]): void {
    const checks = [
      ['no-leader', 'without a leader', (r: PartitionRecord) => r.leader === undefined],
      ['replicas-inconsistent', 'with a leader or in-sync replica that is not among the replicas', isInconsistent],
      [
        'reassignment-in-progress',
        'being reassigned',
        (r: PartitionRecord) => r.addingReplicas.length + r.removingReplicas.length > 0,
      ],
    ] as const;
    for (const [code, what, applies] of checks) {
      const found = records.filter(applies);
      if (found.length === 0) continue;
      const numbers = formatRanges(found.map(({ partition }) => [partition, partition]));
      this.#warn(
        code,
        topic,
        `Topic ${topic} has partitions ${what}: ${numbers}.`,
        found.map(({ index }) => index + 1),
      );
    }
  }

  #warn(
    code: Parameters<LineLedger['warn']>[0]['code'],
    topic: string,
    message: string,
    lineNumbers: readonly number[],
  ): void {
    this.ledger.warn({ code, message, lineNumbers, topic });
  }
}

function isInconsistent({ leader, replicas, isr }: PartitionRecord): boolean {
  const known = new Set(replicas);
  return (leader !== undefined && !known.has(leader)) || isr.some((broker) => !known.has(broker));
}

function toImportedPartition(record: PartitionRecord & { readonly index: number }): ImportedPartition {
  const { partition, leader, replicas, isr, addingReplicas, removingReplicas, elr, lastKnownElr, index } = record;
  return {
    partition,
    leader,
    replicas,
    isr,
    addingReplicas,
    removingReplicas,
    elr,
    lastKnownElr,
    lineNumber: index + 1,
  };
}

/** The numbers of 0..count-1 that `ascending` does not have, as ranges; `count` may be huge. */
function missingRanges(ascending: readonly number[], count: number): [number, number][] {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const number of ascending) {
    if (number > next) gaps.push([next, number - 1]);
    next = number + 1;
  }
  if (next < count) gaps.push([next, count - 1]);
  return gaps;
}

/** The ways to take line breaks out again: at each one the text goes on directly, or a blank or tab was lost there. */
function joinings(lines: readonly string[]): { text: string; count: number }[] {
  const found: { text: string; count: number }[] = [];
  let texts = [lines[0]!.trimEnd()];
  for (let count = 2; count <= lines.length; count++) {
    const next = lines[count - 1]!.trim();
    texts = texts.flatMap((text) => [text + next, `${text} ${next}`]);
    for (const text of texts) found.push({ text, count });
  }
  return found;
}

function fingerprint(record: object): string {
  return JSON.stringify(record, (_, value: unknown) =>
    value instanceof Map ? [...(value as Map<string, string>)] : value,
  );
}
