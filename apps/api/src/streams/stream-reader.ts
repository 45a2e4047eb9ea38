import type { GroupChange, GroupReading } from '@allot/coordinator';
import type { EventSink } from './event-sink.js';
import { COMMENTS, type Frame } from './frames.js';
import type { Beginning, Cursor, GroupTail } from './group-tail.js';
import type { StreamView } from './stream-view.js';

/**
 * One reader of a stream. It is given each change once, in order, as fast as it takes them: nothing is written to a connection that has
 * not drained, and nothing is queued meanwhile. When it has drained it goes on after its cursor, or with a snapshot if that is too old.
 */
export class StreamReader {
  readonly #cursor: Cursor;
  #missed: readonly GroupChange[] = [];
  #taken = 0;
  /** It waits for the connection to drain, or for a snapshot. */
  #waits = false;
  #ended = false;
  #detach: (() => void) | undefined;
  /** When it was written to last, ms of a monotonic clock. */
  writtenAt = 0;

  constructor(
    private readonly sink: EventSink,
    private readonly view: StreamView,
    private readonly tail: GroupTail,
    since: number,
  ) {
    this.#cursor = tail.cursorAt(since);
  }

  begin(beginning: Beginning): void {
    if ('reading' in beginning) {
      Object.assign(this.#cursor, this.tail.cursorAt(beginning.reading.group.revision));
      this.#writeSnapshot(beginning.reading);
    } else this.#missed = beginning.missed;
    if (this.#ended) return;
    this.#detach = this.tail.attach(this.#cursor, () => this.#pump());
    this.#pump();
    // A reader that comes back to no news is told at once that it is connected.
    if (this.writtenAt === 0) this.comment();
  }

  comment(): void {
    this.#write(COMMENTS[this.sink.format]);
  }

  /** Writes something that is not part of the history, unless the reader is slow. */
  tell(frame: Frame): void {
    if (!this.#waits) this.#write(frame);
  }

  get waits(): boolean {
    return this.#waits;
  }

  end(): void {
    if (this.#ended) return;
    this.close();
    this.sink.end();
  }

  /** The connection is gone. */
  close(): void {
    this.#ended = true;
    this.#detach?.();
    this.#missed = [];
  }

  #pump(): void {
    let skipped: GroupChange | undefined;
    while (!this.#waits && !this.#ended) {
      const next = this.#next();
      if (next === 'behind') {
        void this.#startOver();
        return;
      }
      if (next === 'gone') return this.#write(this.view.gone(this.#cursor.revision, this.sink.format));
      if (next === 'none') break;
      this.#cursor.revision = next.revision;
      const frame = this.view.change(next, this.sink.format);
      skipped = frame === undefined ? next : undefined;
      if (frame !== undefined) this.#write(frame);
    }
    if (skipped !== undefined && !this.#ended) this.#write(this.view.bookmark(skipped, this.sink.format));
  }

  #next(): GroupChange | 'none' | 'behind' | 'gone' {
    if (this.#taken < this.#missed.length) return this.#missed[this.#taken++]!;
    if (this.#missed.length > 0) this.#missed = [];
    return this.tail.next(this.#cursor);
  }

  async #startOver(): Promise<void> {
    this.#waits = true;
    try {
      const reading = await this.tail.startOver(this.#cursor);
      if (this.#ended) return;
      this.#waits = false;
      if (reading === undefined) this.#write(this.view.gone(this.#cursor.revision, this.sink.format));
      else this.#writeSnapshot(reading);
    } catch {
      // The database is away: the reader comes back and is told so.
      this.end();
      return;
    }
    this.#pump();
  }

  #writeSnapshot(reading: GroupReading): void {
    this.#write(this.view.snapshot(reading, this.sink.format));
  }

  #write(frame: Frame): void {
    // After the end the connection may carry another answer.
    if (this.#ended) return;
    this.writtenAt = performance.now();
    const goesOn = this.sink.write(frame);
    if (frame.last) return this.end();
    if (goesOn) return;
    this.#waits = true;
    this.sink.whenDrained(() => {
      this.#waits = false;
      this.#pump();
    });
  }
}
