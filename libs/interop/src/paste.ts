import { invalidRequest } from '@allot/model';

/** More lines than any cluster's description has; beyond it the line-by-line report itself would not fit into memory. */
export const MAX_IMPORT_LINES = 500_000;

// Colour and cursor codes (CSI ... letter), window titles (OSC ... BEL), and single-character escapes.
const ANSI = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\)|[@-Z\\^_=>])/g;
// What a terminal or a web page leaves in text without showing it. Tabs stay: they separate fields.
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f\u200b\ufeff]/g;
const LINE_BREAK = /\r\n|\n|\r/;

/**
 * Splits a paste into lines and takes out what a terminal adds: colour codes, carriage returns, control characters,
 * non-breaking blanks. A final line break does not start another line; the empty text has no lines.
 */
export function splitPaste(text: string): string[] {
  const lines = text.split(LINE_BREAK);
  if (lines.at(-1) === '') lines.pop();
  if (lines.length > MAX_IMPORT_LINES) {
    throw invalidRequest(
      `The text has ${lines.length} lines; at most ${MAX_IMPORT_LINES} are read. Import it in parts.`,
    );
  }
  return lines.map(cleanLine);
}

function cleanLine(line: string): string {
  const plain = line.includes('\u001b') ? line.replace(ANSI, '') : line;
  return plain.replace(INVISIBLE, '').replaceAll('\u00a0', ' ');
}

/** A piece of a line for a message, cut so that a hostile line does not come back in full. */
export function quote(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 57)}...` : text;
  return `"${shown}"`;
}

/** `0-3, 7`: numbers in ascending order as ranges, at most ten of them. */
export function formatRanges(ranges: readonly (readonly [number, number])[]): string {
  const shown = ranges.slice(0, 10).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  if (ranges.length > 10) shown.push(`and ${ranges.length - 10} more ranges`);
  return shown.join(', ');
}
