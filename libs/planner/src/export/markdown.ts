/** A column's heading and whether it holds numbers. */
export type MarkdownColumn = string | { readonly heading: string; readonly numbers: true };

/**
 * A sentence as Markdown that shows exactly these words, wherever it stands: what Markdown or HTML would read as their own is
 * escaped, and control characters are written as in JSON, so that no name inside can end a table's row.
 */
export function markdownText(text: string): string {
  return visible(text)
    .replace(/[\\`*[\]<>~&]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');
}

/** A name as code: nothing in it is read as Markdown, as HTML, or as somebody to be told of it. */
export function markdownName(text: string): string {
  const name = visible(text);
  const longest = Math.max(0, ...[...name.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$|^ .* $/.test(name) ? ' ' : '';
  return fence + pad + name + pad + fence;
}

/**
 * A table of GitHub-flavoured Markdown; cells are Markdown already. Their bars are escaped here, in code as well: a table takes
 * these escapes out before it looks at what a cell says.
 */
export function markdownTable(columns: readonly MarkdownColumn[], rows: readonly (readonly string[])[]): string {
  const headings = columns.map((column) => (typeof column === 'string' ? column : column.heading));
  const rules = columns.map((column) => (typeof column === 'string' ? '---' : '---:'));
  return [headings, rules, ...rows].map((cells) => `| ${cells.map(escapeBars).join(' | ')} |`).join('\n');
}

function escapeBars(cell: string): string {
  return cell.replaceAll('|', '\\|');
}

/** Control characters, and those that turn the direction of text around, in the notation of JSON. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, (control) => {
    return SHORT.get(control) ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const SHORT = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
