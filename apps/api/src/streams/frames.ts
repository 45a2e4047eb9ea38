/** What goes over the wire as one event. */
export interface WireEvent {
  readonly name: string;
  /** Becomes the event's id; a reader resumes after it. Absent: the event is not part of the history. */
  readonly revision?: number;
  readonly data: unknown;
  /** The stream ends with it. */
  readonly last?: boolean;
}

export type WireFormat = 'sse' | 'ndjson';

export const EVENT_STREAM = 'text/event-stream';
export const NDJSON = 'application/x-ndjson';

/** NDJSON for those who ask for it, else Server-Sent Events. */
export function wireFormatOf(accept: string | undefined): WireFormat {
  return accept?.toLowerCase().includes(NDJSON) ? 'ndjson' : 'sse';
}

/**
 * Bytes of one event, made once however many readers get them: a socket keeps a reference, not a copy. `chunk` has HTTP's chunk framing
 * around `body`, so that it goes to a socket in one write instead of three.
 */
export interface Frame {
  readonly chunk: Buffer;
  readonly body: Buffer;
  readonly last: boolean;
}

export function frameOf(event: WireEvent, format: WireFormat): Frame {
  return toFrame(format === 'sse' ? toSse(event) : toNdjson(event), event.last);
}

/** One document a line, without a name or an id around it. */
export function lineOf(data: unknown): Frame {
  return toFrame(`${JSON.stringify(data)}\n`);
}

/** A sign of life: without one for a while, proxies take a connection for dead. */
export const COMMENTS: Readonly<Record<WireFormat, Frame>> = { sse: toFrame(': alive\n\n'), ndjson: toFrame('\n') };

function toFrame(text: string, last = false): Frame {
  const bytes = Buffer.byteLength(text);
  const head = `${bytes.toString(16)}\r\n`;
  const chunk = Buffer.from(`${head}${text}\r\n`);
  return { chunk, body: chunk.subarray(head.length, head.length + bytes), last };
}

function toSse({ name, revision, data }: WireEvent): string {
  const id = revision === undefined ? '' : `id: ${revision}\n`;
  return `event: ${name}\n${id}data: ${JSON.stringify(data)}\n\n`;
}

function toNdjson({ name, revision, data }: WireEvent): string {
  return `${JSON.stringify({ event: name, id: revision, data })}\n`;
}
