import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A line of a vector file: its number, counted from 1, and its text. */
export interface VectorLine {
  readonly number: number;
  readonly text: string;
}

const NEWLINE = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const GZIP_MAGIC = [0x1f, 0x8b];

/**
 * Streams the lines of a `.jsonl` or `.jsonl.gz` file; what it is, its first bytes decide. Lines end at `\n` alone, since
 * JSON text may contain the other separators that a readline would cut at. Text that is not UTF-8, a gzip stream that is
 * damaged or cut off, or a file that cannot be read is an error.
 */
export async function* readVectorLines(path: string): AsyncGenerator<VectorLine> {
  const gzip = await isGzip(path);
  const file = createReadStream(path);
  // An error of either stream destroys the other one and comes out of the loop below.
  const bytes = gzip ? pipeline(file, createGunzip(), () => {}) : file;
  let number = 0;
  let pending: Buffer[] = [];
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      pending.push(chunk.subarray(start, end));
      yield { number: ++number, text: decode(pending, number) };
      pending = [];
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
  if (pending.length > 0) yield { number: ++number, text: decode(pending, number) };
}

function decode(parts: readonly Buffer[], number: number): string {
  try {
    return utf8.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  } catch {
    throw new Error(`line ${number} is not UTF-8 text`);
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
    return bytesRead === GZIP_MAGIC.length && GZIP_MAGIC.every((byte, i) => buffer[i] === byte);
  } finally {
    await file.close();
  }
}
