/** One event of a stream. `id` is the last id that the stream gave, of this event or of one before. */
export interface ServerEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string;
}

/**
 * Reads text/event-stream as the HTML standard says (section 9.2.6), from text in pieces of any size: lines end with LF, CR or CRLF, also
 * across pieces; an event that was not finished when the stream broke is nothing, and its id was not seen.
 */
export class SseParser {
  #line = '';
  #data: string[] = [];
  #type = '';
  #id: string;
  #begun = false;
  /** The piece before ended with CR: a LF at the start of the next belongs to it. */
  #afterCr = false;

  constructor(lastEventId = '') {
    this.#id = lastEventId;
  }

  /** Events that this piece completes. */
  *push(text: string): Generator<ServerEvent, void, void> {
    if (text === '') return;
    let rest = text;
    if (!this.#begun && rest.startsWith('\uFEFF')) rest = rest.slice(1);
    this.#begun = true;
    if (this.#afterCr && rest.startsWith('\n')) rest = rest.slice(1);
    this.#afterCr = rest.endsWith('\r');
    const lines = rest.split(/\r\n|\n|\r/);
    lines[0] = this.#line + lines[0]!;
    this.#line = lines.pop()!;
    for (const line of lines) {
      const event = this.#take(line);
      if (event !== undefined) yield event;
    }
  }

  #take(line: string): ServerEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return undefined;
  }

  #dispatch(): ServerEvent | undefined {
    const [data, type] = [this.#data, this.#type];
    this.#data = [];
    this.#type = '';
    return data.length === 0 ? undefined : { type: type || 'message', data: data.join('\n'), id: this.#id };
  }
}
