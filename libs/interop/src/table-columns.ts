/** The three tables of `kafka-consumer-groups --describe`. */
export type TableView = 'offsets' | 'members' | 'state';

/** Columns that any version prints. */
export type ColumnName =
  | 'GROUP'
  | 'TOPIC'
  | 'PARTITION'
  | 'LEADER-EPOCH'
  | 'CURRENT-OFFSET'
  | 'LOG-END-OFFSET'
  | 'LAG'
  | 'CONSUMER-ID'
  | 'GROUP-INSTANCE-ID'
  | 'HOST'
  | 'CLIENT-ID'
  | '#PARTITIONS'
  | 'ASSIGNMENT'
  | 'CURRENT-EPOCH'
  | 'CURRENT-ASSIGNMENT'
  | 'TARGET-EPOCH'
  | 'TARGET-ASSIGNMENT'
  | 'UPGRADED'
  | 'COORDINATOR (ID)'
  | 'ASSIGNMENT-STRATEGY'
  | 'STATE'
  | 'GROUP-EPOCH'
  | 'TARGET-ASSIGNMENT-EPOCH'
  | '#MEMBERS';

export interface Column {
  readonly name: string;
  /** Where its header starts in the line, and so does each of its cells, unless a cell before it was too long. */
  readonly start: number;
}

export interface TableHeader {
  readonly view: TableView;
  readonly columns: readonly Column[];
  /** Columns that no known version prints. */
  readonly unknownColumns: readonly string[];
  /** Whether the header is one line as printed, so that `start` can be trusted. */
  readonly aligned: boolean;
  /** Whether tabs separate the columns (a paste out of a spreadsheet). */
  readonly tabbed: boolean;
}

const KNOWN = new Set<string>([
  ...['GROUP', 'TOPIC', 'PARTITION', 'LEADER-EPOCH', 'CURRENT-OFFSET', 'LOG-END-OFFSET', 'LAG', 'CONSUMER-ID', 'HOST'],
  ...['GROUP-INSTANCE-ID', 'CLIENT-ID', '#PARTITIONS', 'ASSIGNMENT', 'CURRENT-EPOCH', 'CURRENT-ASSIGNMENT'],
  ...['TARGET-EPOCH', 'TARGET-ASSIGNMENT', 'UPGRADED', 'COORDINATOR (ID)', 'ASSIGNMENT-STRATEGY', 'STATE'],
  ...['GROUP-EPOCH', 'TARGET-ASSIGNMENT-EPOCH', '#MEMBERS'],
]);
const FIRST_WORDS = new Set(['GROUP', 'TOPIC', 'CONSUMER-ID', 'COORDINATOR']);
const HEADER_WORD = /^#?[A-Z][A-Z-]{0,40}$/;
const MAX_HEADER_LENGTH = 20_000;

const REQUIRED: Readonly<Record<TableView, readonly ColumnName[]>> = {
  offsets: ['TOPIC', 'PARTITION', 'CURRENT-OFFSET', 'LOG-END-OFFSET', 'LAG', 'CONSUMER-ID', 'HOST', 'CLIENT-ID'],
  members: ['CONSUMER-ID', 'HOST', 'CLIENT-ID', '#PARTITIONS'],
  state: ['COORDINATOR (ID)', 'ASSIGNMENT-STRATEGY', 'STATE', '#MEMBERS'],
};

/** Whether a line may be the first, or only, line of a table's header. */
export function looksLikeHeader(line: string): boolean {
  if (line.length > MAX_HEADER_LENGTH) return false;
  const words = line.trim().split(/\s+/, 2);
  return FIRST_WORDS.has(words[0]!) && words.length === 2 && /^[#(A-Z][A-Z()-]*$/.test(words[1]!);
}

/** Whether a line consists of nothing but header words, so that it can be the rest of a broken header. */
export function looksLikeHeaderRest(line: string): boolean {
  if (line.length > MAX_HEADER_LENGTH || line.trim() === '') return false;
  const isComplete = 'view' in (readHeader(line, false) ?? {});
  return (
    !isComplete &&
    line
      .trim()
      .split(/\s+/)
      .every((word) => /^[#(A-Z-][A-Z()-]{0,40}$/.test(word))
  );
}

/** Joins the parts of a broken header: directly if that completes a column's name, else with a blank. */
export function joinHeader(text: string, rest: string): string {
  const start = text.trimEnd();
  const end = rest.trim();
  const word = `${/\S*$/.exec(start)![0]}${/^\S*/.exec(end)![0]}`;
  return KNOWN.has(word) || word === 'COORDINATOR' || word === '(ID)' ? start + end : `${start} ${end}`;
}

/** Reads a header line, or tells what is missing in it. */
export function readHeader(
  line: string,
  aligned: boolean,
): TableHeader | { readonly missing: readonly string[] } | undefined {
  const columns: Column[] = [];
  for (const match of line.matchAll(/COORDINATOR\s+\(ID\)|\S+/g)) {
    const name = match[0].replace(/\s+/, ' ');
    if (!KNOWN.has(name) && !HEADER_WORD.test(name)) return undefined;
    columns.push({ name, start: match.index });
  }
  const names = new Set(columns.map(({ name }) => name));
  if (names.size < columns.length) return undefined;
  const view = names.has('TOPIC') || names.has('LAG') ? 'offsets' : names.has('CONSUMER-ID') ? 'members' : 'state';
  const missing = REQUIRED[view].filter((name) => !names.has(name));
  if (missing.length > 0) return { missing };
  const unknownColumns = columns.map(({ name }) => name).filter((name) => !KNOWN.has(name));
  return { view, columns, unknownColumns, aligned, tabbed: line.includes('\t') };
}
