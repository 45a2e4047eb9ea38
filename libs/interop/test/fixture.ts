import { readFileSync } from 'node:fs';

/** The text of a file in test/fixtures. */
export function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
}

/** Wraps text as a terminal of the given width does; `stripped`: blanks at the end of a screen line are lost. */
export function wrapAt(text: string, width: number, stripped = true): string {
  return text
    .split('\n')
    .map((line) => {
      const pieces: string[] = [];
      for (let i = 0; i < Math.max(line.length, 1); i += width) pieces.push(line.slice(i, i + width));
      return pieces.map((piece) => (stripped ? piece.trimEnd() : piece)).join('\n');
    })
    .join('\n');
}
