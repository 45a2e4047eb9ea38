import type { GroupDraft, MemberRow, OffsetRow, OwnerRow, StateFact } from './group-draft.js';
import { groupName, newGroupDraft } from './group-draft.js';
import { finishGroup } from './group-merge.js';
import { readMemberRow, readOffsetsRow, readStateRow } from './group-rows.js';
import type { ImportWarning, ImportedGroup, LineKind } from './import-result.js';
import type { LineLedger } from './line-ledger.js';
import { quote } from './paste.js';
import type { TableHeader } from './table-columns.js';
import { joinHeader, looksLikeHeader, looksLikeHeaderRest, readHeader } from './table-columns.js';
import type { Cells } from './table-row.js';
import { readWrappedRow } from './wrapped-row.js';

interface Table {
  readonly header: TableHeader;
  readonly index: number;
  /** Of the longest line down to the next table: where a terminal cut, if it did. */
  readonly width: number;
  /** What the command line or message right above it named; for a table without a GROUP column. */
  readonly namedGroup: string | undefined;
  /** The group of a table that nothing names. */
  unnamed: GroupDraft | undefined;
}

const KINDS: Readonly<Record<TableHeader['view'], LineKind>> = {
  offsets: 'group-partition',
  members: 'group-member',
  state: 'group-state',
};

/** A header may be broken into at most this many lines. */
const MAX_HEADER_LINES = 5;

/** Gathers the groups of `kafka-consumer-groups --describe`: all three views, in any order and mixture. */
export class GroupsReader {
  readonly #groups = new Map<string, GroupDraft>();
  readonly #unnamed: GroupDraft[] = [];
  #table: Table | undefined;
  /** The group that the last command line or message named, for the next table, if that does not name its own. */
  #namedBefore: string | undefined;

  constructor(
    readonly ledger: LineLedger,
    readonly defaultGroupId: string | undefined,
  ) {}

  get table(): TableHeader | undefined {
    return this.#table?.header;
  }

  /** Something else begins: the lines that follow are no rows of the table before. */
  endTable(): void {
    this.#table = undefined;
  }

  /** A command line was pasted; the table after it is about this group, if it names exactly one. */
  nameGroup(groupIds: readonly string[]): void {
    this.#namedBefore = groupIds.length === 1 ? groupIds[0] : undefined;
  }

  acceptMessage(groupId: string, fact: Omit<StateFact, 'index'>, index: number): void {
    this.#namedBefore = groupId;
    this.#draft(groupId, index).states.push({ ...fact, index });
  }

  /** Reads a table's header, if there is one at `index`; answers the number of lines consumed. */
  readHeader(index: number): number {
    const { lines } = this.ledger;
    if (!looksLikeHeader(lines[index]!)) return 0;
    let found = { header: readHeader(lines[index]!, true), count: 1 };
    let text = lines[index]!;
    for (let count = 2; count <= MAX_HEADER_LINES; count++) {
      const rest = lines[index + count - 1] ?? '';
      if (!looksLikeHeaderRest(rest)) break;
      text = joinHeader(text, rest);
      const header = readHeader(text, false);
      if (header !== undefined && 'view' in header && header.unknownColumns.length === 0) found = { header, count };
    }
    return this.#acceptHeader(index, found.header, found.count);
  }

  #acceptHeader(index: number, header: ReturnType<typeof readHeader>, count: number): number {
    if (header === undefined) return 0;
    if ('missing' in header) {
      this.endTable();
      this.ledger.notUnderstood(
        index,
        'table-header',
        `A table without the column(s) ${header.missing.join(', ')}: cut, or of a version before Kafka 1.0. Paste it whole.`,
      );
      return 1;
    }
    this.ledger.understood(index, 'table-header', `Header of the ${header.view} view.`);
    this.ledger.continuation(index, count, 'understood');
    if (header.unknownColumns.length > 0) {
      this.ledger.warn({
        code: 'unknown-column',
        message: `Column(s) ${header.unknownColumns.map(quote).join(', ')} are not known and were left out.`,
        lineNumbers: [index + 1],
      });
    }
    const namedGroup = this.#namedBefore;
    this.#namedBefore = undefined;
    this.#table = { header, index, width: this.#widthFrom(index, count), namedGroup, unnamed: undefined };
    return count;
  }

  #widthFrom(index: number, headerLines: number): number {
    const { lines } = this.ledger;
    let width = 0;
    for (let i = index; i < lines.length && (i < index + headerLines || !looksLikeHeader(lines[i]!)); i++) {
      width = Math.max(width, lines[i]!.length);
    }
    return width;
  }

  /** Reads the row at `index` of the current table; answers the number of lines consumed. */
  readRow(index: number, freeLines: number): number {
    const table = this.#table!;
    const kind = KINDS[table.header.view];
    const reading = readWrappedRow(
      { header: table.header, width: table.width, lines: this.ledger.lines },
      index,
      freeLines,
    );
    const { count } = reading;
    if ('reason' in reading) {
      this.ledger.notUnderstood(index, kind, reading.reason);
      return count;
    }
    const problem = this.#acceptRow(table, reading.cells, index);
    if (problem !== undefined) this.ledger.notUnderstood(index, kind, problem);
    this.ledger.continuation(index, count, problem === undefined ? 'understood' : 'not-understood');
    if (count > 1 && problem === undefined) {
      this.ledger.warn({
        code: 'wrapped-lines',
        message: `Lines ${index + 1} to ${index + count} were read as one row.`,
        lineNumbers: Array.from({ length: count }, (_, offset) => index + offset + 1),
      });
    }
    if (reading.doubtfulRest) {
      this.ledger.notUnderstood(
        index + count,
        'continuation',
        `May be the rest of line ${index + count}, whose last cell may be cut.`,
      );
      return count + 1;
    }
    return count;
  }

  #acceptRow(table: Table, cells: Cells, index: number): string | undefined {
    const draft = this.#groupOf(table, cells, index);
    if (table.header.view === 'state') return this.#acceptState(draft, readStateRow(cells, index));
    if (table.header.view === 'members') {
      const row = readMemberRow(table.header, cells, index);
      return 'problem' in row ? row.problem : this.#acceptMember(draft, row);
    }
    const row = readOffsetsRow(cells, index);
    if ('problem' in row) return row.problem;
    draft.hasOffsetsView = true;
    if (row.partition === undefined) {
      draft.showsIdleMembers = true;
      this.ledger.understood(index, 'group-partition', `Member ${row.owner!.memberId} without partitions.`);
    } else {
      const problem = this.#acceptPartition(draft, row.partition);
      if (problem !== undefined) return problem;
    }
    if (row.owner !== undefined) this.#acceptOwner(draft, row.owner);
    return undefined;
  }

  #groupOf(table: Table, cells: Cells, index: number): GroupDraft {
    const groupId = cells.get('GROUP') ?? table.namedGroup ?? this.defaultGroupId;
    if (groupId !== undefined) return this.#draft(groupId, index);
    if (table.unnamed === undefined) {
      table.unnamed = newGroupDraft(undefined, table.index);
      this.#unnamed.push(table.unnamed);
    }
    return table.unnamed;
  }

  #draft(groupId: string, index: number): GroupDraft {
    let draft = this.#groups.get(groupId);
    if (draft === undefined) {
      draft = newGroupDraft(groupId, index);
      this.#groups.set(groupId, draft);
    }
    return draft;
  }

  #acceptState(draft: GroupDraft, fact: StateFact): undefined {
    draft.states.push(fact);
    const count = fact.memberCount === 1 ? '1 member' : `${fact.memberCount ?? 'unknown number of'} members`;
    this.ledger.understood(fact.index, 'group-state', `${groupName(draft.groupId)}: ${fact.kafkaState}, ${count}.`);
  }

  #acceptMember(draft: GroupDraft, row: MemberRow): undefined {
    draft.hasMembersView = true;
    const earlier = draft.members.get(row.memberId);
    if (earlier !== undefined) {
      this.#repeated('group-member', row, earlier, { draft, what: `member ${row.memberId}`, memberId: row.memberId });
      return;
    }
    draft.members.set(row.memberId, row);
    const assignment = row.topicNamesMissing
      ? 'its assignment is not readable: topic names are not present in this tool version, use the offsets view'
      : `${row.declaredPartitionCount ?? 'unknown number of'} partition(s)`;
    this.ledger.understood(row.index, 'group-member', `Member ${row.memberId}, ${assignment}.`);
  }

  #acceptOwner(draft: GroupDraft, owner: OwnerRow): void {
    const earlier = draft.owners.get(owner.memberId);
    if (earlier === undefined) draft.owners.set(owner.memberId, owner);
    else if (earlier.clientId !== owner.clientId || earlier.host !== owner.host) {
      this.ledger.warn({
        code: 'conflicting-lines',
        message: `Lines ${earlier.index + 1} and ${owner.index + 1} give member ${owner.memberId} different hosts or client ids; the first was kept.`,
        lineNumbers: [earlier.index + 1, owner.index + 1],
        memberId: owner.memberId,
        ...groupIdOf(draft),
      });
    }
  }

  #acceptPartition(draft: GroupDraft, row: OffsetRow): string | undefined {
    const { topic, partition, memberId, index } = row;
    let partitions = draft.partitions.get(topic);
    if (partitions === undefined) draft.partitions.set(topic, (partitions = new Map()));
    const earlier = partitions.get(partition);
    const what = `partition ${topic}-${partition}`;
    if (earlier === undefined) {
      partitions.set(partition, { row, otherOwners: [] });
    } else {
      const rows = [earlier.row, ...earlier.otherOwners];
      const sameOwner = rows.find((other) => other.memberId === memberId);
      if (sameOwner !== undefined || rows.some((other) => other.memberId === undefined) || memberId === undefined) {
        this.#repeated('group-partition', row, sameOwner ?? earlier.row, { draft, what, topic, partition });
        return undefined;
      }
      earlier.otherOwners.push(row);
    }
    const owner = memberId === undefined ? 'without owner' : `owned by ${memberId}`;
    this.ledger.understood(index, 'group-partition', `Partition ${topic}-${partition} ${owner}.`);
    return undefined;
  }

  /** A row about something that an earlier row was about: the same again, or a contradiction. */
  #repeated(
    kind: LineKind,
    row: OffsetRow | MemberRow,
    earlier: OffsetRow | MemberRow,
    about: { draft: GroupDraft; what: string } & Pick<ImportWarning, 'topic' | 'partition' | 'memberId'>,
  ): void {
    const { draft, what, ...subject } = about;
    const same = contentOf(row) === contentOf(earlier);
    const [first, second] = [earlier.index + 1, row.index + 1];
    if (same) this.ledger.ignored(row.index, kind, `Repeats line ${first}.`);
    else {
      const detail = `Contradicts line ${first} about ${what}; that line was kept. Paste one description only.`;
      this.ledger.notUnderstood(row.index, kind, detail);
    }
    this.ledger.warn({
      code: same ? 'duplicate-line' : 'conflicting-lines',
      message: `Lines ${first} and ${second} both describe ${what}${same ? '' : ', differently; the first was kept'}.`,
      lineNumbers: [first, second],
      ...subject,
      ...groupIdOf(draft),
    });
  }

  finish(): ImportedGroup[] {
    const drafts = [...this.#groups.values(), ...this.#unnamed].sort((a, b) => a.index - b.index);
    const groups = drafts.map((draft) => finishGroup(draft, this.ledger));
    this.#warnAboutHiddenMembers(drafts);
    return groups;
  }

  /** The offsets view leaves out members without partitions from Kafka 1.1 on; a member count can show that none is missing. */
  #warnAboutHiddenMembers(drafts: readonly GroupDraft[]): void {
    const open = drafts.filter(({ hasOffsetsView, hasMembersView, showsIdleMembers, owners, states }) => {
      const isComplete = showsIdleMembers || states.some(({ memberCount }) => memberCount === owners.size);
      return hasOffsetsView && !hasMembersView && owners.size > 0 && !isComplete;
    });
    if (open.length === 0) return;
    this.ledger.warn({
      code: 'idle-members-not-shown',
      message:
        `${open.length} group(s) are known from the offsets view alone, which leaves out members without partitions. ` +
        'Paste the members view (--describe --members) too, so that they take part in plans.',
      lineNumbers: open.map(({ index }) => index + 1),
      ...(open.length === 1 ? groupIdOf(open[0]!) : {}),
    });
  }
}

function groupIdOf(draft: GroupDraft): { groupId?: string } {
  return draft.groupId === undefined ? {} : { groupId: draft.groupId };
}

function contentOf({ index: _index, ...content }: OffsetRow | MemberRow): string {
  return JSON.stringify(content, (_, value: unknown) =>
    value instanceof Map ? [...(value as Map<string, unknown>)] : value,
  );
}
