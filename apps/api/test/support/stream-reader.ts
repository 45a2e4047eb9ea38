import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Json, Replica } from './service.js';

/** A reader of one stream; `next` waits for the next event. */
export class Reader {
  readonly #events: EventSourceMessage[] = [];
  readonly #controller = new AbortController();
  #wake: (() => void) | undefined;
  ended = false;
  response!: Response;

  static async open(via: Pick<Replica, 'url'>, path: string, headers: Record<string, string> = {}): Promise<Reader> {
    const reader = new Reader();
    reader.response = await fetch(via.url + path, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: reader.#controller.signal,
    });
    if (reader.response.ok) void reader.#pump();
    return reader;
  }

  async #pump(): Promise<void> {
    const parser = createParser({ onEvent: (event) => (this.#events.push(event), this.#wake?.()) });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body!) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
    } catch {
      // Aborted by the test.
    }
    this.ended = true;
    this.#wake?.();
  }

  async next(): Promise<{ name: string; id: number; data: Json }> {
    while (this.#events.length === 0) {
      if (this.ended) throw new Error('the stream ended');
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const { event, id, data } = this.#events.shift()!;
    return { name: event!, id: Number(id), data: JSON.parse(data) };
  }

  /** The next event of this name; others are skipped. */
  async until(name: string): Promise<{ name: string; id: number; data: Json }> {
    for (;;) {
      const event = await this.next();
      if (event.name === name) return event;
    }
  }

  close(): void {
    this.#controller.abort();
  }
}
