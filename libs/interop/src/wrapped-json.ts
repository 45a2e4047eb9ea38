/** JSON values; objects as maps, because their keys are foreign text. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | ReadonlyMap<string, JsonValue>;

/** A place in the text: line and column, both from 0. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export type JsonReading =
  | {
      readonly type: 'value';
      readonly value: JsonValue;
      readonly end: TextPosition;
      readonly repaired: readonly number[];
    }
  | { readonly type: 'error'; readonly reason: string; readonly at: TextPosition };

const MAX_DEPTH = 32;
/** Line breaks that one string or number may contain: a topic name of 249 characters in a narrow terminal. */
const MAX_BREAKS = 8;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...(['"', '\\', '/'].map((char) => [char, char]) as [string, string][]),
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Thrown inside this file only; no Error, because a stack for each broken object of a hostile text costs seconds. */
class JsonError {
  constructor(
    readonly reason: string,
    readonly at: TextPosition,
  ) {}
}

/**
 * Reads one JSON value out of lines of text. Unlike JSON.parse it stops where the value ends, tells line and column of an
 * error, and takes out line breaks inside strings and numbers, which JSON forbids and terminals insert. `repaired` are the
 * lines (from 0) that were joined to the line before.
 */
export function readWrappedJson(lines: readonly string[], start: TextPosition): JsonReading {
  const reader = new Reader(lines, start);
  try {
    const value = reader.readValue(0);
    return { type: 'value', value, end: reader.position, repaired: reader.repaired };
  } catch (error) {
    if (error instanceof JsonError) return { type: 'error', reason: error.reason, at: error.at };
    throw error;
  }
}

class Reader {
  readonly repaired: number[] = [];
  #line: number;
  #column: number;

  constructor(
    readonly lines: readonly string[],
    start: TextPosition,
  ) {
    this.#line = start.line;
    this.#column = start.column;
  }

  get position(): TextPosition {
    return { line: this.#line, column: this.#column };
  }

  readValue(depth: number): JsonValue {
    if (depth > MAX_DEPTH) this.#fail('brackets are nested too deep');
    const char = this.#skipBlanks();
    if (char === '{') return this.#readObject(depth);
    if (char === '[') return this.#readArray(depth);
    if (char === '"') return this.#readString();
    if (char === '-' || isDigit(char)) return this.#readNumber();
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (!this.lines[this.#line]?.startsWith(word, this.#column)) continue;
      this.#column += word.length;
      return value;
    }
    return this.#fail('expected a value');
  }

  #readObject(depth: number): ReadonlyMap<string, JsonValue> {
    const object = new Map<string, JsonValue>();
    this.#column++;
    if (this.#skipBlanks() === '}') {
      this.#column++;
      return object;
    }
    for (;;) {
      if (this.#skipBlanks() !== '"') this.#fail('expected a key in double quotes');
      const at = this.position;
      const key = this.#readString();
      if (object.has(key)) throw new JsonError(`the key "${key}" appears twice`, at);
      if (this.#skipBlanks() !== ':') this.#fail('expected a colon');
      this.#column++;
      object.set(key, this.readValue(depth + 1));
      if (this.#closes('}')) return object;
    }
  }

  #readArray(depth: number): readonly JsonValue[] {
    const array: JsonValue[] = [];
    this.#column++;
    if (this.#skipBlanks() === ']') {
      this.#column++;
      return array;
    }
    for (;;) {
      array.push(this.readValue(depth + 1));
      if (this.#closes(']')) return array;
    }
  }

  /** After an element: true at the closing bracket, false after a comma. */
  #closes(bracket: ']' | '}'): boolean {
    const char = this.#skipBlanks();
    if (char !== bracket && char !== ',') this.#fail(`expected a comma or ${bracket}`);
    this.#column++;
    return char === bracket;
  }

  #readString(): string {
    const start = this.position;
    let text = '';
    let breaks = 0;
    this.#column++;
    for (;;) {
      const line = this.lines[this.#line];
      if (line === undefined) throw new JsonError('the string that starts here does not end', start);
      const end = nextOf(line, this.#column);
      text += line.slice(this.#column, end);
      this.#column = end;
      if (line[end] === '"') {
        // No name or path here contains blanks: text with blanks after a break is something else that ran into it.
        if (breaks > 0 && /\s/.test(text)) throw new JsonError('the string that starts here does not end', start);
        this.#column++;
        return text;
      }
      if (line[end] === '\\') {
        text += this.#readEscape();
      } else if (++breaks > MAX_BREAKS || /\s/.test(text)) {
        throw new JsonError('the string that starts here does not end', start);
      } else {
        this.#nextLine();
      }
    }
  }

  #readEscape(): string {
    this.#column++;
    if (this.#column >= (this.lines[this.#line]?.length ?? 0)) this.#nextLine();
    const char = this.lines[this.#line]?.[this.#column] ?? '';
    const plain = ESCAPES.get(char);
    if (plain !== undefined) {
      this.#column++;
      return plain;
    }
    const code = /^u([0-9a-fA-F]{4})/.exec(this.lines[this.#line]?.slice(this.#column, this.#column + 5) ?? '');
    if (code === null) this.#fail('unknown escape in a string');
    this.#column += 5;
    return String.fromCharCode(Number.parseInt(code[1]!, 16));
  }

  #readNumber(): number {
    const start = this.position;
    let text = '';
    for (let breaks = 0; breaks <= MAX_BREAKS; breaks++) {
      const line = this.lines[this.#line] ?? '';
      const match = /[-+.0-9eE]{0,40}/y;
      match.lastIndex = this.#column;
      const piece = match.exec(line)![0];
      text += piece;
      this.#column += piece.length;
      // Digits go on at the very start of the next line: a number cut by the terminal, as no comma was lost in between.
      if (this.#column < line.length || !isDigit(this.lines[this.#line + 1]?.[0] ?? '')) break;
      this.#nextLine();
    }
    if (!/^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?$/.test(text)) {
      throw new JsonError(`"${text.slice(0, 40)}" is not a number`, start);
    }
    return Number(text);
  }

  #nextLine(): void {
    this.#line++;
    this.#column = 0;
    this.repaired.push(this.#line);
  }

  /** Moves to the next character that is not blank and answers it; the empty text at the end. */
  #skipBlanks(): string {
    for (;;) {
      const line = this.lines[this.#line];
      if (line === undefined) return '';
      while (this.#column < line.length && (line[this.#column] === ' ' || line[this.#column] === '\t')) this.#column++;
      if (this.#column < line.length) return line[this.#column]!;
      this.#line++;
      this.#column = 0;
    }
  }

  #fail(reason: string): never {
    const found = this.lines[this.#line]?.slice(this.#column, this.#column + 20);
    if (this.#line >= this.lines.length) {
      this.#line = Math.max(0, this.lines.length - 1);
      this.#column = this.lines[this.#line]?.length ?? 0;
    }
    throw new JsonError(`${reason}, found ${found ? `"${found}"` : 'the end of the text'}`, this.position);
  }
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

/** The position of the next quote or backslash from `from` on, or the line's length. */
function nextOf(line: string, from: number): number {
  for (let i = from; i < line.length; i++) if (line[i] === '"' || line[i] === '\\') return i;
  return line.length;
}
