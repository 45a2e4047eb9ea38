import { OutputClosed, write, type Terminal } from '../terminal.js';
import { paintFor, type Paint, type Style } from './palette.js';
import { layOut, type Cell, type Column } from './table.js';

export interface ScreenOptions {
  /** `--color` and `--no-color`. */
  readonly color?: boolean;
  /** `--width`: columns that tables may take; 0 is as many as they need. */
  readonly width?: number;
}

/** Where a command writes: results to stdout, everything that is said about them to stderr. */
export class Screen {
  readonly paint: Paint;
  readonly #paintNote: Paint;
  readonly #width: number;
  #shortened = 0;

  constructor(
    readonly terminal: Terminal,
    { color, width }: ScreenOptions,
  ) {
    this.paint = paintFor(terminal.stdout, terminal.env, color);
    this.#paintNote = paintFor(terminal.stderr, terminal.env, color);
    this.#width = widthOf(terminal, width);
  }

  print(text: string): Promise<void> {
    return write(this.terminal.stdout, text);
  }

  printJson(value: unknown): Promise<void> {
    return this.print(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** A table for people, or nothing where there are no rows. */
  async printTable(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Promise<void> {
    if (rows.length === 0) return;
    const { text, shortened } = layOut(columns, rows, this.#width, this.paint);
    this.#shortened += shortened;
    await this.print(text);
  }

  heading(text: string): Promise<void> {
    return this.print(`\n${this.paint('bold', text)}\n`);
  }

  /** A remark beside the result. */
  async note(kind: 'note' | 'warning', text: string): Promise<void> {
    const style: Style = kind === 'note' ? 'cyan' : 'yellow';
    await this.#say(`${this.#paintNote(style, `${kind}:`)} ${text}\n`);
  }

  /** Says how many cells of tables were shortened, if any; a table that hides something must say so. */
  async admitShortening(): Promise<void> {
    const count = this.#shortened;
    this.#shortened = 0;
    if (count === 0) return;
    const cells = count === 1 ? '1 name is' : `${count} names are`;
    await this.note('note', `${cells} shortened to fit the screen; --width 0 or --output json show all of it.`);
  }

  /** A reader of the result may be there although nobody reads the remarks. */
  async #say(text: string): Promise<void> {
    try {
      await write(this.terminal.stderr, text);
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
    }
  }
}

/** A pipe gets lines as long as they are; a screen what fits on it. */
function widthOf({ stdout, env }: Terminal, asked: number | undefined): number {
  if (asked !== undefined) return asked === 0 ? Infinity : asked;
  if (stdout.isTTY !== true) return Infinity;
  const columns = Number(env['COLUMNS']);
  return Number.isInteger(columns) && columns > 0 ? columns : (stdout.columns ?? 80);
}
