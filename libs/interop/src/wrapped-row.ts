import type { TableHeader } from './table-columns.js';
import type { Cells, RowReading } from './table-row.js';
import { readAlignedRow, readRowByShape } from './table-row.js';

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

/**
 * Reads the row that starts at `index`, taking out line breaks that a terminal put in. Lines as long as the table is wide
 * were cut there; shorter ones lost trailing blanks. `freeLines` lines below are neither rows nor anything else known.
 */
export function readWrappedRow(
  header: TableHeader,
  width: number,
  lines: readonly string[],
  index: number,
  freeLines: number,
): WrappedReading {
  const alone = readRow(header, lines[index]!);
  if (freeLines === 0) return { ...alone, count: 1, doubtfulRest: false };
  if ('cells' in alone) return withPossibleRest(header, lines, index, alone.cells);
  for (let count = 2; count <= Math.min(freeLines + 1, MAX_WRAPPED_LINES); count++) {
    const cells = joinedCells(header, width, lines.slice(index, index + count));
    if (cells !== undefined) return { cells, count, doubtfulRest: freeLines >= count };
  }
  return { ...alone, count: 1 };
}

function joinedCells(header: TableHeader, width: number, lines: readonly string[]): Cells | undefined {
  const atWidth = lines.reduce((text, line, i) => text + (lines[i - 1]!.length === width ? '' : ' ') + line);
  const reading = readRow(header, atWidth);
  // Without proof of where the break was, an id with a blank in it would be a guess.
  const certain = lines.slice(0, -1).every((line) => line.length === width);
  if ('cells' in reading && certain) return reading.cells;
  const apart = readRowByShape(header, lines.join(' '), 'one');
  return 'cells' in apart ? apart.cells : undefined;
}

/** The row reads on its own, but the line below may be the rest of its last cell. Something in the row must decide. */
function withPossibleRest(header: TableHeader, lines: readonly string[], index: number, cells: Cells): WrappedReading {
  const joined = readRow(header, lines[index]! + lines[index + 1]!.trim());
  if (!('cells' in joined)) return { cells, count: 1, doubtfulRest: false };
  const column = header.columns.at(-1)!.name;
  const [alone, whole] = [cells, joined.cells].map((reading) => isConfirmed(column, reading));
  if (whole && !alone) return { cells: joined.cells, count: 2, doubtfulRest: false };
  if (alone || column === 'CLIENT-ID') return { cells, count: 1, doubtfulRest: !alone };
  return {
    reason: `The line below may be the rest of this row's ${column}, or not. Paste the row as one line.`,
    count: 1,
  };
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
