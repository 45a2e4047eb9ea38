import { visible } from '@allot/planner';
import stringWidth from 'string-width';
import type { Paint, Style } from './palette.js';

export interface Column {
  readonly heading: string;
  /** Numbers stand at the right. */
  readonly numbers?: boolean;
  /** Whether its cells may be shortened where the table is wider than the screen; names are, numbers never. */
  readonly shrinks?: boolean;
}

export type Cell = string | number | { readonly text: string; readonly style: Style };

export interface Table {
  readonly text: string;
  /** Cells that were shortened to fit. */
  readonly shortened: number;
}

/** No column gets narrower than this. */
const NARROWEST = 12;
const GAP = '  ';

/**
 * Lays a table out, two blanks between columns, no lines: what stands there can be cut out and pasted. Where it is wider than
 * `width`, the widest of the columns that may shrink lose their middle, since the ids of Kafka's members differ at their ends; how
 * many cells that were is part of the answer. Control characters are shown, not sent to the terminal.
 */
export function layOut(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  paint: Paint,
): Table {
  const texts = rows.map((row) => row.map(textOf));
  const natural = columns.map(({ heading }, i) =>
    texts.reduce((most, row) => Math.max(most, widthOf(row[i]!)), heading.length),
  );
  const widths = fit(columns, natural, width);
  let shortened = 0;
  const lines = [columns.map(({ heading, numbers }, i) => paint('dim', pad(heading, widths[i]!, numbers)))];
  for (const [r, row] of rows.entries()) {
    lines.push(
      row.map((cell, i) => {
        const full = texts[r]![i]!;
        const text = shorten(full, widths[i]!);
        if (text !== full) shortened++;
        const padded = pad(text, widths[i]!, columns[i]!.numbers);
        return typeof cell === 'object' ? paint(cell.style, padded) : padded;
      }),
    );
  }
  return { text: lines.map((cells) => `${cells.join(GAP).trimEnd()}\n`).join(''), shortened };
}

/** Lowers the widest of the columns that may shrink to one level, the highest with which the table fits. */
function fit(columns: readonly Column[], natural: readonly number[], width: number): number[] {
  const gaps = GAP.length * (natural.length - 1);
  const at = (level: number) => natural.map((each, i) => (columns[i]!.shrinks ? Math.min(each, level) : each));
  let level = Math.max(NARROWEST, ...natural);
  while (level > NARROWEST && at(level).reduce((sum, each) => sum + each, gaps) > width) level--;
  return at(level);
}

function textOf(cell: Cell): string {
  return typeof cell === 'number' ? `${cell}` : visible(typeof cell === 'string' ? cell : cell.text);
}

const ASCII = /^[\u0020-\u007e]*$/;

/** Columns that a text takes on a screen: two for most East Asian characters. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

function pad(text: string, width: number, right = false): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? blanks + text : text + blanks;
}

/** Takes the middle out: `billing…cf285cf`. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const characters = [...text];
  const tail = Math.floor((width - 1) / 2);
  return `${take(characters, width - 1 - tail)}…${[...take(characters.reverse(), tail)].reverse().join('')}`;
}

function take(characters: readonly string[], width: number): string {
  let taken = '';
  for (const character of characters) {
    if (widthOf(taken + character) > width) break;
    taken += character;
  }
  return taken;
}
