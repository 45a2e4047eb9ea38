import type { TableHeader } from './table-columns.js';
import type { Cells, RowReading } from './table-row.js';
import { hasTooManyWords, readAlignedRow, readRowByShape } from './table-row.js';

/** A row may be broken into at most this many lines. */
const MAX_WRAPPED_LINES = 6;
const UUID_END = /-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads one line as a row: by its columns' positions, else by the shape of its cells. */
export function readRow(header: TableHeader, line: string): RowReading {
  const cells = readAlignedRow(header, line);
  return cells === undefined ? readRowByShape(header, line) : { cells };
}

export type WrappedReading =
  | { readonly cells: Cells; readonly count: number; readonly doubtfulRest: boolean }
  | { readonly reason: string; readonly count: number };

/** The table that rows are read from, with all lines of the text. */
export interface TableText {
  readonly header: TableHeader;
  /** Of the longest line of the table: lines of this length were cut by the terminal, shorter ones lost trailing blanks. */
  readonly width: number;
  readonly lines: readonly string[];
}

/**
 * Reads the row that starts at `index`, taking out line breaks that a terminal put in. The `freeLines` lines below are
 * neither rows by themselves nor anything else known.
 */
export function readWrappedRow(table: TableText, index: number, freeLines: number): WrappedReading {
  const alone = readRow(table.header, table.lines[index]!);
  if ('cells' in alone) return decideRest(table, index, 1, alone.cells, freeLines);
  const found = joinedRow(table, index, freeLines + 1);
  return found === undefined
    ? { ...alone, count: 1 }
    : decideRest(table, index, found.count, found.cells, freeLines + 1 - found.count);
}

/** The row that the first of the lines begin, if joining two or more of them gives one. */
function joinedRow(table: TableText, index: number, lines: number): { cells: Cells; count: number } | undefined {
  for (let count = 2; count <= Math.min(lines, MAX_WRAPPED_LINES); count++) {
    const cells = joinedCells(table, index, count);
    if (cells === 'too many words') return undefined;
    if (cells !== undefined) return { cells, count };
  }
  return undefined;
}

function joinedCells(table: TableText, index: number, count: number): Cells | 'too many words' | undefined {
  const { header, width } = table;
  const pieces = table.lines.slice(index, index + count);
  const cuts = pieces.slice(0, -1).filter((line) => line.length === width).length;
  const whole = pieces.reduce((text, line, i) => text + (pieces[i - 1]!.length === width ? '' : ' ') + line);
  // Without proof of where the break was, an id with a blank in it would be a guess.
  const reading = cuts === count - 1 ? readRow(header, whole) : readRowByShape(header, whole, 'one');
  if ('cells' in reading) return reading.cells;
  if (cuts === 0) return hasTooManyWords(header, whole) ? 'too many words' : undefined;
  const apart = readRowByShape(header, pieces.join(' '), 'one');
  return 'cells' in apart ? apart.cells : undefined;
}

/** The row reads, but the line below may be the rest of its last cell. Something in the row must decide. */
function decideRest(table: TableText, index: number, count: number, cells: Cells, restLines: number): WrappedReading {
  const done = { cells, count, doubtfulRest: false };
  if (restLines <= 0 || startsWrappedRow(table, index + count)) return done;
  const { header, lines } = table;
  const text = lines.slice(index, index + count + 1).reduce((whole, line) => whole.trimEnd() + line.trim());
  const joined = count === 1 ? readRow(header, text) : joinedReading(table, index, count + 1);
  if (!('cells' in joined)) return done;
  const column = header.columns.at(-1)!.name;
  const isCounted = isConfirmed(column, cells);
  if (isConfirmed(column, joined.cells) && !isCounted)
    return { cells: joined.cells, count: count + 1, doubtfulRest: false };
  if (isCounted) return done;
  // One more word may belong to the client id, which nothing depends on; several words are a line of their own.
  if (column === 'CLIENT-ID') return { ...done, doubtfulRest: !/\S\s+\S/.test(lines[index + count]!) };
  return {
    reason: `The line below may be the rest of this row's ${column}, or not. Paste the row as one line.`,
    count,
  };
}

function joinedReading(table: TableText, index: number, count: number): RowReading {
  const cells = joinedCells(table, index, count);
  return cells === undefined || cells === 'too many words' ? { reason: '' } : { cells };
}

/** Whether the line is the first part of another row that was broken. */
function startsWrappedRow(table: TableText, index: number): boolean {
  return joinedRow(table, index, table.lines.length - index) !== undefined;
}

/** Whether the rest of the row confirms its last cell: the member id repeats the client id, #PARTITIONS counts them. */
function isConfirmed(column: string, cells: Cells): boolean {
  if (column === 'CLIENT-ID') {
    const memberId = cells.get('CONSUMER-ID');
    return memberId !== undefined && memberId.replace(UUID_END, '') === cells.get(column);
  }
  if (column !== 'ASSIGNMENT') return false;
  const numbers = (cells.get(column) ?? '').match(/[(,]\s*\d+(?=[,)])/g) ?? [];
  return numbers.length === Number(cells.get('#PARTITIONS'));
}
