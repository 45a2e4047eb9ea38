import type { Readable } from 'node:stream';
import { invalidRequest } from '@allot/model';

/** A key is never this long; input without line breaks is something else. */
export const LONGEST_LINE = 2 ** 20;

/**
 * Lines of a stream as they come, without their ends (LF or CRLF), so that input of any length can be read. A last line break
 * does not begin another line.
 *
 * @throws AllotError for a line that is not UTF-8, since another text in its place would be another key, or that is too long
 */
export async function* readLines(stream: Readable): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  const lineOf = (bytes: Buffer): string => {
    number++;
    if (bytes.length > LONGEST_LINE) throw tooLong(number);
    try {
      return decoder.decode(bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes);
    } catch {
      throw invalidRequest(`line ${number} is not UTF-8: give the keys as hex or base64 with --key-encoding.`);
    }
  };
  for await (const chunk of stream) {
    const bytes = Buffer.concat([rest, Buffer.from(chunk as Uint8Array | string)]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      yield lineOf(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > LONGEST_LINE) throw tooLong(number + 1);
  }
  if (rest.length > 0) yield lineOf(rest);
}

function tooLong(line: number): Error {
  return invalidRequest(`line ${line} is longer than ${LONGEST_LINE / 2 ** 20} MiB: one key a line is expected.`);
}
