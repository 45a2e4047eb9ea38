/** A cell: text, or a number, which is never taken for a formula; null is an empty cell. */
export type CsvCell = string | number | null;

/**
 * First characters for which spreadsheets run what follows as a formula, the full-width forms included that they fold. The
 * apostrophe is among them so that the guard can be taken off again without doubt: a cell that begins with one has lost nothing.
 */
const FORMULA = /^[=+\-@\t\r\n'\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * Writes CSV as RFC 4180 has it: commas, CRLF after every record, quotes around cells that need them, quotes doubled. Text
 * that a spreadsheet would run as a formula gets an apostrophe in front, which spreadsheets take for "this is text"; a reader
 * that wants the name as it is removes one leading apostrophe.
 */
export function toCsv(header: readonly string[], rows: Iterable<readonly CsvCell[]>): string {
  const lines = [header.map(quoted).join(',')];
  for (const row of rows) lines.push(csvRecord(row));
  return `${lines.join('\r\n')}\r\n`;
}

/** One record, without its line break: for those who write as they go. */
export function csvRecord(row: readonly CsvCell[]): string {
  return row.map((cell) => (typeof cell === 'string' ? quoted(guarded(cell)) : (cell ?? ''))).join(',');
}

function guarded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || /^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
