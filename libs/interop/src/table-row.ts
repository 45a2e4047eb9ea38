import { isTopicName, readInt32, readSafeInteger } from './cell-values.js';
import { quote } from './paste.js';
import type { TableHeader } from './table-columns.js';

/** A row's cells by column name; `-` and empty cells are left out. */
export type Cells = ReadonlyMap<string, string>;

export type RowReading = { readonly cells: Cells } | { readonly reason: string };

const MISSING = '-';
const HOST = /^\/?[\w.:%-]{1,255}$/;
/** Kafka prints an address with Java's leading slash; people who edit a paste may drop it. */
const PRINTED_HOST = /^\//;
const COORDINATOR = /^[\w.:%-]{0,260}:\d{1,5}\s+\(-?\d{1,10}\)$/;
const UUID_END = /-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Columns whose cell Kafka leaves blank instead of printing a hyphen: a dynamic member, a group without an assignor. */
const MAY_BE_EMPTY = new Set(['GROUP-INSTANCE-ID', 'ASSIGNMENT-STRATEGY']);
/** Ids that a user chooses freely, so that they may contain blanks. */
const FREE_TEXT = new Set(['GROUP', 'CONSUMER-ID', 'CLIENT-ID']);

/** What a cell must look like, by column; a column not listed takes any text without blanks. */
const CHECKS: ReadonlyMap<string, readonly [(cell: string) => boolean, string]> = new Map([
  ['GROUP', [(cell) => cell !== MISSING, 'a group id']],
  ['TOPIC', [orMissing(isTopicName), 'a topic name']],
  ['PARTITION', [orMissing(isInt32), 'a partition number (0 to 2147483647)']],
  ['LEADER-EPOCH', [orMissing(isInt32), 'an epoch']],
  ['CURRENT-OFFSET', [orMissing(isOffset), 'an offset that can be held exactly']],
  ['LOG-END-OFFSET', [orMissing(isOffset), 'an offset that can be held exactly']],
  ['LAG', [orMissing((cell) => readSafeInteger(cell) !== undefined), 'a number of records that can be held exactly']],
  ['HOST', [orMissing((cell) => HOST.test(cell)), 'a host']],
  ['#PARTITIONS', [isInt32, 'a number of partitions']],
  ['CURRENT-EPOCH', [orMissing(isInt32), 'an epoch']],
  ['TARGET-EPOCH', [orMissing(isInt32), 'an epoch']],
  ['UPGRADED', [orMissing((cell) => cell === 'true' || cell === 'false'), 'true or false']],
  ['ASSIGNMENT', [isAssignmentText, 'an assignment such as "orders(0,1), pay(3)"']],
  ['CURRENT-ASSIGNMENT', [orMissing(isTopicList), 'an assignment such as "orders:0,1;pay:3"']],
  ['TARGET-ASSIGNMENT', [orMissing(isTopicList), 'an assignment such as "orders:0,1;pay:3"']],
  ['COORDINATOR (ID)', [orMissing((cell) => COORDINATOR.test(cell)), 'host:port (broker id)']],
  ['STATE', [(cell) => /^[A-Za-z_]{1,40}$/.test(cell), 'a group state']],
  ['GROUP-EPOCH', [orMissing(isInt32), 'an epoch']],
  ['TARGET-ASSIGNMENT-EPOCH', [orMissing(isInt32), 'an epoch']],
  ['#MEMBERS', [isInt32, 'a number of members']],
]);

function orMissing(check: (cell: string) => boolean): (cell: string) => boolean {
  return (cell) => cell === MISSING || check(cell);
}

function isInt32(cell: string): boolean {
  return readInt32(cell) !== undefined;
}

function isOffset(cell: string): boolean {
  return (readSafeInteger(cell) ?? -1) >= 0;
}

function isTopicList(cell: string): boolean {
  return /^[\w.-]+:\d/.test(cell) && /^[\w.:;,-]+\d$/.test(cell);
}

function isAssignmentText(cell: string): boolean {
  return cell === MISSING || (cell.includes('(') && cell.endsWith(')'));
}

/**
 * Reads a row by the positions of its header: every cell starts below its column's name, with a blank before it. This is
 * how Kafka prints, so ids with blanks in them are read right. `undefined` if the row does not keep to the columns.
 */
export function readAlignedRow(header: TableHeader, line: string): Cells | undefined {
  if (header.tabbed) return readTabbedRow(header, line);
  if (!header.aligned) return undefined;
  const cells = new Map<string, string>();
  for (let i = 0; i < header.columns.length; i++) {
    const { name, start } = header.columns[i]!;
    const end = header.columns[i + 1]?.start ?? line.length;
    if (start > 0 && start <= line.length && line[start - 1] !== ' ') return undefined;
    const raw = line.slice(start, end);
    const cell = raw.trimEnd();
    if (cell === '' ? !MAY_BE_EMPTY.has(name) : raw[0] === ' ') return undefined;
    if (!keep(cells, name, cell)) return undefined;
  }
  return cells;
}

function readTabbedRow(header: TableHeader, line: string): Cells | undefined {
  const pieces = line.split('\t');
  if (pieces.length !== header.columns.length) return undefined;
  const cells = new Map<string, string>();
  for (let i = 0; i < pieces.length; i++) {
    if (!keep(cells, header.columns[i]!.name, pieces[i]!.trim())) return undefined;
  }
  return cells;
}

/** Adds a cell if it is what its column holds. */
function keep(cells: Map<string, string>, name: string, cell: string): boolean {
  if (cell === '') return MAY_BE_EMPTY.has(name);
  if (CHECKS.get(name)?.[0](cell) === false) return false;
  if (cell !== MISSING) cells.set(name, cell);
  return true;
}

/** How freely words may be dealt out to columns. */
interface Dealing {
  /** Ids may take several words; then the host must have its slash, which tells it from them. */
  readonly longIds: boolean;
  /** Columns that Kafka may leave blank may be empty. */
  readonly emptyCells: boolean;
}

const ONE_WORD_EACH: Dealing = { longIds: false, emptyCells: false };
const SOME_EMPTY: Dealing = { longIds: false, emptyCells: true };
const LONG_IDS: Dealing = { longIds: true, emptyCells: true };

/** More words than any row has before its assignment; what is longer is no row. */
const MAX_WORDS = 64;

interface Word {
  readonly text: string;
  readonly start: number;
}

/** A row to be dealt out: its first words, and from where on the line can be the list of a last column ASSIGNMENT. */
interface RowText {
  readonly line: string;
  readonly words: readonly Word[];
  readonly listStart: number;
}

/**
 * Reads a row whose spacing was lost (or shifted by a long cell) by the shape of its cells: one word for each column if
 * that fits; else there must be exactly one way to deal the words out, where ids may take several and some cells may be
 * empty. Time is proportional to the length of the line.
 */
export function readRowByShape(header: TableHeader, line: string, wordsPerId: 'one' | 'any' = 'any'): RowReading {
  const words = firstWords(line);
  const endsWithList = header.columns.at(-1)!.name === 'ASSIGNMENT';
  if (!endsWithList && words.length > MAX_WORDS)
    return { reason: 'The line has more words than any row. It is something else.' };
  const row = { line, words, listStart: endsWithList ? listStartOf(line) : line.length };
  for (const dealing of wordsPerId === 'any' ? [ONE_WORD_EACH, LONG_IDS, SOME_EMPTY] : [ONE_WORD_EACH, SOME_EMPTY]) {
    const reading = dealOut(header, row, dealing);
    if (reading !== undefined) return reading;
  }
  return { reason: whyNot(header, words) };
}

/** Whether a line has more words than a row whose ids have no blanks. */
export function hasTooManyWords({ columns }: TableHeader, line: string): boolean {
  return columns.at(-1)!.name !== 'ASSIGNMENT' && firstWords(line).length > columns.length + 1;
}

function firstWords(line: string): Word[] {
  const words: Word[] = [];
  for (const match of line.matchAll(/\S+/g)) {
    words.push({ text: match[0], start: match.index });
    if (words.length > MAX_WORDS) break;
  }
  return words;
}

/** From where on a line is nothing but `topic(0,1), topic(2)`: no other characters, and blanks only after commas. */
function listStartOf(line: string): number {
  const text = line.trimEnd();
  if (!text.endsWith(')')) return line.length;
  let i = text.length;
  while (i > 0 && (isListCharacter(text, i - 1) || (text[i - 1] === ' ' && text[i - 2] === ','))) i--;
  return i;
}

function isListCharacter(text: string, at: number): boolean {
  return /[\w.(),-]/.test(text[at]!);
}

/** Whether the number of words alone leaves a chance. */
function couldFit({ columns }: TableHeader, words: number, { longIds, emptyCells }: Dealing): boolean {
  const names = columns.map(({ name }) => name);
  const most = names.length + (names.includes('COORDINATOR (ID)') ? 1 : 0);
  const least = emptyCells ? names.filter((name) => !MAY_BE_EMPTY.has(name)).length : names.length;
  return words >= least && (longIds || names.at(-1) === 'ASSIGNMENT' || words <= most);
}

/** The row if there is one way to read it, a reason if there are several, `undefined` if there is none. */
function dealOut(header: TableHeader, row: RowText, dealing: Dealing): RowReading | undefined {
  const { columns } = header;
  const { line, words } = row;
  if (!couldFit(header, words.length, dealing)) return undefined;
  const ways = countWays(header, row, dealing);
  if (ways[0]![0] === 0) return undefined;
  if (ways[0]![0]! > 1) {
    return {
      reason:
        'An id in this row seems to contain blanks and it can be read in more than one way. ' +
        'Paste the table with its original spacing.',
    };
  }
  const cells = new Map<string, string>();
  let from = 0;
  for (let c = 0; c < columns.length; c++) {
    const { name } = columns[c]!;
    if (name === 'ASSIGNMENT' && c === columns.length - 1) {
      keep(cells, name, line.slice(words[from]!.start).trimEnd());
      break;
    }
    let to = from;
    while (!(fits(name, words, from, to, dealing) && ways[c + 1]![to]! > 0)) to++;
    const last = words[to - 1];
    if (to > from) keep(cells, name, line.slice(words[from]!.start, last!.start + last!.text.length));
    from = to;
  }
  return { cells };
}

/** ways[c][w]: in how many ways columns c.. can take exactly the words w.., counted up to 2. */
function countWays({ columns }: TableHeader, row: RowText, dealing: Dealing): Uint8Array[] {
  const { words } = row;
  const ways = Array.from({ length: columns.length + 1 }, () => new Uint8Array(words.length + 1));
  ways[columns.length]![words.length] = 1;
  for (let c = columns.length - 1; c >= 0; c--) {
    const { name } = columns[c]!;
    if (name === 'ASSIGNMENT' && c === columns.length - 1) countLists(ways[c]!, row);
    else countColumn(name, ways[c]!, ways[c + 1]!, words, dealing);
  }
  return ways;
}

/** The last column ASSIGNMENT takes the rest of the line from a word on, if the rest is a list or a hyphen. */
function countLists(here: Uint8Array, { line, words, listStart }: RowText): void {
  words.forEach(({ text, start }, w) => {
    const isHyphen = text === MISSING && line.trimEnd().length === start + 1;
    if (isHyphen || (start >= listStart && text.includes('('))) here[w] = 1;
  });
}

function countColumn(
  name: string,
  here: Uint8Array,
  after: Uint8Array,
  words: readonly Word[],
  dealing: Dealing,
): void {
  const isId = dealing.longIds && FREE_TEXT.has(name);
  // The ways in which a cell of two or more words that starts before the current word can end.
  let longer = 0;
  for (let w = words.length; w >= 0; w--) {
    let count = fits(name, words, w, w, dealing) ? after[w]! : 0;
    if (w < words.length) {
      if (fits(name, words, w, w + 1, dealing)) count += after[w + 1]!;
      if (isId) count += longer;
      else if (w + 2 <= words.length && fits(name, words, w, w + 2, dealing)) count += after[w + 2]!;
      // A cell that starts before w may end with w.
      if (isId && endsId(name, words[w]!.text)) longer = Math.min(2, longer + after[w + 1]!);
    }
    here[w] = Math.min(2, count);
  }
}

/** A consumer id with blanks is `<client id>-<uuid>`; other ids may end with any word. */
function endsId(name: string, word: string): boolean {
  return name !== 'CONSUMER-ID' || UUID_END.test(word);
}

/** Whether words from..to-1 can be the cell of a column. */
function fits(name: string, words: readonly Word[], from: number, to: number, dealing: Dealing): boolean {
  if (to === from) return dealing.emptyCells && MAY_BE_EMPTY.has(name);
  const first = words[from]!.text;
  if (name === 'COORDINATOR (ID)' && to === from + 2) return COORDINATOR.test(`${first} ${words[from + 1]!.text}`);
  if (to > from + 1) return dealing.longIds && FREE_TEXT.has(name) && endsId(name, words[to - 1]!.text);
  if (name === 'HOST' && dealing.longIds && first !== MISSING && !PRINTED_HOST.test(first)) return false;
  return CHECKS.get(name)?.[0](first) ?? true;
}

/** Why no way was found: the most specific thing that can be said. */
function whyNot({ columns }: TableHeader, words: readonly Word[]): string {
  const optional = columns.filter(({ name }) => MAY_BE_EMPTY.has(name)).length;
  const blanks = columns.filter(({ name }) => name === 'COORDINATOR (ID)').length;
  if (words.length < columns.length - optional) {
    const missing = columns.slice(words.length).map(({ name }) => name);
    return `The row has ${words.length} of ${columns.length} cells (up to ${missing.join(', ')} missing): it is cut or broken. Paste the whole line.`;
  }
  if (words.length === columns.length && blanks === 0) {
    for (let c = 0; c < columns.length; c++) {
      const check = CHECKS.get(columns[c]!.name);
      if (check !== undefined && !check[0](words[c]!.text)) {
        return `${columns[c]!.name} ${quote(words[c]!.text)} is not ${check[1]}.`;
      }
    }
  }
  return `The row's ${words.length} words do not fit the ${columns.length} columns of its header. Paste the table with its original spacing.`;
}
